//! The database of OpenCode, read and never written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Row};

use super::index::Stamp;
use crate::provider::transcript::Transcript;

/// How long a program that writes is waited for.
const BUSY: Duration = Duration::from_secs(1);

/// Conversations of a person; those of helpers have a parent.
const QUESTION: &str = "SELECT id, directory, title, version, time_created, time_updated FROM session WHERE parent_id IS NULL";

/// The database and the log of what is not in it yet.
pub(super) fn stamps(file: &Path) -> Vec<Option<Stamp>> {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    [file.to_owned(), PathBuf::from(log)]
        .iter()
        .map(|file| fs_err::metadata(file).ok().map(|found| Stamp::of(&found)))
        .collect()
}

/// Its conversations.
///
/// # Errors
/// What is wrong with it, as it is told to people.
pub(super) fn read(file: &Path) -> Result<Vec<Transcript>, String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let rows = || -> rusqlite::Result<Vec<Transcript>> {
        let database = Connection::open_with_flags(file, flags)?;
        database.busy_timeout(BUSY)?;
        let mut question = database.prepare(QUESTION)?;
        question.query_map([], transcript)?.collect()
    };
    rows().map_err(|error| error.to_string())
}

fn transcript(row: &Row<'_>) -> rusqlite::Result<Transcript> {
    let millis = |at: usize| -> rusqlite::Result<Option<u64>> {
        let value: Option<i64> = row.get(at)?;
        Ok(value.and_then(|value| u64::try_from(value).ok()))
    };
    Ok(Transcript {
        id: row.get(0)?,
        cwd: row.get(1)?,
        title: row.get(2)?,
        version: row.get(3)?,
        started_ms: millis(4)?,
        updated_ms: millis(5)?,
        place: None,
    })
}
