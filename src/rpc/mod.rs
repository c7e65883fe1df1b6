//! The JSON-RPC edge, and the only module that names jsonrpsee: framings, one driver for all of them, the registry.
//!
//! A connection's first bytes choose its framing (`framing`), which yields messages; `driver` turns each message into
//! calls of the [`Registry`] and their answers into replies, which wait in the `outbox` until the caller reads them.

pub mod api;
mod caller;
mod connection;
mod control;
mod driver;
mod envelope;
mod framing;
mod http;
mod objects;
mod outbox;
mod params;
mod registry;
mod reply;
mod server;
mod sink;
#[cfg(test)]
mod testing;

pub use caller::Caller;
pub use control::{Control, Counts};
pub use params::read_params;
pub use registry::{Lifetime, Registry};
pub use server::{Server, refuse, serve};
pub use sink::{Closed, NotSent, Pending, Sink};
