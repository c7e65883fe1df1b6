//! Seats by what was known of them before they were there, and what was kept of one.

use std::time::SystemTime;

use super::Seats;
use super::book::Record;
use super::names::Space;
use super::panes::Reference;
use super::processes::Process;
use crate::os::clock;
use crate::os::tree::Root;
use crate::proto::seat::Seat;
use crate::proto::{Failure, Kind, SurfaceRef};
use crate::tmux::list::ListPanes;
use crate::tmux::seat::{ListSeats, SeatRow};
use crate::tmux::{Outcome, Server};

/// A seat that a daemon may have spawned without living to write it down.
#[derive(Clone, Debug)]
pub struct Unwritten {
    /// Its space.
    pub space: String,
    /// Its name.
    pub name: String,
    /// What it was to run.
    pub command: Vec<String>,
    /// Where.
    pub cwd: String,
    /// What a graceful stop types.
    pub exit_phrase: String,
}

impl Seats {
    /// What was written down of a seat; `None`: nothing.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn find(&self, reference: &SurfaceRef) -> Result<Option<Seat>, Failure> {
        let record = self.inner.book.get(reference).await?;
        Ok(record.map(|record| {
            let attach = self.inner.attach(&record, None);
            record.seat(None, attach)
        }))
    }

    /// The last lines that an ended seat left, where they were still there when its end was seen.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn last_lines(&self, reference: &SurfaceRef) -> Result<String, Failure> {
        let record = self.inner.book.get(reference).await?;
        let end = record.and_then(|record| record.end);
        Ok(end.and_then(|end| end.last_lines).unwrap_or_default())
    }

    /// Looks for a seat by its name, in the records and in tmux. One that only tmux knows is written down and watched from
    /// then on. `None`: it is not there.
    ///
    /// # Errors
    /// `state-unknown`: tmux did not answer in words that prove anything.
    pub async fn discover(&self, seat: &Unwritten) -> Result<Option<SurfaceRef>, Failure> {
        let space = Space::parse(&seat.space)?;
        let all = self.inner.book.all().await?;
        let known = all
            .into_iter()
            .find(|record| record.space == seat.space && record.name == seat.name);
        if let Some(record) = known {
            return Ok(Some(record.reference));
        }
        let unknown = |why: String| {
            Failure::new(
                Kind::StateUnknown,
                format!("tmux cannot be asked for the seat {}: {why}", seat.name),
            )
        };
        let rows = match self
            .inner
            .panes
            .ask(None, &Server::Default, &ListSeats)
            .await
        {
            Outcome::Done(rows) => rows,
            Outcome::Absent(_) => return Ok(None),
            Outcome::Unknown(why) => return Err(unknown(why)),
        };
        // A window that has the name and no mark of a seat is a placeholder: nothing was started in it.
        let Some(row) = rows
            .into_iter()
            .find(|row| row.space == space.as_str() && row.seat == seat.name && row.home.is_some())
        else {
            return Ok(None);
        };
        let around = ListPanes::Around(row.place.pane);
        let panes = match self.inner.panes.ask(None, &Server::Default, &around).await {
            Outcome::Done(panes) => panes,
            Outcome::Absent(_) => return Ok(None),
            Outcome::Unknown(why) => return Err(unknown(why)),
        };
        let Some(pane) = panes.into_iter().find(|pane| pane.pane == row.place.pane) else {
            return Ok(None);
        };
        let reference = Reference {
            server: row.server,
            socket: pane.socket,
            window: row.place.window,
            pane: row.place.pane,
            host: None,
        };
        self.write_down(seat, &row, &reference).await?;
        Ok(Some(reference.surface()))
    }

    async fn write_down(
        &self,
        seat: &Unwritten,
        row: &SeatRow,
        reference: &Reference,
    ) -> Result<(), Failure> {
        let process = Process::Here(Root::now(row.pid));
        let record = Record {
            reference: reference.surface(),
            space: seat.space.clone(),
            name: seat.name.clone(),
            session: row.session_name.clone(),
            command: seat.command.clone(),
            cwd: seat.cwd.clone(),
            exit_phrase: seat.exit_phrase.clone(),
            pid: Some(row.pid),
            process_started_ms: process.started_ms(),
            process_start: None,
            started_at: clock::rfc3339(SystemTime::now()),
            end: None,
        };
        self.inner.book.put(record.clone()).await?;
        self.inner.watch(record);
        Ok(())
    }
}
