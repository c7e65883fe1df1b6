//! Watching seats: their ends are written down, and their windows removed.

use std::sync::Arc;
use std::time::Duration;

use super::Inner;
use super::book::{End, Record};
use super::panes::{Reference, Seen};
use super::processes::Process;
use crate::os::exit_watch;
use crate::os::signal_name;
use crate::proto::Failure;
use crate::proto::seat::SeatState;
use crate::proto::surfaces::Exit;
use crate::tmux::Outcome;
use crate::tmux::list::Dead;
use crate::tmux::pane::{Capture, KillPane};
use crate::tmux::seat::KeepsDeadPanes;

/// How often tmux is asked again while it cannot tell what became of a seat whose process has ended.
const PAUSE: Duration = Duration::from_secs(1);

/// What tmux itself writes below what a program left.
const REMARK: &str = "Pane is dead (";

/// So many lines are kept of what a program left on its pane.
const LINES: usize = 12;

/// How a program ended, from what tmux kept of it.
pub(in crate::service) fn exit_of(dead: Dead) -> Exit {
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
                self.watch(record);
            }
        }
        Ok(())
    }

    /// Watches a seat until it has ended.
    pub(super) fn watch(self: &Arc<Self>, record: Record) {
        if let Some(host) = record.reference.host().cloned() {
            self.watch_there(&host, record);
            return;
        }
        let Process::Here(root) = record.process() else {
            return;
        };
        let inner = Arc::clone(self);
        self.supervisor.spawn(async move {
            exit_watch::ended(root).await;
            while !inner.conclude(&record).await {
                tokio::time::sleep(PAUSE).await;
            }
        });
    }

    /// Finds out how a seat ended whose process has, writes that down, and removes its window. False: it is not known yet.
    pub(super) async fn conclude(&self, record: &Record) -> bool {
        let Ok(seat) = Reference::of(&record.reference) else {
            return true;
        };
        match self.panes.look_after_end(&seat).await {
            Seen::Running(at) if record.pid.is_some_and(|pid| pid != at.pid) => {
                self.ended(
                    record,
                    "seat.lost",
                    End::now(SeatState::Gone, &Exit::default()),
                )
                .await;
                true
            }
            Seen::Dead(at, dead) => {
                // Before its window is removed.
                let lines = self.last_lines(&seat).await;
                let end = End::now(SeatState::Exited, &exit_of(dead)).left(lines);
                self.ended(record, "seat.exited", end).await;
                if let Some(place) = at.place
                    && !self.person_keeps(&seat).await
                {
                    // The pane and not the window: somebody may have divided it.
                    let _ = self.panes.in_place(&seat, place, KillPane(seat.pane)).await;
                }
                true
            }
            // Whoever ends it on purpose says so, unless that fails.
            Seen::Gone | Seen::WindowLeft(_) | Seen::Foreign if self.is_ending(&seat) => false,
            Seen::Gone | Seen::WindowLeft(_) | Seen::Foreign => {
                self.ended(
                    record,
                    "seat.lost",
                    End::now(SeatState::Gone, &Exit::default()),
                )
                .await;
                true
            }
            // Somebody respawned the pane, or tmux has not noticed the end yet, or does not answer.
            Seen::Running(_) | Seen::Unknown(_) => false,
        }
    }

    async fn ended(&self, record: &Record, topic: &'static str, end: End) {
        let mut record = record.clone();
        record.end = Some(end.clone());
        if let Ok(true) = self.book.end(&record.reference, end.clone()).await {
            self.announce(topic, &record.seat(Some(end.state), None));
        }
    }

    /// The last lines on its pane.
    async fn last_lines(&self, seat: &Reference) -> Option<String> {
        let capture = Capture {
            pane: seat.pane,
            lines: None,
        };
        let Outcome::Done(text) = self.panes.on(seat, capture).await else {
            return None;
        };
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with(REMARK))
            .collect();
        Some(lines[lines.len().saturating_sub(LINES)..].join("\n"))
    }

    async fn person_keeps(&self, seat: &Reference) -> bool {
        match self.panes.on(seat, KeepsDeadPanes).await {
            Outcome::Done(keeps) => keeps,
            // Unknown: rather leave a window than remove one that somebody wants.
            _ => true,
        }
    }
}
