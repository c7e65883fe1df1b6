//! Hosted terminals, at the service: real hosts and programs, no daemon.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pretty_assertions::assert_eq;
use surfaced::host::wire::Attach;
use surfaced::proto::Kind;
use surfaced::proto::surfaces::Exit;
use surfaced::proto::terminal::{AttachItem, TerminalState};
use surfaced::service::terminals::{Plan, Seen, Viewing};

use super::support::env::Sandbox;
use super::support::hosted::Hosted;
use super::support::wait::LONG;

/// Everything that a viewer gets to the end.
async fn all(mut viewing: Viewing) -> Vec<Seen> {
    let mut seen = Vec::new();
    while let Some(item) = viewing.next().await.unwrap() {
        seen.push(item);
    }
    seen
}

/// The output among it, a snapshot's drawing included.
fn output(seen: &[Seen]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for seen in seen {
        match seen {
            Seen::Item(AttachItem::Output { data_base64, .. }) => {
                bytes.extend(BASE64.decode(data_base64).unwrap());
            }
            Seen::Item(AttachItem::Snapshot(snapshot)) => {
                bytes.extend(BASE64.decode(&snapshot.screen).unwrap());
            }
            _ => {}
        }
    }
    bytes
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

fn code(code: i32) -> Exit {
    Exit {
        exited: true,
        exit_code: Some(code),
        signal: None,
    }
}

fn looking() -> Attach {
    Attach {
        replay: true,
        ..Attach::default()
    }
}

#[tokio::test]
async fn the_last_output_comes_before_the_exit() {
    let sandbox = Sandbox::new();
    // A hundred scrollbacks of the usual size take long to write down in an unoptimised build.
    let config = sandbox.state().join("config.toml");
    std::fs::write(config, "[terminals]\nscrollback = 100\n").unwrap();
    let hosted = Hosted::open(&sandbox).await;
    for round in 0..100 {
        let terminal = hosted
            .sh("read x; head -c 200000 /dev/zero | tr '\\0' x; echo LAST; exit 3")
            .await;
        let viewing = hosted
            .terminals
            .watch(&terminal.id, looking())
            .await
            .unwrap();
        hosted.terminals.input(&terminal.id, b"\r").await.unwrap();
        let seen = all(viewing).await;
        assert!(contains(&output(&seen), "LAST"), "round {round}");
        assert_eq!(seen.last(), Some(&Seen::Item(AttachItem::Exit(code(3)))));
        let lines = hosted
            .terminals
            .capture(&terminal.id, Some(-1), None, false)
            .await
            .unwrap();
        assert_eq!(lines.lines, ["LAST"], "round {round}");
        hosted.terminals.remove(&terminal.id).await.unwrap();
    }
    hosted.end().await;
}

#[tokio::test]
async fn an_exit_does_not_wait_for_what_runs_in_the_background() {
    let sandbox = Sandbox::new();
    let hosted = Hosted::open(&sandbox).await;
    let terminal = hosted
        .sh("(trap '' HUP; sleep 60) & echo done; exit 4")
        .await;
    let exit = hosted
        .terminals
        .wait(&terminal.id, Some(LONG))
        .await
        .unwrap();
    assert_eq!(exit, code(4));
    let terminal = hosted.terminals.get(&terminal.id).await.unwrap();
    assert_eq!(terminal.state, TerminalState::Exited);
    assert_eq!(terminal.last_output_lines.unwrap(), ["done"]);
    hosted.end().await;
}

#[tokio::test]
async fn signals_are_told_as_signals() {
    let sandbox = Sandbox::new();
    let hosted = Hosted::open(&sandbox).await;
    for signal in ["KILL", "TERM", "SEGV"] {
        let terminal = hosted.sh(&format!("kill -{signal} $$")).await;
        let exit = hosted
            .terminals
            .wait(&terminal.id, Some(LONG))
            .await
            .unwrap();
        assert_eq!(exit.signal, Some(format!("SIG{signal}")));
        assert_eq!(exit.exit_code, None);
    }
    hosted.end().await;
}

#[tokio::test]
async fn what_cannot_start_leaves_nothing() {
    let sandbox = Sandbox::new();
    let hosted = Hosted::open(&sandbox).await;
    let argv = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    for (plan, kind) in [
        (
            Plan {
                argv: argv(&["no-such-program"]),
                ..Plan::default()
            },
            Kind::ProgramMissing,
        ),
        (
            Plan {
                argv: argv(&["/no/such/program"]),
                ..Plan::default()
            },
            Kind::ProgramMissing,
        ),
        (
            Plan {
                argv: argv(&["cat", &"y".repeat(200_000)]),
                ..Plan::default()
            },
            Kind::SpawnFailed,
        ),
        (
            Plan {
                shell: Some("/no/such/shell".into()),
                ..Plan::default()
            },
            Kind::ProgramMissing,
        ),
        (
            Plan {
                cwd: Some("/no/such/place".into()),
                ..Plan::default()
            },
            Kind::CwdMissing,
        ),
        (
            Plan {
                cwd: Some("/etc/passwd".into()),
                ..Plan::default()
            },
            Kind::CwdMissing,
        ),
        (
            Plan {
                argv: argv(&["/etc/passwd"]),
                ..Plan::default()
            },
            Kind::SpawnFailed,
        ),
    ] {
        let failure = hosted.terminals.create(plan.clone()).await.unwrap_err();
        assert_eq!(failure.kind(), kind, "{plan:?}: {failure}");
    }
    assert_eq!(hosted.terminals.list(None).await.unwrap(), []);
    assert_eq!(std::fs::read_dir(hosted.place.dir()).unwrap().count(), 0);
    let missing = hosted.terminals.get("nobody").await.unwrap_err();
    assert_eq!(missing.kind(), Kind::NotFound);
    hosted.end().await;
}
