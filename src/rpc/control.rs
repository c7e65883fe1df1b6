//! What runs now, and whether new work is taken: shared by all connections, the status and the shutdown of the daemon.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::proto::daemon::State;

/// What runs now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections.
    pub connections: usize,
    /// Requests, waits included. Those that answer while draining (`daemon.status` and the like) are never counted.
    pub in_flight: usize,
    /// Subscriptions.
    pub subscriptions: usize,
}

/// A handle on what runs; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Control {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    connections: AtomicUsize,
    in_flight: AtomicUsize,
    subscriptions: AtomicUsize,
    refused: AtomicUsize,
    work: AtomicUsize,
    ids: AtomicU64,
    draining: CancellationToken,
    /// Told when a number falls.
    less: Notify,
    /// Told when there is one more connection.
    more: Notify,
}

/// What is counted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counted {
    Connection,
    /// A connection over the limit.
    Refused,
    Request,
    Subscription,
    /// What a drain waits for: requests, and subscriptions that end by themselves.
    Work,
}

impl Control {
    /// Nothing runs, and new work is taken.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What runs now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let read = |counted| self.counter(counted).load(Ordering::Relaxed);
        Counts {
            connections: read(Counted::Connection),
            in_flight: read(Counted::Request),
            subscriptions: read(Counted::Subscription),
        }
    }

    /// Whether new work is taken.
    #[must_use]
    pub fn state(&self) -> State {
        if self.shared.draining.is_cancelled() {
            State::Draining
        } else {
            State::Ready
        }
    }

    /// Takes no new work from now on: it is answered with `shutting-down`. Subscriptions that would never end are ended.
    pub fn drain(&self) {
        self.shared.draining.cancel();
    }

    /// Waits until no work runs. Without [`Self::drain`] new work may start right after.
    pub async fn quiet(&self) {
        loop {
            let less = self.shared.less.notified();
            if self.shared.work.load(Ordering::Relaxed) == 0 {
                return;
            }
            less.await;
        }
    }

    /// How many connections over the limit are answered now.
    pub(super) fn refused(&self) -> usize {
        self.counter(Counted::Refused).load(Ordering::Relaxed)
    }

    /// Waits until at least this many connections are open.
    pub(super) async fn crowd(&self, connections: usize) {
        loop {
            let more = self.shared.more.notified();
            if self.counts().connections >= connections {
                return;
            }
            more.await;
        }
    }

    /// Cancelled once the daemon drains.
    pub(super) fn draining(&self) -> &CancellationToken {
        &self.shared.draining
    }

    /// A number that was not given out before.
    pub(super) fn id(&self) -> u64 {
        self.shared.ids.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts one more until the guard is dropped.
    pub(super) fn hold(&self, counted: Counted) -> Held {
        self.counter(counted).fetch_add(1, Ordering::Relaxed);
        if matches!(counted, Counted::Connection) {
            self.shared.more.notify_waiters();
        }
        Held {
            control: self.clone(),
            counted,
        }
    }

    fn counter(&self, counted: Counted) -> &AtomicUsize {
        match counted {
            Counted::Connection => &self.shared.connections,
            Counted::Refused => &self.shared.refused,
            Counted::Request => &self.shared.in_flight,
            Counted::Subscription => &self.shared.subscriptions,
            Counted::Work => &self.shared.work,
        }
    }
}

/// One that is counted.
#[derive(Debug)]
pub(super) struct Held {
    control: Control,
    counted: Counted,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.control
            .counter(self.counted)
            .fetch_sub(1, Ordering::Relaxed);
        self.control.shared.less.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn quiet_waits_for_the_last_work() {
        let control = Control::new();
        control.quiet().await;
        let request = control.hold(Counted::Request);
        let work = control.hold(Counted::Work);
        assert_eq!(control.counts().in_flight, 1);
        let mut quiet = std::pin::pin!(control.quiet());
        assert!(futures_util::poll!(&mut quiet).is_pending());
        drop(work);
        quiet.await;
        drop(request);
        assert_eq!(control.counts(), Counts::default());
    }
}
