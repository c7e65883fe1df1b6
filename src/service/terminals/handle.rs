//! The service: what the rest of the daemon calls.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{mpsc, oneshot};

use super::directory;
use super::entry::{ANSWER, Access, Silence};
use super::owner::{Message, Owner};
use crate::host::place::Place;
use crate::host::record::{Record, VERSION};
use crate::host::wire::{Operation, Outcome, Size};
use crate::os::environment::Variables;
use crate::os::supervise::Supervisor;
use crate::proto::surfaces::Exit;
use crate::proto::terminal::Terminal;
use crate::proto::text::shown;
use crate::proto::{Failure, Kind};
use crate::service::events::Events;
use crate::service::turns::{Turn, Turns};
use crate::store::{Records, StoreError};

/// How long the end of a program may take to be known once its host is gone.
const LAST_WORD: Duration = Duration::from_secs(1);

/// Messages that wait for the owner.
const WAITING: usize = 256;

/// What the service needs.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where the files are.
    pub place: Place,
    /// The program that becomes a host (`host::start::program`).
    pub program: PathBuf,
    /// The daemon's environment.
    pub variables: Variables,
    /// The configuration, for the scrollback.
    pub config: crate::config::Store,
    /// Where is told what happens.
    pub events: Events,
    /// Whose tasks these are.
    pub supervisor: Supervisor,
}

/// The terminals. Cheap to clone; all clones are one service.
#[derive(Clone, Debug)]
pub struct Terminals {
    pub(super) setup: Arc<Setup>,
    pub(super) mailbox: mpsc::Sender<Message>,
    /// Who types into which terminal.
    turns: Turns,
}

impl Terminals {
    /// Takes over the terminals that earlier daemons left: running ones are adopted, ended ones are listed as they were
    /// written down.
    ///
    /// # Errors
    /// The directory of the records is not ours or cannot be read.
    pub async fn open(setup: Setup) -> Result<Self, StoreError> {
        let (mailbox, messages) = mpsc::channel(WAITING);
        let owner = Owner::new(
            setup.place.clone(),
            setup.events.clone(),
            setup.supervisor.clone(),
            mailbox.clone(),
        );
        let dir = setup.place.dir().to_owned();
        let loaded = Records::<Record>::open(dir, VERSION)?.load()?;
        let damaged = loaded.set_aside.clone();
        let records = loaded.told("a terminal");
        setup.supervisor.spawn(owner.run(messages));
        let terminals = Self {
            setup: Arc::new(setup),
            mailbox,
            turns: Turns::default(),
        };
        let found = records
            .into_iter()
            .map(|(_, record)| terminals.take_over(record, false));
        let damaged = damaged.iter().filter_map(|path| {
            let name = path.file_name()?.to_str()?;
            Some(terminals.recover(name.split_once(".json")?.0.to_owned()))
        });
        futures_util::future::join(join_all(found), join_all(damaged)).await;
        Ok(terminals)
    }

    pub(super) async fn tell(&self, message: Message) {
        // The owner is gone only when the daemon ends; then nobody waits for what comes of it.
        let _ = self.mailbox.send(message).await;
    }

