//! Hosts that do not answer: stopped or hung. Everything else goes on, and nothing is made up about theirs.

use std::os::unix::net::UnixStream;

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use super::support::client::Client;
use super::support::daemon::Daemon;
use super::support::env::{Sandbox, have};
use super::support::process::{listener, runs, stopped};
use super::support::pty::Pty;
use super::support::wait;

/// Waits until a terminal shows something.
fn shows(client: &mut Client, id: &str, text: &str) {
    wait::until("the program to be up", || {
        let kept = client.call("terminal.capture", &json!({ "id": id }));
        (kept["lines"][0] == text).then_some(())
    });
}

fn socket(sandbox: &Sandbox, id: &str) -> std::path::PathBuf {
    sandbox.state().join(format!("terminals/{id}.sock"))
}

/// Stops the host of a terminal.
fn stop(sandbox: &Sandbox, id: &str) -> Pid {
    let host = listener(&socket(sandbox, id));
    kill_process(host, Signal::STOP).unwrap();
    wait::until("the host to be stopped", || {
        let pid = host.as_raw_nonzero().get().cast_unsigned();
        stopped(pid).then_some(())
    });
    host
}

#[test]
fn slow_calls_to_a_stopped_host_are_answered_and_others_are_not_held_up() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let stopped = client.terminal(&["sh", "-c", "echo up; exec cat"]);
    let other = client.terminal(&["sh", "-c", "echo other; exec cat"]);
    shows(&mut client, &stopped, "up");
    shows(&mut client, &other, "other");
    let host = stop(&sandbox, &stopped);

    let asked = [
        ("terminal.capture", json!({}), "timeout"),
        ("terminal.snapshot", json!({}), "timeout"),
        ("terminal.attach", json!({}), "timeout"),
        (
            "terminal.input",
            json!({ "data": "typed\r" }),
            "state-unknown",
        ),
        (
            "terminal.resize",
            json!({ "rows": 9, "cols": 40 }),
            "state-unknown",
        ),
    ];
    let mut open = Vec::new();
    for (method, params, kind) in &asked {
        let mut params = params.clone();
        params["id"] = json!(stopped);
        open.push((client.request(method, &params), method, kind));
    }
    // Whatever else is asked meanwhile, of the same connection too, is answered first.
    for (method, id) in [
        ("terminal.capture", &other),
        ("terminal.snapshot", &other),
        ("terminal.get", &stopped),
        ("terminal.get", &other),
    ] {
        let id = client.request(method, &json!({ "id": id }));
        let reply = client.read();
        assert_eq!(reply["id"], id, "{reply}");
        assert!(reply["error"].is_null(), "{reply}");
    }
    while !open.is_empty() {
        let reply = client.read();
        let at = open.iter().position(|(id, ..)| reply["id"] == *id).unwrap();
        let (_, method, kind) = open.remove(at);
        let data = &reply["error"]["data"];
        assert_eq!(data["kind"], **kind, "{method}: {reply}");
        assert!(data["hint"].as_str().unwrap().contains("terminal.kill"));
    }
    let list = client.call("terminal.list", &json!({}));
    assert_eq!(list["terminals"][0]["state"], "running");

    // It was stopped and lost nothing.
    kill_process(host, Signal::CONT).unwrap();
    shows(&mut client, &stopped, "up");
    for id in [stopped, other] {
        client.call("terminal.remove", &json!({ "id": id }));
    }
}

#[test]
fn slow_attach_leaves_a_stopped_host_and_does_not_wait_for_one() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let id = client.terminal(&["sh", "-c", "echo up; exec cat"]);
    let attach = || {
        let mut command = sandbox.surfaced();
        command.args(["attach", &id]);
        Pty::start(&command, 20, 90)
    };
    let mut before = attach();
    before.shows("up");
    let host = stop(&sandbox, &id);
    before.type_in("not read\r\x1cd");
    assert!(before.ended().success());
    before.shows("[detached from");
    assert!(before.cooked());

    let mut after = attach();
    assert_eq!(after.ended().code(), Some(1));
    after.shows(&format!("the host of terminal {id} does not answer"));
    after.shows(&format!("surfaced terminal kill {id}"));
    assert!(after.cooked());
    kill_process(host, Signal::CONT).unwrap();
    client.call("terminal.remove", &json!({ "id": id }));
}

