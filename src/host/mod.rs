//! The process that hosts one terminal, and the private protocol in which the daemon and `attach` talk to it.
//!
//! It is this program run again, one for each terminal: it owns the pseudo-terminal, the screen and the scrollback, and
//! outlives the daemon that started it. It runs no async runtime and no more than two threads, since there may be many.

pub mod link;
pub mod order;
pub mod place;
pub mod process;
pub mod record;
pub mod start;
pub mod viewer;
pub mod wire;

mod buffer;
mod client;
mod clients;
mod ending;
mod entry;
mod program;
mod server;

pub use entry::entry;
