//! One connection to a host, of either kind.

use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::answer::Stream;
#[cfg(feature = "ssh")]
use super::library::Library;
use super::openssh::Master;

/// The most that is kept of a command's output.
pub const OUTPUT: usize = 1 << 20;

/// The most that is kept of its complaints.
pub const COMPLAINTS: usize = 64 << 10;

/// A script on its way.
#[derive(Clone, Debug)]
pub struct Job {
    /// The text for `/bin/sh`.
    pub script: String,
    /// A command line that says the same, for a session that is not there yet; absent where something in the script is nobody
    /// else's business, or it is too long.
    pub line: Option<String>,
    /// The number in its marks.
    pub nonce: String,
    /// How long it may take.
    pub limit: Duration,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    /// Its output.
    pub stdout: Stream,
    /// Its complaints.
    pub stderr: Stream,
    /// Why no more came.
    pub stop: Stop,
}

impl Reply {
    /// Nothing yet.
    #[must_use]
    pub fn new(nonce: &str) -> Self {
        Self {
            stdout: Stream::new(nonce, OUTPUT),
            stderr: Stream::new(nonce, COMPLAINTS),
            stop: Stop::Closed,
        }
    }

    /// Whether both streams are complete: what still runs over there is no part of the command.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.stdout.ended().is_some() && self.stderr.ended().is_some()
    }
}

/// Why no more came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The far side closed the channel in good order.
    Closed,
    /// The far shell was ended by this signal.
    Signal(i32),
    /// The time was up.
    TimedOut,
    /// The connection broke.
    Lost,
}

/// Why nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// The connection is gone; a new one may do.
    Gone,
    /// The host takes no further session on this connection for now.
    Full,
    /// The host will not run commands.
    Refused(String),
}

/// One connection.
#[derive(Debug)]
pub enum Link {
    /// Through the library.
    #[cfg(feature = "ssh")]
    Library(Library),
    /// Through OpenSSH.
    OpenSsh(Box<Master>),
}

impl Link {
    /// Runs a script. The permit is held until its place at the host is free again.
    ///
    /// # Errors
    /// Nothing of it was sent.
    pub async fn run(&self, job: &Job, permit: OwnedSemaphorePermit) -> Result<Reply, Unsent> {
        match self {
            #[cfg(feature = "ssh")]
            Self::Library(library) => library.run(job, permit).await,
            Self::OpenSsh(master) => master.run(job, permit).await,
        }
    }

    /// Whether it is known to be gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        match self {
            #[cfg(feature = "ssh")]
            Self::Library(library) => library.is_gone(),
            Self::OpenSsh(master) => master.is_gone(),
        }
    }

    /// Gives back what is held in advance, so that others can use it.
    pub async fn spare_nothing(&self) {
        match self {
            #[cfg(feature = "ssh")]
            Self::Library(library) => library.spare_nothing().await,
            Self::OpenSsh(master) => master.spare_nothing().await,
        }
    }

    /// Ends it.
    pub async fn close(&self) {
        match self {
            #[cfg(feature = "ssh")]
            Self::Library(library) => library.close().await,
            Self::OpenSsh(master) => master.close().await,
        }
    }

    /// What it is called in answers and logs.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            #[cfg(feature = "ssh")]
            Self::Library(_) => "library",
            Self::OpenSsh(_) => "openssh",
        }
    }
}
