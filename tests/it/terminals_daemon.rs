//! Hosted terminals across daemons, through the protocol.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::client::Client;
use super::support::daemon::Daemon;
use super::support::env::Sandbox;
use super::support::process::{argvs_with, runs};
use super::support::secret::secret;
use super::support::wait;

fn remove_all(client: &mut Client) {
    let list = client.call("terminal.list", &json!({}));
    for terminal in list["terminals"].as_array().unwrap() {
        client.call("terminal.remove", &json!({ "id": terminal["id"] }));
    }
}

fn capture(client: &mut Client, id: &str) -> Vec<Value> {
    let kept = client.call("terminal.capture", &json!({ "id": id }));
    assert_eq!(kept["totalLines"], kept["lines"].as_array().unwrap().len());
    kept["lines"].as_array().unwrap().clone()
}

#[test]
fn ten_terminals_live_through_the_death_of_the_daemon() {
    let sandbox = Sandbox::new();
    let first = Daemon::start(&sandbox);
    let mut client = first.client();
    let mut ids = Vec::new();
    for number in 0..10 {
        let end = sandbox.cwd().join(format!("end{number}"));
        let made = client.call(
            "terminal.create",
            &json!({
                "command": "sh",
                "args": ["-c", format!("echo number {number}; while [ ! -e {} ]; do sleep 0.05; done; echo over; exit {number}", end.display())],
                "cols": 40 + number,
            }),
        );
        ids.push(made["id"].as_str().unwrap().to_owned());
    }
    wait::until("all to have written", || {
        ids.iter()
            .all(|id| !capture(&mut client, id).is_empty())
            .then_some(())
    });
    first.kill();
    for number in [2, 5, 9] {
        std::fs::write(sandbox.cwd().join(format!("end{number}")), "").unwrap();
    }
    // Their hosts write the end down and go.
    wait::until("three hosts to end", || {
        let sockets = std::fs::read_dir(sandbox.state().join("terminals"))
            .unwrap()
            .filter(|entry| {
                let path = entry.as_ref().unwrap().path();
                path.extension()
                    .is_some_and(|extension| extension == "sock")
            })
            .count();
        (sockets == 7).then_some(())
    });
    let second = Daemon::start(&sandbox);
    let mut client = second.client();
    let list = client.call("terminal.list", &json!({}));
    let listed: Vec<&str> = list["terminals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|terminal| terminal["id"].as_str().unwrap())
        .collect();
    assert_eq!(listed, ids, "in the order in which they were made");
    for (number, terminal) in list["terminals"].as_array().unwrap().iter().enumerate() {
        let id = ids[number].as_str();
        assert_eq!(terminal["cols"], 40 + number);
        let lines = capture(&mut client, id);
        assert_eq!(lines[0], format!("number {number}"));
        if [2, 5, 9].contains(&number) {
            assert_eq!(terminal["state"], "exited");
            assert_eq!(
                terminal["exit"],
                json!({ "exited": true, "exitCode": number })
            );
            assert_eq!(
                terminal["lastOutputLines"],
                json!([format!("number {number}"), "over"])
            );
            assert_eq!(lines.last().unwrap(), "over");
            let snapshot = client.call("terminal.snapshot", &json!({ "id": id }));
            assert_eq!(snapshot["cols"], 40 + number);
        } else {
            assert_eq!(terminal["state"], "running");
            std::fs::write(sandbox.cwd().join(format!("end{number}")), "").unwrap();
            let exit = client.call("terminal.wait", &json!({ "id": id, "timeoutMs": 30000 }));
            assert_eq!(exit["exitCode"], number);
        }
    }
    remove_all(&mut client);
    let left = std::fs::read_dir(sandbox.state().join("terminals")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn characters_arrive_whole_however_they_are_cut() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let slow = "for byte in '\\303' '\\251' '\\342' '\\224' '\\200' '\\360' '\\237' '\\230' '\\200'; do printf \"$byte\"; sleep 0.02; done; echo";
    let id = client.sh(slow);
    client.call("terminal.wait", &json!({ "id": id }));
    assert_eq!(capture(&mut client, &id), ["é─😀"]);

    // The other way round: an emoji typed in two halves.
    let id = client.sh("stty raw -echo; echo up; head -c 4 | od -An -tx1");
    wait::until("the program to read", || {
        (!capture(&mut client, &id).is_empty()).then_some(())
    });
    for half in ["8J8=", "mIA="] {
        client.call("terminal.input", &json!({ "id": id, "dataBase64": half }));
    }
    client.call("terminal.wait", &json!({ "id": id }));
    let lines = capture(&mut client, &id);
    assert!(
        lines
            .iter()
            .any(|line| line.as_str().unwrap().contains("f0 9f 98 80")),
        "{lines:?}"
    );
    remove_all(&mut client);
}

#[test]
fn a_daemon_without_surroundings_hosts_terminals_with_text_of_all_kinds() {
    let mut sandbox = Sandbox::new();
    let bin = sandbox.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for program in ["sh", "cat"] {
        std::os::unix::fs::symlink(format!("/bin/{program}"), bin.join(program)).unwrap();
    }
    sandbox.set_path(bin.to_str().unwrap());
    let daemon = Daemon::start_with(&sandbox, |command| {
        command
            .env_remove("LANG")
            .env("CLAUDECODE", "1")
            .env("CODEX_SANDBOX", "x");
    });
    let mut client = daemon.client();
    let id = client.sh("echo 'Привет ✻ ⎿'; echo \"$TERM ${CLAUDECODE-none} ${CODEX_SANDBOX-none} ${LC_CTYPE-none}\"; exec cat",
    );
    let lines = wait::until("both lines", || {
        let lines = capture(&mut client, &id);
        (lines.len() == 2).then_some(lines)
    });
    assert_eq!(lines[0], "Привет ✻ ⎿");
    assert_eq!(lines[1], "xterm-256color none none C.UTF-8");
    remove_all(&mut client);
}

#[test]
fn secrets_are_in_no_argv_and_no_file() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let token = secret();
    let made = client.call(
        "terminal.create",
        &json!({
            "command": "sh",
            "args": ["-c", "echo $TOKEN; exec cat"],
            "env": { "TOKEN": token },
        }),
    );
    let id = made["id"].as_str().unwrap().to_owned();
    wait::until("the program to have it", || {
        (capture(&mut client, &id) == [token.as_str()]).then_some(())
    });
    assert_eq!(argvs_with(&token), Vec::<String>::new());
    for entry in std::fs::read_dir(sandbox.state().join("terminals")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read(&path).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&text).contains("hunter2"),
            "{}",
            path.display()
        );
    }
    remove_all(&mut client);
}

