//! JSON files with a version: `{"version": n, "record": …}`, replaced as a whole.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::replace::{self, replace};

/// Why there is no record.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("{0} does not exist")]
    Missing(PathBuf),
    /// It is not what this version wrote, nor an older one.
    #[error("{path} is damaged: {source}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A later version wrote it.
    #[error("{path} is of version {version}, later than this program")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The system refused.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

#[derive(Serialize)]
struct Written<'a, T> {
    version: u32,
    record: &'a T,
}

#[derive(Deserialize)]
struct Read<'a> {
    version: u32,
    #[serde(borrow)]
    record: &'a serde_json::value::RawValue,
}

/// Writes a record, mode 0600; a reader sees the old one or this one.
///
/// # Errors
/// Those of the system, a full disk among them.
pub fn write<T: Serialize>(path: &Path, version: u32, record: &T) -> io::Result<()> {
    let mut text = serde_json::to_vec(&Written { version, record })?;
    text.push(b'\n');
    replace(path, &text)
}

/// Reads a record of this version or an older one, whose missing fields have their defaults.
///
/// # Errors
/// Says whether it is missing, damaged, newer or withheld.
pub fn read<T: DeserializeOwned>(path: &Path, version: u32) -> Result<T, ReadError> {
    let text = replace::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => ReadError::Missing(path.to_owned()),
        _ => ReadError::Io {
            path: path.to_owned(),
            source,
        },
    })?;
    let damaged = |source| ReadError::Damaged {
        path: path.to_owned(),
        source,
    };
    let read: Read<'_> = serde_json::from_slice(&text).map_err(damaged)?;
    if read.version > version {
        return Err(ReadError::Newer {
            path: path.to_owned(),
            version: read.version,
        });
    }
    serde_json::from_str(read.record.get()).map_err(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_and_others_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        assert!(matches!(read::<u32>(&path, 1), Err(ReadError::Missing(_))));
        write(&path, 2, &7).unwrap();
        assert_eq!(read::<u32>(&path, 2).unwrap(), 7);
        assert_eq!(read::<u32>(&path, 3).unwrap(), 7);
        assert!(matches!(
            read::<u32>(&path, 1),
            Err(ReadError::Newer { version: 2, .. })
        ));
        for text in [
            "",
            "{",
            "{\"version\":1}",
            "{\"version\":1,\"record\":\"x\"}",
        ] {
            std::fs::write(&path, text).unwrap();
            assert!(
                matches!(read::<u32>(&path, 1), Err(ReadError::Damaged { .. })),
                "{text}"
            );
        }
    }
}
