//! The command line.

pub mod boxes;
