//! The task that owns the terminals. Everybody else sends it messages.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;
use tokio::sync::{mpsc, oneshot};

use super::entry::{Access, Entry, Host};
use super::reach::listen;
use crate::host::link::{Connection, Link};
use crate::host::place::Place;
use crate::host::record::Record;
use crate::host::wire::{Command, Event, Hello};
use crate::os::clock::now_ms;
use crate::os::exit_watch;
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::os::tree::Root;
use crate::proto::surfaces::Exit;
use crate::proto::terminal::Terminal;
use crate::service::events::Events;

/// How long an ended terminal is kept.
const KEPT: Duration = Duration::from_hours(24);

/// How many ended terminals are kept.
const MOST_KEPT: usize = 200;

/// How often is looked for those that are kept too long.
const SWEEP: Duration = Duration::from_mins(10);

/// Events of one host that wait for the owner.
const WAITING: usize = 64;

/// What the owner is asked.
#[derive(Debug)]
pub(super) enum Message {
    /// A terminal to take over.
    TakeOver(Box<Found>, oneshot::Sender<Terminal>),
    /// The host of a terminal that was silent has said hello.
    Adopt(String, Box<(Connection, Hello)>),
    /// All terminals, in the order in which they were made, each with the directory that it started in.
    List(oneshot::Sender<Vec<(Terminal, String)>>),
    /// One terminal.
    Get(String, oneshot::Sender<Option<Terminal>>),
    /// What is needed to do something with a terminal.
    Access(String, oneshot::Sender<Option<Access>>),
    /// Forget a terminal that has ended. False: nothing has this id.
    Remove(String, oneshot::Sender<bool>),
    /// From the task of a link.
    Happened(String, Event),
    /// A program ended: how, when, and what its host wrote down.
    Ended(String, Exit, u64, Option<Box<Record>>),
    /// The connection to the host of a terminal ended; what that means is being found out.
    Cut(String),
    /// The host of a terminal is gone, and this is what it left.
    Lost(String, Option<Box<Record>>),
    /// The program of a terminal has ended that had outlived its host.
    Orphaned(String),
    /// The program of a terminal was seen to be gone, and its host says nothing.
    Seen(String, oneshot::Sender<Exit>),
}

/// A terminal that the owner does not know yet.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) record: Record,
    /// Its host, where that has said hello.
    pub(super) host: Option<(Connection, Hello)>,
    /// Who listens for it.
    pub(super) peer: Option<Peer>,
    /// Whether it was made just now.
    pub(super) new: bool,
}

pub(super) struct Owner {
    place: Place,
    events: Events,
    supervisor: Supervisor,
    mailbox: mpsc::Sender<Message>,
    terminals: BTreeMap<String, Entry>,
}

impl Owner {
    pub(super) fn new(
        place: Place,
        events: Events,
        supervisor: Supervisor,
        mailbox: mpsc::Sender<Message>,
    ) -> Self {
        Self {
            place,
            events,
            supervisor,
            mailbox,
            terminals: BTreeMap::new(),
        }
    }

