//! The methods of the services: each line here gives one method of the protocol to one function of a service.

mod launch;
mod seats;
mod surfaces;

pub use launch::Launch;

use super::Registry;
use crate::service::layouts::Layouts;
use crate::service::seats::Seats;
use crate::service::surfaces::Surfaces;

/// Adds `plan`, `build`, `open`, `resolveBackend`, `backends` and `sessions`.
pub fn add_launch(registry: &mut Registry, launch: &Launch) {
    launch::add(registry, launch);
}

/// Adds `surface.*`.
pub fn add_surfaces(registry: &mut Registry, surfaces: &Surfaces) {
    surfaces::add(registry, surfaces);
}

/// Adds `seat.*` and `layout.*`.
pub fn add_seats(registry: &mut Registry, seats: &Seats, layouts: &Layouts) {
    seats::add(registry, seats, layouts);
}
