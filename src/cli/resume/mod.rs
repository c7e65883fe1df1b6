//! `surfaced resume`.

mod here;
mod pick;

use std::io::{self, IsTerminal};

use super::exit::{CliError, Exit};
use super::launch::open;
use super::{Global, reach, words};
use crate::client::Daemon;
use crate::proto::open::Source;
use crate::proto::resolve::{ResolveBackend, ResolveParams};
use crate::proto::resume::{Resume, ResumeParams};
use crate::proto::{BackendId, Word};

/// More than so many are opened only when that is meant.
const MANY: usize = 5;

/// Takes sessions of agents up again, each in the directory where it was begun.
///
/// A session opens in a tab of the terminal that you use. The version of the agent's program that wrote it resumes it; where that
/// one does not answer any more, another version is told to continue it.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(super) struct Args {
    /// Ids of sessions, beginnings of such, or ids of agents; without one they are picked from a list
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// The terminal, such as tmux or iterm; without it the one that you use
    #[arg(short, long, group = "terminal")]
    backend: Option<String>,
    /// Open them in iTerm
    #[arg(long, group = "terminal")]
    iterm: bool,
    /// Open them in Ghostty
    #[arg(long, group = "terminal")]
    ghostty: bool,
    /// Open them in tmux
    #[arg(long, group = "terminal")]
    tmux: bool,
    /// Open them in VSCodium
    #[arg(long, group = "terminal")]
    vscodium: bool,
    /// Open them in Terminal.app
    #[arg(long, group = "terminal")]
    terminal_app: bool,
    /// The host that the sessions are on, by its ssh alias
    #[arg(
        short = 'H',
        long,
        visible_alias = "host",
        value_name = "HOST",
        allow_hyphen_values = true
    )]
    device: Option<String>,
    /// Put them two to a tab
    #[arg(long)]
    splits: bool,
    /// Open more than five without asking
    #[arg(short, long)]
    yes: bool,
}

impl Args {
    fn backend(&self) -> Option<BackendId> {
        let flags = [
            (self.iterm, "iterm"),
            (self.ghostty, "ghostty"),
            (self.tmux, "tmux"),
            (self.vscodium, "vscodium-agent"),
            (self.terminal_app, "terminal"),
        ];
        let flag = flags.into_iter().find(|(given, _)| *given);
        let named = flag.map(|(_, id)| id).or(self.backend.as_deref());
        named.map(BackendId::from)
    }
}

pub(super) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let backend = args.backend();
    let on = args.device.as_deref().map(words::host).transpose()?;
    let asks = io::stdin().is_terminal() && io::stderr().is_terminal();
    if args.ids.is_empty() && !asks {
        return Err(CliError::usage(
            "resume needs the ids of sessions: without a terminal there is nobody to pick them",
        )
        .hint("surfaced sessions --files lists them"));
    }
    if args.ids.len() > MANY && !args.yes && !asks {
        return Err(too_many(args.ids.len()));
    }
    let connection = reach::daemon().await?;
    let ids = if args.ids.is_empty() {
        match pick::sessions(&connection, on.as_ref()).await? {
            Some(ids) => ids,
            None => return Ok(Exit::Interrupted),
        }
    } else {
        args.ids
            .iter()
            .map(|id| words::word("the id", id))
            .collect::<Result<_, _>>()?
    };
    if ids.len() > MANY && !args.yes {
        match pick::confirm(ids.len())? {
            Some(true) => {}
            Some(false) => return Ok(Exit::Done),
            None => return Ok(Exit::Interrupted),
        }
    }
    // What reads JSON shows nothing, so nothing takes over its terminal.
    let person = asks && io::stdout().is_terminal() && !global.json;
    if person && backend.is_none() && on.is_none() && nowhere_else(&connection).await? {
        return here::one_after_the_other(&connection, &ids).await;
    }
    let params = ResumeParams {
        backend,
        on,
        splits: args.splits.then_some(true),
        context: reach::context(),
        ..ResumeParams::default()
    };
    let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let answer = connection
        .call::<Resume>(&ResumeParams { ids, ..params })
        .await?;
    open::report_named(&answer, &names, global)
}

/// Whether no terminal can be driven here, and there is no tmux either.
async fn nowhere_else(connection: &Daemon) -> Result<bool, CliError> {
    let params = ResolveParams {
        context: reach::context(),
        headless: Some(true),
        ..ResolveParams::default()
    };
    let found = connection.call::<ResolveBackend>(&params).await?;
    Ok(found.source == Some(Source::Headless))
}

fn too_many(count: usize) -> CliError {
    CliError::usage(format!(
        "{count} sessions are more than {MANY}, and without a terminal nobody can be asked"
    ))
    .hint("say --yes to open them all")
}

/// A session as a parameter.
fn only(id: &Word) -> Vec<Word> {
    vec![id.clone()]
}
