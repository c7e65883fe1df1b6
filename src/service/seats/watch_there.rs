//! Watching the seats of a host: one question after all of them together, at a quiet pace.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::Inner;
use super::book::Record;
use crate::proto::HostAlias;

/// How often a host is asked which processes of its seats still run.
const PACE: Duration = Duration::from_secs(2);

/// How long a host that cannot be asked is left alone at most.
const LONGEST: Duration = Duration::from_mins(1);

impl Inner {
    /// Watches a seat of a host until it has ended.
    pub(super) fn watch_there(self: &Arc<Self>, host: &HostAlias, record: Record) {
        let mut watchers = self.watchers.lock().unwrap_or_else(PoisonError::into_inner);
        let watcher = watchers.entry(host.clone()).or_insert_with(|| {
            let (watcher, seats) = mpsc::unbounded_channel();
            let watch = Watch {
                inner: Arc::clone(self),
                host: host.clone(),
                seats: Vec::new(),
                new: seats,
            };
            self.supervisor.spawn(watch.run());
            watcher
        });
        let _ = watcher.send(record);
    }
}

struct Watch {
    inner: Arc<Inner>,
    host: HostAlias,
    /// Those that run, as far as is known.
    seats: Vec<Record>,
    new: mpsc::UnboundedReceiver<Record>,
}

impl Watch {
    async fn run(mut self) {
        let mut pace = PACE;
        let mut next = Instant::now();
        loop {
            tokio::select! {
                new = self.new.recv() => match new {
                    Some(record) => {
                        self.seats.push(record);
                        // The host was just spoken to.
                        pace = PACE;
                        next = next.min(Instant::now() + pace);
                        continue;
                    }
                    None => return,
                },
                () = sleep_until(next), if !self.seats.is_empty() => {}
            }
            pace = if self.look().await {
                PACE
            } else {
                (pace * 2).min(LONGEST)
            };
            next = Instant::now() + pace;
        }
    }

    /// Looks at all of them. False: the host cannot be asked.
    async fn look(&mut self) -> bool {
        self.forget_known().await;
        let pids: Vec<u32> = self.seats.iter().filter_map(|record| record.pid).collect();
        let Ok(running) = self
            .inner
            .panes
            .processes()
            .running(&self.host, &pids)
            .await
        else {
            return false;
        };
        let mut left = Vec::new();
        for record in std::mem::take(&mut self.seats) {
            let process = record.process();
            let runs = process
                .named()
                .is_some_and(|named| running.contains(&named));
            if runs || !self.inner.conclude(&record).await {
                left.push(record);
            }
        }
        self.seats = left;
        true
    }

    /// Leaves those alone whose end somebody else has written down meanwhile.
    async fn forget_known(&mut self) {
        let mut left = Vec::new();
        for record in std::mem::take(&mut self.seats) {
            let known = self.inner.book.get(&record.reference).await;
            if !matches!(known, Ok(Some(record)) if record.end.is_some()) {
                left.push(record);
            }
        }
        self.seats = left;
    }
}
