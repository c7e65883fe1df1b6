//! A daemon after an upgrade: hosts of an older version speak less, and are served with what they know.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use surfaced::backend::{Act, Done};
use surfaced::host::wire;
use surfaced::proto::Kind;
use surfaced::service::hosted::Hosted as _;

use super::support::env::Sandbox;
use super::support::hosted::Hosted;
use super::support::wait::LONG;

/// The first version of a host, as bytes: it knows lines and input, and says what it always said.
fn older_host(listener: &UnixListener) {
    let (mut stream, _) = listener.accept().unwrap();
    while let Some((kind, message)) = frame(&mut stream) {
        let reply = match (kind, message["do"].as_str()) {
            (wire::GREETING, _) => wire::json(
                wire::HELLO,
                &json!({ "protocol": 1, "state": { "pid": 1, "rows": 5, "cols": 7, "title": "old" } }),
            ),
            (_, Some("lines")) => wire::json(
                wire::REPLY,
                &json!({ "id": message["id"], "outcome": "lines", "lines": ["from before"] }),
            ),
            (_, Some("input")) => {
                let done = json!({ "id": message["id"], "outcome": "done" });
                let exit = json!({ "type": "exit", "exit": { "exited": true, "exitCode": 9 }, "at_ms": 1 });
                [
                    wire::json(wire::REPLY, &done),
                    wire::json(wire::EVENT, &exit),
                ]
                .concat()
            }
            _ => wire::json(
                wire::REPLY,
                &json!({ "id": message["id"], "outcome": "unknown" }),
            ),
        };
        stream.write_all(&reply).unwrap();
    }
}

fn frame(stream: &mut UnixStream) -> Option<(u8, Value)> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).ok()?;
    let mut rest = vec![0; usize::try_from(u32::from_le_bytes(length)).ok()?];
    stream.read_exact(&mut rest).ok()?;
    Some((
        rest[0],
        serde_json::from_slice(&rest[1..]).unwrap_or_default(),
    ))
}

#[tokio::test]
async fn an_older_host_is_served() {
    let sandbox = Sandbox::new();
    let dir = sandbox.state().join("terminals");
    std::fs::create_dir(&dir).unwrap();
    let record = json!({ "version": 1, "record": {
        "id": "old", "name": "sh", "command": ["sh"], "createdAt": "2020-01-01T00:00:00.000Z",
    } });
    std::fs::write(dir.join("old.json"), record.to_string()).unwrap();
    let listener = UnixListener::bind(dir.join("old.sock")).unwrap();
    let host = std::thread::spawn(move || older_host(&listener));

    let hosted = Hosted::open(&sandbox).await;
    let terminals = &hosted.terminals;
    let terminal = terminals.get("old").await.unwrap();
    assert_eq!((terminal.rows, terminal.cols), (5, 7));
    assert_eq!(terminal.title, "old");
    let kept = terminals.capture("old", None, None, false).await.unwrap();
    assert_eq!(kept.lines, ["from before"]);
    let keys = Act::Keys(vec!["Up".into()]);
    let failure = terminals.act("old", &keys).await.unwrap_err();
    assert_eq!(failure.kind(), Kind::NotSupported, "{failure}");
    let typed = Act::Inject {
        text: "x".into(),
        enter: false,
        combined: false,
    };
    assert_eq!(terminals.act("old", &typed).await, Ok(Done::Writes(1)));
    let exit = terminals.wait("old", Some(LONG)).await.unwrap();
    assert_eq!(exit.exit_code, Some(9));
    hosted.vanish();
    tokio::task::spawn_blocking(move || host.join().unwrap())
        .await
        .unwrap();
}

/// A host may end a connection, as to a daemon that was stopped for long, and live on: that is no end of its terminal.
#[tokio::test]
async fn a_connection_that_ends_is_made_again() {
    let sandbox = Sandbox::new();
    let dir = sandbox.state().join("terminals");
    std::fs::create_dir(&dir).unwrap();
    let record = json!({ "version": 1, "record": {
        "id": "cut", "name": "sh", "command": ["sh"], "createdAt": "2020-01-01T00:00:00.000Z",
    } });
    std::fs::write(dir.join("cut.json"), record.to_string()).unwrap();
    let listener = UnixListener::bind(dir.join("cut.sock")).unwrap();
    let host = std::thread::spawn(move || {
        for title in ["first", "second"] {
            let (mut stream, _) = listener.accept().unwrap();
            frame(&mut stream).unwrap();
            let hello = json!({ "protocol": 1, "state": { "rows": 5, "cols": 7, "title": title } });
            stream.write_all(&wire::json(wire::HELLO, &hello)).unwrap();
        }
    });
    let hosted = Hosted::open(&sandbox).await;
    // After the second one nobody listens any more, and only that is the end.
    let exit = hosted.terminals.wait("cut", Some(LONG)).await.unwrap();
    assert_eq!(
        serde_json::to_value(exit).unwrap(),
        json!({ "exited": true })
    );
    let told = hosted.terminals.get("cut").await.unwrap();
    assert_eq!(told.title, "second");
    hosted.vanish();
    tokio::task::spawn_blocking(move || host.join().unwrap())
        .await
        .unwrap();
}

/// A host that was ended by force: its terminal is listed as ended, with nothing made up about how.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_terminal_without_a_host_has_ended_in_an_unknown_way() {
    let sandbox = Sandbox::new();
    let first = Hosted::open(&sandbox).await;
    let terminal = first.sh("exec sleep 300").await;
    let socket = first.place.socket(&terminal.id);
    let host = super::support::process::listener(&socket);
    first.vanish();
    rustix::process::kill_process(host, rustix::process::Signal::KILL).unwrap();
    super::support::wait::until("the host to be gone", || {
        UnixStream::connect(&socket).is_err().then_some(())
    });
    let second = Hosted::open(&sandbox).await;
    let found = second.terminals.get(&terminal.id).await.unwrap();
    let exit = serde_json::to_value(found.exit).unwrap();
    assert_eq!(exit, json!({ "exited": true }));
    assert!(!socket.exists());
    let lost = second.terminals.snapshot(&terminal.id).await.unwrap_err();
    assert_eq!(lost.kind(), Kind::StateUnknown);
    second.end().await;
}