    /// Serves the mailbox until the daemon ends.
    pub(super) async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            tokio::select! {
                message = messages.recv() => match message {
                    Some(message) => self.deal(message),
                    None => return,
                },
                _ = sweep.tick() => self.sweep(),
            }
        }
    }

    /// Whoever asked may be gone; then nobody hears the answer.
    fn deal(&mut self, message: Message) {
        match message {
            Message::TakeOver(found, reply) => {
                let _ = reply.send(self.take_over(*found));
            }
            Message::Adopt(id, host) => self.adopt_late(&id, *host),
            Message::List(reply) => {
                let _ = reply.send(self.list());
            }
            Message::Get(id, reply) => {
                let _ = reply.send(self.terminals.get(&id).map(Entry::shown));
            }
            Message::Access(id, reply) => {
                let _ = reply.send(self.terminals.get(&id).map(Entry::access));
            }
            Message::Remove(id, reply) => {
                let _ = reply.send(self.remove(&id));
            }
            Message::Happened(id, event) => self.happened(&id, event),
            Message::Ended(id, exit, at_ms, record) => {
                self.ended(&id, exit, at_ms, record.map(|record| *record));
            }
            Message::Cut(id) => {
                if let Some(entry) = self.terminals.get(&id)
                    && entry.record.exit.is_none()
                {
                    entry.host.send_replace(Host::Silent);
                }
            }
            Message::Lost(id, record) => self.lost(&id, record.map(|record| *record)),
            Message::Orphaned(id) => {
                self.seen(&id);
            }
            Message::Seen(id, reply) => {
                let _ = reply.send(self.seen(&id));
            }
        }
    }

    fn list(&self) -> Vec<(Terminal, String)> {
        let mut found: Vec<&Entry> = self.terminals.values().collect();
        found.sort_by(|a, b| {
            let key = |entry: &Entry| (entry.record.created_us, entry.record.created_at.clone());
            key(a).cmp(&key(b))
        });
        found
            .into_iter()
            .map(|entry| (entry.shown(), entry.record.start_cwd.clone()))
            .collect()
    }

    fn take_over(&mut self, found: Found) -> Terminal {
        let id = found.record.id.clone();
        let entry = Entry::new(found.record, found.peer);
        self.terminals.insert(id.clone(), entry);
        if let Some((connection, hello)) = found.host {
            self.adopt(&id, connection, &hello);
            if let Some(entry) = self.terminals.get_mut(&id)
                && !found.new
            {
                let exit = hello.state.exit.clone();
                entry.told(hello.state);
                if let Some(exit) = exit {
                    entry.ended(exit);
                }
            }
        }
        let shown = self.terminals[&id].shown();
        if found.new {
            // What a new program told already, its end among it, follows from its host.
            self.events.publish("terminal.created", &shown);
            if shown.exit.is_some() {
                self.events.publish("terminal.exited", &shown);
            }
        }
        shown
    }

    /// Links a terminal and its host.
    fn adopt(&mut self, id: &str, connection: Connection, hello: &Hello) {
        let Some(entry) = self.terminals.get_mut(id) else {
            return;
        };
        let (tell, told) = mpsc::channel(WAITING);
        let (link, carried) = Link::over(connection, tell);
        self.supervisor.spawn(carried);
        self.supervisor.spawn(follow(
            id.to_owned(),
            told,
            self.place.clone(),
            self.mailbox.clone(),
        ));
        entry.adopt(&hello.state, link);
    }

    fn adopt_late(&mut self, id: &str, (connection, hello): (Connection, Hello)) {
        self.adopt(id, connection, &hello);
        let Some(entry) = self.terminals.get_mut(id) else {
            return;
        };
        let exit = hello.state.exit.clone();
        entry.told(hello.state);
        if let Some(exit) = exit {
            let path = self.place.record(id);
            let record = Record::read(&path)
                .ok()
                .filter(|record| record.exit.is_some());
            let at_ms = record.as_ref().and_then(|record| record.ended_ms);
            self.ended(id, exit, at_ms.unwrap_or_else(now_ms), record);
        }
    }

    fn happened(&mut self, id: &str, event: Event) {
        let Some(entry) = self.terminals.get_mut(id) else {
            return;
        };
        match event {
            Event::Title { title } => {
                entry.record.title.clone_from(&title);
                let payload = json!({ "id": id, "title": title });
                self.events.publish("terminal.title", &payload);
            }
            Event::Cwd { cwd } => {
                entry.record.cwd.clone_from(&cwd);
                let payload = json!({ "id": id, "cwd": cwd });
                self.events.publish("terminal.cwd", &payload);
            }
            Event::Command(command) => {
                entry.waiting = Some(command == Command::Prompt);
                let payload = match command {
                    Command::Prompt => json!({ "id": id, "state": "prompt" }),
                    Command::Started { line } => {
                        json!({ "id": id, "state": "started", "command": line })
                    }
                    Command::Finished { exit_code } => {
                        json!({ "id": id, "state": "finished", "exitCode": exit_code })
                    }
                };
                self.events.publish("terminal.command", &payload);
            }
            Event::Resized(size) => {
                entry.record.rows = size.rows;
                entry.record.cols = size.cols;
            }
            // The end comes as a message of its own, with the record.
            Event::Exit { .. } | Event::Gap { .. } | Event::Unknown => {}
        }
    }

    fn ended(&mut self, id: &str, exit: Exit, at_ms: u64, record: Option<Record>) {
        let Some(entry) = self.terminals.get_mut(id) else {
            return;
        };
        let known = entry.record.exit.clone();
        if known
            .as_ref()
            .is_some_and(|known| *known != Exit::unknown())
        {
            return;
        }
        if let Some(record) = record {
            entry.record = record;
        }
        entry.record.ended_ms = Some(at_ms);
        entry.ended(exit);
        if known.is_some() {
            // Its end was told; how it ended is known now.
            return;
        }
        let shown = entry.shown();
        self.events.publish("terminal.exited", &shown);
        self.sweep();
    }

    fn lost(&mut self, id: &str, record: Option<Record>) {
        let Some(entry) = self.terminals.get_mut(id) else {
            return;
        };
        entry.host.send_replace(Host::Gone);
        if let Some(exit) = record.as_ref().and_then(|record| record.exit.clone()) {
            let at_ms = record.as_ref().and_then(|record| record.ended_ms);
            self.ended(id, exit, at_ms.unwrap_or_else(now_ms), record);
        } else if entry.record.exit.is_none() {
            tracing::warn!(id, "the host of a terminal ended without a word");
            // A program that ignores the hang-up outlives its host.
            match entry.record.program().filter(Root::alive) {
                Some(root) => {
                    let (mailbox, id) = (self.mailbox.clone(), id.to_owned());
                    self.supervisor.spawn(async move {
                        exit_watch::ended(root).await;
                        let _ = mailbox.send(Message::Orphaned(id)).await;
                    });
                }
                None => self.ended_somehow(id),
            }
        }
    }

    /// Its host says nothing, and its program is gone.
    fn seen(&mut self, id: &str) -> Exit {
        let known = |owner: &Self| owner.terminals.get(id)?.record.exit.clone();
        if known(self).is_none() {
            tracing::warn!(
                id,
                "the host of a terminal does not say how its program ended"
            );
            self.ended_somehow(id);
        }
        known(self).unwrap_or_else(Exit::unknown)
    }

    /// Nobody tells how. Should its host do so later, that holds.
    fn ended_somehow(&mut self, id: &str) {
        self.ended(id, Exit::unknown(), now_ms(), None);
        if let Some(entry) = self.terminals.get(id)
            && let Err(error) = entry.record.write(&self.place.record(id))
        {
            tracing::warn!(id, %error, "cannot write the record of a terminal");
        }
    }

    fn remove(&mut self, id: &str) -> bool {
        if self.terminals.remove(id).is_none() {
            return false;
        }
        self.forget_files(id);
        self.events
            .publish("terminal.removed", &json!({ "id": id }));
        true
    }

    fn forget_files(&self, id: &str) {
        for path in [
            self.place.record(id),
            self.place.screen(id),
            self.place.socket(id),
        ] {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    tracing::warn!(path = %path.display(), %error, "cannot remove a file of a terminal");
                }
                _ => {}
            }
        }
    }

    /// Forgets ended terminals that are too old or too many.
    fn sweep(&mut self) {
        let limit = now_ms().saturating_sub(u64::try_from(KEPT.as_millis()).unwrap_or(u64::MAX));
        let mut ended: Vec<(u64, String)> = self
            .terminals
            .iter()
            .filter(|(_, entry)| entry.record.exit.is_some())
            .map(|(id, entry)| (entry.record.ended_ms.unwrap_or(0), id.clone()))
            .collect();
        ended.sort_by(|a, b| b.cmp(a));
        for (index, (at, id)) in ended.into_iter().enumerate() {
            if index >= MOST_KEPT || at < limit {
                self.remove(&id);
            }
        }
    }
}

/// Tells the owner what a host says, and of its end; reads what was written down.
async fn follow(
    id: String,
    mut told: mpsc::Receiver<Event>,
    place: Place,
    mailbox: mpsc::Sender<Message>,
) {
    let left = || {
        let path = place.record(&id);
        async {
            let read = tokio::task::spawn_blocking(move || Record::read(&path)).await;
            read.ok().and_then(Result::ok).map(Box::new)
        }
    };
    while let Some(event) = told.recv().await {
        let message = match event {
            Event::Exit { exit, at_ms } => {
                // On a full disk the record does not say it yet; its host stays until it does.
                let record = left().await.filter(|record| record.exit.is_some());
                Message::Ended(id.clone(), exit, at_ms, record)
            }
            event => Message::Happened(id.clone(), event),
        };
        if mailbox.send(message).await.is_err() {
            return;
        }
    }
    // A host that had to wait too long for this daemon ends the connection and lives on.
    if mailbox.send(Message::Cut(id.clone())).await.is_ok() {
        listen(place, mailbox, id, None).await;
    }
}
