//! One owner for the start of a conversation: two that take up the same one at once would both write it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::proto::{Failure, Kind, SurfaceRef};

/// How long is remembered that a start has ended. Nobody looks at what runs for longer before it starts something.
const REMEMBERED: Duration = Duration::from_mins(5);

/// A conversation: its machine, its provider and its id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The host that it is on; absent: this machine.
    pub machine: Option<String>,
    /// The provider's id.
    pub provider: String,
    /// The provider's id of it.
    pub session: String,
}

/// Where a conversation was opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    /// Its surface, where that is known.
    pub surface: Option<SurfaceRef>,
    /// The line that shows it.
    pub attach: Option<String>,
}

impl Opened {
    /// Why the conversation of this name is not opened a second time.
    #[must_use]
    pub fn refused(&self, name: &str) -> Failure {
        let place = self.surface.as_ref();
        let place = place.map_or_else(String::new, |surface| format!(" in {surface}"));
        let failure = Failure::new(
            Kind::Conflict,
            format!("{name} was taken up just now{place}, by another call"),
        );
        match (&self.attach, &self.surface) {
            (Some(attach), _) => failure.hint(format!("look at it with: {attach}")),
            (None, Some(surface)) => failure.hint(format!(
                "go to it with: surfaced surfaces focus '{surface}'"
            )),
            (None, None) => failure.hint("go on where it runs, or leave it there first"),
        }
    }
}

/// The starts that are being made. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Starts(Arc<Mutex<HashMap<Key, State>>>);

#[derive(Debug)]
enum State {
    /// Somebody is at it. Nothing yet: not opened so far.
    Owned(watch::Receiver<Option<Opened>>),
    /// Nobody is any more, since then.
    Ended(Instant),
}

/// What came of asking for a start.
#[derive(Debug)]
pub enum Asked {
    /// It is the asker's. `stale`: somebody else's start has ended since the asker looked at what runs.
    Own {
        /// The right to it.
        start: Start,
        /// Whether to look again.
        stale: bool,
    },
    /// Somebody else has opened it.
    Taken(Opened),
}

/// The right to start a conversation. It ends when this is dropped.
#[derive(Debug)]
pub struct Start {
    starts: Starts,
    key: Key,
    told: watch::Sender<Option<Opened>>,
}

impl Starts {
    /// Asks for the right to start a conversation; `looked` is when the asker began to look at what runs. While somebody else
    /// is at it, what comes of that is waited for.
    pub async fn ask(&self, key: &Key, looked: Instant) -> Asked {
        loop {
            let mut other = match self.own(key, looked) {
                Ok(asked) => return asked,
                Err(other) => other,
            };
            let opened = other.wait_for(Option::is_some).await;
            if let Some(opened) = opened.ok().and_then(|opened| opened.clone()) {
                return Asked::Taken(opened);
            }
        }
    }

    fn own(&self, key: &Key, looked: Instant) -> Result<Asked, watch::Receiver<Option<Opened>>> {
        let mut starts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        starts.retain(|_, state| match state {
            State::Owned(_) => true,
            State::Ended(at) => at.elapsed() < REMEMBERED,
        });
        let stale = match starts.get(key) {
            Some(State::Owned(other)) => return Err(other.clone()),
            Some(State::Ended(at)) => *at >= looked,
            None => false,
        };
        let (told, other) = watch::channel(None);
        starts.insert(key.clone(), State::Owned(other));
        let start = Start {
            starts: self.clone(),
            key: key.clone(),
            told,
        };
        Ok(Asked::Own { start, stale })
    }
}

impl Start {
    /// Tells those who wait that it was opened.
    pub fn opened(&self, opened: Opened) {
        self.told.send_replace(Some(opened));
    }
}

impl Drop for Start {
    fn drop(&mut self) {
        let mut starts = self.starts.0.lock().unwrap_or_else(PoisonError::into_inner);
        starts.insert(self.key.clone(), State::Ended(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(session: &str) -> Key {
        Key {
            machine: None,
            provider: "claude".into(),
            session: session.into(),
        }
    }

    #[tokio::test]
    async fn one_has_it_and_the_others_hear_what_came_of_it() {
        let starts = Starts::default();
        let looked = Instant::now();
        let Asked::Own { start, stale } = starts.ask(&key("a"), looked).await else {
            panic!("somebody else has it");
        };
        assert!(!stale);
        let other = starts.ask(&key("b"), looked).await;
        assert!(matches!(other, Asked::Own { stale: false, .. }));
        let a = key("a");
        let mut second = Box::pin(starts.ask(&a, looked));
        assert!(futures_util::poll!(&mut second).is_pending());
        let mut third = Box::pin(starts.ask(&a, looked));
        assert!(futures_util::poll!(&mut third).is_pending());
        // It was not opened: the next one tries it.
        drop(start);
        let Asked::Own { start, stale } = second.await else {
            panic!("nobody opened it");
        };
        assert!(stale, "what runs is to be looked at again");
        assert!(futures_util::poll!(&mut third).is_pending());
        let opened = Opened {
            surface: None,
            attach: Some("here".into()),
        };
        start.opened(opened.clone());
        assert!(matches!(third.await, Asked::Taken(found) if found == opened));
        drop(start);
        let later = starts.ask(&key("a"), Instant::now()).await;
        assert!(matches!(later, Asked::Own { stale: false, .. }));
    }
}
