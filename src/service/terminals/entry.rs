//! One terminal as the daemon knows it.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use crate::host::link::{Link, Unanswered};
use crate::host::record::Record;
use crate::host::wire::{Operation, Outcome, State};
use crate::os::peer::Peer;
use crate::proto::surfaces::Exit;
use crate::proto::terminal::{Terminal, TerminalState};

/// How long a host may take to do what it is asked. It does so at once, unless the machine is very busy or it is stopped.
pub(super) const ANSWER: Duration = Duration::from_secs(5);

/// Of a terminal whose program has outlived its host.
const OUT_OF_REACH: &str =
    "its host was ended; the program runs on and cannot be reached: terminal.kill ends it";

/// Of a terminal whose host did not live to tell the end.
const UNTOLD: &str = "its host was ended, so how the program ended is not known";

/// The host of a terminal.
#[derive(Clone, Debug)]
pub(super) enum Host {
    /// It has said hello.
    Linked(Link),
    /// It is there and has not said anything yet.
    Silent,
    /// It is gone.
    Gone,
}

/// What the owner keeps of a terminal.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) record: Record,
    pub(super) tty: Option<String>,
    pub(super) waiting: Option<bool>,
    /// Who listens for it, in the system's words.
    pub(super) peer: Option<Peer>,
    pub(super) host: watch::Sender<Host>,
    pub(super) exit: watch::Sender<Option<Exit>>,
}

/// What others need to do something with a terminal, as it was when they asked.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) record: Record,
    pub(super) tty: Option<String>,
    pub(super) peer: Option<Peer>,
    pub(super) host: watch::Receiver<Host>,
    pub(super) exit: watch::Receiver<Option<Exit>>,
}

/// Why a host did not do what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// It was never asked: it has not even said hello.
    Before,
    /// It was asked, and may still do it.
    After,
}

impl Entry {
    /// A terminal with a host that says nothing yet, or of one that has ended.
    pub(super) fn new(record: Record, peer: Option<Peer>) -> Self {
        let exit = watch::Sender::new(record.exit.clone());
        let host = if record.exit.is_some() {
            Host::Gone
        } else {
            Host::Silent
        };
        Self {
            record,
            tty: None,
            waiting: None,
            peer,
            host: watch::Sender::new(host),
            exit,
        }
    }

    /// Takes what its host says of its program.
    pub(super) fn adopt(&mut self, state: &State, link: Link) {
        self.record.pid = state.pid.or(self.record.pid);
        self.record.rows = state.rows;
        self.record.cols = state.cols;
        self.tty.clone_from(&state.tty);
        self.host.send_replace(Host::Linked(link));
    }

    /// Takes what its host says of what the program told.
    pub(super) fn told(&mut self, state: State) {
        self.record.title = state.title;
        self.record.cwd = state.cwd;
        self.waiting = state.waiting;
    }

    /// The program ended.
    pub(super) fn ended(&mut self, exit: Exit) {
        self.record.exit = Some(exit.clone());
        self.waiting = None;
        self.exit.send_replace(Some(exit));
    }

    pub(super) fn access(&self) -> Access {
        Access {
            record: self.record.clone(),
            tty: self.tty.clone(),
            peer: self.peer,
            host: self.host.subscribe(),
            exit: self.exit.subscribe(),
        }
    }

    /// As the protocol shows it.
    pub(super) fn shown(&self) -> Terminal {
        let record = self.record.clone();
        let running = record.exit.is_none();
        let reason = match &record.exit {
            None if matches!(*self.host.borrow(), Host::Gone) => Some(OUT_OF_REACH),
            Some(exit) if *exit == Exit::unknown() => Some(UNTOLD),
            _ => None,
        };
        Terminal {
            reason: reason.map(str::to_owned),
            attach: format!("surfaced attach {}", record.id),
            id: record.id,
            name: record.name,
            cwd: record.cwd,
            title: record.title,
            command: record.command,
            rows: record.rows,
            cols: record.cols,
            pid: record.pid,
            state: if running {
                TerminalState::Running
            } else {
                TerminalState::Exited
            },
            exit: record.exit,
            waiting_for_input: if running { self.waiting } else { None },
            last_output_lines: record.last_output_lines,
            agent_id: record.agent_id,
            created_at: record.created_at,
        }
    }
}

impl Access {
    /// Asks the host, for at most `patience`. `None`: it is gone.
    pub(super) async fn ask(
        &self,
        operation: Operation,
        patience: Duration,
    ) -> Result<Option<Outcome>, Silence> {
        let deadline = Instant::now() + patience;
        let Some(link) = self.link(deadline).await? else {
            return Ok(None);
        };
        match link.ask(operation, deadline).await {
            Ok(outcome) => Ok(Some(outcome)),
            Err(Unanswered::Gone) => Ok(None),
            Err(Unanswered::Silent) => Err(Silence::After),
        }
    }

    /// The link to the host, once it has said hello. `None`: it is gone.
    pub(super) async fn link(&self, deadline: Instant) -> Result<Option<Link>, Silence> {
        let mut host = self.host.clone();
        let known = host.wait_for(|host| !matches!(host, Host::Silent));
        match timeout_at(deadline, known).await {
            Ok(Ok(host)) => Ok(match &*host {
                Host::Linked(link) => Some(link.clone()),
                Host::Silent | Host::Gone => None,
            }),
            // The terminal was removed.
            Ok(Err(_)) => Ok(None),
            Err(_) => Err(Silence::Before),
        }
    }
}
