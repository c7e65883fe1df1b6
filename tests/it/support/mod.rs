//! What the tests share. Nothing here sleeps for a guess: it waits for states, with a deadline.
#![expect(dead_code, reason = "each test uses what it needs of the harness")]

pub mod actors;
pub mod agent;
pub mod client;
pub mod converse;
pub mod daemon;
pub mod ensured;
pub mod env;
pub mod hosted;
pub mod opening;
pub mod printargs;
pub mod process;
pub mod pty;
pub mod secret;
pub mod slow_line;
pub mod ssh;
pub mod sshd;
pub mod tiny;
pub mod tmux;
pub mod wait;
pub mod words;
pub mod world;

/// The providers of no configuration.
pub fn providers() -> tokio::sync::watch::Receiver<surfaced::provider::Providers> {
    tokio::sync::watch::channel(surfaced::provider::Providers::default()).1
}
