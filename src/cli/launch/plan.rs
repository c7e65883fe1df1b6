//! `surfaced plan`.

use std::path::PathBuf;

use super::items;
use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, boxes, reach, render, words};
use crate::launch::quote::{Style, posix};
use crate::proto::launch::{Plan, PlanParams};
use crate::proto::{BackendId, Item, Packing};

/// Draws how a batch would be laid out.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// How many surfaces
    #[arg(
        value_name = "COUNT",
        required_unless_present = "items",
        conflicts_with = "items"
    )]
    count: Option<u32>,
    /// Read the items from a file with a JSON array; -: from standard input
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// One to a tab; without it two
    #[arg(long)]
    tabs: bool,
    /// The terminal
    #[arg(short, long)]
    backend: Option<String>,
    /// A host, by its ssh alias
    #[arg(short = 'H', long, allow_hyphen_values = true)]
    host: Option<String>,
}

pub(in crate::cli) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let items = match &args.items {
        Some(file) => Some(
            items::Args {
                items: Some(file.clone()),
                ..items::Args::default()
            }
            .items()?,
        ),
        None => None,
    };
    let labels: Vec<String> = items
        .iter()
        .flatten()
        .enumerate()
        .map(|(index, item)| label(index, item))
        .collect();
    let params = PlanParams {
        items,
        count: args.count,
        packing: Some(if args.tabs {
            Packing::Tabs
        } else {
            Packing::TwoPerTab
        }),
        backend: args.backend.as_deref().map(BackendId::from),
        host: args.host.as_deref().map(words::host).transpose()?,
    };
    let plan = reach::daemon().await?.call::<Plan>(&params).await?;
    if global.json {
        render::json(&plan)?;
    } else {
        render::bytes(boxes::draw(&plan.layouts, &labels, render::width()).as_bytes())?;
    }
    Ok(Exit::Done)
}

/// What stands in an item's box: its title, else what it runs.
fn label(index: usize, item: &Item) -> String {
    let words = || {
        let words: Vec<_> = item
            .command
            .as_ref()?
            .words()
            .iter()
            .map(|word| posix(word, Style::Bare))
            .collect();
        Some(words.join(" "))
    };
    let title = item.title.as_ref().map(ToString::to_string);
    let line = || item.shell_command.as_ref().map(ToString::to_string);
    title
        .or_else(words)
        .or_else(line)
        .unwrap_or_else(|| format!("{}", index + 1))
}
