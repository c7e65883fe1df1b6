//! Use cases and their state. They know nothing of JSON-RPC.

pub mod agents;
pub mod backends;
pub mod context;
pub mod conversation;
pub mod conversations;
pub mod events;
pub mod hosted;
pub mod in_force;
pub mod layouts;
pub mod links;
pub mod machine;
pub mod open;
pub mod path_capture;
mod programs;
pub mod providers;
pub mod resolve;
pub mod resume;
pub mod scripts;
pub mod seats;
pub mod sessions;
pub mod starts;
pub mod surfaces;
pub mod terminals;
mod tmux_servers;
pub mod turns;
