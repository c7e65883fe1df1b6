//! `surfaced open`.

use super::items;
use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, reach, render, words};
use crate::proto::open::{Open, OpenAnswer, OpenParams, OpenResult, Source, Started};
use crate::proto::{BackendId, Layout};

/// Opens a command in a tab, a split or a window of the terminal that you use.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    what: items::Args,
    /// Leave the focus where it is
    #[arg(long)]
    no_focus: bool,
    /// Only print the commands that would be run
    #[arg(long)]
    dry_run: bool,
    /// Open nothing again that was opened with this key in the last ten minutes
    #[arg(long)]
    key: Option<String>,
}

pub(in crate::cli) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let items = args.what.items()?;
    args.what.check_here(&items)?;
    let params = OpenParams {
        items,
        backend: args.what.backend(),
        host: args.what.host()?,
        packing: Some(args.what.packing()),
        context: reach::context(),
        focus: args.no_focus.then_some(false),
        key: args
            .key
            .as_ref()
            .map(|key| words::word("the key", key))
            .transpose()?,
        dry_run: args.dry_run.then_some(true),
        ..OpenParams::default()
    };
    let answer = reach::daemon().await?.call::<Open>(&params).await?;
    report(&answer, global)
}

/// Prints what became of an `open`. A surface that did not open makes the exit status 1.
pub(in crate::cli) fn report(answer: &OpenAnswer, global: Global) -> Result<Exit, CliError> {
    let count = match answer {
        OpenAnswer::Opened { results, .. } => results.len(),
        OpenAnswer::Specs(_) => 0,
    };
    let names: Vec<String> = (0..count).map(|index| format!("items[{index}]")).collect();
    report_named(answer, &names, global)
}

/// The same, with names for the items, which are shown where there are several.
pub(in crate::cli) fn report_named(
    answer: &OpenAnswer,
    names: &[String],
    global: Global,
) -> Result<Exit, CliError> {
    if global.json {
        render::json(answer)?;
    }
    match answer {
        OpenAnswer::Specs(built) => {
            if !global.json {
                super::build::print(built)?;
            }
            Ok(Exit::Done)
        }
        OpenAnswer::Opened {
            backend,
            source,
            results,
        } => {
            if !global.json {
                for (index, result) in results.iter().enumerate() {
                    let name = match names.get(index) {
                        Some(name) if results.len() > 1 => format!("{name}: "),
                        _ => String::new(),
                    };
                    tell(&name, backend.as_ref(), *source, result)?;
                }
            }
            Ok(if results.iter().all(|result| result.ok) {
                Exit::Done
            } else {
                Exit::Failed
            })
        }
    }
}

fn tell(
    name: &str,
    backend: Option<&BackendId>,
    source: Option<Source>,
    result: &OpenResult,
) -> Result<(), CliError> {
    if !result.ok {
        let _ = render::fail(&CliError {
            hint: result.hint.clone(),
            ..CliError::failed(format!(
                "{name}{}",
                result.error.as_deref().unwrap_or("it was not opened")
            ))
        });
        return Ok(());
    }
    // Some warnings say that another thing was opened than was asked for, and what.
    let mut warnings = result.warnings.iter().flatten();
    let lesser =
        warnings.any(|warning| warning.contains(" is opened") || warning.contains("not known"));
    let what = match result.request.layout {
        _ if lesser => "a surface",
        Layout::Tab => "a tab",
        Layout::SplitRight => "a split to the right",
        Layout::SplitDown => "a split below",
        Layout::Window => "a window",
    };
    let terminal = &result.request.backend;
    let surface = result
        .surface
        .as_ref()
        .map(|surface| format!("  {surface}"))
        .unwrap_or_default();
    let line = if source == Some(Source::Headless) && backend == Some(terminal) {
        format!(
            "{name}opened in a terminal that the daemon hosts: none here can be driven{surface}"
        )
    } else if terminal.as_str() == "builtin" {
        format!("{name}opened in a terminal that the daemon hosts{surface}")
    } else {
        format!("{name}opened {what} in {terminal}{surface}")
    };
    render::told(line)?;
    if let Some(attach) = &result.attach {
        render::told(format!(
            "{name}look at it with: {}",
            reach::callable(attach)
        ))?;
    }
    if result.started == Some(Started::Unconfirmed) {
        render::note(format!(
            "{name}{terminal} did not show the surface in time; it may still come"
        ));
    }
    for warning in result.warnings.iter().flatten() {
        render::note(format!("{name}{warning}"));
    }
    Ok(())
}
