//! `events.subscribe`: what happens to terminals, surfaces, seats and agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::daemon::Subscribed;
use super::error::Failure;
use super::method::{Method, Stream};
use super::text::shown;

/// The topics that `events.subscribe` knows.
pub const TOPICS: &[&str] = &[
    "agent.created",
    "agent.updated",
    "agent.deleted",
    "terminal.created",
    "terminal.title",
    "terminal.cwd",
    "terminal.command",
    "terminal.exited",
    "terminal.removed",
    "surface.opened",
    "surface.closed",
    "seat.started",
    "seat.exited",
    "seat.lost",
];

/// Parameters of `events.subscribe`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct EventsParams {
    /// Only these topics; absent: all. A group such as `terminal` or `terminal.*` stands for all of its topics.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topics: Option<Vec<String>>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum EventItem {
    /// One event.
    Event {
        /// Its topic.
        topic: String,
        /// When, RFC 3339.
        at: String,
        /// What it is about: for most topics the whole object after the change.
        payload: Value,
    },
}

/// `events.subscribe`: everything that happens, as it happens.
pub enum Events {}

impl Method for Events {
    const NAME: &'static str = "events.subscribe";
    const SUMMARY: &'static str =
        "What happens to terminals, surfaces, seats and agents, as it happens.";
    type Params = EventsParams;
    type Result = Subscribed;

    fn check(params: &EventsParams) -> Result<(), Failure> {
        for (index, topic) in params.topics.iter().flatten().enumerate() {
            let group = topic.trim_end_matches('*').trim_end_matches('.');
            let known = TOPICS.iter().any(|known| {
                known == topic
                    || known
                        .strip_prefix(group)
                        .is_some_and(|rest| rest.starts_with('.'))
            });
            if !known {
                return Err(Failure::params(
                    format!("topics[{index}]"),
                    format!("no topic is called {topic}", topic = shown(topic)),
                )
                .hint(format!("topics are {}", TOPICS.join(", "))));
            }
        }
        Ok(())
    }
}

impl Stream for Events {
    const END: &'static str = "events.unsubscribe";
    type Item = EventItem;
}
