//! The records of seats: one task owns them, in memory and on disk.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use super::processes::Process;
use crate::os::clock::now_ms;
use crate::os::supervise::Supervisor;
use crate::proto::seat::{Seat, SeatState, SeatStatus};
use crate::proto::surfaces::Exit;
use crate::proto::{Failure, Kind, SurfaceRef};
use crate::store::Records;

/// How long an ended seat stays listed.
const KEPT: Duration = Duration::from_hours(24);

/// How many ended seats stay listed at most.
const MOST_ENDED: usize = 200;

/// What is kept of a seat. No variable of its environment is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// Names it.
    pub reference: SurfaceRef,
    /// Its space, as the caller wrote it.
    pub space: String,
    /// Its name.
    pub name: String,
    /// The tmux session's name.
    pub session: String,
    /// The argv.
    pub command: Vec<String>,
    /// Where it started.
    pub cwd: String,
    /// What a graceful stop types.
    pub exit_phrase: String,
    /// Its process.
    #[serde(default)]
    pub pid: Option<u32>,
    /// When that process started, milliseconds since 1970.
    #[serde(default)]
    pub process_started_ms: Option<u64>,
    /// The same in the words of its host, for a seat that is on one.
    #[serde(default)]
    pub process_start: Option<String>,
    /// When the seat was spawned, RFC 3339.
    pub started_at: String,
    /// How it ended.
    #[serde(default)]
    pub end: Option<End>,
}

/// How a seat ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// `exited`, or `gone` where its end was not seen.
    pub state: SeatState,
    /// Its exit status, where it is known.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default)]
    pub signal: Option<String>,
    /// When, milliseconds since 1970.
    pub at_ms: u64,
    /// Whether somebody ended it on purpose (stop, reap), who then does not want it listed.
    pub dismissed: bool,
    /// The last lines on its pane, where they were still there.
    #[serde(default)]
    pub last_lines: Option<String>,
}

impl Record {
    /// The id of its file: what its reference says, in letters that name a file.
    fn id(&self) -> String {
        id(&self.reference)
    }

    /// Its process, by its number and its start.
    pub(super) fn process(&self) -> Process {
        Process::recorded(
            self.reference.host(),
            self.pid,
            self.process_started_ms,
            self.process_start.as_deref(),
        )
    }

    /// The seat as the wire shows it. `attach` is the line that shows one that has not ended.
    #[must_use]
    pub fn seat(&self, state: Option<SeatState>, attach: Option<String>) -> Seat {
        let end = self.end.as_ref();
        Seat {
            reference: self.reference.clone(),
            space: self.space.clone(),
            name: self.name.clone(),
            session: self.session.clone(),
            state,
            exit_code: end.and_then(|end| end.exit_code),
            signal: end.and_then(|end| end.signal.clone()),
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            pid: self.pid.filter(|_| end.is_none()),
            started_at: self.started_at.clone(),
            moved: None,
            attach: attach.filter(|_| end.is_none()),
            host: self.reference.host().map(ToString::to_string),
        }
    }
}

impl End {
    /// An end that was just seen.
    #[must_use]
    pub fn now(state: SeatState, exit: &Exit) -> Self {
        Self {
            state,
            exit_code: exit.exit_code,
            signal: exit.signal.clone(),
            at_ms: now_ms(),
            dismissed: false,
            last_lines: None,
        }
    }

    /// The state that it left.
    #[must_use]
    pub fn status(self) -> SeatStatus {
        SeatStatus {
            state: self.state,
            exit_code: self.exit_code,
            signal: self.signal,
        }
    }

    /// The same, with what was left on its pane.
    #[must_use]
    pub fn left(mut self, lines: Option<String>) -> Self {
        self.last_lines = lines;
        self
    }

    /// The same, ended on purpose.
    #[must_use]
    pub fn dismissed(mut self) -> Self {
        self.dismissed = true;
        self
    }
}

