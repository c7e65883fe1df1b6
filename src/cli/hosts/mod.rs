//! `surfaced hosts`: the hosts of the ssh configuration, how each is reached, and why.
//!
//! It looks by itself and asks no daemon: what it says holds before there is one.

mod check;
mod list;

use std::path::Path;

use clap::Subcommand;

use super::Global;
use super::exit::{CliError, Exit};
use crate::client::Options;
use crate::config::Store;
use crate::os::environment;
use crate::os::supervise::Supervisor;
use crate::transport::ssh::{Hosts, Settings};

pub(super) use list::look;

/// Lists the hosts of the ssh configuration, with how each is reached and why.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Connect to a host and say what is there, tool by tool
    Check(check::Args),
}

pub(super) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let supervisor = Supervisor::new();
    let hosts = hosts(&Options::current()?, &supervisor);
    let result = match &args.command {
        None => list::run(&hosts, global).await,
        Some(Command::Check(args)) => check::run(&hosts, args, global).await,
    };
    supervisor.cancel();
    supervisor.join().await;
    result
}

/// The hosts, as the daemon of this user would reach them.
pub(super) fn hosts(options: &Options, supervisor: &Supervisor) -> Hosts {
    let path = environment::variable("PATH").unwrap_or_default();
    let settings = Settings::of_daemon(&options.paths, path);
    let config = Store::open(options.paths.config.clone());
    let hosts = Hosts::new(settings, config, supervisor);
    if let Some(agent) = environment::variable(environment::AGENT) {
        hosts.offer_agent(Path::new(&agent));
    }
    hosts
}
