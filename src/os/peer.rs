//! Who is on the other end of a connection, in the kernel's words.

use std::time::SystemTime;

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
