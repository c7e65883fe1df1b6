//! `surfaced attach ID`.

mod detach;
mod find;
mod raw;

use std::io::Read;
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc as tell;

use super::exit::{CliError, Exit};
use super::{reach, render};
use crate::config::DetachKey;
use crate::host::process::is_host;
use crate::host::viewer::{Sight, Typist, Viewer};
use crate::host::wire::{Attach, Hello, Size};
use crate::os::process_table::ProcessTable;
use crate::os::signal_name;
use crate::proto::Kind;
use crate::proto::surfaces::Exit as Ended;
use detach::Detach;
use raw::Raw;

/// Show a terminal that the daemon hosts, and type into it.
///
/// C-\ and then d leaves it running (the key is `detachKey` in the configuration file). The terminal takes the size of the
/// newest window that shows it; with --read-only yours changes nothing.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its id, the beginning of it, or its name
    id: String,
    /// Only look: type nothing, and leave the size alone; C-c leaves too
    #[arg(short, long)]
    read_only: bool,
    /// The key that leaves together with d, such as C-a; none: nothing leaves
    #[arg(long, value_name = "KEY")]
    detach_key: Option<String>,
}

/// Shows a terminal as `surfaced attach ID` does.
pub(super) async fn show_terminal(id: &str) -> Result<Exit, CliError> {
    run(&Args {
        id: id.to_owned(),
        read_only: false,
        detach_key: None,
    })
    .await
}

/// How long a host may take to say hello. It does so at once, unless the machine is very busy or it is stopped.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why it is over.
enum Over {
    /// The person left.
    Detached,
    /// The program ended.
    Ended(Ended),
    /// The host is gone.
    Lost,
    /// This process was told to end by this signal, or its terminal is gone.
    Told(Signal),
}

/// For the host.
enum ForHost {
    Input(Vec<u8>),
    Size(Size),
}

pub(super) async fn run(args: &Args) -> Result<Exit, CliError> {
    let key = match &args.detach_key {
        Some(text) => DetachKey::parse(text).ok_or_else(|| {
            CliError::usage(format!("{text:?} is not a control key"))
                .hint("such as C-a or C-\\, or none")
        })?,
        None => find::config()?.detach_key,
    };
    let found = find::terminal(&args.id).await?;
    let id = found.record.id.clone();
    if let Some(exit) = &found.record.exit {
        return Err(CliError::failed(ended(&id, exit))
            .kind(Kind::TargetGone)
            .hint(format!("its last screen: surfaced terminal capture {id}")));
    }
    if is_inside(&id) {
        return Err(
            CliError::failed(format!("terminal {id} cannot be attached inside itself"))
                .kind(Kind::NotSupported)
                .hint("you are in it already"),
        );
    }
    let (viewer, mut typist, hello) = connect(&id, found.socket).await?;
    // Before the terminal is changed: whatever ends this gives it back.
    let mut signals = Signals::new()
        .map_err(|error| CliError::failed(format!("cannot watch for signals: {error}")))?;
    let raw = Raw::enter(&hello.state.title)
        .map_err(|error| CliError::failed(format!("cannot set up the terminal: {error}")))?
        .ok_or_else(|| {
            CliError::usage("attach needs a terminal as standard input and output").hint(format!(
                "for programs: surfaced terminal capture {id}, or terminal.attach"
            ))
        })?;
    let attach = Attach {
        replay: true,
        interactive: !args.read_only,
        one_screen: true,
        size: raw.size().filter(|_| !args.read_only),
    };
    let over = match typist.attach(&attach) {
        Ok(()) => show(
            &raw,
            &mut signals,
            viewer,
            typist,
            Detach::new(key, args.read_only),
            args.read_only,
        )
        .await
        .map_err(|error| CliError::failed(format!("cannot show terminal {id}: {error}"))),
        Err(_) => Ok(Over::Lost),
    };
    drop(raw);
    let again = reach::callable(&format!("surfaced attach {id}"));
    match over? {
        Over::Detached => render::line(format!("[detached from {id}; {again} shows it again]"))?,
        Over::Ended(exit) => render::line(format!("[{}]", ended(&id, &exit)))?,
        Over::Told(signal) => {
            // A terminal that is gone shows nothing any more.
            let by = signal_name::name(signal.as_raw());
            let _ = render::line(format!(
                "[detached from {id} by {by}; {again} shows it again]"
            ));
            return Ok(Exit::Signal(u8::try_from(signal.as_raw()).unwrap_or(0)));
        }
        Over::Lost => {
            return Err(
                CliError::failed(format!("the host of terminal {id} is gone"))
                    .hint(format!("what is known of it: surfaced terminal get {id}")),
            );
        }
    }
    Ok(Exit::Done)
}

