//! Pure: the screen of a terminal, what its program says in escape sequences, and how to draw it again elsewhere.
//!
//! The emulator is `vt100`. Beside it stands a small reader of sequence boundaries (`tokens`) that sees what the emulator
//! does not report: titles, directories, command marks, queries, and modes that the emulator does not know.

mod backlog;
mod charset;
mod draw;
mod extra;
mod keys;
mod lines;
mod osc;
mod query;
#[cfg(test)]
mod replay;
mod row;
mod state;
mod tokens;

pub use draw::{Drawing, Scope};
pub use keys::key;
pub use lines::{Lines, range};
pub use osc::{Mark, Said};
pub use query::Query;
pub use state::{Change, Fed, Screen, Setup};
