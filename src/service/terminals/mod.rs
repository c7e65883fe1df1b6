//! Terminals that the daemon hosts: each in a process of its own, found again by the next daemon.

mod access;
mod attach;
mod create;
mod directory;
mod entry;
mod environment;
mod handle;
mod hosted;
mod kill;
mod owner;
mod reach;

pub use attach::{Seen, Viewing};
pub use create::{Plan, new_id};
pub use handle::{Setup, Terminals};
pub use kill::PATIENCE;
