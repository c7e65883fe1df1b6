//! Items from the command line.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::value::RawValue;

use crate::cli::exit::CliError;
use crate::cli::words::{command, directory, directory_on, env, here, host, word};
use crate::proto::launch::{Build, OnExit};
use crate::proto::{BackendId, Item, Kind, Layout, Packing, Word};
use crate::rpc;

/// What to open and where. Shared by `open` and `build`.
///
/// It is no group of its own: clap would name that after the type, and those it is part of are called so too.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// The terminal, such as tmux or iterm; without it the one that you use
    #[arg(short, long)]
    pub(super) backend: Option<String>,
    /// A host, by its ssh alias
    #[arg(short = 'H', long, allow_hyphen_values = true)]
    pub(super) host: Option<String>,
    /// Split the pane that you are in
    #[arg(long, value_name = "DIRECTION")]
    pub(super) split: Option<Direction>,
    /// Open a window of the application
    #[arg(long, conflicts_with = "split")]
    pub(super) window: bool,
    /// The working directory
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    pub(super) dir: Option<PathBuf>,
    /// The title
    #[arg(long)]
    pub(super) title: Option<String>,
    /// A variable for the command; without =VALUE your own value, which then stands in no argv
    #[arg(short = 'e', long, value_name = "NAME[=VALUE]")]
    pub(super) env: Vec<String>,
    /// Keep the surface until Enter is pressed
    #[arg(long)]
    pub(super) hold: bool,
    /// One line for the shell, in the place of a command
    #[arg(short = 'c', long, value_name = "LINE", conflicts_with = "command")]
    pub(super) shell_command: Option<String>,
    /// Read the items from a file with a JSON array; -: from standard input
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["split", "window", "dir", "title", "env", "hold", "shell_command", "command"]
    )]
    pub(super) items: Option<PathBuf>,
    /// Put the items two to a tab
    #[arg(long, requires = "items")]
    pub(super) splits: bool,
    /// The command; without one your shell
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    pub(super) command: Vec<String>,
}

/// Where a split goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Direction {
    /// To the right.
    Right,
    /// Below.
    Down,
}

impl Args {
    /// Checks that items that name no directory have one: that of the command line.
    pub(super) fn check_here(&self, items: &[Item]) -> Result<(), CliError> {
        let bare = |item: &Item| item.cwd.is_none() && item.host.is_none();
        if self.host.is_none() && items.iter().any(bare) {
            here()?;
        }
        Ok(())
    }

    /// The items.
    pub(super) fn items(&self) -> Result<Vec<Item>, CliError> {
        match &self.items {
            Some(file) => read(file),
            None => Ok(vec![self.item()?]),
        }
    }

    fn item(&self) -> Result<Item, CliError> {
        let layout = match self.split {
            Some(Direction::Right) => Layout::SplitRight,
            Some(Direction::Down) => Layout::SplitDown,
            None if self.window => Layout::Window,
            None => Layout::Tab,
        };
        Ok(Item {
            cwd: self
                .dir
                .as_deref()
                .map(|dir| match &self.host {
                    Some(host) => directory_on(host, dir),
                    None => directory(dir),
                })
                .transpose()?,
            command: command(&self.command)?,
            shell_command: self
                .shell_command
                .as_ref()
                .map(|line| word("the line", line))
                .transpose()?,
            env: env(&self.env)?,
            title: self
                .title
                .as_ref()
                .map(|title| word("the title", title))
                .transpose()?,
            layout: Some(layout),
            on_exit: self.hold.then_some(OnExit::Hold),
            ..Item::default()
        })
    }

    /// One tab each unless they are to be packed.
    pub(super) const fn packing(&self) -> Packing {
        if self.splits {
            Packing::TwoPerTab
        } else {
            Packing::Tabs
        }
    }

    pub(super) fn backend(&self) -> Option<BackendId> {
        self.backend.as_deref().map(BackendId::from)
    }

    pub(super) fn host(&self) -> Result<Option<Word>, CliError> {
        self.host.as_deref().map(host).transpose()
    }
}

fn read(file: &Path) -> Result<Vec<Item>, CliError> {
    let mut text = String::new();
    let read = if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|mut file| file.read_to_string(&mut text))
    };
    read.map_err(|error| {
        CliError::failed(format!(
            "cannot read the items of {}: {error}",
            file.display()
        ))
        .kind(Kind::NotFound)
        .hint("name a file that holds a JSON array of items, or - for standard input")
    })?;
    let hint = "write an array of objects, such as '[{\"command\":[\"htop\"]}]'";
    let value: &RawValue = serde_json::from_str(&text)
        .map_err(|error| CliError::usage(format!("the items are not JSON: {error}")).hint(hint))?;
    if !value.get().starts_with('[') {
        return Err(CliError::usage("the items are not an array").hint(hint));
    }
    // In the daemon's words, with its suggestions.
    let params = format!("{{\"items\":{value}}}");
    Ok(rpc::read_params::<Build>(&params)?.items)
}
