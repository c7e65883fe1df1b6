//! The command line: clap types, a file a command. The only place that prints.

mod agent;
mod args;
mod attach;
pub mod boxes;
mod call;
mod completions;
mod daemon;
mod doctor;
mod ensure;
mod events;
mod exit;
mod hosts;
mod launch;
mod meant;
mod reach;
pub mod render;
mod resume;
mod seat;
mod surfaces;
mod terminal;
mod usage;
mod words;

pub use exit::{CliError, Exit};

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use args::{Cli, Command};

/// What every command gets.
#[derive(Clone, Copy, Debug)]
pub struct Global {
    /// Whether programs read the output.
    pub json: bool,
}

/// Runs a command line, prints what it has to say, and returns the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        // Help and versions, which are printed to standard output; the help to standard error where a command is missing.
        Err(error)
            if !error.use_stderr()
                || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand =>
        {
            error.exit()
        }
        Err(error) => {
            return render::refuse(&usage::error(&error, &args), asks_for_json(&args)).into();
        }
    };
    let global = Global { json: cli.json };
    match dispatch(cli.command, global) {
        Ok(exit) => exit.into(),
        Err(error) => render::refuse(&error, global.json).into(),
    }
}

/// Whether a line that could not be read asks for JSON.
fn asks_for_json(args: &[OsString]) -> bool {
    let mut options = args.iter().take_while(|word| *word != "--");
    options.any(|word| word == "--json")
}

fn dispatch(command: Command, global: Global) -> Result<Exit, CliError> {
    match command {
        // The daemon settles its process before there is a runtime.
        Command::Daemon(daemon::Args {
            command: daemon::Command::Run(run),
        }) => daemon::run(&run),
        Command::Completions(args) => completions::run(&args),
        Command::Run(args) if !launch::run::is_elsewhere(&args) => Err(launch::run::here(&args)),
        other => reach::block_on(async_dispatch(other, global)),
    }
}

async fn async_dispatch(command: Command, global: Global) -> Result<Exit, CliError> {
    match command {
        Command::Open(args) => launch::open::run(&args, global).await,
        Command::Plan(args) => launch::plan::run(&args, global).await,
        Command::Build(args) => launch::build::run(&args, global).await,
        Command::Resolve(args) => launch::resolve::run(&args, global).await,
        Command::Backends(args) => launch::backends::run(&args, global).await,
        Command::Sessions(args) => launch::sessions::run(&args, global).await,
        Command::Resume(args) => resume::run(&args, global).await,
        Command::Surfaces(args) => surfaces::run(&args, global).await,
        Command::Run(args) => launch::run::in_terminal(&args, global).await,
        Command::Hosts(args) => hosts::run(&args, global).await,
        Command::Seat(args) => seat::run(&args, global).await,
        Command::Agent(args) => agent::run(&args, global).await,
        Command::Attach(args) => attach::run(&args).await,
        Command::Call(args) => call::run(&args).await,
        Command::Events(args) => events::run(&args, global).await,
        Command::Daemon(args) => daemon::dispatch(args.command, global).await,
        Command::Doctor(args) => doctor::run(&args, global).await,
        Command::Ensure(args) => ensure::run(&args, global).await,
        Command::Terminal(args) => terminal::run(&args, global).await,
        Command::Completions(args) => completions::run(&args),
    }
}