    pub(super) async fn ask<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> Message,
    ) -> Result<T, Failure> {
        let (reply, answer) = oneshot::channel();
        self.tell(message(reply)).await;
        answer.await.map_err(|_| ending())
    }

    /// All terminals in the order in which they were made; with `cwd` those that started in that directory or are there now,
    /// however it is written.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn list(&self, cwd: Option<String>) -> Result<Vec<Terminal>, Failure> {
        let all = self.ask(Message::List).await?;
        Ok(match cwd {
            Some(cwd) => directory::only(all, cwd).await,
            None => all.into_iter().map(|(terminal, _)| terminal).collect(),
        })
    }

    /// One terminal.
    ///
    /// # Errors
    /// `not-found`.
    pub async fn get(&self, id: &str) -> Result<Terminal, Failure> {
        self.ask(|reply| Message::Get(id.to_owned(), reply))
            .await?
            .ok_or_else(|| missing(id))
    }

    /// One terminal, also one whose host was started by a daemon that ended before it could hear of it.
    ///
    /// # Errors
    /// `not-found`.
    pub async fn discover(&self, id: &str) -> Result<Terminal, Failure> {
        match self.get(id).await {
            Err(failure) if failure.kind() == Kind::NotFound => {}
            known => return known,
        }
        let path = self.setup.place.record(id);
        let read = tokio::task::spawn_blocking(move || Record::read(&path)).await;
        if let Ok(Ok(record)) = read {
            return self.take_over(record, false).await;
        }
        self.get(id).await
    }

    pub(super) async fn access(&self, id: &str) -> Result<Access, Failure> {
        self.ask(|reply| Message::Access(id.to_owned(), reply))
            .await?
            .ok_or_else(|| missing(id))
    }

    /// Has the host of a terminal whose program runs do something. `done` says what, for when that is not known.
    pub(super) async fn order(
        &self,
        id: &str,
        operation: Operation,
        done: &str,
    ) -> Result<(), Failure> {
        let access = self.access(id).await?;
        if access.record.exit.is_some() {
            return Err(ended(id));
        }
        match access.ask(operation, ANSWER).await {
            Ok(None) if !self.wait(id, Some(LAST_WORD)).await?.exited => Err(orphan(id)),
            Ok(outcome) => result(id, outcome.as_ref()),
            Err(Silence::Before) => Err(silent(id)),
            Err(Silence::After) => Err(Failure::new(
                Kind::StateUnknown,
                format!("the host of terminal {id} does not answer; whether {done} is not known"),
            )
            .hint(SILENT)),
        }
    }

    /// Types bytes.
    ///
    /// # Errors
    /// `not-found`; `conflict` where the program has ended; `busy` where it does not read and too much waits already;
    /// `timeout` and `state-unknown` where the host does not answer.
    pub async fn input(&self, id: &str, bytes: &[u8]) -> Result<(), Failure> {
        let turn = self.turn(id).await;
        self.write(&turn, id, bytes).await
    }

    /// Waits for the right to type into a terminal: what needs several writes keeps it until the last.
    pub async fn turn(&self, id: &str) -> Turn {
        self.turns.take_terminal(id).await
    }

    /// Types bytes in one's turn.
    ///
    /// # Errors
    /// As [`Self::input`].
    pub async fn write(&self, _turn: &Turn, id: &str, bytes: &[u8]) -> Result<(), Failure> {
        use base64::Engine;
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        self.order(id, Operation::Input { data }, "it was typed")
            .await
    }

    /// Changes the size.
    ///
    /// # Errors
    /// `not-found`; `conflict` where the program has ended; `timeout` and `state-unknown` where the host does not answer.
    pub async fn resize(&self, id: &str, size: Size) -> Result<(), Failure> {
        self.order(id, Operation::Resize(size), "the size was changed")
            .await
    }

    /// Waits for the end of the program; after `timeout` it answers that it has not ended.
    ///
    /// # Errors
    /// `not-found`.
    pub async fn wait(&self, id: &str, timeout: Option<Duration>) -> Result<Exit, Failure> {
        let mut access = self.access(id).await?;
        let end = access.exit.wait_for(Option::is_some);
        let end = async { end.await.ok().and_then(|exit| exit.clone()) };
        let exit = match timeout {
            Some(timeout) => tokio::time::timeout(timeout, end).await.ok().flatten(),
            None => end.await,
        };
        Ok(exit.unwrap_or_default())
    }
}

/// What a host did, as a result.
fn result(id: &str, outcome: Option<&Outcome>) -> Result<(), Failure> {
    match outcome {
        Some(Outcome::Done) => Ok(()),
        Some(Outcome::Full) => Err(Failure::new(
            Kind::Busy,
            format!("cannot type into terminal {id}: too much input waits for its program"),
        )
        .hint("its program does not read; try again later")),
        Some(Outcome::Ended) | None => Err(ended(id)),
        Some(_) => Err(unable(id)),
    }
}

pub(super) fn missing(id: &str) -> Failure {
    Failure::new(
        Kind::NotFound,
        format!("no terminal has the id {id}", id = shown(id)),
    )
    .hint("terminal.list shows those there are")
}

/// The host is gone and its program runs on.
pub(super) fn orphan(id: &str) -> Failure {
    Failure::new(
        Kind::StateUnknown,
        format!("the host of terminal {id} was ended; its program runs on and cannot be reached"),
    )
    .hint("terminal.kill ends the program")
}

pub(super) fn ended(id: &str) -> Failure {
    Failure::new(
        Kind::Conflict,
        format!("the program in terminal {id} has ended"),
    )
    .hint("terminal.capture reads what it left; terminal.create makes another terminal")
}

pub(super) fn ending() -> Failure {
    Failure::new(Kind::ShuttingDown, "the daemon is shutting down")
        .hint("call again: a new one is started")
}

/// What to do about a host that does not answer.
const SILENT: &str = "its process may be stopped; terminal.kill ends it with its program";

/// The host is there and was not asked, or the answer was to be read only.
pub(super) fn silent(id: &str) -> Failure {
    Failure::new(
        Kind::Timeout,
        format!("the host of terminal {id} does not answer"),
    )
    .hint(SILENT)
}

pub(super) fn unable(id: &str) -> Failure {
    Failure::new(
        Kind::NotSupported,
        format!("the host of terminal {id} is of an older version and cannot do this"),
    )
    .hint("new terminals can")
}
