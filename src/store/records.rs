//! A directory of records of one kind.

use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::os::private_dir;
use crate::os::tree::Root;
use crate::os::versioned::{self, ReadError};

/// Why a record could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The directory is not ours or cannot be made.
    #[error("cannot use the directory of records {dir}")]
    Dir {
        /// The directory.
        dir: PathBuf,
        /// Why.
        source: private_dir::DirError,
    },
    /// The file cannot be written or removed.
    #[error("cannot write the record {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The id could be no file name.
    #[error("{0:?} cannot name a record")]
    Id(String),
}

/// What a directory held.
#[derive(Debug)]
pub struct Loaded<T> {
    /// The records, in the order of their ids.
    pub records: Vec<(String, T)>,
    /// Files that could not be read, under the names they now have. They are never overwritten.
    pub set_aside: Vec<PathBuf>,
    /// Files of a later version, left as they are.
    pub later: Vec<PathBuf>,
}

impl<T> Loaded<T> {
    /// The records. What could not be read is told to the log as one of `of`, such as `an agent`.
    #[must_use]
    pub fn told(self, of: &str) -> Vec<(String, T)> {
        for path in &self.set_aside {
            tracing::warn!(path = %path.display(), "the record of {of} is damaged and was set aside");
        }
        for path in &self.later {
            tracing::warn!(path = %path.display(), "the record of {of} is of a later version and was left alone");
        }
        self.records
    }
}

/// A directory of records, one file `<id>.json` each, 0600 in a directory of 0700.
///
/// All calls block for as long as the disk takes.
#[derive(Debug)]
pub struct Records<T> {
    dir: PathBuf,
    version: u32,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned> Records<T> {
    /// The records in this directory, which is made where it is missing. `version` counts the shapes of `T`.
    ///
    /// # Errors
    /// The directory is linked, shared or not ours, or cannot be made.
    pub fn open(dir: impl Into<PathBuf>, version: u32) -> Result<Self, StoreError> {
        let dir = dir.into();
        private_dir::ensure(&dir).map_err(|source| StoreError::Dir {
            dir: dir.clone(),
            source,
        })?;
        Ok(Self {
            dir,
            version,
            of: PhantomData,
        })
    }

    /// Reads all records. What cannot be read is renamed to `<name>.damaged`, so that it is neither lost nor met again.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn load(&self) -> Result<Loaded<T>, StoreError> {
        let failed = |source| StoreError::File {
            path: self.dir.clone(),
            source,
        };
        let mut loaded = Loaded {
            records: Vec::new(),
            set_aside: Vec::new(),
            later: Vec::new(),
        };
        for entry in std::fs::read_dir(&self.dir).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if is_half(&path) {
                // Whoever wrote it has ended, and nothing read it before it had its name.
                let _ = std::fs::remove_file(&path);
                continue;
            }
            let Some(id) = path
                .file_name()
                .and_then(|name| name.to_str())
                .and_then(|name| name.strip_suffix(".json"))
            else {
                continue;
            };
            match versioned::read(&path, self.version) {
                Ok(record) => loaded.records.push((id.to_owned(), record)),
                Err(ReadError::Newer { .. }) => loaded.later.push(path),
                Err(_) => {
                    let aside = aside(&path);
                    if std::fs::rename(&path, &aside).is_ok() {
                        loaded.set_aside.push(aside);
                    } else {
                        loaded.set_aside.push(path);
                    }
                }
            }
        }
        loaded.records.sort_by(|(a, _), (b, _)| a.cmp(b));
        Ok(loaded)
    }

    /// Writes a record. Whoever reads the file sees the old one or the new one.
    ///
    /// # Errors
    /// The file cannot be written; the old record then stands.
    pub fn put(&self, id: &str, record: &T) -> Result<(), StoreError> {
        let path = self.path(id)?;
        versioned::write(&path, self.version, record)
            .map_err(|source| StoreError::File { path, source })
    }

    /// Removes a record; one that is not there is no error.
    ///
    /// # Errors
    /// The file cannot be removed.
    pub fn remove(&self, id: &str) -> Result<(), StoreError> {
        let path = self.path(id)?;
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::File { path, source })
            }
            _ => Ok(()),
        }
    }

    fn path(&self, id: &str) -> Result<PathBuf, StoreError> {
        let good = !id.is_empty()
            && !id.starts_with('.')
            && id.len() <= 200
            && id
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
        if good {
            Ok(self.dir.join(format!("{id}.json")))
        } else {
            Err(StoreError::Id(id.to_owned()))
        }
    }
}

