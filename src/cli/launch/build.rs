//! `surfaced build`.

use super::items;
use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, reach, render, words};
use crate::proto::launch::{Build, BuildParams, BuildResult, Transport};

/// Prints the commands that `open` would run, and runs none.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    what: items::Args,
    /// The shell that wraps the command; without it zsh
    #[arg(long)]
    shell: Option<String>,
    /// The launch engine's bare commands, which do not ask for the surface's identity
    #[arg(long)]
    bare: bool,
}

pub(in crate::cli) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let items = args.what.items()?;
    args.what.check_here(&items)?;
    let params = BuildParams {
        items,
        backend: args.what.backend(),
        host: args.what.host()?,
        packing: Some(args.what.packing()),
        context: reach::context(),
        shell: args
            .shell
            .as_ref()
            .map(|shell| words::word("the shell", shell))
            .transpose()?,
        handles: args.bare.then_some(false),
    };
    let built = reach::daemon().await?.call::<Build>(&params).await?;
    if global.json {
        render::json(&built)?;
    } else {
        print(&built)?;
    }
    Ok(Exit::Done)
}

/// Prints each command as a line to read and paste.
pub(super) fn print(built: &BuildResult) -> Result<(), CliError> {
    for spec in &built.specs {
        match &spec.transport {
            Transport::Local => render::line(&spec.display)?,
            Transport::Ssh { host, .. } => render::line(format!("{host}: {}", spec.display))?,
            Transport::Builtin => render::line("a terminal that the daemon hosts")?,
        }
    }
    Ok(())
}
