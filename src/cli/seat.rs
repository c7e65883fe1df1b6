//! `surfaced seat`: programs in isolated tmux windows.

use std::path::PathBuf;

use clap::Subcommand;

use super::agent::aside;
use super::exit::{CliError, Exit};
use super::{Global, reach, render, surfaces, words};
use crate::proto::seat::{
    Confirm, SeatCapture, SeatCaptureParams, SeatInterrupt, SeatList, SeatListParams, SeatParams,
    SeatReap, SeatSpawn, SeatState, SeatStatusOf, SeatStop, SeatWait, SeatWaitParams, SpawnParams,
    StopParams,
};
use crate::proto::{Method, Word};

/// Runs programs in isolated tmux windows that can be watched, stopped, waited for and reaped.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run a program in a window of its own
    Spawn(Spawn),
    /// List the seats
    #[command(alias = "ls")]
    List {
        /// Only those of this space
        space: Option<String>,
    },
    /// Say whether a seat's program runs
    Status {
        /// The seat, as `spawn` and `list` show it
        seat: String,
    },
    /// End a seat: its exit phrase, a grace, then its window
    Stop {
        /// The seat
        seat: String,
        /// Kill it at once
        #[arg(long)]
        hard: bool,
        /// The grace, in milliseconds
        #[arg(long, value_name = "MS")]
        grace: Option<u64>,
        /// For all of it, in milliseconds
        #[arg(long, value_name = "MS")]
        timeout: Option<u64>,
    },
    /// Press C-c in a seat
    Interrupt {
        /// The seat
        seat: String,
    },
    /// Print the text on a seat's pane
    Capture {
        /// The seat
        seat: String,
        /// The last so many lines, scrollback included
        #[arg(short = 'n', long)]
        lines: Option<u32>,
    },
    /// Wait for a seat's program to end
    Wait {
        /// The seat
        seat: String,
        /// Give up after so many milliseconds
        #[arg(long, value_name = "MS")]
        timeout: Option<u64>,
    },
    /// End what is left of a seat and close its window
    Reap {
        /// The seat
        seat: String,
    },
}

#[derive(Debug, clap::Args)]
struct Spawn {
    /// The space, which becomes a tmux session
    space: String,
    /// The seat's name, which becomes the name of its window
    name: String,
    /// A host, by its ssh alias
    #[arg(short = 'H', long, allow_hyphen_values = true)]
    host: Option<String>,
    /// The working directory; else the current one, or with --host the home there
    #[arg(short = 'C', long = "cwd", value_name = "DIR")]
    dir: Option<PathBuf>,
    /// A variable for the program; without =VALUE your own value
    #[arg(short = 'e', long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,
    /// Give it these variables and no others
    #[arg(long)]
    exact_env: bool,
    /// What a graceful stop types
    #[arg(long, value_name = "TEXT")]
    exit_phrase: Option<String>,
    /// Press keys once when this shows on the pane: a regular expression
    #[arg(long, value_name = "PATTERN", requires = "keys")]
    confirm: Option<String>,
    /// The keys to press then
    #[arg(long, value_name = "KEY", requires = "confirm")]
    keys: Vec<String>,
    /// The command
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(super) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    match &args.verb {
        Verb::Spawn(spawn) => {
            let spawned = call::<SeatSpawn>(&spawn.params()?).await?;
            if global.json {
                render::json(&spawned)?;
            } else {
                render::told(format!("spawned {}", spawned.reference))?;
                render::told(format!("look at it with: {}", spawned.attach))?;
            }
            Ok(Exit::Done)
        }
        Verb::List { space } => list(space.as_deref(), global).await,
        Verb::Status { seat } => {
            let status = call::<SeatStatusOf>(&named(seat)?).await?;
            answer(&status, global, || {
                match (&status.signal, status.exit_code) {
                    (Some(signal), _) => format!("{} by {signal}", state(status.state)),
                    (None, Some(code)) => format!("{} with status {code}", state(status.state)),
                    (None, None) => state(status.state).to_owned(),
                }
            })
        }
        Verb::Stop {
            seat,
            hard,
            grace,
            timeout,
        } => {
            let params = StopParams {
                reference: surfaces::reference(seat)?,
                graceful: hard.then_some(false),
                grace_ms: *grace,
                timeout_ms: *timeout,
            };
            let stopped = call::<SeatStop>(&params).await?;
            answer(&stopped, global, || state(stopped.state).to_owned())
        }
        Verb::Interrupt { seat } => {
            let done = call::<SeatInterrupt>(&named(seat)?).await?;
            answer(&done, global, || "pressed C-c".to_owned())
        }
        Verb::Capture { seat, lines } => {
            let params = SeatCaptureParams {
                reference: surfaces::reference(seat)?,
                lines: *lines,
            };
            let text = call::<SeatCapture>(&params).await?;
            if global.json {
                render::json(&text)?;
            } else {
                render::bytes(text.text.as_bytes())?;
            }
            Ok(Exit::Done)
        }
        Verb::Wait { seat, timeout } => {
            let params = SeatWaitParams {
                reference: surfaces::reference(seat)?,
                timeout_ms: *timeout,
            };
            let exit = call::<SeatWait>(&params).await?;
            if global.json {
                render::json(&exit)?;
                return Ok(Exit::Done);
            }
            surfaces::ended(&exit)
        }
        Verb::Reap { seat } => {
            let reaped = call::<SeatReap>(&named(seat)?).await?;
            answer(&reaped, global, || reaped.detail.clone())
        }
    }
}

