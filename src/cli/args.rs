//! All commands.

use clap::{Parser, Subcommand};

use super::{call, completions, daemon, doctor, ensure};

/// Opens interactive commands where you work.
#[derive(Debug, Parser)]
#[command(name = "surfaced", version, propagate_version = true)]
pub(super) struct Cli {
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Call a method of the daemon and print its result
    Call(call::Args),
    /// Run, start, stop and install the daemon
    Daemon(daemon::Args),
    /// Say what works here, what does not, and what to do
    Doctor(doctor::Args),
    /// Make sure that a daemon answers, and say where
    Ensure(ensure::Args),
    /// Print the completions for a shell
    Completions(completions::Args),
}
