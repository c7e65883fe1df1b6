//! Answering a prompt once: the pane's text is watched for a pattern; keys are pressed when it shows, and never blindly.

use std::time::Duration;

use regex::Regex;
use tokio::time::{Instant, sleep};

use super::panes::{Panes, Reference};
use crate::proto::Failure;
use crate::proto::seat::Confirm;
use crate::proto::text::shown;
use crate::tmux::pane::{Capture, Press};
use crate::tmux::seat::Place;
use crate::tmux::{Key, Outcome};

/// How long a prompt is looked for when nobody says.
const LIMIT: Duration = Duration::from_secs(10);

/// How often the pane is read.
const PAUSE: Duration = Duration::from_millis(150);

/// The same on a host, where each look is a command of its own.
const PAUSE_THERE: Duration = Duration::from_millis(500);

/// A prompt to answer, once it was checked.
#[derive(Clone, Debug)]
pub struct Prompt {
    pattern: Regex,
    keys: Vec<Key>,
    limit: Duration,
}

impl Prompt {
    /// Reads what a caller asked for. `path` names it in errors.
    ///
    /// # Errors
    /// `invalid-params`: no regular expression, or no keys of tmux.
    pub fn parse(path: &str, confirm: &Confirm) -> Result<Self, Failure> {
        let pattern = Regex::new(&confirm.pattern).map_err(|error| {
            Failure::params(
                format!("{path}.pattern"),
                format!(
                    "{} is no regular expression",
                    shown(confirm.pattern.as_str())
                ),
            )
            .hint(error.to_string())
        })?;
        if pattern.is_match("") {
            return Err(Failure::params(
                format!("{path}.pattern"),
                format!(
                    "{} matches an empty pane, so the keys would be pressed blindly",
                    shown(confirm.pattern.as_str())
                ),
            )
            .hint("name some text of the prompt"));
        }
        let keys = Key::all(&format!("{path}.keys"), &confirm.keys)?;
        Ok(Self {
            pattern,
            keys,
            limit: confirm.timeout_ms.map_or(LIMIT, Duration::from_millis),
        })
    }

    /// Watches the pane until the prompt shows, and presses the keys. Ends without a word when the time is up or the pane
    /// has gone or moved.
    pub async fn answer(self, panes: Panes, pane: Reference, place: Place) {
        let end = Instant::now() + self.limit;
        loop {
            match panes
                .on(
                    &pane,
                    Capture {
                        pane: pane.pane,
                        lines: None,
                    },
                )
                .await
            {
                Outcome::Done(text) if self.pattern.is_match(&text) => {
                    let press = Press {
                        pane: pane.pane,
                        keys: self.keys,
                    };
                    let _turn = panes.turn(&pane).await;
                    let pressed = panes.in_place(&pane, place, press).await;
                    tracing::info!(pane = %pane.pane, ?pressed, "a prompt was answered");
                    return;
                }
                Outcome::Absent(_) => return,
                Outcome::Done(_) | Outcome::Unknown(_) => {}
            }
            if Instant::now() >= end {
                return;
            }
            sleep(if pane.host.is_some() {
                PAUSE_THERE
            } else {
                PAUSE
            })
            .await;
        }
    }
}