fn id(reference: &SurfaceRef) -> String {
    reference
        .to_string()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

enum Message {
    Promise(Box<Record>, oneshot::Sender<Result<(), String>>),
    Forget(SurfaceRef, oneshot::Sender<()>),
    Put(Box<Record>, oneshot::Sender<()>),
    End(SurfaceRef, End, oneshot::Sender<bool>),
    Get(SurfaceRef, oneshot::Sender<Option<Record>>),
    All(oneshot::Sender<Vec<Record>>),
}

/// The way to the owner of the records.
#[derive(Clone, Debug)]
pub struct Book {
    sender: mpsc::Sender<Message>,
}

impl Book {
    /// Reads what is on disk and starts the owner.
    ///
    /// # Errors
    /// The records cannot be read at all; damaged ones are set aside and told to the log.
    pub fn open(
        store: Records<Record>,
        supervisor: &Supervisor,
    ) -> Result<Self, crate::store::StoreError> {
        let records = store
            .load()?
            .told("a seat")
            .into_iter()
            .map(|(_, record)| (id(&record.reference), record))
            .collect();
        let (sender, receiver) = mpsc::channel(64);
        let owner = Owner { store, records };
        supervisor.spawn_owned(owner.run(receiver));
        Ok(Self { sender })
    }

    /// Writes down a seat that is about to start, for the next daemon should this one not live to [`Book::put`] it. Nobody
    /// else sees it before that.
    ///
    /// # Errors
    /// `shutting-down`; `seat-refused` where the disk does not take it.
    pub async fn promise(&self, record: Record) -> Result<(), Failure> {
        let written = self
            .ask(|reply| Message::Promise(Box::new(record), reply))
            .await?;
        written.map_err(|why| {
            Failure::new(
                Kind::SeatRefused,
                format!("the seat cannot be written down: {why}"),
            )
            .hint("make room on the disk of the daemon's home; nothing was started")
        })
    }

    /// Forgets a seat that was promised and did not start.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn forget(&self, reference: &SurfaceRef) -> Result<(), Failure> {
        self.ask(|reply| Message::Forget(reference.clone(), reply))
            .await
    }

    /// Writes a record down.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn put(&self, record: Record) -> Result<(), Failure> {
        self.ask(|reply| Message::Put(Box::new(record), reply))
            .await
    }

    /// Writes down that a seat ended. False: that was known, or the seat is not.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn end(&self, reference: &SurfaceRef, end: End) -> Result<bool, Failure> {
        self.ask(|reply| Message::End(reference.clone(), end, reply))
            .await
    }

    /// The record of a seat.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn get(&self, reference: &SurfaceRef) -> Result<Option<Record>, Failure> {
        self.ask(|reply| Message::Get(reference.clone(), reply))
            .await
    }

    /// All records, in the order in which the seats were spawned.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn all(&self) -> Result<Vec<Record>, Failure> {
        self.ask(Message::All).await
    }

    async fn ask<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> Message,
    ) -> Result<T, Failure> {
        let (reply, answer) = oneshot::channel();
        let ended = || {
            Failure::new(Kind::ShuttingDown, "the daemon is ending")
                .hint("call again: a new one is started")
        };
        self.sender
            .send(message(reply))
            .await
            .map_err(|_| ended())?;
        answer.await.map_err(|_| ended())
    }
}

/// An error with its cause.
fn said(error: &crate::store::StoreError) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

struct Owner {
    store: Records<Record>,
    records: BTreeMap<String, Record>,
}

impl Owner {
    /// Ends when the last [`Book`] is gone.
    async fn run(mut self, mut receiver: mpsc::Receiver<Message>) {
        while let Some(message) = receiver.recv().await {
            match message {
                Message::Promise(record, reply) => {
                    let written = self.store.put(&record.id(), &record);
                    let _ = reply.send(written.map_err(|error| said(&error)));
                }
                Message::Forget(reference, reply) => {
                    if let Err(error) = self.store.remove(&id(&reference)) {
                        tracing::warn!(%error, "the record of a seat that did not start could not be removed");
                    }
                    let _ = reply.send(());
                }
                Message::Put(record, reply) => {
                    self.put(*record);
                    self.forget_old();
                    let _ = reply.send(());
                }
                Message::End(reference, end, reply) => {
                    let _ = reply.send(self.end(&reference, end));
                }
                Message::Get(reference, reply) => {
                    let _ = reply.send(self.records.get(&id(&reference)).cloned());
                }
                Message::All(reply) => {
                    let mut all: Vec<_> = self.records.values().cloned().collect();
                    all.sort_by(|a, b| {
                        a.started_at
                            .cmp(&b.started_at)
                            .then_with(|| a.name.cmp(&b.name))
                    });
                    let _ = reply.send(all);
                }
            }
        }
    }

    /// A record of a few hundred bytes is written in less time than handing it to another thread takes.
    fn put(&mut self, record: Record) {
        if let Err(error) = self.store.put(&record.id(), &record) {
            tracing::error!(%error, "a record of a seat could not be written");
        }
        self.records.insert(record.id(), record);
    }

    fn end(&mut self, reference: &SurfaceRef, end: End) -> bool {
        let Some(record) = self.records.get(&id(reference)) else {
            return false;
        };
        let mut record = record.clone();
        let first = record.end.is_none();
        match &mut record.end {
            // A later word on the same end only says that nobody wants to see it.
            Some(known) => known.dismissed |= end.dismissed,
            None => record.end = Some(end),
        }
        self.put(record);
        self.forget_old();
        first
    }

    /// Forgets seats that ended long ago, and the oldest where too many have.
    fn forget_old(&mut self) {
        let mut ended: Vec<(u64, String)> = self
            .records
            .iter()
            .filter_map(|(id, record)| Some((record.end.as_ref()?.at_ms, id.clone())))
            .collect();
        ended.sort_unstable();
        let oldest = now_ms().saturating_sub(u64::try_from(KEPT.as_millis()).unwrap_or(u64::MAX));
        let too_many = ended.len().saturating_sub(MOST_ENDED);
        for (index, (at, id)) in ended.into_iter().enumerate() {
            if index < too_many || at < oldest {
                self.records.remove(&id);
                if let Err(error) = self.store.remove(&id) {
                    tracing::warn!(%error, "an old record of a seat could not be removed");
                }
            }
        }
    }
}
