//! The operating system: each call behind a small type.

pub mod peer;
pub mod supervise;