#[test]
fn what_is_wrong_is_refused() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    for (method, params, kind) in [
        ("terminal.create", json!({ "rows": 0 }), "invalid-params"),
        ("terminal.create", json!({ "cols": 1001 }), "invalid-params"),
        (
            "terminal.create",
            json!({ "cols": 65536 }),
            "invalid-params",
        ),
        (
            "terminal.create",
            json!({ "args": ["x"] }),
            "invalid-params",
        ),
        (
            "terminal.create",
            json!({ "env": { "A.B": "1" } }),
            "invalid-params",
        ),
        (
            "terminal.create",
            json!({ "env": { "BASH_FUNC_f%%": "() { :; }" } }),
            "invalid-params",
        ),
        (
            "terminal.create",
            json!({ "cwd": "relative" }),
            "invalid-params",
        ),
        (
            "terminal.create",
            json!({ "cwd": "/no/such/place" }),
            "cwd-missing",
        ),
        (
            "terminal.create",
            json!({ "command": "no-such-program" }),
            "program-missing",
        ),
        (
            "terminal.create",
            json!({ "shell": "/no/such/shell" }),
            "program-missing",
        ),
        ("terminal.get", json!({ "id": "x" }), "not-found"),
        ("terminal.remove", json!({ "id": "x" }), "not-found"),
        ("terminal.capture", json!({ "id": "x" }), "not-found"),
        ("terminal.snapshot", json!({ "id": "x" }), "not-found"),
        ("terminal.kill", json!({ "id": "x" }), "not-found"),
        ("terminal.wait", json!({ "id": "x" }), "not-found"),
        (
            "terminal.resize",
            json!({ "id": "x", "rows": 2, "cols": 2 }),
            "not-found",
        ),
        (
            "terminal.resize",
            json!({ "id": "x", "rows": 2000, "cols": 2 }),
            "invalid-params",
        ),
        (
            "terminal.input",
            json!({ "id": "x", "data": "a" }),
            "not-found",
        ),
        ("terminal.input", json!({ "id": "x" }), "invalid-params"),
    ] {
        let error = client.fail(method, &params);
        assert_eq!(error["data"]["kind"], kind, "{method} {params}: {error}");
    }
    assert_eq!(
        client.call("terminal.list", &json!({})),
        json!({ "terminals": [] })
    );
}