/// Connects to the host, which may be stopped.
async fn connect(
    id: &str,
    socket: std::path::PathBuf,
) -> Result<(Viewer, Typist, Hello), CliError> {
    let (give, take) = tokio::sync::oneshot::channel();
    // A thread that may be left behind: the system waits without end for a host that takes no connections.
    std::thread::spawn(move || {
        let _ = give.send(Viewer::connect(&socket));
    });
    match tokio::time::timeout(PATIENCE, take).await {
        Ok(Ok(Ok(connected))) => Ok(connected),
        Ok(Ok(Err(error))) => Err(CliError::failed(format!(
            "cannot reach the host of terminal {id}: {error}"
        ))),
        Ok(Err(_)) | Err(_) => Err(CliError::failed(format!(
            "the host of terminal {id} does not answer"
        ))
        .hint(format!(
            "its process may be stopped; surfaced terminal kill {id} ends it with its program"
        ))),
    }
}

/// What tells this process to end, and that its terminal has another size.
struct Signals {
    ending: [(Signal, tokio::signal::unix::Signal); 4],
    resized: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            ending: [
                (Signal::TERM, signal(SignalKind::terminate())?),
                (Signal::HUP, signal(SignalKind::hangup())?),
                (Signal::INT, signal(SignalKind::interrupt())?),
                (Signal::QUIT, signal(SignalKind::quit())?),
            ],
            resized: signal(SignalKind::window_change())?,
        })
    }

    /// The next one that ends this process.
    async fn end(ending: &mut [(Signal, tokio::signal::unix::Signal); 4]) -> Signal {
        let [(a, first), (b, second), (c, third), (d, fourth)] = ending;
        tokio::select! {
            _ = first.recv() => *a,
            _ = second.recv() => *b,
            _ = third.recv() => *c,
            _ = fourth.recv() => *d,
        }
    }
}

/// How a program ended, in words.
fn ended(id: &str, exit: &Ended) -> String {
    match (exit.exit_code, &exit.signal) {
        (_, Some(signal)) => format!("terminal {id} was ended by {signal}"),
        (Some(code), _) => format!("terminal {id} ended with status {code}"),
        (None, None) => format!("terminal {id} ended"),
    }
}

/// Moves bytes until something ends it. Three threads block, each on one thing: nothing that waits holds up the rest. They
/// end with this process.
async fn show(
    raw: &Raw,
    signals: &mut Signals,
    mut viewer: Viewer,
    mut typist: Typist,
    mut detach: Detach,
    read_only: bool,
) -> std::io::Result<Over> {
    let (over, mut is_over) = tell::channel(4);
    let (host, for_host) = mpsc::channel();

    let output = raw.output();
    let tell = over.clone();
    std::thread::spawn(move || {
        let end = loop {
            match viewer.look() {
                Ok(Some(Sight::Bytes(bytes))) => {
                    if output.write(bytes).is_err() {
                        break Over::Told(Signal::HUP);
                    }
                }
                Ok(Some(Sight::Exit(exit))) => break Over::Ended(exit),
                Ok(Some(Sight::Nothing)) => {}
                Ok(None) | Err(_) => break Over::Lost,
            }
        };
        let _ = tell.blocking_send(end);
    });

    let mut input = raw.input()?;
    let tell = over.clone();
    let typed = host.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 16 << 10];
        let end = loop {
            match input.read(&mut buffer) {
                Ok(0) | Err(_) => break Over::Told(Signal::HUP),
                Ok(count) => {
                    let read = detach.read(&buffer[..count]);
                    let gone =
                        !read.bytes.is_empty() && typed.send(ForHost::Input(read.bytes)).is_err();
                    if read.leave || gone {
                        break Over::Detached;
                    }
                }
            }
        };
        let _ = tell.blocking_send(end);
    });

    std::thread::spawn(move || {
        for message in for_host {
            let sent = match message {
                ForHost::Input(bytes) => typist.input(&bytes),
                ForHost::Size(size) => typist.resize(size),
            };
            if sent.is_err() {
                return;
            }
        }
    });

    let Signals { ending, resized } = signals;
    loop {
        tokio::select! {
            end = is_over.recv() => return Ok(end.unwrap_or(Over::Lost)),
            signal = Signals::end(ending) => return Ok(Over::Told(signal)),
            _ = resized.recv() => {
                if let Some(size) = raw.size().filter(|_| !read_only) {
                    let _ = host.send(ForHost::Size(size));
                }
            }
        }
    }
}

/// Whether this command runs in the terminal itself: what it would show it would make.
fn is_inside(id: &str) -> bool {
    let mut table = ProcessTable::new();
    let ancestry = table.ancestry(std::process::id());
    ancestry
        .iter()
        .any(|process| is_host(&table.argv(process.pid), id))
}
