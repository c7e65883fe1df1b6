//! `surfaced daemon …`.

mod install;
mod invoked;
mod service_file;
mod status;
mod stop;

use super::exit::{CliError, Exit};
use super::{Global, ensure, reach};

/// The arguments of `daemon`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What to do with the daemon.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Run the daemon here, in the foreground
    Run(Run),
    /// Start the daemon unless one answers
    Start,
    /// End the daemon; terminals and seats live on
    Stop(stop::Args),
    /// End the daemon and start it again
    Restart(stop::Args),
    /// Say what the daemon does; exit status 3 where none runs
    Status,
    /// Have the system start the daemon at login (systemd or launchd)
    Install(install::Args),
    /// Undo install
    Uninstall,
}

/// Runs the daemon until it gets SIGTERM or SIGINT, which drain it. It writes one line of JSON once it is ready.
///
/// Ends with status 4 at once where another daemon has this home.
#[derive(Debug, clap::Args)]
pub(super) struct Run {
    /// Let go of the starter's terminal, input and output once it is ready
    #[arg(long, hide = true)]
    detached: bool,
}

/// `daemon run`: to be called outside of a runtime.
pub(super) fn run(args: &Run) -> Result<Exit, CliError> {
    crate::daemon::run(args.detached)?;
    Ok(Exit::Done)
}

pub(super) async fn dispatch(command: Command, global: Global) -> Result<Exit, CliError> {
    match command {
        Command::Run(args) => return run(&args),
        Command::Start => ensure::report(&reach::found().await?, global).await?,
        Command::Stop(args) => stop::run(&args, global).await?,
        Command::Restart(args) => {
            stop::end(&args).await?;
            ensure::report(&reach::found().await?, global).await?;
        }
        Command::Status => status::run(global).await?,
        Command::Install(args) => install::run(&args).await?,
        Command::Uninstall => install::undo().await?,
    }
    Ok(Exit::Done)
}
