//! `surfaced terminal …`: the terminals that the daemon hosts.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use clap::Subcommand;

use super::agent::aside;
use super::exit::{CliError, Exit};
use super::meant::{Candidate, For, meant};
use super::{Global, reach, render, words};
use crate::client::Daemon;
use crate::proto::surfaces::{self, KeysParams};
use crate::proto::terminal::{
    Create, CreateParams, Input, InputParams, Kill, KillParams, Remove, Resize, ResizeParams,
    Terminal, TerminalCapture, TerminalCaptureParams, TerminalGet, TerminalIdParams, TerminalList,
    TerminalListParams, TerminalState, TerminalWait, TerminalWaitParams,
};
use crate::proto::{AbsolutePath, SurfaceRef, Word};

/// Make, read, drive and end terminals that the daemon hosts; `surfaced attach` shows one.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a terminal and print its id
    Create(CreateArgs),
    /// List the terminals, ended ones included
    #[command(visible_alias = "ls")]
    List {
        /// Only those of this directory
        #[arg(short = 'C', long, value_name = "DIR")]
        cwd: Option<String>,
    },
    /// Print what is known of a terminal
    Get {
        /// Its id, the beginning of it, or its name
        #[arg(value_name = "TERMINAL")]
        id: String,
    },
    /// Print the kept lines of a terminal
    Capture {
        /// Its id, the beginning of it, or its name
        #[arg(value_name = "TERMINAL")]
        id: String,
        /// The first line, from 0; negative: from the end
        #[arg(long, allow_negative_numbers = true)]
        start: Option<i64>,
        /// The line after the last; negative: from the end
        #[arg(long, allow_negative_numbers = true)]
        end: Option<i64>,
        /// With colours and attributes
        #[arg(long)]
        ansi: bool,
    },
    /// Type into a terminal
    Send {
        /// Its id, the beginning of it, or its name
        #[arg(value_name = "TERMINAL")]
        id: String,
        /// The text; without one and without keys, what is on standard input
        text: Option<String>,
        /// Press Enter after the text
        #[arg(short, long)]
        enter: bool,
        /// Press a key after the text, such as C-c or Up; may be repeated
        #[arg(short, long = "key", value_name = "KEY")]
        keys: Vec<String>,
    },
    /// Change the size of a terminal
    Resize {
        /// Its id, the beginning of it, or its name
        #[arg(value_name = "TERMINAL")]
        id: String,
        /// 1 to 1000
        rows: u32,
        /// 1 to 1000
        cols: u32,
    },
    /// End the program in a terminal: hang-up, then kill
    Kill {
        /// Its id, the beginning of it, or its name
        #[arg(value_name = "TERMINAL")]
        id: String,
        /// Milliseconds between hang-up and kill
        #[arg(long, value_name = "MS")]
        graceful: Option<u64>,
    },
    /// Wait for the program in a terminal to end
    Wait {
        /// Its id, the beginning of it, or its name
        #[arg(value_name = "TERMINAL")]
        id: String,
        /// Give up after so many milliseconds, with status 1
        #[arg(long, value_name = "MS")]
        timeout: Option<u64>,
    },
    /// Forget a terminal; a running program is ended first
    #[command(visible_alias = "rm")]
    Remove {
        /// Their ids, the beginnings of them, or their names
        #[arg(required = true, value_name = "TERMINAL")]
        ids: Vec<String>,
    },
}

