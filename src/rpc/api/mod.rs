//! The methods of the services: each line here gives one method of the protocol to one function of a service.

mod agents;
mod events;
mod launch;
mod providers;
mod resume;
mod seats;
mod surfaces;
mod terminals;

pub use launch::Launch;

use super::Registry;
use crate::service::agents::Agents;
use crate::service::events::Events;
use crate::service::in_force::InForce;
use crate::service::layouts::Layouts;
use crate::service::providers::Installed;
use crate::service::resume::Resumer;
use crate::service::seats::Seats;
use crate::service::surfaces::Surfaces;
use crate::service::terminals::Terminals;

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

/// Adds `terminal.*`, `agent.*` and `events.subscribe`.
pub fn add_terminals(
    registry: &mut Registry,
    terminals: &Terminals,
    agents: &Agents,
    events: &Events,
) {
    terminals::add(registry, terminals, agents);
    agents::add(registry, agents);
    events::add(registry, events);
}

/// Adds `provider.*`.
pub fn add_providers(registry: &mut Registry, in_force: &InForce, installed: &Installed) {
    providers::add(registry, in_force, installed);
}

/// Adds `resume`.
pub fn add_resume(registry: &mut Registry, in_force: &InForce, resumer: &Resumer) {
    resume::add(registry, in_force, resumer);
}
