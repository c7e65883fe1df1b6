//! Why a daemon does not start.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use crate::os::lock::LockError;
use crate::os::paths::PathsError;
use crate::os::private_dir::DirError;
use crate::os::socket::BindError;
use crate::proto::Failure;
use crate::store::StoreError;

/// Why a daemon does not start.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// Its places are not known.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// Its home is not private.
    #[error("cannot use the home of the daemon: {0}")]
    Home(#[from] DirError),
    /// Another daemon has this home.
    #[error("a daemon is already running{} for {home}", .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    AnotherRuns {
        /// The home.
        home: PathBuf,
        /// The other one, where that is known.
        pid: Option<u32>,
    },
    /// The lock cannot be taken.
    #[error(transparent)]
    Lock(LockError),
    /// The socket cannot be had.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The records cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A service cannot start.
    #[error(transparent)]
    Service(Failure),
    /// A step that must not fail did.
    #[error("cannot {doing}: {source}")]
    Io {
        /// The step.
        doing: &'static str,
        /// Why.
        source: io::Error,
    },
}

impl DaemonError {
    /// Attaches the step to a system's error.
    pub(super) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }

    /// What the person can do next.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        let by_itself = match self {
            Self::AnotherRuns { .. } => Some("use it, or end it with: surfaced daemon stop"),
            Self::Bind(BindError::Foreign(_)) => {
                Some("end that program, or choose another home with SURFACED_HOME")
            }
            Self::Bind(BindError::InTheWay(_)) => Some("move the file away"),
            Self::Home(DirError::Linked(_) | DirError::NotADirectory(_)) => {
                Some("set SURFACED_HOME to a directory of its own")
            }
            Self::Home(DirError::Occupied { .. }) => Some(
                "set SURFACED_HOME to a directory of its own, or close this one with chmod 700",
            ),
            Self::Home(DirError::Writable { .. }) => Some(
                "look at what is in it, then close it with chmod 700, or set SURFACED_HOME to a directory of its own",
            ),
            Self::Home(DirError::Foreign { .. } | DirError::Shared(_)) => {
                Some("set SURFACED_HOME to a directory that is yours alone")
            }
            _ => None,
        };
        by_itself.or_else(|| match system(self)? {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Some("make room on the disk that the home is on, or set SURFACED_HOME to another")
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                Some("set SURFACED_HOME to a directory that you can write to")
            }
            _ => None,
        })
    }
}

/// The system's error behind another.
fn system(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_cannot_be_written_to_has_a_hint_wherever_it_is_met() {
        for (errno, hint) in [
            (rustix::io::Errno::NOSPC, "make room"),
            (rustix::io::Errno::ROFS, "SURFACED_HOME"),
        ] {
            let source = || io::Error::from(errno);
            let path = PathBuf::from("/x");
            for error in [
                DaemonError::io("write daemon.json")(source()),
                DirError::Io {
                    path: path.clone(),
                    source: source(),
                }
                .into(),
                DaemonError::Lock(LockError::Io {
                    path,
                    source: source(),
                }),
            ] {
                let said = error.hint().unwrap_or_default();
                assert!(said.contains(hint), "{error}: {said}");
            }
        }
    }
}
