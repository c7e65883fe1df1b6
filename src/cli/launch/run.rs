//! `surfaced run`: here, or in a terminal.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use super::open;
use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, reach, words};
use crate::proto::open::{Open, OpenParams};
use crate::proto::resolve::{Backends, BackendsParams};
use crate::proto::{BackendId, Item, Kind, Layout, Packing};

/// Runs a command here, or with --terminal in a tab of the terminal that you use.
///
/// Everything after -- belongs to the command and is passed on as it is.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Open it in a terminal: the one that you use, or this one
    #[arg(long, value_name = "BACKEND", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "absent, without a value, and with one are three things"
    )]
    terminal: Option<Option<String>>,
    /// Refused: a tab opens here, not there
    #[arg(short = 'H', long, alias = "device", hide = true)]
    host: Option<String>,
    /// The working directory
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// What stands before -- and belongs after it
    #[arg(hide = true)]
    stray: Vec<String>,
    /// The command
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(in crate::cli) async fn in_terminal(args: &Args, global: Global) -> Result<Exit, CliError> {
    if args.host.is_some() {
        return Err(CliError::usage(
            "--terminal and a host cannot go together: the tab opens here, not there",
        )
        .hint("open it there with: surfaced open --host HOST -- COMMAND"));
    }
    let forced = args.terminal.as_ref().and_then(Option::as_deref);
    if forced == Some("") {
        return Err(CliError::usage("--terminal= names no terminal")
            .hint("write --terminal for the one that you use; surfaced backends lists them all"));
    }
    let connection = reach::daemon().await?;
    if let Some(name) = forced {
        let known = connection
            .call::<Backends>(&BackendsParams {
                context: reach::context(),
                host: None,
            })
            .await?
            .backends;
        if !known.iter().any(|backend| backend.id.as_str() == name) {
            let ids: Vec<_> = known.iter().map(|backend| backend.id.as_str()).collect();
            return Err(CliError::usage(format!("--terminal takes a terminal, and {name:?} is none: {}", ids.join(", ")))
                .hint("a command or prompt goes after --, as in: surfaced run --terminal -- claude \"fix the tests\""));
        }
    }
    whole(args)?;
    let spoken = args
        .command
        .iter()
        .map(|word| words::text("the word", word).map(str::to_owned))
        .collect::<Result<Vec<_>, _>>()?;
    let item = Item {
        cwd: Some(words::directory(
            args.dir.as_deref().unwrap_or_else(|| ".".as_ref()),
        )?),
        command: words::command(&spoken)?,
        layout: Some(Layout::Tab),
        ..Item::default()
    };
    let params = OpenParams {
        items: vec![item],
        backend: forced.map(BackendId::from),
        packing: Some(Packing::Tabs),
        context: reach::context(),
        ..OpenParams::default()
    };
    let answer = connection.call::<Open>(&params).await?;
    open::report(&answer, global)
}

/// The program and its words: all of the command stands after `--`.
fn whole(args: &Args) -> Result<(&OsString, &[OsString]), CliError> {
    let wrong = |what: String| {
        CliError::usage(what).hint(
            "the command goes after --, as in: surfaced run --terminal -- claude \"fix the tests\"",
        )
    };
    match (args.stray.first(), args.command.split_first()) {
        (Some(word), _) => Err(wrong(format!("{word:?} stands before --"))),
        (None, None) => Err(wrong("run needs a command".to_owned())),
        (None, Some(command)) => Ok(command),
    }
}

/// Whether the command is to be opened elsewhere.
pub(in crate::cli) const fn is_elsewhere(args: &Args) -> bool {
    args.terminal.is_some()
}

/// Becomes the command. Returns only when that fails.
pub(in crate::cli) fn here(args: &Args) -> CliError {
    if args.host.is_some() {
        return CliError::usage("run has no host: it runs the command here")
            .hint("open it there with: surfaced open --host HOST -- COMMAND");
    }
    let (program, words) = match whole(args) {
        Ok(command) => command,
        Err(error) => return error,
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "this process becomes the command; nothing is started beside it"
    )]
    let mut command = std::process::Command::new(program);
    command.args(words);
    if let Some(dir) = &args.dir {
        if !dir.is_dir() {
            return CliError::failed(format!(
                "the working directory {} does not exist",
                dir.display()
            ))
            .kind(Kind::CwdMissing)
            .hint("create the directory or name another one with -C");
        }
        command.current_dir(dir);
    }
    let error = command.exec();
    let exit = match error.kind() {
        io::ErrorKind::NotFound => Exit::ProgramMissing,
        _ => Exit::NotRunnable,
    };
    CliError {
        exit,
        ..CliError::failed(format!("cannot run {}: {error}", program.display()))
            .kind(Kind::ProgramMissing)
    }
}
