//! `surfaced completions SHELL`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Cli;
use super::exit::{CliError, Exit};
use super::render;

/// Prints a script that completes surfaced's commands, for example:
///
/// surfaced completions fish > ~/.config/fish/completions/surfaced.fish
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<Exit, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "surfaced", &mut script);
    render::bytes(&script)?;
    Ok(Exit::Done)
}
