//! The JSON-RPC edge, and the only module that names jsonrpsee: framings, one driver for all of them, the registry.
//!
//! A connection's first bytes choose its framing (`framing`), which yields messages; `driver` turns each message into
//! calls of the [`Registry`] and their answers into replies, which wait in the `outbox` until the caller reads them.

#![expect(dead_code, reason = "the driver, which lands next, uses the rest")]

pub mod api;
mod caller;
mod control;
mod interim;
mod outbox;
mod params;
mod registry;
mod reply;
mod sink;

pub use caller::Caller;
pub use control::{Control, Counts};
pub use interim::{Server, serve};
pub use registry::{Lifetime, Registry};
pub use sink::{Closed, NotSent, Pending, Sink};
