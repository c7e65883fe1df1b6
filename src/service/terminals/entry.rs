//! One terminal as the daemon knows it.

use tokio::sync::watch;

use crate::host::link::Link;
use crate::host::record::Record;
use crate::host::wire::State;
use crate::proto::surfaces::Exit;
use crate::proto::terminal::{Terminal, TerminalState};

/// What the owner keeps of a terminal.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) record: Record,
    pub(super) tty: Option<String>,
    pub(super) waiting: Option<bool>,
    /// To its host, while that lives.
    pub(super) link: Option<Link>,
    pub(super) exit: watch::Sender<Option<Exit>>,
}

/// What others need to do something with a terminal, as it was when they asked.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) record: Record,
    pub(super) tty: Option<String>,
    pub(super) link: Option<Link>,
    pub(super) exit: watch::Receiver<Option<Exit>>,
}

impl Entry {
    /// A terminal without a host.
    pub(super) fn new(record: Record) -> Self {
        let exit = watch::Sender::new(record.exit.clone());
        Self {
            record,
            tty: None,
            waiting: None,
            link: None,
            exit,
        }
    }

    /// Takes what its host says of it.
    pub(super) fn adopt(&mut self, state: State, link: Link) {
        self.record.pid = state.pid.or(self.record.pid);
        self.record.rows = state.rows;
        self.record.cols = state.cols;
        self.record.title = state.title;
        self.record.cwd = state.cwd;
        self.tty = state.tty;
        self.waiting = state.waiting;
        self.link = Some(link);
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
            link: self.link.clone(),
            exit: self.exit.subscribe(),
        }
    }

    /// As the protocol shows it.
    pub(super) fn shown(&self) -> Terminal {
        let record = self.record.clone();
        let running = record.exit.is_none();
        Terminal {
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
