//! Who is on the other end of a connection, in the kernel's words.

use std::io;
use std::time::SystemTime;

use tokio::net::UnixStream;

/// The process that connected. A process that started after `since` is another one that got its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its user.
    pub uid: u32,
    /// Its process, where the system tells it.
    pub pid: Option<u32>,
    /// When the connection was accepted.
    pub since: SystemTime,
}

impl Peer {
    /// The other end of a connection that was accepted at `since`.
    ///
    /// # Errors
    /// Where the system does not tell.
    pub fn of(stream: &UnixStream, since: SystemTime) -> io::Result<Self> {
        let credentials = stream.peer_cred()?;
        Ok(Self {
            uid: credentials.uid(),
            // A process of another pid namespace has none here, which the kernel says with 0.
            pid: credentials
                .pid()
                .and_then(|pid| u32::try_from(pid).ok())
                .filter(|pid| *pid != 0),
            since,
        })
    }
}
