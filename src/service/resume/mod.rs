//! `resume`: sessions are taken up again where they were begun, each in a surface.
//!
//! The pool is what [`Listing`] tells. `known` finds out which session an id means, `programs` which versions of its
//! program answer, `route` decides which of them gets which words. What is known not to open goes through `open` with the
//! others, as refused, so that each id has its result in its place. At last `words` looks for what a provider has to
//! say of a conversation that it does not have.

mod again;
mod agents;
mod check;
mod known;
mod pool;
mod programs;
mod route;
mod service;
mod single;
mod words;

pub use agents::{OfAgents, Placed, Wish};
pub use pool::{Listing, Seen};
pub(in crate::service) use programs::{Asked, on as programs_on};
pub use service::{Parts, Resumer};
