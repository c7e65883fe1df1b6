//! The commands of the launch methods.

pub(super) mod backends;
pub(super) mod build;
mod items;
pub(super) mod open;
pub(super) mod plan;
pub(super) mod resolve;
pub(super) mod run;
pub(super) mod sessions;
