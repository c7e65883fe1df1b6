//! Where the files of a terminal are.

use std::path::{Path, PathBuf};

use crate::os::paths::short;

/// The files of one daemon's terminals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    dir: PathBuf,
    temporary: PathBuf,
}

impl Place {
    /// Those of the daemon with this home. Sockets whose path would be too long are in `temporary`.
    #[must_use]
    pub fn new(home: &Path, temporary: &Path) -> Self {
        Self {
            dir: home.join("terminals"),
            temporary: temporary.to_owned(),
        }
    }

    /// The records in this directory, for who needs no socket.
    #[must_use]
    pub(super) fn at(dir: &Path) -> Self {
        Self {
            dir: dir.to_owned(),
            temporary: dir.to_owned(),
        }
    }

    /// The directory of the records.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The record of a terminal.
    #[must_use]
    pub fn record(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}.json"))
    }

    /// The screen that an ended terminal left.
    #[must_use]
    pub fn screen(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}.screen"))
    }

    /// The socket of a running terminal.
    #[must_use]
    pub fn socket(&self, id: &str) -> PathBuf {
        short(self.dir.join(format!("{id}.sock")), &self.temporary)
    }
}