#[test]
fn what_is_wrong_is_said() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let side = "must be a whole number from 1 to 1000, not";
    let mut check = |method: &str, params: Value, path: &str, message: &str| {
        let error = client.fail(method, &params);
        assert_eq!(error["data"]["kind"], "invalid-params", "{error}");
        assert_eq!(error["data"]["path"], path, "{error}");
        assert_eq!(error["message"], message);
    };
    for (value, not) in [
        (json!(0), "0"),
        (json!(-1), "-1"),
        (json!(1001), "1001"),
        (json!(5_000_000_000_u64), "5000000000"),
        (json!(2.5), "2.5"),
        (json!("24"), "a string"),
        (json!([24]), "a list"),
    ] {
        for method in ["terminal.create", "terminal.resize", "terminal.attach"] {
            for (path, other) in [("rows", "cols"), ("cols", "rows")] {
                let mut params = json!({ path: value, other: 10 });
                if method != "terminal.create" {
                    params["id"] = json!("x");
                }
                check(method, params, path, &format!("{path} {side} {not}"));
            }
        }
    }
    for (given, missing) in [("rows", "cols"), ("cols", "rows")] {
        check(
            "terminal.attach",
            json!({ "id": "x", "interactive": true, given: 10 }),
            missing,
            &format!("{missing} is missing: a viewer has both rows and cols, or none"),
        );
    }
    for (text, why) in [
        ("a", "it ends too early"),
        ("YQ", "the = at its end are not right"),
        ("Y Q=", "byte 1 is none of its letters"),
        ("YR==", "letter 1 says more than fits"),
    ] {
        check(
            "terminal.input",
            json!({ "id": "x", "dataBase64": text }),
            "dataBase64",
            &format!("dataBase64 must be base64 with its padding (RFC 4648): {why}"),
        );
    }
}

#[test]
fn a_directory_is_found_however_it_is_written() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let (lib, link) = (sandbox.cwd().join("lib"), sandbox.cwd().join("link"));
    std::fs::create_dir(&lib).unwrap();
    std::os::unix::fs::symlink(&lib, &link).unwrap();
    let (lib, link) = (lib.to_str().unwrap(), link.to_str().unwrap());
    let mut ids = Vec::new();
    for cwd in [lib.to_owned(), format!("{lib}/"), link.to_owned()] {
        let made = client.call("terminal.create", &json!({ "command": "cat", "cwd": cwd }));
        ids.push(made["id"].clone());
    }
    for cwd in [
        lib.to_owned(),
        format!("{lib}/"),
        format!("{lib}/./"),
        format!("{lib}/../lib"),
        link.to_owned(),
        format!("{link}/../lib//"),
    ] {
        let found = client.call("terminal.list", &json!({ "cwd": cwd }));
        let found = found["terminals"].as_array().unwrap().iter();
        let found: Vec<Value> = found.map(|terminal| terminal["id"].clone()).collect();
        assert_eq!(found, ids, "{cwd}");
    }
    for cwd in [format!("{lib}/.."), "/".to_owned(), format!("{lib}x")] {
        let found = client.call("terminal.list", &json!({ "cwd": cwd }));
        assert_eq!(found, json!({ "terminals": [] }), "{cwd}");
    }
    remove_all(&mut client);
}

