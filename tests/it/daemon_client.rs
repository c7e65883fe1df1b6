//! The client and the daemons it meets: stopped, foreign, older, and gone in the middle.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::Signal;
use serde_json::{Value, json};
use surfaced::client::{self, ClientError, Found, Options};
use surfaced::os::paths::Paths;

use crate::support::daemon::Daemon;
use crate::support::ensured::{Ensured, said};
use crate::support::env::Sandbox;
use crate::support::wait;

/// The options of a client of this sandbox. Not [`Options::current`]: variables of a test process are all tests'.
fn options(sandbox: &Sandbox) -> Options {
    Options {
        paths: Paths::in_home(&sandbox.state()).unwrap(),
        socket: None,
        program: PathBuf::from(env!("CARGO_BIN_EXE_surfaced")),
        protocol: 1,
        answer: wait::LONG,
        start: wait::LONG,
    }
}

fn ensure(options: &Options) -> Result<Found, ClientError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(client::ensure(options))
}

#[test]
fn a_stopped_daemon_is_not_replaced() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    daemon.signal(Signal::STOP);
    let impatient = Options {
        answer: Duration::from_millis(300),
        ..options(&sandbox)
    };
    match ensure(&impatient) {
        Err(error @ ClientError::Unresponsive { pid, .. }) => {
            assert_eq!(pid, Some(daemon.pid()));
            let hint = error.hint().unwrap();
            assert!(hint.contains(&format!("kill -CONT {}", daemon.pid())));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(daemon.json().unwrap()["pid"], daemon.pid());
    daemon.signal(Signal::CONT);
    daemon.client().call("daemon.hello", &json!({}));
}

#[test]
fn a_lock_that_is_held_is_waited_for() {
    let sandbox = Sandbox::new();
    let lock = surfaced::os::lock::Lock::acquire(&sandbox.state().join("daemon.lock")).unwrap();
    let impatient = Options {
        start: Duration::from_millis(300),
        ..options(&sandbox)
    };
    // Somebody starts slowly: no second daemon, and in the end a word about who has the lock.
    match ensure(&impatient) {
        Err(ClientError::Unresponsive { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    let ensured = Ensured::new(&sandbox);
    std::thread::scope(|scope| {
        let client = scope.spawn(|| ensured.ensure());
        drop(lock);
        assert_eq!(client.join().unwrap()["started"], true);
    });
}

#[test]
fn a_drain_is_waited_out() {
    let sandbox = Sandbox::new();
    let socket = sandbox.state().join("d.sock");
    let lock = surfaced::os::lock::Lock::acquire(&sandbox.state().join("daemon.lock")).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    let ensured = Ensured::new(&sandbox);
    std::thread::scope(|scope| {
        let client = scope.spawn(|| ensured.ensure());
        let (mut writer, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(writer.try_clone().unwrap())
            .read_line(&mut line)
            .unwrap();
        let request = serde_json::from_str(&line).unwrap();
        writer
            .write_all(hello(&request, "draining").as_bytes())
            .unwrap();
        // The order in which a daemon ends: socket, connections, lock.
        drop(listener);
        std::fs::remove_file(&socket).unwrap();
        drop(writer);
        drop(lock);
        assert_eq!(client.join().unwrap()["started"], true);
    });
}

#[test]
fn only_a_higher_protocol_replaces_a_daemon() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    let old = ensured.ensure()["pid"].clone();
    let newer = Options {
        protocol: 2,
        ..options(&sandbox)
    };
    // The program that it starts speaks 1 as well: it is replaced once, and then that is said.
    match ensure(&newer) {
        Err(ClientError::Mismatch { daemon, client }) => assert_eq!((daemon, client), (1, 2)),
        other => panic!("{other:?}"),
    }
    let new = ensured.ensure()["pid"].clone();
    assert_ne!(old, new);

    let older = Options {
        protocol: 0,
        ..options(&sandbox)
    };
    assert!(matches!(ensure(&older), Err(ClientError::Mismatch { .. })));
    assert_eq!(ensured.ensure()["pid"], new);
}

#[test]
fn callers_with_no_common_protocol_are_told() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let error = daemon.client().fail(
        "daemon.hello",
        &json!({ "protocol": { "min": 2, "max": 3 } }),
    );
    assert_eq!(error["code"], -32013);
    assert_eq!(error["data"]["kind"], "protocol-mismatch");
    assert_eq!(error["data"]["detail"]["protocol"], 1);
}

/// Something that is no daemon: answers each line as `answer` says, and closes at `None`.
fn pretend(socket: &Path, answer: impl Fn(&Value) -> Option<String> + Send + 'static) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut writer = stream.unwrap();
            let reader = BufReader::new(writer.try_clone().unwrap());
            for line in reader.lines() {
                let request = serde_json::from_str(&line.unwrap()).unwrap();
                let Some(reply) = answer(&request) else { break };
                writer.write_all(reply.as_bytes()).unwrap();
            }
        }
    });
}

fn hello(request: &Value, state: &str) -> String {
    let result = json!({
        "protocol": 1, "server": "surfaced 0.0.0", "capabilities": [], "socket": "/x", "state": state,
        "limits": surfaced::proto::daemon::Limits::default(),
    });
    format!(
        "{}\n",
        json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
    )
}