/// Whether a file is one that a process had not written to its end before it was ended, `<id>.json.<pid>.new`. Those who host
/// terminals write down theirs themselves, and may be about to.
fn is_half(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let half = name.and_then(|name| name.strip_suffix(".new")?.rsplit_once('.'));
    let Some((name, Ok(pid))) = half.map(|(name, pid)| (name, pid.parse::<u32>())) else {
        return false;
    };
    let is_kept = [".json", ".screen"].iter().any(|end| name.ends_with(end));
    is_kept && !Root::now(pid).alive()
}

/// A name for a damaged file that is not taken.
fn aside(path: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 0 {
            ".damaged".to_owned()
        } else {
            format!(".damaged-{number}")
        });
        PathBuf::from(name)
    };
    (0..u32::MAX)
        .map(name)
        .find(|path| !path.exists())
        .unwrap_or_else(|| name(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(dir: &Path, version: u32) -> Records<Vec<u8>> {
        Records::open(dir.join("r"), version).unwrap()
    }

    #[test]
    fn what_was_put_is_loaded_until_it_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let store = records(dir.path(), 1);
        store.put("b", &vec![1]).unwrap();
        store.put("a", &vec![2]).unwrap();
        store.put("a", &vec![3]).unwrap();
        assert_eq!(
            store.load().unwrap().records,
            [("a".to_owned(), vec![3]), ("b".to_owned(), vec![1])]
        );
        store.remove("a").unwrap();
        store.remove("a").unwrap();
        assert_eq!(store.load().unwrap().records.len(), 1);
        for id in ["", ".", "../x", "a/b", "a\0"] {
            assert!(store.put(id, &vec![]).is_err(), "{id:?}");
        }
    }

    #[test]
    fn damaged_files_are_set_aside_and_later_ones_left() {
        let dir = tempfile::tempdir().unwrap();
        let store = records(dir.path(), 1);
        let own = format!("own.json.{}.new", std::process::id());
        for (name, text) in [
            ("half.json", r#"{"version":1,"rec"#),
            ("empty.json", ""),
            ("shape.json", r#"{"version":1,"record":"x"}"#),
            ("later.json", r#"{"version":2,"record":{"new":true}}"#),
            ("other.txt", "not mine"),
            ("half.json.4000000.new", "{"),
            ("half.screen.4000000.new", "{"),
            (&own, "{"),
        ] {
            std::fs::write(dir.path().join("r").join(name), text).unwrap();
        }
        store.put("good", &vec![1]).unwrap();
        let loaded = store.load().unwrap();
        assert_eq!(loaded.records, [("good".to_owned(), vec![1])]);
        assert_eq!((loaded.set_aside.len(), loaded.later.len()), (3, 1));
        assert!(dir.path().join("r/half.json.damaged").exists());
        assert!(!dir.path().join("r/half.json.4000000.new").exists());
        assert!(!dir.path().join("r/half.screen.4000000.new").exists());
        assert!(dir.path().join("r").join(&own).exists(), "its writer runs");
        assert!(dir.path().join("r/other.txt").exists());
        assert!(store.load().unwrap().set_aside.is_empty());
        std::fs::write(dir.path().join("r/half.json"), "again").unwrap();
        store.load().unwrap();
        assert!(dir.path().join("r/half.json.damaged-1").exists());
    }
}
