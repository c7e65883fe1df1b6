//! `open`, `run` and `build` of the command line: what they refuse, and in which words.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::ensured::said;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

/// Each is a usage error: its line and its hint hold these words, and nothing is opened.
#[test]
fn mistakes_are_explained_and_open_nothing() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    std::fs::write(sandbox.root().join("bad.json"), "[{\"command\":[\"cat\"]").unwrap();
    for (args, line, hint) in [
        (
            &["run", "--terminal", "fix the tests"][..],
            "--terminal takes a terminal, and \"fix the tests\" is none: ",
            "a command or prompt goes after --",
        ),
        (
            &["run", "--terminal=itrm", "--", "cat"],
            "\"itrm\" is none: ",
            "goes after --",
        ),
        (
            &["run", "--terminal", "-H", "zion", "--", "cat"],
            "--terminal and a host cannot go together",
            "surfaced open --host HOST",
        ),
        (
            &["run", "--terminal", "tmux", "claude", "--", "cat"],
            "\"claude\" stands before --",
            "the command goes after --",
        ),
        (&["run", "--terminal"], "needs a command", "after --"),
        (
            &["open", "--items", "-", "--", "cat"],
            "cannot be used with",
            "usage: surfaced open",
        ),
        (&["open", "--items", "none.json"], "none.json", ""),
        (&["open", "--items", "bad.json"], "JSON", ""),
        (&["open", "-b", "nope", "--", "cat"], "nope", ""),
        (
            &["open", "-e", "=x", "--", "cat"],
            "\"\" is not the name of a variable",
            "",
        ),
        (
            &["open", "-e", "UNSET_VARIABLE", "--", "cat"],
            "UNSET_VARIABLE",
            "",
        ),
        (
            &["open", "-H", "-oProxyCommand=x", "--", "cat"],
            "is not a valid ssh host name",
            "",
        ),
        (&["open", "-C", "none", "--", "cat"], "none", ""),
        (
            &["plan", "-H", "a;b", "3"],
            "\"a;b\" is not a valid ssh host name",
            "",
        ),
    ] {
        let output = sandbox
            .surfaced()
            .current_dir(sandbox.root())
            .args(args)
            .output()
            .unwrap();
        let message = said(&output);
        assert!(
            matches!(output.status.code(), Some(1 | 2)),
            "{args:?}: {:?} {message}",
            output.status
        );
        let mut lines = message.lines();
        let error = lines.next().unwrap_or_default();
        assert!(error.starts_with("error: "), "{args:?}: {message}");
        assert!(error.contains(line), "{args:?}: {message}");
        let rest: Vec<_> = lines.collect();
        assert!(rest.len() <= 1, "{args:?}: {message}");
        assert!(
            rest.iter().all(|line| line.starts_with("hint: ")),
            "{args:?}: {message}"
        );
        assert!(rest.concat().contains(hint), "{args:?}: {message}");
    }
    let surfaces = daemon.client().call("surface.list", &json!({}));
    assert_eq!(surfaces, json!({ "surfaces": [] }));
}

