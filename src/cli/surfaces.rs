//! `surfaced surfaces`: the surfaces that exist, and what can be done with one.

use clap::Subcommand;

use super::exit::{CliError, Exit};
use super::{Global, reach, render, words};
use crate::proto::surfaces::{
    Capture, CaptureParams, Close, Exit as Ended, Focus, Inject, InjectParams, Keys, KeysParams,
    List, ListParams, Or, SpecShown, SurfaceParams, Wait, WaitParams,
};
use crate::proto::{BackendId, SurfaceRef, Word};

/// Lists the surfaces that can be seen, or does something with one.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Only of this terminal
    #[arg(short, long)]
    backend: Option<String>,
    /// Those of a host, by its ssh alias
    #[arg(short = 'H', long, allow_hyphen_values = true)]
    host: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Type text into a surface, and press Enter
    Inject {
        /// The surface, as `open` and the list show it
        surface: String,
        /// The text, as it is
        text: String,
        /// Do not press Enter
        #[arg(long)]
        no_enter: bool,
        /// Text and Enter in one write
        #[arg(long)]
        combined: bool,
        #[command(flatten)]
        dry: Dry,
    },
    /// Press keys in a surface
    Keys {
        /// The surface
        surface: String,
        /// The keys, such as C-c, Enter or Up
        #[arg(required = true)]
        keys: Vec<String>,
        #[command(flatten)]
        dry: Dry,
    },
    /// Print the text on a surface
    Capture {
        /// The surface
        surface: String,
        /// The last so many lines, scrollback included
        #[arg(short = 'n', long)]
        lines: Option<u32>,
        #[command(flatten)]
        dry: Dry,
    },
    /// Bring a surface to the front
    Focus {
        /// The surface
        surface: String,
        #[command(flatten)]
        dry: Dry,
    },
    /// Close a surface
    Close {
        /// The surface
        surface: String,
        #[command(flatten)]
        dry: Dry,
    },
    /// Wait for the program in a surface to end
    Wait {
        /// The surface
        surface: String,
        /// Give up after so many milliseconds
        #[arg(long, value_name = "MS")]
        timeout: Option<u64>,
        #[command(flatten)]
        dry: Dry,
    },
}

#[derive(Clone, Copy, Debug, clap::Args)]
struct Dry {
    /// Only print the command that would be run
    #[arg(long)]
    dry_run: bool,
}

impl Dry {
    fn param(self) -> Option<bool> {
        self.dry_run.then_some(true)
    }
}

pub(super) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let Some(verb) = &args.verb else {
        return list(args, global).await;
    };
    let connection = reach::daemon().await?;
    match verb {
        Verb::Inject {
            surface,
            text,
            no_enter,
            combined,
            dry,
        } => {
            let params = InjectParams {
                surface: reference(surface)?,
                text: word(text)?,
                enter: no_enter.then_some(false),
                combined: combined.then_some(true),
                dry_run: dry.param(),
            };
            shown(connection.call::<Inject>(&params).await?, global, |_| {
                Ok(Exit::Done)
            })
        }
        Verb::Keys { surface, keys, dry } => {
            let keys = keys.iter().map(|key| word(key)).collect::<Result<_, _>>()?;
            let params = KeysParams {
                surface: reference(surface)?,
                keys,
                dry_run: dry.param(),
            };
            shown(connection.call::<Keys>(&params).await?, global, |_| {
                Ok(Exit::Done)
            })
        }
        Verb::Capture {
            surface,
            lines,
            dry,
        } => {
            let params = CaptureParams {
                surface: reference(surface)?,
                lines: *lines,
                dry_run: dry.param(),
            };
            shown(connection.call::<Capture>(&params).await?, global, |text| {
                render::bytes(text.text.as_bytes())?;
                Ok(Exit::Done)
            })
        }
        Verb::Focus { surface, dry } => {
            let params = SurfaceParams {
                surface: reference(surface)?,
                dry_run: dry.param(),
            };
            shown(connection.call::<Focus>(&params).await?, global, |_| {
                Ok(Exit::Done)
            })
        }
        Verb::Close { surface, dry } => {
            let params = SurfaceParams {
                surface: reference(surface)?,
                dry_run: dry.param(),
            };
            shown(connection.call::<Close>(&params).await?, global, |_| {
                Ok(Exit::Done)
            })
        }
        Verb::Wait {
            surface,
            timeout,
            dry,
        } => {
            let params = WaitParams {
                surface: reference(surface)?,
                timeout_ms: *timeout,
                dry_run: dry.param(),
            };
            shown(connection.call::<Wait>(&params).await?, global, ended)
        }
    }
}

async fn list(args: &Args, global: Global) -> Result<Exit, CliError> {
    let params = ListParams {
        backend: args.backend.as_deref().map(BackendId::from),
        host: args.host.as_deref().map(words::host).transpose()?,
    };
    let listed = reach::daemon().await?.call::<List>(&params).await?;
    if global.json {
        render::json(&listed)?;
        return Ok(Exit::Done);
    }
    for warning in listed.warnings.iter().flatten() {
        render::note(warning);
    }
    let rows = listed.surfaces.into_iter().map(|surface| {
        let mut command = surface.command.unwrap_or_default();
        if let Some(exit) = &surface.exit {
            command = format!("{command} ({})", how(exit).0);
        }
        [
            surface.surface.to_string(),
            command,
            surface.title.unwrap_or_default(),
            surface.cwd.unwrap_or_default(),
        ]
    });
    render::table(["SURFACE", "COMMAND", "TITLE", "DIRECTORY"], rows.collect())?;
    Ok(Exit::Done)
}

fn shown<T: serde::Serialize>(
    answer: Or<T>,
    global: Global,
    print: impl FnOnce(&T) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    match answer {
        Or::Done(done) if !global.json => print(&done),
        Or::Shown(SpecShown { spec }) if !global.json => {
            render::line(&spec.display)?;
            Ok(Exit::Done)
        }
        answer => {
            render::json(&answer)?;
            Ok(Exit::Done)
        }
    }
}

/// Says how a program ended. One that still runs, and an end of which nothing is known, make the exit status 1.
pub(super) fn ended(exit: &Ended) -> Result<Exit, CliError> {
    let (line, status) = how(exit);
    render::told(line)?;
    Ok(status)
}

/// How a program ended, in words, and what that means for who asked.
fn how(exit: &Ended) -> (String, Exit) {
    match exit {
        Ended { exited: false, .. } => ("it still runs".to_owned(), Exit::Failed),
        Ended {
            signal: Some(signal),
            ..
        } => (format!("ended by {signal}"), Exit::Done),
        Ended {
            exit_code: Some(code),
            ..
        } => (format!("ended with status {code}"), Exit::Done),
        // Not known is no success.
        _ => ("ended, and how is not known".to_owned(), Exit::Failed),
    }
}

pub(super) fn reference(text: &str) -> Result<SurfaceRef, CliError> {
    text.parse().map_err(|error| {
        CliError::usage(format!("{error}")).hint("`surfaced surfaces` lists those that exist")
    })
}

fn word(text: &str) -> Result<Word, CliError> {
    words::word("the text", text)
}
