//! The processes of a host and of its program, told apart from whatever has their numbers now.

use crate::os::peer::Peer;
use crate::os::process_table::ProcessTable;
use crate::os::tree::Root;
use crate::resolve::TERMINAL_HOST;

/// Whether a process with these words is the host of this terminal.
#[must_use]
pub fn is_host(argv: &[String], id: &str) -> bool {
    argv.get(1).is_some_and(|word| word == TERMINAL_HOST)
        && argv.get(2).is_some_and(|word| word == id)
}

/// The process on the other end of a connection, where it is beyond doubt the host of this terminal.
///
/// Blocks for moments.
#[must_use]
pub fn host(peer: Peer, id: &str) -> Option<Root> {
    let mut table = ProcessTable::new();
    let process = table.get(peer.pid?)?;
    let is_host = is_host(&table.argv(process.pid), id);
    let same = process.uid == ProcessTable::me() && !process.started_after(peer.since);
    (is_host && same).then_some(Root {
        pid: process.pid,
        started: Some(process.started),
    })
}

/// The program with this number that a host runs: its child, since a number is not used again before the host has asked
/// how its program ended. A program that has ended is one without a start.
///
/// Blocks for moments.
#[must_use]
pub fn program(host: Root, pid: u32) -> Root {
    let child = ProcessTable::new()
        .get(pid)
        .filter(|process| process.parent == host.pid);
    Root {
        pid,
        started: child.map(|process| process.started),
    }
}