#[test]
fn a_connection_that_is_lost_in_a_call_is_told_at_once() {
    let sandbox = Sandbox::new();
    let socket = sandbox.root().join("s");
    pretend(&socket, |request| {
        (request["method"] == "daemon.hello").then(|| hello(request, "ready"))
    });
    let output = sandbox
        .surfaced()
        .env("SURFACED_SOCKET", &socket)
        .args(["call", "surface.wait", "{\"surface\":\"tmux:1.@1.%1\"}"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let message = said(&output);
    assert!(
        message.starts_with("error: connection lost: the daemon ended during surface.wait"),
        "{message}"
    );
}

#[test]
fn what_an_ending_daemon_did_not_begin_is_asked_of_the_next() {
    let refusal = |request: &Value| {
        let error = json!({ "code": -32012, "message": "no", "data": { "kind": "shutting-down" } });
        format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })
        )
    };
    // One refuses; the other closes before it has read the call, which the system tells.
    for reads in [true, false] {
        let sandbox = Sandbox::new();
        let socket = sandbox.state().join("d.sock");
        let lock = surfaced::os::lock::Lock::acquire(&sandbox.state().join("daemon.lock")).unwrap();
        let listener = UnixListener::bind(&socket).unwrap();
        let ensured = Ensured::new(&sandbox);
        std::thread::scope(|scope| {
            let client = scope.spawn(|| ensured.run(&["call", "terminal.create", "{}"]));
            let (mut writer, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(writer.try_clone().unwrap());
            let mut next = || {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                serde_json::from_str::<Value>(&line).unwrap()
            };
            let request = next();
            writer
                .write_all(hello(&request, "ready").as_bytes())
                .unwrap();
            if reads {
                writer.write_all(refusal(&next()).as_bytes()).unwrap();
            } else {
                poll(&mut [PollFd::new(&writer, PollFlags::IN)], None).unwrap();
            }
            drop(listener);
            std::fs::remove_file(&socket).unwrap();
            drop((reader, writer));
            drop(lock);
            let output = client.join().unwrap();
            assert!(output.status.success(), "{reads}: {}", said(&output));
        });
        let listed = ensured.client().call("terminal.list", &json!({}));
        assert_eq!(listed["terminals"].as_array().unwrap().len(), 1);
        ensured.run(&[
            "terminal",
            "remove",
            listed["terminals"][0]["id"].as_str().unwrap(),
        ]);
    }
}

#[test]
fn a_stop_waits_for_the_daemon_that_it_asked_and_not_for_the_next() {
    let sandbox = Sandbox::new();
    let socket = sandbox.root().join("s");
    // The next one has the home already.
    let _next = Daemon::start(&sandbox);
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            sandbox
                .surfaced()
                .env("SURFACED_SOCKET", &socket)
                .args(["daemon", "stop"])
                .output()
                .unwrap()
        });
        let (mut writer, _) = listener.accept().unwrap();
        let reader = BufReader::new(writer.try_clone().unwrap());
        for line in reader.lines() {
            let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let status = json!({
                "version": "0.0.0", "protocol": 1, "pid": 1, "instanceId": "x", "socket": "/x", "home": "/x", "log": "/x",
                "state": "ready", "uptimeMs": 1, "startedAt": "now", "connections": 1, "inFlight": 0, "subscriptions": 0,
                "configuration": { "path": "/x", "exists": false },
            });
            let reply = |result: &Value| {
                format!(
                    "{}\n",
                    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
                )
            };
            let reply = match request["method"].as_str().unwrap() {
                "daemon.hello" => hello(&request, "ready"),
                "daemon.status" => reply(&status),
                _ => reply(&json!({})),
            };
            writer.write_all(reply.as_bytes()).unwrap();
            if request["method"] == "daemon.shutdown" {
                break;
            }
        }
        drop(writer);
        let output = client.join().unwrap();
        assert!(output.status.success(), "{}", said(&output));
    });
}

#[test]
fn a_listener_that_ends_before_it_accepts_is_no_daemon() {
    const ROUNDS: usize = 2_000;
    let sandbox = Sandbox::new();
    let socket = sandbox.state().join("d.sock");
    let options = options(&sandbox);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let together = Barrier::new(2);
    let mut wrong = None;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                let listener = UnixListener::bind(&socket).unwrap();
                together.wait();
                poll(&mut [PollFd::new(&listener, PollFlags::IN)], None).unwrap();
                drop(listener);
                std::fs::remove_file(&socket).unwrap();
                together.wait();
            }
        });
        for _ in 0..ROUNDS {
            together.wait();
            // Closed in the queue, or once the connection was made.
            match runtime.block_on(client::connect(&options)) {
                Err(
                    ClientError::NoDaemon { .. }
                    | ClientError::Lost { .. }
                    | ClientError::Unheard { .. },
                ) => {}
                other => wrong = Some(other),
            }
            together.wait();
        }
    });
    assert!(wrong.is_none(), "{wrong:?}");
}

#[test]
fn what_is_not_surfaced_is_not_talked_to() {
    let sandbox = Sandbox::new();
    let socket = sandbox.state().join("d.sock");
    pretend(&socket, |_| {
        Some("HTTP/1.1 400 Bad Request\r\n\r\n".to_owned())
    });
    let output = Ensured::new(&sandbox).run(&["ensure"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        said(&output).contains("is not surfaced"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_program_that_listens_and_says_nothing_is_waited_for_only_so_long() {
    let sandbox = Sandbox::new();
    let _silent = UnixListener::bind(sandbox.state().join("d.sock")).unwrap();
    let impatient = Options {
        answer: Duration::from_millis(200),
        ..options(&sandbox)
    };
    match ensure(&impatient) {
        Err(ClientError::Unresponsive { pid: None, .. }) => {}
        other => panic!("{other:?}"),
    }
}
