//! What a program that was opened finds around it: its directory, its variables, itself once, and nothing when it has ended.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, all_ok, ready};

/// Opens items that must all open, and returns the results.
#[track_caller]
fn open(client: &mut Client, backend: &str, shell: &str, items: &Value) -> Vec<Value> {
    let params = json!({
        "backend": backend, "shell": shell, "context": { "apps": [backend] }, "startTimeoutMs": 60_000, "items": items,
    });
    let results = client.call("open", &params)["results"].take();
    let results = results.as_array().unwrap().clone();
    for result in &results {
        assert_eq!(result["ok"], true, "{backend}, {shell}: {result}");
    }
    results
}

/// A whole file of lines that a program wrote at once.
fn lines(path: &std::path::Path) -> Vec<String> {
    wait::until(&format!("{}", path.display()), || {
        let text = std::fs::read_to_string(path).ok()?;
        text.ends_with('\n')
            .then(|| text.lines().map(str::to_owned).collect())
    })
}

/// A terminal of the configuration file that starts its program in its own directory, as some do.
fn careless(sandbox: &Sandbox) {
    let bin = sandbox.script(
        "careless",
        &format!(
            "#!/bin/sh\npwd >'{}'\nshift\n\"$@\" </dev/null &\n",
            sandbox.root().join("careless").display()
        ),
    );
    let config = format!(
        "[backends.careless]\nwindow = [\"{}/careless\", \"--\", \"{{command}}\"]\n",
        bin.display()
    );
    std::fs::write(sandbox.state().join("config.toml"), config).unwrap();
}

#[test]
fn without_a_directory_programs_start_at_home_and_never_where_the_daemon_is() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let installed = sandbox.root().join("installed");
    std::fs::create_dir(&installed).unwrap();
    careless(&sandbox);
    let _tmux = Tmux::absent(&sandbox);
    let daemon = Daemon::start_with(&sandbox, |command| {
        command.current_dir(&installed);
    });
    let mut client = daemon.client();
    for (backend, layouts) in [
        ("tmux", &["tab", "split-right", "split-down", "window"][..]),
        ("builtin", &["tab"]),
        ("careless", &["window"]),
    ] {
        for layout in layouts {
            let out = sandbox.root().join(format!("{backend}-{layout}"));
            let line = format!("pwd -P >'{}'; exec cat", out.display());
            let item = json!({ "command": ["/bin/sh", "-c", line], "layout": layout });
            open(&mut client, backend, "sh", &json!([item]));
            let home = sandbox.home().display().to_string();
            assert_eq!(lines(&out), [home], "{backend}, {layout}");
        }
    }
    let own = lines(&sandbox.root().join("careless")).remove(0);
    assert_ne!(own, installed.display().to_string());
    let id = client.call("terminal.create", &json!({ "command": "pwd" }))["id"].take();
    client.call("terminal.wait", &json!({ "id": id }));
    let shown = client.call("terminal.capture", &json!({ "id": id }));
    // Its caller is this process.
    let own = std::env::current_dir().unwrap();
    assert_eq!(shown["lines"][0], own.display().to_string());
}

#[test]
fn a_shell_that_throws_away_what_was_typed_runs_its_command_once() {
    if !have("tmux") || !have("bash") || !have("zsh") || !have("python3") {
        return;
    }
    let sandbox = Sandbox::new();
    let gate = sandbox.root().join("gate");
    // Ready when the test says so; what stood in the line of the terminal until then is gone.
    let rc = format!(
        "if [ -t 0 ]; then\n  : >'{0}'/waits-$$\n  until [ -e '{1}' ]; do sleep 0.05; done\n  \
         python3 -c 'import termios; termios.tcflush(0, termios.TCIFLUSH)'\nfi\n",
        sandbox.root().display(),
        gate.display()
    );
    for name in [".zshrc", ".bashrc", ".bash_profile"] {
        std::fs::write(sandbox.home().join(name), &rc).unwrap();
    }
    let _tmux = Tmux::start(&sandbox, "main");
    let daemon = Daemon::start(&sandbox);
    let mut started = Vec::new();
    let mut callers = Vec::new();
    for backend in ["tmux", "builtin"] {
        for shell in ["zsh", "bash"] {
            for (kind, key) in [("words", "command"), ("line", "shellCommand")] {
                let out = sandbox.root().join(format!("{backend}-{shell}-{kind}"));
                let line = format!("echo ran >>'{}'; exec cat", out.display());
                let mut item = json!({ "cwd": "/" });
                item[key] = if kind == "words" {
                    json!(["/bin/sh", "-c", line])
                } else {
                    json!(line)
                };
                let mut client = daemon.client();
                client.request("open", &json!({
                    "backend": backend, "shell": shell, "context": {}, "startTimeoutMs": 60_000, "items": [item],
                }));
                callers.push(client);
                started.push(out);
            }
        }
    }
    wait::until("a shell to read its rc file", || {
        let mut entries = std::fs::read_dir(sandbox.root()).unwrap().flatten();
        entries
            .any(|entry| entry.file_name().to_string_lossy().starts_with("waits-"))
            .then_some(())
    });
    std::fs::write(&gate, "").unwrap();
    for client in &mut callers {
        let reply = client.read();
        assert_eq!(reply["result"]["results"][0]["ok"], true, "{reply}");
    }
    for out in &started {
        assert_eq!(lines(out), ["ran"], "{}", out.display());
    }
    // A second one would have come by now: those who were asked to later have been.
    let again = sandbox.root().join("again");
    let line = format!("echo ran >'{}'; exec cat", again.display());
    let item = json!({ "cwd": "/", "command": ["/bin/sh", "-c", line] });
    open(&mut daemon.client(), "tmux", "zsh", &json!([item]));
    lines(&again);
    for out in &started {
        assert_eq!(lines(out), ["ran"], "{}", out.display());
    }
}

