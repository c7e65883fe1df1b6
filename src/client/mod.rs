//! The async client that the command line uses. It prints nothing.
//!
//! [`Options::current`] says which daemon is meant, [`ensure()`] makes one answer, [`connect`] only looks, and a
//! [`Connection`] calls methods and subscribes. A [`Daemon`] does so too, and outlasts the one that answers now.

mod connection;
mod daemon;
mod ensure;
mod error;
mod find;
mod line;
mod subscription;

pub use connection::Connection;
pub use daemon::Daemon;
pub use ensure::ensure;
pub use error::ClientError;
pub use find::{Found, Options, connect};
pub use subscription::Subscription;