async fn call<M: Method>(params: &M::Params) -> Result<M::Result, CliError>
where
    M::Params: serde::Serialize,
    M::Result: serde::de::DeserializeOwned,
{
    Ok(reach::daemon().await?.call::<M>(params).await?)
}

fn answer<T: serde::Serialize>(
    value: &T,
    global: Global,
    line: impl FnOnce() -> String,
) -> Result<Exit, CliError> {
    if global.json {
        render::json(value)?;
    } else {
        render::told(line())?;
    }
    Ok(Exit::Done)
}

fn named(seat: &str) -> Result<SeatParams, CliError> {
    Ok(SeatParams {
        reference: surfaces::reference(seat)?,
    })
}

const fn state(state: SeatState) -> &'static str {
    match state {
        SeatState::Running => "running",
        SeatState::Exited => "exited",
        SeatState::Gone => "gone",
    }
}

async fn list(space: Option<&str>, global: Global) -> Result<Exit, CliError> {
    let params = SeatListParams {
        space: space.map(word).transpose()?,
    };
    let listed = call::<SeatList>(&params).await?;
    if global.json {
        render::json(&listed)?;
        return Ok(Exit::Done);
    }
    let moved: Vec<_> = listed
        .seats
        .iter()
        .filter(|seat| seat.moved == Some(true))
        .map(|seat| format!("{}/{}", seat.space, seat.name))
        .collect();
    let rows = listed.seats.into_iter().map(|seat| {
        let how = match (seat.signal, seat.exit_code) {
            (Some(signal), _) => format!(" {signal}"),
            (None, Some(code)) => format!(" {code}"),
            (None, None) => String::new(),
        };
        let state = seat.state.map_or("unknown", state);
        [
            seat.space,
            seat.name,
            format!(
                "{state}{how}{}",
                if seat.moved == Some(true) {
                    ", moved"
                } else {
                    ""
                }
            ),
            seat.reference.to_string(),
            seat.attach.unwrap_or_default(),
        ]
    });
    render::table(
        ["SPACE", "NAME", "STATE", "SEAT", "LOOK AT IT WITH"],
        rows.collect(),
    )?;
    for seat in moved {
        render::note(format!(
            "{seat} was moved out of its place: it is shown where it is now, and a stop or a reap is refused until it is moved back"
        ));
    }
    aside::tell(&reach::daemon().await?).await?;
    Ok(Exit::Done)
}

impl Spawn {
    fn params(&self) -> Result<SpawnParams, CliError> {
        let host = self.host.as_deref().map(words::host).transpose()?;
        let cwd = match (&self.host, &self.dir) {
            (Some(host), Some(dir)) => Some(words::directory_on(host, dir)?),
            (Some(_), None) => None,
            (None, dir) => Some(words::directory(
                dir.as_deref().unwrap_or_else(|| ".".as_ref()),
            )?),
        };
        let (program, rest) = self
            .command
            .split_first()
            .ok_or_else(|| CliError::usage("spawn needs a command"))?;
        let confirm = match &self.confirm {
            Some(pattern) => Some(Confirm {
                pattern: word(pattern)?,
                keys: self
                    .keys
                    .iter()
                    .map(|key| word(key))
                    .collect::<Result<_, _>>()?,
                timeout_ms: None,
            }),
            None => None,
        };
        Ok(SpawnParams {
            space: word(&self.space)?,
            name: word(&self.name)?,
            command: word(program)?,
            args: Some(
                rest.iter()
                    .map(|text| word(text))
                    .collect::<Result<_, _>>()?,
            ),
            env: words::env(&self.env)?,
            exact_env: self.exact_env.then_some(true),
            cwd,
            exit_phrase: self.exit_phrase.as_deref().map(word).transpose()?,
            confirm,
            host,
        })
    }
}

fn word(text: &str) -> Result<Word, CliError> {
    words::word("the text", text)
}