#[test]
fn an_unknown_terminal_lists_those_that_are_known() {
    let sandbox = Sandbox::new();
    let _daemon = Daemon::start(&sandbox);
    let output = sandbox
        .surfaced()
        .args(["run", "--terminal", "do it", "--", "cat"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = said(&output);
    for id in [
        "iterm",
        "ghostty",
        "tmux",
        "vscodium-agent",
        "terminal",
        "builtin",
    ] {
        assert!(message.contains(id), "{id}: {message}");
    }
}

#[test]
fn words_after_the_dashes_are_not_read() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let _daemon = Daemon::start(&sandbox);
    let output = sandbox
        .surfaced()
        .args([
            "run",
            "--terminal",
            "tmux",
            "--",
            "sh",
            "-c",
            "echo \"$@\"; cat",
            "sh",
        ])
        .args(["--terminal", "--host=x", "-b"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let panes = tmux.ok(&["list-panes", "-a", "-F", "#{pane_id} #{pane_start_command}"]);
    let last = panes.lines().last().unwrap();
    let pane = last.split(' ').next().unwrap();
    tmux.wait_for_text(pane, "--terminal --host=x -b");
}

/// A pane that TMUX names and that is no more: another place is used, and nothing of the server is touched.
#[test]
fn a_stale_pane_of_the_caller_is_no_place() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let daemon = Daemon::start(&sandbox);
    let before = tmux.ok(&["list-panes", "-a"]);
    let context = json!({ "env": {
        "TMUX": format!("{},999999,7", sandbox.root().join("gone").display()),
        "TMUX_PANE": "%777",
    } });
    let call = json!({ "context": context, "items": [{ "command": ["cat"] }] });
    let answer = daemon.client().call("open", &call);
    let result = &answer["results"][0];
    assert_eq!(result["ok"], true, "{answer}");
    assert_eq!(answer["backend"], "builtin", "{answer}");
    assert_eq!(tmux.ok(&["list-panes", "-a"]), before);
}

#[test]
fn surfaces_that_are_opened_and_closed_are_told() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let (mut client, mut listener) = (daemon.client(), daemon.client());
    listener.call("events.subscribe", &json!({ "topics": ["surface"] }));
    let mut next = |topic: &str| -> Value {
        let event = listener.read()["params"]["result"].clone();
        assert_eq!(event["topic"], topic, "{event}");
        event["payload"].clone()
    };
    let tmux = have("tmux").then(|| Tmux::start(&sandbox, "main"));
    let backends = tmux
        .as_ref()
        .map_or(&["builtin"][..], |_| &["builtin", "tmux"]);
    for backend in backends {
        let open = json!({ "backend": backend, "context": {}, "items": [{ "command": ["cat"] }] });
        let answer = client.call("open", &open);
        let surface = &answer["results"][0]["surface"];
        assert_eq!(&next("surface.opened")["surface"], surface);
        client.call("surface.close", &json!({ "surface": surface }));
        let closed = next("surface.closed");
        assert_eq!(&closed["surface"], surface);
        assert_eq!(closed["exit"]["exited"], true);
    }
}

#[test]
fn a_daemon_that_is_killed_in_a_call_is_told_at_once() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let made = client.call("terminal.create", &json!({ "command": "cat", "cwd": "/" }));
    let waiting = sandbox
        .surfaced()
        .args([
            "call",
            "terminal.wait",
            &json!({ "id": made["id"] }).to_string(),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait::until("the call to run", || {
        (client.call("daemon.status", &json!({}))["inFlight"] == 1).then_some(())
    });
    daemon.kill();
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let message = said(&output);
    assert!(
        message.starts_with("error: connection lost: the daemon ended during terminal.wait"),
        "{message}"
    );
    assert!(output.stdout.is_empty());
}

/// A daemon that launchd or systemd started has a short PATH; people have their tools elsewhere.
#[test]
fn tools_are_found_where_people_have_them() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let bin = sandbox.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.join("sh")).unwrap();
    sandbox.set_path(bin.display().to_string());
    let tmux_is = |client: &mut Client| {
        let backends = client.call("backends", &json!({}))["backends"].clone();
        let all = backends.as_array().unwrap();
        all.iter()
            .find(|backend| backend["id"] == "tmux")
            .unwrap()
            .clone()
    };
    let daemon = Daemon::start(&sandbox);
    let none = tmux_is(&mut daemon.client());
    assert_eq!(none["available"], false, "{none}");
    let own = sandbox.home().join(".local/bin");
    std::fs::create_dir_all(&own).unwrap();
    std::os::unix::fs::symlink("/usr/bin/tmux", own.join("tmux")).unwrap();
    drop(daemon);
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    assert_eq!(tmux_is(&mut client)["available"], true);
    let open = json!({ "backend": "tmux", "context": {}, "items": [{ "command": ["/bin/cat"] }] });
    let answer = client.call("open", &open);
    assert_eq!(answer["results"][0]["ok"], true, "{answer}");
    client.call(
        "surface.close",
        &json!({ "surface": answer["results"][0]["surface"] }),
    );
}

#[test]
fn an_upgrade_that_takes_the_program_away_takes_no_terminals() {
    let sandbox = Sandbox::new();
    let program = sandbox.root().join("surfaced-1");
    std::fs::copy(env!("CARGO_BIN_EXE_surfaced"), &program).unwrap();
    let daemon = Daemon::start_program(&sandbox, &program);
    std::fs::remove_file(&program).unwrap();
    let mut client = daemon.client();
    let made = client.call("terminal.create", &json!({ "command": "cat", "cwd": "/" }));
    let id = json!({ "id": made["id"] });
    client.call("terminal.kill", &id);
    client.call("terminal.remove", &id);
}

