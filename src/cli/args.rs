//! All commands.

use clap::{Parser, Subcommand};

use super::launch::{backends, build, open, plan, resolve, run, sessions};
use super::{
    agent, attach, call, completions, daemon, doctor, ensure, events, hosts, resume, seat,
    surfaces, terminal,
};

/// Opens interactive commands where you work.
#[derive(Debug, Parser)]
#[command(name = "surfaced", version, propagate_version = true)]
pub(super) struct Cli {
    /// Print JSON for programs, an error too: {"error": {code, message, data}}
    #[arg(long, global = true)]
    pub(super) json: bool,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Open a command in a tab, a split or a window of the terminal that you use
    Open(open::Args),
    /// Draw how a batch would be laid out
    Plan(plan::Args),
    /// Print the commands that open would run
    Build(build::Args),
    /// Say which terminal a surface would open in, and why
    Resolve(resolve::Args),
    /// List the terminals, and for each why it can or cannot be driven here
    Backends(backends::Args),
    /// List the agents that run, and where they are seen
    Sessions(sessions::Args),
    /// Take sessions of agents up again, each where it was begun
    Resume(resume::Args),
    /// List the surfaces that can be seen, or do something with one
    Surfaces(surfaces::Args),
    /// Run a command here, or in a terminal
    Run(run::Args),
    /// List the hosts of the ssh configuration, with how each is reached and why
    Hosts(hosts::Args),
    /// Run programs in isolated tmux windows
    Seat(seat::Args),
    /// Make, find again, open, end and put away the terminal programs of agents
    Agent(agent::Args),
    /// Show a terminal that the daemon hosts, and type into it
    Attach(attach::Args),
    /// Call a method of the daemon and print its result
    Call(call::Args),
    /// Print what happens to terminals, surfaces, seats and agents, as it happens
    Events(events::Args),
    /// Run, start, stop and install the daemon
    Daemon(daemon::Args),
    /// Say what works here, what does not, and what to do
    Doctor(doctor::Args),
    /// Make sure that a daemon answers, and say where
    Ensure(ensure::Args),
    /// Make, read, drive and end terminals that the daemon hosts
    Terminal(terminal::Args),
    /// Print the completions for a shell
    Completions(completions::Args),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_commands_fit_together() {
        Cli::command().debug_assert();
    }
}