#[derive(Debug, clap::Args)]
struct CreateArgs {
    /// Its directory; else the current one
    #[arg(short = 'C', long, value_name = "DIR")]
    cwd: Option<String>,
    /// A name for people
    #[arg(short, long)]
    name: Option<String>,
    /// The title until the program sets one
    #[arg(short, long)]
    title: Option<String>,
    /// A variable for the program, NAME=VALUE; may be repeated
    #[arg(short, long = "env", value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Rows
    #[arg(long)]
    rows: Option<u32>,
    /// Columns
    #[arg(long)]
    cols: Option<u32>,
    /// The program and its arguments; else your login shell
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

pub(super) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let daemon = reach::daemon().await?;
    match &args.command {
        Command::Create(args) => {
            let made = daemon.call::<Create>(&create(args)?).await?;
            if global.json {
                render::json(&made)?;
            } else {
                render::line(&made.id)?;
                render::note(format!("see it with `{}`", made.attach));
            }
        }
        Command::List { cwd } => {
            let cwd = cwd.as_deref().map(directory).transpose()?;
            let all = daemon
                .call::<TerminalList>(&TerminalListParams { cwd })
                .await?;
            if global.json {
                render::json(&all)?;
            } else {
                list(&all.terminals)?;
                aside::tell(&daemon).await?;
            }
        }
        Command::Get { id } => {
            let id = named(&daemon, id, For::Any).await?;
            let terminal = daemon.call::<TerminalGet>(&TerminalIdParams { id }).await?;
            if global.json {
                render::json(&terminal)?;
            } else {
                render::pairs(&about(&terminal))?;
            }
        }
        Command::Capture {
            id,
            start,
            end,
            ansi,
        } => {
            let params = TerminalCaptureParams {
                id: named(&daemon, id, For::Any).await?,
                start: *start,
                end: *end,
                strip_ansi: Some(!ansi),
            };
            capture(&daemon, &params, global).await?;
        }
        Command::Send {
            id,
            text,
            enter,
            keys,
        } => {
            let id = named(&daemon, id, For::Running).await?;
            send(&daemon, id, text.as_deref(), *enter, keys).await?;
        }
        Command::Resize { id, rows, cols } => {
            let params = ResizeParams {
                id: named(&daemon, id, For::Running).await?,
                rows: *rows,
                cols: *cols,
            };
            daemon.call::<Resize>(&params).await?;
        }
        Command::Kill { id, graceful } => {
            let exit = daemon
                .call::<Kill>(&KillParams {
                    id: named(&daemon, id, For::Running).await?,
                    graceful_timeout_ms: *graceful,
                    force_timeout_ms: None,
                })
                .await?;
            ended(&exit, global)?;
        }
        Command::Wait { id, timeout } => {
            let exit = daemon
                .call::<TerminalWait>(&TerminalWaitParams {
                    id: named(&daemon, id, For::Any).await?,
                    timeout_ms: *timeout,
                })
                .await?;
            ended(&exit, global)?;
            if !exit.exited {
                return Ok(Exit::Failed);
            }
        }
        Command::Remove { ids } => {
            let all = candidates(&daemon).await?;
            // All are found before one is ended.
            let meant: Vec<Word> = ids
                .iter()
                .map(|id| word(&meant(id, &all, For::Any)?.id))
                .collect::<Result<_, _>>()?;
            for id in meant {
                daemon.call::<Remove>(&TerminalIdParams { id }).await?;
            }
        }
    }
    Ok(Exit::Done)
}

fn create(args: &CreateArgs) -> Result<CreateParams, CliError> {
    let cwd = match &args.cwd {
        Some(cwd) => Some(directory(cwd)?),
        None => Some(words::current()?),
    };
    let mut words = args.command.iter().map(|text| word(text));
    Ok(CreateParams {
        cwd,
        command: words.next().transpose()?,
        args: Some(words.collect::<Result<_, _>>()?).filter(|args: &Vec<_>| !args.is_empty()),
        env: words::env(&args.env)?,
        rows: args.rows,
        cols: args.cols,
        name: args.name.as_deref().map(word).transpose()?,
        title: args.title.as_deref().map(word).transpose()?,
        ..CreateParams::default()
    })
}

/// The id of the terminal that is called so.
async fn named(daemon: &Daemon, wanted: &str, purpose: For) -> Result<Word, CliError> {
    word(&meant(wanted, &candidates(daemon).await?, purpose)?.id)
}

async fn candidates(daemon: &Daemon) -> Result<Vec<Candidate>, CliError> {
    let all = daemon
        .call::<TerminalList>(&TerminalListParams { cwd: None })
        .await?;
    let candidate = |terminal: Terminal| Candidate {
        running: terminal.state == TerminalState::Running,
        id: terminal.id,
        name: terminal.name,
        cwd: terminal.cwd,
    };
    Ok(all.terminals.into_iter().map(candidate).collect())
}

async fn capture(
    daemon: &Daemon,
    params: &TerminalCaptureParams,
    global: Global,
) -> Result<(), CliError> {
    let kept = daemon.call::<TerminalCapture>(params).await?;
    if global.json {
        return render::json(&kept);
    }
    for line in kept.lines {
        render::line(line)?;
    }
    Ok(())
}