/// The directory of a surface that names none: the caller's, told by the command line or read from the process that calls.
#[test]
fn a_surface_without_a_directory_is_opened_in_the_callers() {
    if !have("tmux") || !have("nc") {
        return;
    }
    let sandbox = Sandbox::new();
    let _tmux = Tmux::start(&sandbox, "main");
    let daemon = Daemon::start(&sandbox);
    let dir = sandbox.root().join("p'$(touch pwn)'q #{pid}");
    std::fs::create_dir(&dir).unwrap();
    let opened_in = |call: &dyn Fn(&Path)| {
        let told = sandbox.root().join("told");
        call(&told);
        let cwd = wait::until("the surface to tell", || {
            let text = std::fs::read_to_string(&told).ok()?;
            text.ends_with('\n').then(|| text.trim_end().to_owned())
        });
        std::fs::remove_file(&told).unwrap();
        cwd
    };
    for backend in ["tmux", "builtin"] {
        let by_words = opened_in(&|told| {
            let output = sandbox
                .surfaced()
                .current_dir(&dir)
                .args([
                    "open",
                    "-b",
                    backend,
                    "--",
                    "sh",
                    "-c",
                    "pwd >\"$1\"; cat",
                    "sh",
                ])
                .arg(told)
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", said(&output));
        });
        assert_eq!(Path::new(&by_words), dir, "{backend}");
        let by_socket = opened_in(&|told| {
            let command = ["sh", "-c", "pwd >\"$1\"; cat", "sh", told.to_str().unwrap()];
            let params = json!({ "backend": backend, "items": [{ "command": command }] });
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "open", "params": params });
            let mut nc = sandbox
                .command("nc")
                .current_dir(&dir)
                .args(["-N", "-U"])
                .arg(daemon.socket().unwrap())
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let mut stdin = nc.stdin.take().unwrap();
            writeln!(stdin, "{request}").unwrap();
            // Its process is asked for its directory, so it has to be there until the answer.
            drop(stdin);
            assert!(nc.wait().unwrap().success());
        });
        assert_eq!(Path::new(&by_socket), dir, "{backend}");
    }
    assert!(!sandbox.root().join("pwn").exists() && !dir.join("pwn").exists());
}

#[test]
fn a_directory_that_the_daemon_cannot_open_in_is_refused_and_not_swapped() {
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::new();
    let odd = sandbox.root().join(std::ffi::OsStr::from_bytes(b"d\xff"));
    let gone = sandbox.root().join("gone");
    for dir in [&odd, &gone] {
        std::fs::create_dir(dir).unwrap();
    }
    for (dir, leave) in [(&odd, "cd ."), (&gone, "rmdir \"$PWD\"")] {
        let output = sandbox
            .command("sh")
            .current_dir(dir)
            .args([
                "-c",
                &format!("{leave}; exec \"$0\" open -b builtin -- true"),
            ])
            .arg(env!("CARGO_BIN_EXE_surfaced"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{dir:?}: {output:?}");
        let message = said(&output);
        assert!(
            message.starts_with("error: the working directory"),
            "{message}"
        );
        assert!(
            message.contains("hint: change to another directory"),
            "{message}"
        );
    }
}

#[test]
fn variables_that_are_no_text_are_told_apart_from_those_that_are_not_set() {
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::new();
    for (name, text) in [("A", "is not UTF-8"), ("B", "is not set here")] {
        for command in [&["open", "-b", "builtin"][..], &["terminal", "create"]] {
            let output = sandbox
                .surfaced()
                .env("A", std::ffi::OsStr::from_bytes(b"\xff"))
                .args(command)
                .args(["-e", name, "--", "true"])
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(2), "{command:?}");
            assert!(said(&output).contains(text), "{}", said(&output));
        }
    }
}

#[test]
fn run_here_passes_every_word_on_and_ends_as_shells_do() {
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::new();
    let word = std::ffi::OsStr::from_bytes(b"a\xffb");
    let output = sandbox
        .surfaced()
        .args(["run", "--", "printf", "%s"])
        .arg(word)
        .output()
        .unwrap();
    assert_eq!(output.stdout, word.as_bytes(), "{output:?}");
    for (program, code) in [
        ("/nonexistent/x", 127),
        ("surfaced-no-such-program", 127),
        ("/", 126),
    ] {
        let output = sandbox
            .surfaced()
            .args(["run", "--", program])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{program}");
        assert!(
            said(&output).contains(&format!("cannot run {program}")),
            "{}",
            said(&output)
        );
    }
    let output = sandbox
        .surfaced()
        .args(["run", "--terminal=", "--", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(
        said(&output).contains("--terminal= names no terminal"),
        "{}",
        said(&output)
    );
}

#[test]
fn mistakes_in_items_are_told_in_the_daemons_words() {
    let sandbox = Sandbox::new();
    let file = sandbox.root().join("items.json");
    for (items, message, hint) in [
        (
            "[{\"command\":[1]}]",
            "items[0].command[0] must be a string, not 1",
            "",
        ),
        (
            "[{\"comand\":[\"x\"]}]",
            "there is no parameter items[0].comand",
            "hint: did you mean command?",
        ),
        ("{}", "the items are not an array", "hint: write an array"),
    ] {
        std::fs::write(&file, items).unwrap();
        let output = sandbox
            .surfaced()
            .arg("build")
            .arg("--items")
            .arg(&file)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{items}");
        let told = said(&output);
        assert!(
            told.contains(message) && told.contains(hint),
            "{items}: {told}"
        );
    }
}
