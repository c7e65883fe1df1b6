//! `surfaced daemon status`.

use std::time::Duration;

use super::super::exit::CliError;
use super::super::{Global, render};
use crate::client::{self, Options};
use crate::proto::daemon::{NoParams, State, Status, StatusResult};

pub(super) async fn run(global: Global) -> Result<(), CliError> {
    let found = client::connect(&Options::current()?).await?;
    let status = found.connection.call::<Status>(&NoParams {}).await?;
    if global.json {
        render::json(&status)
    } else {
        render::pairs(&rows(&status))
    }
}

fn rows(status: &StatusResult) -> Vec<(&'static str, String)> {
    let state = match status.state {
        State::Ready => "ready",
        State::Draining => "draining: it ends when what runs has ended",
    };
    let configuration = &status.configuration;
    let note = match (&configuration.error, configuration.exists) {
        (Some(error), _) => format!(" (refused, the last good one holds: {error})"),
        (None, true) => String::new(),
        (None, false) => " (not there: defaults)".into(),
    };
    vec![
        ("state", state.into()),
        ("pid", status.pid.to_string()),
        (
            "version",
            format!("{} (protocol {})", status.version, status.protocol),
        ),
        ("socket", status.socket.clone()),
        ("home", status.home.clone()),
        ("log", status.log.clone()),
        ("configuration", format!("{}{note}", configuration.path)),
        (
            "running for",
            human(Duration::from_millis(status.uptime_ms)),
        ),
        (
            "now",
            format!(
                "{} connections, {} requests, {} subscriptions",
                status.connections, status.in_flight, status.subscriptions
            ),
        ),
    ]
}

/// A duration in its two largest units.
fn human(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        for (seconds, text) in [
            (0, "0 s"),
            (61, "1 min 1 s"),
            (3 * 3600 + 120, "3 h 2 min"),
            (2 * 86_400 + 3600, "2 d 1 h"),
        ] {
            assert_eq!(human(Duration::from_secs(seconds)), text);
        }
    }
}
