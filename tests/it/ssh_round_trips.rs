//! What a command on a host costs in round trips, on a line that is slow enough to count them.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use surfaced::transport::ssh::Remote;

use crate::support::slow_line::SlowLine;
use crate::support::ssh::{Ways, sh};
use crate::support::sshd::{Sshd, have_ssh};
use crate::support::tmux::Tmux;
use crate::support::world::{World, all_ok, ready};

/// One way; long against what this machine needs for a step even when it is busy.
const WAY: Duration = Duration::from_millis(40);

/// A server at the end of a slow line.
fn far(ways: &Ways, alias: &str, more: &str) -> (Sshd, SlowLine) {
    let sshd = Sshd::start_with(&ways.sandbox, alias, more);
    let line = SlowLine::to(sshd.port(), WAY);
    ways.config.far(alias, &sshd, &line);
    (sshd, line)
}

/// The least that something costs.
async fn least_of(line: &SlowLine, enough: usize, mut run: impl AsyncFnMut()) -> usize {
    let mut least = usize::MAX;
    for _ in 0..8 {
        // What the one before left behind is still on the line.
        line.quiet().await;
        line.reset();
        run().await;
        least = least.min(line.round_trips());
        if least <= enough {
            break;
        }
    }
    least
}

/// The least that a command costs.
async fn least(host: &Remote, line: &SlowLine, enough: usize) -> usize {
    least_of(line, enough, async || {
        sh(host, "true").await;
    })
    .await
}

#[tokio::test]
async fn a_later_command_costs_one_round_trip_and_two_without_a_session_in_advance() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let (_roomy, roomy_line) = far(&ways, "roomy", "");
    let (_narrow, narrow_line) = far(&ways, "narrow", "MaxSessions 1\n");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("roomy");
        sh(&host, "true").await;
        let found = least(&host, &roomy_line, 1).await;
        assert_eq!(found, 1, "{kind}");

        // A host that shows that it has no room for a session in advance is left without one.
        let host = ways.host("narrow");
        join_all((0..3).map(|_| sh(&host, "true"))).await;
        let found = least(&host, &narrow_line, 2).await;
        assert_eq!(found, 2, "{kind}, none in advance");
    }
    ways.end().await;
}

#[tokio::test]
async fn a_later_open_costs_no_more_than_a_command() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _tmux = Tmux::absent(&world.sandbox);
    let (_roomy, roomy) = world.far("roomy", "", WAY);
    let (_narrow, narrow) = world.far("narrow", "MaxSessions 1\n", WAY);
    // One by its name, one through a launch script that is waited for, one that such a script cannot start.
    let items = [
        (json!({ "command": ["cat"], "cwd": "/" }), Value::Null),
        (
            json!({ "command": ["cat"], "env": { "X": "1" } }),
            Value::Null,
        ),
        (
            json!({ "command": ["no-such"], "env": { "PATH": "/usr/bin:/bin" } }),
            json!("program-missing"),
        ),
    ];
    // Where no session waits in advance, what is nobody's business is sent when the shell runs that reads it: a server takes no
    // input before.
    for (kind, host, line, most) in [
        ("library", "roomy", &roomy, [1, 1, 1]),
        ("openssh", "roomy", &roomy, [1, 1, 1]),
        ("library", "narrow", &narrow, [2, 3, 3]),
    ] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        let mut open =
            |item: &Value| client.call("open", &json!({ "host": host, "items": [item] }));
        all_ok(&open(&items[0].0));
        for ((item, failure), most) in items.iter().zip(most) {
            let found = least_of(line, most, async || {
                let answer = open(item);
                assert_eq!(answer["results"][0]["kind"], *failure, "{answer}");
            })
            .await;
            assert_eq!(found, most, "{kind} {host} {item}");
        }
    }
}
