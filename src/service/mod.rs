//! Use cases and their state. They know nothing of JSON-RPC.

pub mod conversation;
pub mod path_capture;
pub mod scripts;
