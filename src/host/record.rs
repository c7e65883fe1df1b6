//! What is written down about a terminal.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::wire::Head;
use crate::os::clock;
use crate::os::tree::Root;
use crate::os::versioned::{self, ReadError};
use crate::proto::surfaces::Exit;

/// The version of both files.
pub const VERSION: u32 = 1;

/// A terminal: small, read for every listing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Record {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its title when this was written.
    pub title: String,
    /// Its directory when this was written.
    pub cwd: String,
    /// The directory that it started in.
    pub start_cwd: String,
    /// The argv.
    pub command: Vec<String>,
    /// Rows when this was written.
    pub rows: u16,
    /// Columns when this was written.
    pub cols: u16,
    /// The terminal agent that it is for.
    pub agent_id: Option<String>,
    /// When it was made, RFC 3339.
    pub created_at: String,
    /// The same in microseconds since 1970: many are made within one of the milliseconds that people are shown.
    pub created_us: u64,
    /// The program's process.
    pub pid: Option<u32>,
    /// When that process started, milliseconds since 1970; absent: an older host wrote this.
    pub process_started_ms: Option<u64>,
    /// How the program ended; absent: it runs, or its host did not live to tell.
    pub exit: Option<Exit>,
    /// When it ended, milliseconds since 1970.
    pub ended_ms: Option<u64>,
    /// The last lines after the end.
    pub last_output_lines: Option<Vec<String>>,
}

/// The screen that an ended terminal left, with its scrollback.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remains {
    /// What the drawing shows.
    pub head: Head,
    /// The drawing, base64.
    pub drawing: String,
    /// The kept lines as plain text.
    pub plain: Vec<String>,
    /// The same with attributes as SGR sequences.
    pub ansi: Vec<String>,
    /// How many of them, at the end, are on the screen.
    pub visible: usize,
}

impl Record {
    /// Takes down the program's process, which was just started.
    pub fn runs(&mut self, pid: u32) {
        self.pid = Some(pid);
        self.process_started_ms = Root::now(pid).started.map(clock::millis);
    }

    /// The program's process; a root without a start where that was never seen.
    #[must_use]
    pub fn program(&self) -> Option<Root> {
        let started = self.process_started_ms;
        Some(Root {
            pid: self.pid?,
            started: started.map(clock::at_ms),
        })
    }

    /// Writes it, 0600, as a whole.
    ///
    /// # Errors
    /// Those of the system, a full disk among them.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        versioned::write(path, VERSION, self)
    }

    /// Reads it.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        versioned::read(path, VERSION)
    }
}

impl Remains {
    /// Writes them, 0600, as a whole.
    ///
    /// # Errors
    /// Those of the system, a full disk among them.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        versioned::write(path, VERSION, self)
    }

    /// Reads them.
    ///
    /// # Errors
    /// Says why there are none.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        versioned::read(path, VERSION)
    }
}
