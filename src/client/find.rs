//! Which daemon is meant, and whether it answers.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::timeout;

use super::connection::Connection;
use super::error::ClientError;
use crate::os::lock;
use crate::os::paths::{self, Paths};
use crate::os::settle;
use crate::proto::daemon::{Hello, HelloParams, HelloResult, PROTOCOL};
use crate::proto::{Instance, Kind, Word};

/// Which daemon is meant, and how much patience there is.
#[derive(Clone, Debug)]
pub struct Options {
    /// The places of the daemon.
    pub paths: Paths,
    /// A socket that is used as it is; nothing is started then.
    pub socket: Option<PathBuf>,
    /// The program that is started as the daemon.
    pub program: PathBuf,
    /// The protocol that this client speaks.
    pub protocol: u32,
    /// How long a daemon that accepts connections may take to answer.
    pub answer: Duration,
    /// How long a daemon may take to start or to end.
    pub start: Duration,
}

impl Options {
    /// This user's daemon, with `SURFACED_HOME` and `SURFACED_SOCKET` in mind; started from the running program.
    ///
    /// # Errors
    /// [`ClientError::Paths`], and where the running program's path is not known.
    pub fn current() -> Result<Self, ClientError> {
        Ok(Self {
            paths: Paths::current()?,
            socket: paths::socket_override()?,
            program: settle::program().map_err(|error| ClientError::Start {
                reason: format!("cannot find the running program: {error}"),
                hint: None,
            })?,
            protocol: PROTOCOL,
            answer: Duration::from_secs(10),
            start: Duration::from_secs(30),
        })
    }

    /// Where to connect: the override, else what `daemon.json` says, else where a daemon would listen.
    #[must_use]
    pub fn endpoint(&self) -> PathBuf {
        self.socket.clone().unwrap_or_else(|| {
            self.instance()
                .map_or_else(|| self.paths.socket.clone(), |found| found.socket.into())
        })
    }

    /// What `daemon.json` says; `None` where it is missing or unreadable.
    #[must_use]
    pub fn instance(&self) -> Option<Instance> {
        let bytes = std::fs::read(self.paths.instance()).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The process that holds the daemon's lock.
    pub(super) fn holder(&self) -> Option<u32> {
        if self.socket.is_some() {
            return None;
        }
        lock::holder(&self.paths.lock())
    }
}

/// A daemon that answers.
#[derive(Debug)]
pub struct Found {
    /// The connection on which it answered.
    pub connection: Connection,
    /// What it said.
    pub hello: HelloResult,
    /// Where.
    pub socket: PathBuf,
    /// Whether it was started for this client.
    pub started: bool,
}

/// Connects to the daemon if one answers. Starts none, and waits for none that starts or drains.
///
/// # Errors
/// [`ClientError::NoDaemon`], [`ClientError::Unresponsive`], [`ClientError::NotSurfaced`]; [`ClientError::Lost`] and
/// [`ClientError::Unheard`] where it
/// ended in this moment.
pub async fn connect(options: &Options) -> Result<Found, ClientError> {
    let socket = options.endpoint();
    let connection = match Connection::open(&socket).await {
        Ok(connection) => connection,
        Err(error) => {
            return Err(match error.kind() {
                // A file in the place of the home is the daemon's to complain about. A reset: the listener ended while
                // this connection waited to be accepted, so nothing was heard and nothing done.
                ErrorKind::NotFound
                | ErrorKind::ConnectionRefused
                | ErrorKind::ConnectionReset
                | ErrorKind::NotADirectory => ClientError::NoDaemon {
                    socket,
                    given: options.socket.is_some(),
                },
                // Its queue of connections is full: something has it open.
                ErrorKind::WouldBlock => ClientError::Unresponsive {
                    pid: options.holder(),
                    socket,
                    waited: Duration::ZERO,
                },
                _ => ClientError::Connect {
                    socket,
                    source: error,
                },
            });
        }
    };
    let params = HelloParams {
        client: Word::parse(concat!("surfaced ", env!("CARGO_PKG_VERSION"))).ok(),
        protocol: None,
    };
    match timeout(options.answer, connection.call::<Hello>(&params)).await {
        Ok(Ok(hello)) => Ok(Found {
            connection,
            hello,
            socket,
            started: false,
        }),
        Ok(Err(ClientError::Lost { .. })) if connection.is_garbled() => {
            Err(ClientError::NotSurfaced { socket })
        }
        Ok(Err(ClientError::Answer { .. })) => Err(ClientError::NotSurfaced { socket }),
        Ok(Err(ClientError::Failure(failure))) if failure.kind() == Kind::MethodNotFound => {
            Err(ClientError::NotSurfaced { socket })
        }
        Ok(Err(error)) => Err(error),
        Err(_) => Err(ClientError::Unresponsive {
            pid: options.holder(),
            socket,
            waited: options.answer,
        }),
    }
}
