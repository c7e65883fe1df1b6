//! The operating system: each call behind a small type.

pub mod peer;
pub mod process_table;
pub mod supervise;
pub mod tree;
