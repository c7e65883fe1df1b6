//! The one event bus: what happens to terminals, surfaces, seats and agents.

use std::time::SystemTime;

use serde::Serialize;
use serde_json::Value;
use tokio::sync::broadcast;

use crate::os::clock;
use crate::proto::events::TOPICS;

/// How many events a listener may be behind.
const BEHIND: usize = 1024;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// One of [`TOPICS`].
    pub topic: &'static str,
    /// When, RFC 3339.
    pub at: String,
    /// What it is about.
    pub payload: Value,
}

/// The bus. Cheap to clone; all clones are one bus.
#[derive(Clone, Debug)]
pub struct Events {
    sender: broadcast::Sender<Event>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            sender: broadcast::Sender::new(BEHIND),
        }
    }
}

impl Events {
    /// A bus without listeners.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells every listener. The topic is one of [`TOPICS`].
    pub fn publish<T: Serialize>(&self, topic: &'static str, payload: &T) {
        debug_assert!(TOPICS.contains(&topic), "{topic} is no topic");
        match serde_json::to_value(payload) {
            Ok(payload) => {
                // Without listeners nobody is told, which is no failure.
                let _ = self.sender.send(Event {
                    topic,
                    at: clock::rfc3339(SystemTime::now()),
                    payload,
                });
            }
            Err(error) => tracing::error!(topic, %error, "an event has no JSON form"),
        }
    }

    /// Listens from now on.
    #[must_use]
    pub fn listen(&self) -> Listener {
        Listener {
            receiver: self.sender.subscribe(),
        }
    }
}

/// What a listener hears next.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// An event.
    Event(Event),
    /// So many events passed unheard.
    Missed(u64),
}

/// One listener.
#[derive(Debug)]
pub struct Listener {
    receiver: broadcast::Receiver<Event>,
}

impl Listener {
    /// The next event; `None` once the bus is gone. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Heard> {
        match self.receiver.recv().await {
            Ok(event) => Some(Heard::Event(event)),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Heard::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_listener_is_told_how_much_it_missed() {
        let events = Events::new();
        events.publish("terminal.created", &1);
        let mut listener = events.listen();
        for number in 0..=BEHIND {
            events.publish("terminal.title", &number);
        }
        assert_eq!(listener.next().await, Some(Heard::Missed(1)));
        let Some(Heard::Event(event)) = listener.next().await else {
            panic!("no event")
        };
        assert_eq!((event.topic, event.payload), ("terminal.title", 1.into()));
    }
}
