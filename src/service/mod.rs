//! Use cases and their state. They know nothing of JSON-RPC.

pub mod context;
pub mod conversation;
pub mod machine;
pub mod path_capture;
mod programs;
pub mod resolve;
pub mod scripts;
pub mod seats;
pub mod sessions;
mod tmux_servers;