async fn send(
    daemon: &Daemon,
    id: Word,
    text: Option<&str>,
    enter: bool,
    keys: &[String],
) -> Result<(), CliError> {
    let bytes = match text {
        Some(text) => text.as_bytes().to_vec(),
        None if enter || !keys.is_empty() => Vec::new(),
        None => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map_err(|error| {
                CliError::failed(format!("cannot read standard input: {error}"))
            })?;
            bytes
        }
    };
    // Enter by itself: programs with a text field take one that comes with the text as part of it.
    for part in [bytes, if enter { b"\r".to_vec() } else { Vec::new() }] {
        if !part.is_empty() {
            daemon
                .call::<Input>(&InputParams {
                    id: id.clone(),
                    data: None,
                    data_base64: Some(BASE64.encode(part)),
                })
                .await?;
        }
    }
    if !keys.is_empty() {
        let keys = keys.iter().map(|key| word(key)).collect::<Result<_, _>>()?;
        daemon
            .call::<surfaces::Keys>(&KeysParams {
                surface: SurfaceRef::Builtin(id.as_str().to_owned()),
                keys,
                dry_run: None,
            })
            .await?;
    }
    Ok(())
}

/// What it does: `running`, `waiting` at a prompt, or how it ended.
fn state(terminal: &Terminal) -> String {
    match (&terminal.exit, terminal.state) {
        (Some(exit), _) => how(exit),
        (None, TerminalState::Running) if terminal.waiting_for_input == Some(true) => {
            "waiting".to_owned()
        }
        (None, _) => "running".to_owned(),
    }
}

fn list(terminals: &[Terminal]) -> Result<(), CliError> {
    let rows = terminals.iter().map(row).collect();
    render::table(["ID", "NAME", "STATE", "SIZE", "DIRECTORY", "TITLE"], rows)?;
    for terminal in terminals {
        if let Some(reason) = &terminal.reason {
            render::note(format!("{}: {reason}", terminal.id));
        }
    }
    Ok(())
}

fn about(terminal: &Terminal) -> Vec<(&'static str, String)> {
    let pid = terminal.pid.map(|pid| ("pid", pid.to_string()));
    let mut pairs = vec![
        ("id", terminal.id.clone()),
        ("name", terminal.name.clone()),
        ("state", state(terminal)),
        ("size", format!("{}x{}", terminal.cols, terminal.rows)),
        ("directory", terminal.cwd.clone()),
        ("title", terminal.title.clone()),
        ("command", terminal.command.join(" ")),
        ("made", terminal.created_at.clone()),
    ];
    pairs.extend(pid);
    pairs.extend(terminal.reason.clone().map(|reason| ("because", reason)));
    pairs.push(("see it with", terminal.attach.clone()));
    pairs
}

fn row(terminal: &Terminal) -> [String; 6] {
    [
        terminal.id.clone(),
        terminal.name.clone(),
        state(terminal),
        format!("{}x{}", terminal.cols, terminal.rows),
        terminal.cwd.clone(),
        terminal.title.clone(),
    ]
}

fn how(exit: &surfaces::Exit) -> String {
    match (exit.exited, exit.exit_code, &exit.signal) {
        (false, ..) => "running".to_owned(),
        (true, Some(code), _) => format!("exited {code}"),
        (true, None, Some(signal)) => signal.clone(),
        (true, None, None) => "exited".to_owned(),
    }
}

fn ended(exit: &surfaces::Exit, global: Global) -> Result<(), CliError> {
    if global.json {
        render::json(exit)
    } else {
        render::line(how(exit))
    }
}

fn word(text: &str) -> Result<Word, CliError> {
    Word::parse(text).map_err(|error| CliError::usage(format!("{text:?} {error}")))
}

/// A directory as it is typed: relative ones are here.
fn directory(text: &str) -> Result<AbsolutePath, CliError> {
    let path = std::path::absolute(text)
        .map_err(|error| CliError::usage(format!("{text:?} is no directory: {error}")))?;
    AbsolutePath::try_from(path).map_err(|error| CliError::usage(error.to_string()))
}
