//! What a command on a host costs in round trips, on a line that is slow enough to count them.

use std::time::Duration;

use futures_util::future::join_all;
use surfaced::transport::ssh::Remote;

use crate::support::slow_line::SlowLine;
use crate::support::ssh::{Ways, sh};
use crate::support::sshd::{Sshd, have_ssh};

/// One way; long against what this machine needs for a step even when it is busy.
const WAY: Duration = Duration::from_millis(40);

/// A server at the end of a slow line.
fn far(ways: &Ways, alias: &str, more: &str) -> (Sshd, SlowLine) {
    let sshd = Sshd::start_with(&ways.sandbox, alias, more);
    let line = SlowLine::to(sshd.port(), WAY);
    ways.config.place(alias, line.port(), "");
    let known = sshd.known("ed25519");
    let key = known.split_once(' ').unwrap().1;
    ways.config
        .know(&format!("[127.0.0.1]:{} {key}", line.port()));
    (sshd, line)
}

/// The least that a command costs.
async fn least(host: &Remote, line: &SlowLine, enough: usize) -> usize {
    let mut least = usize::MAX;
    for _ in 0..8 {
        // What the command before left behind is still on the line.
        line.quiet().await;
        line.reset();
        sh(host, "true").await;
        least = least.min(line.round_trips());
        if least <= enough {
            break;
        }
    }
    least
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
