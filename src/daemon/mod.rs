//! The life of the daemon: one a home, from its lock to the end of its drain.

mod assemble;
mod error;
mod facts;
mod lifecycle;
mod log;
mod methods;
mod run;
#[cfg(test)]
mod tests;
mod watch;

pub use assemble::{Parts, assemble};
pub use error::DaemonError;
pub use run::run;