#[test]
fn a_program_that_ignores_hang_ups_is_killed_with_all_that_came_of_it() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let id = client.sh(
        "trap '' HUP TERM; (trap '' HUP TERM; sleep 300; :) & echo $!; while :; do sleep 1; done",
    );
    let child = wait::until("the child", || {
        capture(&mut client, &id)
            .first()
            .and_then(|line| line.as_str()?.parse::<u32>().ok())
    });
    let exit = client.call(
        "terminal.kill",
        &json!({ "id": id, "gracefulTimeoutMs": 200 }),
    );
    assert_eq!(exit["signal"], "SIGKILL");
    wait::until("the child to be gone", || (!runs(child)).then_some(()));
    let again = client.call("terminal.kill", &json!({ "id": id }));
    assert_eq!(again, exit);
    remove_all(&mut client);
}

#[test]
fn surfaces_of_the_backend_builtin_are_driven() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let opened = client.call(
        "open",
        &json!({ "items": [{ "command": ["cat"], "cwd": "/" }], "backend": "builtin", "shell": "sh" }),
    );
    let result = &opened["results"][0];
    assert_eq!(result["ok"], true, "{opened}");
    let surface = result["surface"].as_str().unwrap().to_owned();
    let id = surface.strip_prefix("builtin:").unwrap().to_owned();
    assert_eq!(result["attach"], format!("surfaced attach {id}"));
    let target = json!({ "surface": surface });
    let with = |key: &str, value: Value| {
        let mut params = target.clone();
        params[key] = value;
        params
    };
    wait::until("cat to run", || {
        let seen = client.call("surface.list", &json!({ "backend": "builtin" }));
        (seen["surfaces"][0]["surface"] == surface.as_str()).then_some(())
    });
    let writes = client.call("surface.inject", &with("text", json!("Enter ß")));
    assert_eq!(writes, json!({ "writes": 2 }));
    wait::until("the text to come back", || {
        let shown = client.call("surface.capture", &target);
        (shown["text"] == "Enter ß\nEnter ß\n").then_some(())
    });
    let error = client.fail("surface.focus", &target);
    assert_eq!(error["data"]["kind"], "not-supported");
    assert!(
        error["data"]["hint"]
            .as_str()
            .unwrap()
            .contains("surfaced attach")
    );
    let error = client.fail("surface.keys", &with("keys", json!(["Nonsense"])));
    assert_eq!(error["data"]["kind"], "invalid-params");
    client.call("surface.keys", &with("keys", json!(["C-d"])));
    let exit = client.call("surface.wait", &with("timeoutMs", json!(30000)));
    assert_eq!(exit, json!({ "exited": true, "exitCode": 0 }));
    let error = client.fail("surface.inject", &with("text", json!("x")));
    assert_eq!(error["data"]["kind"], "target-gone");
    client.call("surface.close", &target);
    let error = client.fail("surface.capture", &target);
    assert_eq!(error["data"]["kind"], "target-gone");
}

#[test]
fn the_ssh_agent_of_a_caller_is_in_no_terminal_and_no_record() {
    let sandbox = Sandbox::new();
    let agent = sandbox.root().join("agent.of.the.caller");
    let _listener = std::os::unix::net::UnixListener::bind(&agent).unwrap();
    let line = "echo \"agent=${SSH_AUTH_SOCK-none}\"; exec cat";
    let start = |agent: Option<&std::path::Path>| {
        Daemon::start_with(&sandbox, |command| {
            if let Some(agent) = agent {
                command.env("SSH_AUTH_SOCK", agent);
            }
        })
    };
    let made = |daemon: &Daemon| {
        let mut client = daemon.client();
        let id = client.sh(line);
        wait::until("the program", || {
            capture(&mut client, &id)
                .first()?
                .as_str()
                .map(str::to_owned)
        })
    };
    let first = start(Some(&agent));
    assert_eq!(made(&first), "agent=none");
    first.kill();
    std::fs::remove_file(&agent).unwrap();
    let mut dirs = vec![sandbox.state()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                dirs.push(path);
                continue;
            }
            let kept = std::fs::read(&path).unwrap_or_default();
            let kept = String::from_utf8_lossy(&kept);
            assert!(!kept.contains("agent.of.the.caller"), "{}", path.display());
        }
    }
    let next = start(Some(&agent));
    assert_eq!(made(&next), "agent=none");
    let mut client = next.client();
    remove_all(&mut client);
}
