//! What `agent new` asks for, and where an agent shall live.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;

use super::find::word;
use crate::cli::exit::CliError;
use crate::cli::words;
use crate::proto::agent::{AgentCreateParams, Place};
use crate::proto::{AbsolutePath, BackendId, Layout};

#[derive(Debug, clap::Args)]
pub(super) struct New {
    /// The provider, such as claude or codex; `surfaced call provider.list` lists them
    provider: String,
    /// Its directory; else the current one, where it is not on a host
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The model, in the provider's words
    #[arg(short, long)]
    model: Option<String>,
    /// The mode, one of the provider's
    #[arg(long)]
    mode: Option<String>,
    /// The first prompt, the only one that it is ever given from here
    #[arg(short, long, allow_hyphen_values = true)]
    prompt: Option<String>,
    /// A name for people; else the provider's
    #[arg(short, long, allow_hyphen_values = true)]
    title: Option<String>,
    /// A mark for programs; may be repeated
    #[arg(short, long = "label", value_name = "NAME=VALUE")]
    labels: Vec<String>,
    /// A variable for it; without =VALUE your own value; may be repeated
    #[arg(short, long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    #[command(flatten)]
    place: Where,
    /// Show it here and type into it, where it is in a terminal of the daemon
    #[arg(short, long)]
    pub(super) attach: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Where {
    /// Where it lives: in a terminal of the daemon, in a tab of yours, or in a seat
    #[arg(long, value_enum)]
    place: Option<Kind>,
    /// The terminal to open a surface in
    #[arg(short, long, value_name = "ID")]
    backend: Option<String>,
    /// The host to open a surface on
    #[arg(short = 'H', long, allow_hyphen_values = true)]
    host: Option<String>,
    /// Split the pane instead of a tab
    #[arg(long, value_enum)]
    split: Option<Split>,
    /// The space of the seat
    #[arg(long)]
    space: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A terminal that the daemon hosts
    Terminal,
    /// A tab, a split or a window of the terminal that you use
    Surface,
    /// A window of tmux of its own
    Seat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Split {
    Right,
    Down,
}

impl Where {
    /// The place; `None`: nothing was said of it.
    pub(super) fn place(&self) -> Result<Option<Place>, CliError> {
        let host = self.host.as_deref().map(words::host).transpose()?;
        let of_surface = self.backend.is_some() || self.host.is_some() || self.split.is_some();
        let kind = match (self.place, of_surface, &self.space) {
            (Some(kind), ..) => kind,
            (None, true, None) => Kind::Surface,
            (None, false, Some(_)) => Kind::Seat,
            (None, true, Some(_)) => {
                return Err(CliError::usage("a seat has no backend, host or split")
                    .hint("leave --space out for a surface"));
            }
            (None, false, None) => return Ok(None),
        };
        if of_surface && kind != Kind::Surface {
            return Err(CliError::usage(
                "--backend, --host and --split are for --place surface",
            ));
        }
        match (kind, &self.space) {
            (Kind::Seat, Some(space)) => Ok(Some(Place::Seat {
                space: word(space)?,
            })),
            (Kind::Seat, None) => Err(CliError::usage("a seat is in a space")
                .hint("name one with --space, which becomes a tmux session")),
            (_, Some(_)) => Err(CliError::usage("--space is for --place seat")),
            (Kind::Terminal, None) => Ok(Some(Place::Terminal {})),
            (Kind::Surface, None) => Ok(Some(Place::Surface {
                backend: self.backend.as_deref().map(BackendId::from),
                host,
                layout: self.split.map(|split| match split {
                    Split::Right => Layout::SplitRight,
                    Split::Down => Layout::SplitDown,
                }),
            })),
        }
    }
}

impl New {
    /// Its directory. Nobody is in any on a host.
    fn cwd(&self) -> Result<AbsolutePath, CliError> {
        let host = self.place.host.as_deref();
        host.map(words::host).transpose()?;
        match (host, self.dir.as_deref()) {
            (Some(host), Some(dir)) => words::directory_on(host, dir),
            (Some(host), None) => Err(CliError::usage(format!(
                "an agent on {host} needs a directory there"
            ))
            .hint("give an absolute path of the host, such as -C /srv/app")),
            (None, dir) => words::directory(dir.unwrap_or_else(|| ".".as_ref())),
        }
    }

    pub(super) fn params(&self) -> Result<AgentCreateParams, CliError> {
        let text = |text: &Option<String>| text.as_deref().map(word).transpose();
        Ok(AgentCreateParams {
            provider: word(&self.provider)?,
            cwd: self.cwd()?,
            model: text(&self.model)?,
            mode_id: text(&self.mode)?,
            prompt: text(&self.prompt)?,
            title: text(&self.title)?,
            labels: labels(&self.labels)?,
            env: words::env(&self.env)?,
            terminal: None,
            place: self.place.place()?,
        })
    }
}

fn labels(pairs: &[String]) -> Result<Option<BTreeMap<String, String>>, CliError> {
    let mut labels = BTreeMap::new();
    for pair in pairs {
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| {
                CliError::usage(format!("{pair:?} is no label")).hint("write NAME=VALUE")
            })?;
        labels.insert(name.to_owned(), value.to_owned());
    }
    Ok((!labels.is_empty()).then_some(labels))
}
