//! The end of a terminal: written down, retried where the disk is full, and told before the process goes.

use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::clients::head;
use super::place::Place;
use super::record::{Record, Remains};
use super::wire::Event;
use crate::os::clock;
use crate::proto::surfaces::Exit;
use crate::screen::{Scope, Screen};

/// How many lines the record keeps itself.
const LAST_LINES: usize = 12;

/// How long connections may take to read what waits for them.
const LINGER: Duration = Duration::from_secs(2);

/// How often [`Ending::over`] is to be asked.
pub(super) const PATIENCE: Duration = Duration::from_millis(100);

/// How soon to try again where the disk did not take it.
const RETRY: Duration = Duration::from_secs(5);

/// What is to be written down, and how far that is.
pub(super) struct Ending {
    place: Place,
    record: Record,
    remains: Option<Remains>,
    written: bool,
    ended_at: Option<Instant>,
    tried_at: Option<Instant>,
}

impl Ending {
    pub(super) const fn new(place: Place, record: Record) -> Self {
        Self {
            place,
            record,
            remains: None,
            written: false,
            ended_at: None,
            tried_at: None,
        }
    }

    /// What is written down of the terminal.
    pub(super) const fn record(&self) -> &Record {
        &self.record
    }

    /// Takes the final state and writes it down.
    pub(super) fn ended(&mut self, exit: &Exit, screen: &mut Screen) {
        let drawing = screen.draw(Scope::Both);
        let plain = screen.lines(false);
        self.record.exit = Some(exit.clone());
        self.record.ended_ms = Some(clock::now_ms());
        screen.title().clone_into(&mut self.record.title);
        screen.cwd().clone_into(&mut self.record.cwd);
        (self.record.rows, self.record.cols) = screen.size();
        self.record.last_output_lines =
            Some(plain[plain.len().saturating_sub(LAST_LINES)..].to_vec());
        self.remains = Some(Remains {
            head: head(&drawing, screen.revision()),
            drawing: BASE64.encode(drawing.bytes),
            visible: screen.visible_lines(false).len().min(plain.len()),
            plain,
            ansi: screen.lines(true),
        });
        self.ended_at = Some(Instant::now());
        self.write();
    }

    /// The event that tells the end.
    pub(super) fn event(&self, exit: Exit) -> Event {
        Event::Exit {
            exit,
            at_ms: self.record.ended_ms.unwrap_or(0),
        }
    }

    /// Nothing is to be written down any more.
    pub(super) const fn forget(&mut self) {
        self.written = true;
    }

    /// Whether nothing is left to do. `pending`: somebody was not told everything yet, or is about to ask.
    pub(super) fn over(&mut self, pending: bool) -> bool {
        let retry = self.tried_at.is_none_or(|at| at.elapsed() >= RETRY);
        if !self.written && retry {
            self.write();
        }
        let lingered = self.ended_at.is_none_or(|at| at.elapsed() >= LINGER);
        self.written && (!pending || lingered)
    }

    /// The screen first: whoever reads in the record that the program ended finds the screen.
    fn write(&mut self) {
        if self.written {
            return;
        }
        self.tried_at = Some(Instant::now());
        let id = &self.record.id;
        let written = self
            .remains
            .as_ref()
            .map_or(Ok(()), |remains| remains.write(&self.place.screen(id)))
            .and_then(|()| self.record.write(&self.place.record(id)));
        // A home that was removed has nobody who would read it; a full disk may have room again.
        self.written = written.is_ok() || !self.place.dir().exists();
    }
}
