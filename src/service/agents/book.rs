//! The task that owns the records of agents, in memory and on disk. Everybody else sends it messages.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::record::Record;
use crate::os::clock;
use crate::os::supervise::Supervisor;
use crate::proto::text::shown;
use crate::proto::{Env, Failure, Kind};
use crate::service::events::Events;
use crate::store::{Records, StoreError};

/// Messages that wait for the owner.
const WAITING: usize = 256;

/// Who is told of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tell {
    /// Nobody: what people see of it is as it was.
    Nobody,
    /// Those who listen: there is a new agent.
    Created,
    /// Those who listen: an agent is not as it was.
    Updated,
}

/// The right to change one agent, which nobody else has meanwhile.
#[derive(Debug)]
pub(super) struct Turn {
    _permit: OwnedSemaphorePermit,
}

enum Message {
    Put(Box<Record>, Tell, oneshot::Sender<Result<Record, Failure>>),
    Get(String, oneshot::Sender<Option<Record>>),
    All(oneshot::Sender<Vec<Record>>),
    Remove(String, Tell, oneshot::Sender<Result<bool, Failure>>),
    Turn(String, oneshot::Sender<Arc<Semaphore>>),
    Keep(String, Env),
    Kept(String, oneshot::Sender<Option<Env>>),
}

/// The way to the owner.
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
        events: Events,
        supervisor: &Supervisor,
    ) -> Result<Self, StoreError> {
        let records = store.load()?.told("an agent");
        let (sender, receiver) = mpsc::channel(WAITING);
        let owner = Owner {
            store,
            events,
            records: records.into_iter().collect(),
            turns: HashMap::new(),
            variables: HashMap::new(),
        };
        supervisor.spawn_owned(owner.run(receiver));
        Ok(Self { sender })
    }

    /// Writes a record down, and answers it as it was written.
    ///
    /// # Errors
    /// `permission` where the disk takes no record; what was known before stands then.
    pub(super) async fn put(&self, record: Record, tell: Tell) -> Result<Record, Failure> {
        self.ask(|reply| Message::Put(Box::new(record), tell, reply))
            .await?
    }

    /// The record of an agent.
    ///
    /// # Errors
    /// `not-found`.
    pub(super) async fn get(&self, id: &str) -> Result<Record, Failure> {
        self.ask(|reply| Message::Get(id.to_owned(), reply))
            .await?
            .ok_or_else(|| missing(id))
    }

    /// All records, in the order in which the agents were made.
    pub(super) async fn all(&self) -> Result<Vec<Record>, Failure> {
        self.ask(Message::All).await
    }

    /// Forgets an agent. False: there was none.
    pub(super) async fn remove(&self, id: &str, tell: Tell) -> Result<bool, Failure> {
        self.ask(|reply| Message::Remove(id.to_owned(), tell, reply))
            .await?
    }

    /// Waits for the right to change this agent. Those who wait get it in the order in which they came.
    pub(super) async fn turn(&self, id: &str) -> Result<Turn, Failure> {
        let turns = self
            .ask(|reply| Message::Turn(id.to_owned(), reply))
            .await?;
        let permit = turns.acquire_owned().await.map_err(|_| ending())?;
        Ok(Turn { _permit: permit })
    }

    /// Keeps the variables of an agent for as long as this daemon lives.
    pub(super) async fn keep(&self, id: &str, variables: Env) {
        let _ = self
            .sender
            .send(Message::Keep(id.to_owned(), variables))
            .await;
    }

    /// The variables that were kept for it.
    pub(super) async fn kept(&self, id: &str) -> Result<Option<Env>, Failure> {
        self.ask(|reply| Message::Kept(id.to_owned(), reply)).await
    }

    async fn ask<T>(
        &self,
        message: impl FnOnce(oneshot::Sender<T>) -> Message,
    ) -> Result<T, Failure> {
        let (reply, answer) = oneshot::channel();
        self.sender
            .send(message(reply))
            .await
            .map_err(|_| ending())?;
        answer.await.map_err(|_| ending())
    }
}

fn ending() -> Failure {
    Failure::new(Kind::ShuttingDown, "the daemon is ending")
        .hint("call again: a new one is started")
}

fn missing(id: &str) -> Failure {
    Failure::new(
        Kind::NotFound,
        format!("no agent has the id {id}", id = shown(id)),
    )
    .hint("agent.list shows those there are, with archived: true the archived ones too")
}

struct Owner {
    store: Records<Record>,
    events: Events,
    records: BTreeMap<String, Record>,
    turns: HashMap<String, Arc<Semaphore>>,
    /// They may be secrets, so that they are in no file.
    variables: HashMap<String, Env>,
}

impl Owner {
    /// Ends when the last [`Book`] is gone.
    async fn run(mut self, mut receiver: mpsc::Receiver<Message>) {
        while let Some(message) = receiver.recv().await {
            // Whoever asked may be gone; then nobody hears the answer.
            match message {
                Message::Put(record, tell, reply) => {
                    let _ = reply.send(self.put(*record, tell));
                }
                Message::Get(id, reply) => {
                    let _ = reply.send(self.records.get(&id).cloned());
                }
                Message::All(reply) => {
                    let _ = reply.send(self.records.values().cloned().collect());
                }
                Message::Remove(id, tell, reply) => {
                    let _ = reply.send(self.remove(&id, tell));
                }
                Message::Turn(id, reply) => {
                    // One that nobody waits for or has is made again when it is needed.
                    self.turns.retain(|_, turns| Arc::strong_count(turns) > 1);
                    let turns = self
                        .turns
                        .entry(id)
                        .or_insert_with(|| Arc::new(Semaphore::new(1)));
                    let _ = reply.send(Arc::clone(turns));
                }
                Message::Keep(id, variables) => {
                    self.variables.insert(id, variables);
                }
                Message::Kept(id, reply) => {
                    let _ = reply.send(self.variables.get(&id).cloned());
                }
            }
        }
    }

    /// A record of a few hundred bytes is written in less time than handing it to another thread takes.
    fn put(&mut self, mut record: Record, tell: Tell) -> Result<Record, Failure> {
        if tell != Tell::Nobody {
            record.updated_at = clock::rfc3339(SystemTime::now());
        }
        self.store
            .put(&record.id, &record)
            .map_err(|error| unwritten(&error))?;
        self.records.insert(record.id.clone(), record.clone());
        match tell {
            Tell::Nobody => {}
            Tell::Created => self.events.publish("agent.created", &record.shown()),
            Tell::Updated => self.events.publish("agent.updated", &record.shown()),
        }
        Ok(record)
    }

    fn remove(&mut self, id: &str, tell: Tell) -> Result<bool, Failure> {
        self.store.remove(id).map_err(|error| unwritten(&error))?;
        self.variables.remove(id);
        let known = self.records.remove(id).is_some();
        if known && tell != Tell::Nobody {
            self.events.publish("agent.deleted", &json!({ "id": id }));
        }
        Ok(known)
    }
}

fn unwritten(error: &StoreError) -> Failure {
    use std::error::Error;
    let why = error
        .source()
        .map_or_else(String::new, |source| format!(": {source}"));
    tracing::error!(%error, why, "the record of an agent could not be written");
    Failure::new(Kind::Permission, format!("{error}{why}"))
        .hint("make room on the disk, or the directory writable, and call again")
}
