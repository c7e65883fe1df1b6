//! Commands on hosts: OpenSSH decides what a name means; the pooled library carries the commands where it is equivalent, and
//! OpenSSH itself everywhere else.

pub mod ahead;
pub mod aliases;
pub mod answer;
pub mod changed;
#[cfg(feature = "ssh")]
mod channel;
pub mod config;
pub mod connect;
pub mod decide;
pub mod errors;
pub mod hosts;
pub mod identity;
pub mod known_hosts;
#[cfg(feature = "ssh")]
pub mod library;
pub mod link;
pub mod openssh;
pub mod pool;
pub mod probe;
pub mod program;
pub mod remote;
pub mod script;
mod session;
pub mod settings;
pub mod start_up;
pub mod survey;

pub use errors::nothing_was_done;
pub use hosts::Hosts;
pub use remote::Remote;
pub use settings::Settings;
