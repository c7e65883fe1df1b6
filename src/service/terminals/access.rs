//! Reading a terminal: from its host while that lives, else from what it left.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;

use super::handle::{Terminals, silent, unable};
use crate::host::record::Remains;
use crate::host::wire::{Head, Operation, Outcome};
use crate::os::versioned::ReadError;
use crate::proto::terminal::{Cursor, Snapshot, TerminalCaptureResult};
use crate::proto::{Failure, Kind};
use crate::screen::range;

/// How long a host may take to draw or list what it keeps, which may be much.
const READ: Duration = Duration::from_secs(10);

impl Terminals {
    /// The kept lines `start..end` (see [`range`]), plain or with attributes as SGR sequences.
    ///
    /// # Errors
    /// `not-found`; `timeout` where the host does not answer; `state-unknown` where it did not live to write them down.
    pub async fn capture(
        &self,
        id: &str,
        start: Option<i64>,
        end: Option<i64>,
        ansi: bool,
    ) -> Result<TerminalCaptureResult, Failure> {
        let mut lines = self.lines(id, ansi, false).await?;
        let total_lines = lines.len();
        let range = range(start, end, total_lines);
        lines.truncate(range.end);
        lines.drain(..range.start);
        Ok(TerminalCaptureResult { lines, total_lines })
    }

    /// The kept lines, or only those on the screen.
    pub(super) async fn lines(
        &self,
        id: &str,
        ansi: bool,
        visible: bool,
    ) -> Result<Vec<String>, Failure> {
        match self
            .ask_host(id, Operation::Lines { ansi, visible })
            .await?
        {
            Some(Outcome::Lines { lines }) => Ok(lines),
            Some(_) => Err(unable(id)),
            None => {
                let remains = self.remains(id).await?;
                let mut lines = if ansi { remains.ansi } else { remains.plain };
                if visible {
                    lines.drain(..lines.len().saturating_sub(remains.visible));
                }
                Ok(lines)
            }
        }
    }

    /// The screen as escape sequences.
    ///
    /// # Errors
    /// `not-found`; `timeout` where the host does not answer; `state-unknown` where it did not live to write it down.
    pub async fn snapshot(&self, id: &str) -> Result<Snapshot, Failure> {
        match self.ask_host(id, Operation::Snapshot).await? {
            Some(Outcome::Snapshot { head, drawing }) => Ok(shown(head, drawing)),
            Some(_) => Err(unable(id)),
            None => {
                let remains = self.remains(id).await?;
                Ok(shown(remains.head, remains.drawing))
            }
        }
    }

    /// Asks the host; `None`: it is gone.
    async fn ask_host(&self, id: &str, operation: Operation) -> Result<Option<Outcome>, Failure> {
        let asked = self.access(id).await?.ask(operation, READ).await;
        asked.map_err(|_| silent(id))
    }

    pub(super) async fn remains(&self, id: &str) -> Result<Remains, Failure> {
        let path = self.setup.place.screen(id);
        let read = tokio::task::spawn_blocking(move || Remains::read(&path)).await;
        match read {
            Ok(Ok(remains)) => Ok(remains),
            Ok(Err(ReadError::Missing(_))) => Err(Failure::new(
                Kind::StateUnknown,
                format!("the screen of terminal {id} is lost: its host was ended"),
            )
            .hint("nothing can bring it back; terminal.remove forgets the terminal")),
            Ok(Err(error)) => Err(Failure::new(
                Kind::StateUnknown,
                format!("the screen of terminal {id} cannot be read: {error}"),
            )
            .hint("what was written down of it is damaged; terminal.remove forgets the terminal")),
            Err(error) => Err(Failure::new(
                Kind::Internal,
                format!("reading the screen of terminal {id} failed: {error}"),
            )),
        }
    }
}

/// A drawing as the protocol shows it.
pub(super) fn shown(head: Head, screen: String) -> Snapshot {
    Snapshot {
        rows: head.rows,
        cols: head.cols,
        cursor: Cursor {
            row: head.row,
            col: head.col,
            visible: head.visible,
        },
        screen,
        revision: head.revision,
    }
}

/// The same of a drawing as bytes.
pub(super) fn shown_bytes(head: Head, bytes: &[u8]) -> Snapshot {
    shown(head, BASE64.encode(bytes))
}