#[test]
fn a_stopped_host_is_woken_by_what_ends_it() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let id = client.terminal(&["sh", "-c", "echo up; exec cat"]);
    shows(&mut client, &id, "up");
    stop(&sandbox, &id);
    let exit = client.call(
        "terminal.kill",
        &json!({ "id": id, "gracefulTimeoutMs": 30000 }),
    );
    assert_eq!(exit, json!({ "exited": true, "signal": "SIGHUP" }));
    shows(&mut client, &id, "up");
    client.call("terminal.remove", &json!({ "id": id }));

    let id = client.terminal(&["cat"]);
    let host = stop(&sandbox, &id);
    client.call("terminal.remove", &json!({ "id": id }));
    wait::until("the host to be gone", || {
        test_kill_process(host).is_err().then_some(())
    });
    let left = std::fs::read_dir(sandbox.state().join("terminals")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn a_daemon_takes_over_a_stopped_host_when_it_goes_on() {
    let sandbox = Sandbox::new();
    let first = Daemon::start(&sandbox);
    let mut client = first.client();
    let id = client.terminal(&["sh", "-c", "echo up; exec cat"]);
    let ended = client.terminal(&["sh", "-c", "exit 3"]);
    client.call("terminal.wait", &json!({ "id": ended }));
    shows(&mut client, &id, "up");
    first.kill();
    let host = stop(&sandbox, &id);

    let second = Daemon::start(&sandbox);
    let mut client = second.client();
    let list = client.call("terminal.list", &json!({}));
    let states: Vec<&Value> = list["terminals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|terminal| &terminal["state"])
        .collect();
    assert_eq!(states, ["running", "exited"], "silent is not gone");
    let error = client.fail("terminal.input", &json!({ "id": id, "data": "x" }));
    assert_eq!(error["data"]["kind"], "timeout", "{error}");
    kill_process(host, Signal::CONT).unwrap();
    shows(&mut client, &id, "up");
    for id in [id, ended] {
        client.call("terminal.remove", &json!({ "id": id }));
    }
}

/// A host that says hello and nothing more, as one that hangs. Its one child is the program.
const HUNG: &str = r#"
import json, os, socket, struct, subprocess
def frame(kind, value):
    text = json.dumps(value).encode()
    return struct.pack("<IB", 1 + len(text), kind) + text
child = subprocess.Popen(["sh", "-c", "trap '' HUP; sleep 300"], start_new_session=True)
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["LISTEN_AT"])
listener.listen()
all = []
while True:
    connection, _ = listener.accept()
    all.append(connection)
    try:
        connection.sendall(frame(16, {"protocol": 1, "state": {"pid": child.pid, "rows": 5, "cols": 7}}))
    except OSError:
        pass
"#;

#[test]
fn the_program_of_a_hung_host_is_ended_without_it() {
    if !have("python3") {
        return;
    }
    let sandbox = Sandbox::new();
    let terminals = sandbox.state().join("terminals");
    std::fs::create_dir(&terminals).unwrap();
    // A host is known by its words: the name of the subcommand, and the id.
    std::fs::write(sandbox.cwd().join("terminal-host"), HUNG).unwrap();
    let id = "hung";
    let record = json!({ "version": 1, "record": {
        "id": id, "name": "sh", "command": ["sh"], "createdAt": "2020-01-01T00:00:00.000Z",
    } });
    std::fs::write(terminals.join("hung.json"), record.to_string()).unwrap();
    let mut host = sandbox
        .command("python3")
        .args(["terminal-host", id])
        .env("LISTEN_AT", socket(&sandbox, id))
        .spawn()
        .unwrap();
    let socket = socket(&sandbox, id);
    wait::until("the host", || UnixStream::connect(&socket).ok());

    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let told = client.call("terminal.get", &json!({ "id": id }));
    let program = u32::try_from(told["pid"].as_u64().unwrap()).unwrap();
    let exit = client.call(
        "terminal.kill",
        &json!({ "id": id, "gracefulTimeoutMs": 100 }),
    );
    assert_eq!(exit, json!({ "exited": true }), "and nothing made up");
    assert!(!runs(program));
    let told = client.call("terminal.get", &json!({ "id": id }));
    assert_eq!(told["state"], "exited");

    client.call("terminal.remove", &json!({ "id": id }));
    let status = wait::until("the host to be ended", || host.try_wait().unwrap());
    assert!(!status.success());
    assert_eq!(std::fs::read_dir(&terminals).unwrap().count(), 0);
}

/// Something that listens for a terminal and cannot be told to be its host: nothing is ended for it.
#[test]
fn a_stranger_in_the_place_of_a_host_is_left_alone() {
    let sandbox = Sandbox::new();
    let terminals = sandbox.state().join("terminals");
    std::fs::create_dir(&terminals).unwrap();
    let record = json!({ "version": 1, "record": {
        "id": "odd", "name": "sh", "command": ["sh"], "createdAt": "2020-01-01T00:00:00.000Z",
        "pid": std::process::id(),
    } });
    std::fs::write(terminals.join("odd.json"), record.to_string()).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(terminals.join("odd.sock")).unwrap();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let error = client.fail(
        "terminal.kill",
        &json!({ "id": "odd", "gracefulTimeoutMs": 100, "forceTimeoutMs": 100 }),
    );
    assert_eq!(error["data"]["kind"], "state-unknown", "{error}");
    let told = client.call("terminal.get", &json!({ "id": "odd" }));
    assert_eq!(told["state"], "running");
}
