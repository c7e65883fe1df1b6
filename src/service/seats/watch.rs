//! Watching seats: their ends are written down, and their windows removed.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use super::Inner;
use super::book::{End, Record};
use super::panes::{Reference, Seen};
use crate::os::exit_watch;
use crate::os::signal_name;
use crate::os::tree::Root;
use crate::proto::Failure;
use crate::proto::seat::SeatState;
use crate::proto::surfaces::Exit;
use crate::tmux::Outcome;
use crate::tmux::list::Dead;
use crate::tmux::pane::KillPane;
use crate::tmux::seat::KeepsDeadPanes;

/// How often tmux is asked again while it cannot tell what became of a seat whose process has ended.
const PAUSE: Duration = Duration::from_secs(1);

/// How a program ended, from what tmux kept of it.
pub(super) fn exit_of(dead: Dead) -> Exit {
    Exit {
        exited: true,
        exit_code: dead.status.filter(|_| dead.signal.is_none()),
        signal: dead.signal.map(signal_name::name),
    }
}

impl Inner {
    /// Watches every seat that has not ended.
    pub(super) async fn adopt(self: &Arc<Self>) -> Result<(), Failure> {
        for record in self.book.all().await? {
            if record.end.is_none() {
                let started = record
                    .process_started_ms
                    .map(|ms| UNIX_EPOCH + Duration::from_millis(ms));
                let root = Root {
                    pid: record.pid.unwrap_or(0),
                    started,
                };
                self.watch(record, root);
            }
        }
        Ok(())
    }

    /// Watches a seat until it has ended.
    pub(super) fn watch(self: &Arc<Self>, record: Record, root: Root) {
        let watcher = Watcher {
            inner: Arc::clone(self),
            record,
        };
        self.supervisor
            .spawn(async move { watcher.run(root).await });
    }
}

struct Watcher {
    inner: Arc<Inner>,
    record: Record,
}

impl Watcher {
    async fn run(self, root: Root) {
        let Ok(seat) = Reference::of(&self.record.reference) else {
            return;
        };
        exit_watch::ended(root).await;
        loop {
            match self.inner.panes.look_after_end(&seat).await {
                Seen::Running(at) if self.record.pid.is_some_and(|pid| pid != at.pid) => {
                    self.ended("seat.lost", End::now(SeatState::Gone, &Exit::default()))
                        .await;
                    return;
                }
                Seen::Dead(at, dead) => {
                    self.ended("seat.exited", End::now(SeatState::Exited, &exit_of(dead)))
                        .await;
                    if let Some(place) = at.place
                        && !self.person_keeps(&seat).await
                    {
                        // The pane and not the window: somebody may have divided it.
                        let _ = self
                            .inner
                            .panes
                            .in_place(&seat, place, KillPane(seat.pane))
                            .await;
                    }
                    return;
                }
                Seen::Gone | Seen::WindowLeft(_) | Seen::Foreign => {
                    if self.inner.is_ending(&seat) {
                        return;
                    }
                    self.ended("seat.lost", End::now(SeatState::Gone, &Exit::default()))
                        .await;
                    return;
                }
                // Somebody respawned the pane, or tmux has not noticed the end yet, or does not answer.
                Seen::Running(_) | Seen::Unknown(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    async fn ended(&self, topic: &'static str, end: End) {
        let mut record = self.record.clone();
        record.end = Some(end.clone());
        if let Ok(true) = self.inner.book.end(&record.reference, end.clone()).await {
            self.inner.announce(topic, &record.seat(Some(end.state)));
        }
    }

    async fn person_keeps(&self, seat: &Reference) -> bool {
        match self.inner.panes.on(seat, KeepsDeadPanes).await {
            Outcome::Done(keeps) => keeps,
            // Unknown: rather leave a window than remove one that somebody wants.
            _ => true,
        }
    }
}