#[test]
fn a_shell_without_a_command_has_no_variable_of_this_product() {
    if !have("tmux") || !have("bash") || !have("zsh") {
        return;
    }
    for (shell, rc) in [("zsh", ".zshrc"), ("bash", ".bashrc")] {
        let sandbox = Sandbox::new();
        let shown = sandbox.home().join("shown");
        let text = format!(
            "env >'{0}.new'\nmv '{0}.new' '{0}'\nPS1='ready> '\n",
            shown.display()
        );
        for name in [rc, ".bash_profile"] {
            std::fs::write(sandbox.home().join(name), &text).unwrap();
        }
        let program = format!("/usr/bin/{shell}");
        let tmux = Tmux::absent(&sandbox);
        let daemon = Daemon::start_with(&sandbox, |command| {
            command.env("SHELL", &program);
        });
        let mut client = daemon.client();
        for backend in ["tmux", "builtin"] {
            let result = open(&mut client, backend, shell, &json!([{ "cwd": "/" }])).remove(0);
            let found = lines(&shown);
            assert!(found.contains(&format!("SHELL={program}")), "{found:?}");
            // The home that this person has chosen is theirs, and leads what they start to the same daemon.
            let home = format!("SURFACED_HOME={}", sandbox.state().display());
            let ours = |line: &&String| line.to_lowercase().contains("surfaced_") && **line != home;
            let ours: Vec<_> = found.iter().filter(ours).collect();
            assert_eq!(ours, Vec::<&String>::new(), "{backend}, {shell}: {result}");
            std::fs::remove_file(&shown).unwrap();
        }
        drop(tmux);
    }
}

/// It is closed, or with `onExit: hold` waits for Enter; what the daemon hosts itself stays to be read.
#[test]
fn what_is_left_of_a_program_that_has_ended_is_the_same_in_every_multiplexer() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let daemon = world.daemon();
    let mut client = daemon.client();
    for (backend, host) in [("tmux", None), ("tmux", Some("zion")), ("builtin", None)] {
        let item = |on_exit: &str| json!({ "command": ["sh", "-c", "exit 4"], "cwd": "/", "onExit": on_exit });
        // The same in a tab of its own and beside another.
        let items = json!([{ "command": ["cat"], "cwd": "/" }, item("close"), item("hold"), item("hold"), item("close")]);
        let mut params = json!({ "backend": backend, "items": items, "startTimeoutMs": 60_000 });
        if let Some(host) = host {
            params["host"] = json!(host);
        }
        let opened = client.call("open", &params);
        let surfaces = all_ok(&opened);
        let what = format!("{backend}, {host:?}");
        for closed in [surfaces[1], surfaces[4]] {
            let waited = json!({ "surface": closed, "timeoutMs": 30_000 });
            wait::until("the program to have ended", || {
                let reply = client.reply("surface.wait", &waited);
                let gone = reply["error"]["data"]["kind"] == "target-gone";
                (gone || reply["result"]["exited"] == true).then_some(())
            });
        }
        for held in [surfaces[2], surfaces[3]] {
            if backend == "builtin" {
                // What one of the daemon's leaves can be read in any case, so it waits for nobody.
                let waited = json!({ "surface": held, "timeoutMs": 30_000 });
                let exit = client.call("surface.wait", &waited);
                assert_eq!(exit, json!({ "exited": true, "exitCode": 4 }), "{what}");
                client.call("surface.capture", &json!({ "surface": held }));
                continue;
            }
            wait::until(&format!("what says how it ended, {what}"), || {
                let text = client.call("surface.capture", &json!({ "surface": held }));
                text["text"].as_str()?.contains("status 4").then_some(())
            });
        }
        if backend == "builtin" {
            continue;
        }
        let mut which = json!({ "backend": backend });
        if let Some(host) = host {
            which["host"] = json!(host);
        }
        let listed = client.call("surface.list", &which)["surfaces"].take();
        let mut left: Vec<&str> = listed
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["surface"].as_str())
            .filter(|one| surfaces.contains(one))
            .collect();
        let mut expected = vec![surfaces[0], surfaces[2], surfaces[3]];
        left.sort_unstable();
        expected.sort_unstable();
        assert_eq!(left, expected, "{what}");
    }
}
