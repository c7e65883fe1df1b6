//! What can go wrong between a client and its daemon.

use std::path::PathBuf;
use std::time::Duration;

use crate::os::paths::PathsError;
use crate::proto::reading::look_first;
use crate::proto::{Failure, Kind};

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// Where the daemon would be cannot be said.
    #[error(transparent)]
    Paths(#[from] PathsError),
    /// Nothing listens.
    #[error("no daemon is running: nothing listens at {socket}")]
    NoDaemon {
        /// Where it was looked for.
        socket: PathBuf,
        /// The caller named this socket, where none is started.
        given: bool,
    },
    /// Connecting was refused for another reason than that nothing listens.
    #[error("cannot connect to {socket}: {source}")]
    Connect {
        /// The socket.
        socket: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something has the socket or the lock and does not answer. It may be stopped or busy: it is not replaced.
    #[error("the daemon{} does not answer: waited {} s at {socket}", of_pid(*.pid), .waited.as_secs())]
    Unresponsive {
        /// The socket.
        socket: PathBuf,
        /// The process that holds the lock, where that is known.
        pid: Option<u32>,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Something answers that is no `surfaced`.
    #[error("what answers at {socket} is not surfaced")]
    NotSurfaced {
        /// The socket.
        socket: PathBuf,
    },
    /// A daemon was started and ended before it was ready.
    #[error("the daemon did not start: {reason}")]
    Start {
        /// What it said.
        reason: String,
        /// What it said to do.
        hint: Option<String>,
    },
    /// The daemon speaks another protocol, and replacing it is not possible or did not help.
    #[error("the daemon speaks protocol {daemon}, this program protocol {client}")]
    Mismatch {
        /// The daemon's.
        daemon: u32,
        /// This program's.
        client: u32,
    },
    /// The connection ended before the answer came: the work was done or not.
    #[error(
        "connection lost: the daemon ended during {method}, which may have done its work or not"
    )]
    Lost {
        /// What was called.
        method: String,
    },
    /// The connection ended before the daemon had read the call: nothing was done.
    #[error(
        "connection lost: the daemon ended before it had read {method}, which was not carried out"
    )]
    Unheard {
        /// What was called.
        method: String,
    },
    /// The daemon's answer is not of the shape that the protocol promises.
    #[error("the daemon answered {method} with something else than the protocol says: {source}")]
    Answer {
        /// What was called.
        method: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The daemon refused, or the work failed.
    #[error(transparent)]
    Failure(#[from] Failure),
}

fn of_pid(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

impl ClientError {
    /// What the person can do next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Paths(_) | Self::Answer { .. } => None,
            Self::NoDaemon { given: true, .. } => Some(
                "SURFACED_SOCKET names this socket: unset it, and a daemon is found or started"
                    .into(),
            ),
            Self::NoDaemon { .. } => Some("start one with: surfaced daemon start".into()),
            Self::Connect { .. } => Some("surfaced doctor shows what is there".into()),
            Self::Unresponsive { pid: Some(pid), .. } => Some(format!(
                "look at process {pid}: if it is stopped, continue it with kill -CONT {pid}; if it hangs, end it with kill -9 {pid}"
            )),
            Self::Unresponsive { pid: None, .. } => {
                Some("find the program that has the socket open and end it".into())
            }
            Self::NotSurfaced { .. } => {
                Some("end that program or choose another home with SURFACED_HOME".into())
            }
            Self::Start {
                hint: Some(hint), ..
            } => Some(hint.clone()),
            Self::Start { .. } => {
                Some("run it in the foreground to see more: surfaced daemon run".into())
            }
            Self::Mismatch { daemon, client } if daemon > client => {
                Some("this program is older than the running daemon: use the newer one".into())
            }
            Self::Mismatch { .. } => {
                Some("the program on PATH is older than this one: upgrade it".into())
            }
            Self::Lost { method } => Some(look_first(method)),
            Self::Unheard { .. } => Some("ask again: the next daemon does it".into()),
            Self::Failure(failure) => failure.data.hint.clone(),
        }
    }

    /// Whether the daemon certainly did nothing of the call, because it ended: the next one can be asked.
    #[must_use]
    pub fn did_nothing(&self) -> bool {
        match self {
            Self::Unheard { .. } => true,
            Self::Failure(failure) => failure.kind() == Kind::ShuttingDown,
            _ => false,
        }
    }

    /// Whether there was no daemon to do anything.
    #[must_use]
    pub const fn is_no_daemon(&self) -> bool {
        !matches!(self, Self::Failure(_) | Self::Answer { .. })
    }
}
