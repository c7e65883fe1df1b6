//! Records on disk: one file each, replaced as a whole, with the version of their shape; damaged ones are set aside.

pub mod records;

pub use records::{Loaded, Records, StoreError};
