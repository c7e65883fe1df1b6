//! The configuration in force: read at the start and again whenever the file has changed.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Config, parse};
use crate::proto::daemon::ConfigurationStatus;

/// The largest file that is read.
const LARGEST: u64 = 1 << 20;

/// What tells one state of a file from another. `None`: there is no file.
type Stamp = Option<(u64, u64, i64, i64, i64, i64)>;

/// Hands out the configuration. Cheap to clone; all clones share one state.
///
/// Each look costs one `stat`. A file with problems leaves the last good configuration in force.
#[derive(Clone, Debug)]
pub struct Store {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    seen: Option<Stamp>,
    config: Arc<Config>,
    error: Option<String>,
}

impl Store {
    /// Reads the file. A missing one is the default configuration; a bad one too, and [`Self::status`] says why.
    #[must_use]
    pub fn open(path: PathBuf) -> Self {
        Self {
            shared: Arc::new(Shared {
                path,
                state: Mutex::new(State {
                    seen: None,
                    config: Arc::default(),
                    error: None,
                }),
            }),
        }
    }

    /// The configuration now.
    #[must_use]
    pub fn current(&self) -> Arc<Config> {
        self.look().config.clone()
    }

    /// The file, and what is wrong with it.
    #[must_use]
    pub fn status(&self) -> ConfigurationStatus {
        let state = self.look();
        ConfigurationStatus {
            path: self.shared.path.display().to_string(),
            exists: matches!(state.seen, Some(Some(_))),
            error: state.error.clone(),
        }
    }

    /// The state after a look at the file.
    fn look(&self) -> MutexGuard<'_, State> {
        let mut state = self
            .shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let now = stamp(&self.shared.path);
        if let Ok(stamp) = now
            && state.seen == Some(stamp)
        {
            return state;
        }
        let path = self.shared.path.display();
        let read = now.and_then(|stamp| {
            let text = read(&self.shared.path, stamp)?;
            Ok((stamp, text))
        });
        match read {
            Ok((stamp, text)) => {
                state.seen = Some(stamp);
                match parse(&text) {
                    Ok(config) => {
                        state.config = Arc::new(config);
                        state.error = None;
                        tracing::info!(%path, exists = stamp.is_some(), "configuration read");
                    }
                    Err(problems) => {
                        tracing::warn!(%path, %problems, "configuration refused, the last good one stays in force");
                        state.error = Some(problems.to_string());
                    }
                }
            }
            Err(error) => {
                state.seen = None;
                state.error = Some(format!("cannot read it: {error}"));
            }
        }
        state
    }
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    match std::fs::metadata(path) {
        Ok(meta) => Ok(Some((
            meta.ino(),
            meta.size(),
            meta.mtime(),
            meta.mtime_nsec(),
            meta.ctime(),
            meta.ctime_nsec(),
        ))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read(path: &Path, stamp: Stamp) -> io::Result<String> {
    match stamp {
        None => Ok(String::new()),
        Some((_, size, ..)) if size > LARGEST => Err(io::Error::other(format!(
            "it has more than {LARGEST} bytes"
        ))),
        Some(_) => std::fs::read_to_string(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_seen_and_bad_files_keep_the_last_good_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        let store = Store::open(path.clone());
        assert_eq!(*store.current(), Config::default());
        assert!(!store.status().exists);

        std::fs::write(&path, "shell = 'fish'").unwrap();
        assert_eq!(store.current().shell.as_deref(), Some("fish"));
        assert!(store.status().exists);

        std::fs::write(&path, "shel = 'zsh'").unwrap();
        assert_eq!(store.current().shell.as_deref(), Some("fish"));
        let error = store.status().error.unwrap();
        assert!(error.contains("`shel` is unknown"), "{error}");

        std::fs::write(&path, "shell = 'zsh'").unwrap();
        assert_eq!(store.clone().current().shell.as_deref(), Some("zsh"));
        assert_eq!(store.status().error, None);

        std::fs::remove_file(&path).unwrap();
        assert_eq!(store.current().shell, None);

        std::fs::create_dir(&path).unwrap();
        assert!(store.status().error.unwrap().starts_with("cannot read it"));
    }
}
