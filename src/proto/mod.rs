//! The vocabulary that everything shares: requests, results and errors as plain data. No logic, no I/O.
//!
//! A type here is a promise to programs outside this repository: additions only.

pub mod agent;
pub mod catalog;
pub mod daemon;
pub mod error;
pub mod events;
mod few;
pub mod host;
pub mod instance;
pub mod launch;
pub mod method;
pub mod open;
pub mod openrpc;
pub mod provider;
pub mod reading;
pub mod resolve;
pub mod resume;
pub mod seat;
pub mod sessions;
pub mod surface;
pub mod surfaces;
pub mod terminal;
pub mod text;

pub use error::{ErrorData, Failure, Kind};
pub use host::HostAlias;
pub use instance::Instance;
pub use launch::{BackendId, Context, Item, Layout, Packing, Platform, Request, Spec};
pub use method::{Empty, Example, Method, Stream};
pub use surface::{SurfaceRef, TmuxPane};
pub use text::{AbsolutePath, Argv, Env, EnvName, Word};
