//! The configuration in force: read at the start and again whenever the file has changed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::file::{Look, Stamp, Watched};
use super::{Config, parse};
use crate::proto::daemon::ConfigurationStatus;

/// Hands out the configuration. Cheap to clone; all clones share one state.
///
/// Each look costs one `stat`. A file with problems leaves the last good configuration in force, and so does one that cannot be
/// read: what is no regular file, and one on a disk that does not answer.
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
    file: Watched,
    seen: Option<Stamp>,
    config: Arc<Config>,
    exists: bool,
    error: Option<String>,
    /// The last look has not ended.
    silent: bool,
}

impl Store {
    /// Reads the file. A missing one is the default configuration; a bad one too, and [`Self::status`] says why.
    #[must_use]
    pub fn open(path: PathBuf) -> Self {
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State {
                    file: Watched::new(path.clone()),
                    seen: None,
                    config: Arc::default(),
                    exists: false,
                    error: None,
                    silent: false,
                }),
                path,
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
            exists: state.exists,
            error: if state.silent {
                Some("cannot read it: its disk does not answer".to_owned())
            } else {
                state.error.clone()
            },
        }
    }

    /// The state after a look at the file.
    fn look(&self) -> MutexGuard<'_, State> {
        let mut state = self
            .shared
            .state
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let seen = state.seen;
        let path = self.shared.path.display();
        let look = state.file.look(seen);
        state.silent = matches!(look, Look::Silent);
        match look {
            Look::Same | Look::Silent => {}
            Look::Text(stamp, text) => {
                state.seen = Some(stamp);
                state.exists = stamp.is_some();
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
            Look::Failed(error) => {
                state.seen = None;
                state.exists = true;
                state.error = Some(format!("cannot read it: {error}"));
            }
        }
        state
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
        let error = store.status().error.unwrap();
        assert_eq!(error, "cannot read it: it is not a regular file");
    }
}
