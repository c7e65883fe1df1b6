//! One daemon a home, whatever happens: the lock decides, never a file that was left behind.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::ensured::{Ensured, said};
use crate::support::env::Sandbox;
use crate::support::wait;

/// Twenty clients at once, with no daemon or one that was just killed: one daemon, twenty answers.
fn rounds(count: usize) {
    const CLIENTS: usize = 20;
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    for round in 0..count {
        let children: Vec<_> = (0..CLIENTS)
            .map(|_| {
                sandbox
                    .surfaced()
                    .args(["call", "daemon.status"])
                    .stdout(std::process::Stdio::piped())
                    .stderr(std::process::Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let mut pids = BTreeSet::new();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "round {round}: {}", said(&output));
            let status: Value = serde_json::from_slice(&output.stdout).unwrap();
            pids.insert(status["pid"].as_u64().unwrap());
        }
        assert_eq!(pids.len(), 1, "round {round}: {pids:?}");
        ensured.signal(Signal::KILL);
    }
}

#[test]
fn twenty_clients_at_once_after_kill_9_get_one_daemon() {
    rounds(3);
}

#[test]
fn slow_a_hundred_rounds_of_twenty_clients_and_kill_9() {
    rounds(100);
}

#[test]
fn a_second_start_ends_at_once_and_names_the_first() {
    let sandbox = Sandbox::new();
    let first = Daemon::start(&sandbox);
    let second = sandbox.surfaced().args(["daemon", "run"]).output().unwrap();
    assert_eq!(second.status.code(), Some(4), "{}", said(&second));
    let message = said(&second);
    assert!(
        message.starts_with(&format!(
            "error: a daemon is already running (pid {})",
            first.pid()
        )),
        "{message}"
    );
    assert!(second.stdout.is_empty());
    first.client().call("daemon.hello", &json!({}));
}

#[test]
fn what_a_killed_daemon_left_behind_is_replaced() {
    let sandbox = Sandbox::new();
    let first = Daemon::start(&sandbox);
    let socket = first.socket().unwrap();
    first.kill();
    assert!(socket.exists());
    let second = Daemon::start(&sandbox);
    assert_eq!(second.socket().unwrap(), socket);
    let mode = socket.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
}

#[test]
fn what_the_lock_file_holds_is_no_matter() {
    for (text, mode) in [
        (&b""[..], 0o600),
        (b"1\n", 0o600),
        (b"4194303", 0o600),
        (b"\xff\xfe not a number", 0o000),
    ] {
        let sandbox = Sandbox::new();
        let lock = sandbox.state().join("daemon.lock");
        std::fs::write(&lock, text).unwrap();
        std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(mode)).unwrap();
        let daemon = Daemon::start(&sandbox);
        let held = std::fs::read_to_string(&lock).unwrap();
        assert_eq!(held.trim(), daemon.pid().to_string());
    }
}

#[test]
fn a_program_that_listens_there_is_not_pushed_away() {
    let sandbox = Sandbox::new();
    let socket = sandbox.state().join("d.sock");
    let _listener = UnixListener::bind(&socket).unwrap();
    let output = sandbox.surfaced().args(["daemon", "run"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let message = said(&output);
    assert!(
        message.contains("another program listens at") && message.contains("hint: "),
        "{message}"
    );
    assert!(std::os::unix::net::UnixStream::connect(&socket).is_ok());
}

#[test]
fn a_file_in_the_place_of_the_socket_is_left_alone() {
    let sandbox = Sandbox::new();
    let socket = sandbox.state().join("d.sock");
    std::fs::write(&socket, "notes").unwrap();
    let output = sandbox.surfaced().args(["ensure"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        said(&output).contains("is in the way: it is not a socket"),
        "{}",
        said(&output)
    );
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "notes");
}

#[test]
fn a_socket_that_was_swept_away_is_bound_again() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let socket = daemon.socket().unwrap();
    std::fs::remove_file(&socket).unwrap();
    // A client meanwhile waits for the daemon that holds the lock.
    let ensured = Ensured::new(&sandbox).ensure();
    assert_eq!(ensured["pid"], daemon.pid());
    assert_eq!(ensured["started"], false);
    assert!(socket.exists());
}

#[test]
fn a_daemon_whose_home_is_gone_ends() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    let pid = ensured.ensure()["pid"].as_u64().unwrap();
    std::fs::remove_dir_all(sandbox.state()).unwrap();
    wait::until("the daemon to end", || {
        (!std::path::Path::new(&format!("/proc/{pid}")).exists()).then_some(())
    });
}

#[test]
fn ready_means_that_it_answers() {
    use std::io::BufRead;
    let sandbox = Sandbox::new();
    let mut child = sandbox
        .surfaced()
        .args(["daemon", "run"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let file = std::fs::read(sandbox.state().join("daemon.json")).unwrap();
    assert_eq!(ready, serde_json::from_slice::<Value>(&file).unwrap());
    let mut client = Client::connect(ready["socket"].as_str().unwrap().as_ref());
    let hello = client.call("daemon.hello", &json!({}));
    assert_eq!(hello["state"], "ready");
    child.kill().unwrap();
    child.wait().unwrap();
}
