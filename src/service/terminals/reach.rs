//! Reaching the hosts of terminals: of new ones, and of those that earlier daemons left.

use std::io;
use std::time::{Duration, SystemTime};

use tokio::sync::mpsc;

use super::handle::Terminals;
use super::owner::{Found, Message};
use crate::host::link::{Connection, is_gone};
use crate::host::place::Place;
use crate::host::record::Record;
use crate::host::wire::Hello;
use crate::os::clock;
use crate::os::peer::Peer;
use crate::proto::Failure;
use crate::proto::terminal::Terminal;

/// How long is waited for a hello before the others go on. A host that says it later is taken over then.
const HELLO: Duration = Duration::from_secs(2);

/// How soon a host that takes no connections is tried again, longer each time up to [`RETRY`].
const PAUSE: Duration = Duration::from_millis(20);

/// How often it is tried at least.
const RETRY: Duration = Duration::from_secs(5);

/// What there was where a host should be.
enum Reached {
    /// It said hello.
    Host(Connection, Hello),
    /// It is there and has not said hello; without a connection it takes no more of them.
    Silent(Option<Connection>),
    /// It is gone.
    Gone(io::Error),
}

impl Terminals {
    /// Takes over a terminal: from its host, or from what that wrote down when its program ended. That a host is silent
    /// says nothing about its program: it is listed as running, and taken over when the host speaks.
    pub(super) async fn take_over(&self, record: Record, new: bool) -> Result<Terminal, Failure> {
        if record.exit.is_some() {
            return self.found(record, None, None, new).await;
        }
        let reached = self.reach(&record.id).await;
        self.take_reached(record, new, reached).await
    }

    /// Takes over a terminal whose record is damaged, from its host. Where that is gone there is nothing to take over.
    pub(super) async fn recover(&self, id: String) {
        let reached = self.reach(&id).await;
        let told = match &reached {
            Reached::Gone(_) => return,
            Reached::Host(_, hello) => hello.record.clone(),
            Reached::Silent(_) => None,
        };
        let record = told.map_or_else(|| unknown(&id), |record| *record);
        tracing::warn!(
            id,
            "a terminal whose record is damaged is taken over from its host"
        );
        let (path, copy) = (self.setup.place.record(&id), record.clone());
        let written = tokio::task::spawn_blocking(move || copy.write(&path)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!(id, %error, "cannot write the record of a terminal");
        }
        // It is listed; the daemon ends where it cannot be told.
        let _ = self.take_reached(record, false, reached).await;
    }

    async fn take_reached(
        &self,
        record: Record,
        new: bool,
        reached: Reached,
    ) -> Result<Terminal, Failure> {
        let id = record.id.clone();
        match reached {
            Reached::Host(connection, hello) => {
                let peer = connection.peer();
                // A new one tells its end itself, after all that came before.
                let record = match self.written(&id) {
                    Some(written) if !new && hello.state.exit.is_some() => written,
                    _ => record,
                };
                if record.exit.is_some() {
                    return self.found(record, None, None, new).await;
                }
                self.found(record, Some((connection, hello)), peer, new)
                    .await
            }
            Reached::Silent(connection) => {
                tracing::warn!(id, "the host of a terminal does not answer");
                let peer = connection.as_ref().and_then(Connection::peer);
                let found = self.found(record, None, peer, new).await;
                self.setup.supervisor.spawn(listen(
                    self.setup.place.clone(),
                    self.mailbox.clone(),
                    id,
                    connection,
                ));
                found
            }
            Reached::Gone(error) => {
                if let Some(written) = self.written(&id) {
                    return self.found(written, None, None, new).await;
                }
                tracing::warn!(id, %error, "a terminal has no host any more");
                let _ = std::fs::remove_file(self.setup.place.socket(&id));
                let found = self.found(record, None, None, new).await;
                self.tell(Message::Lost(id, None)).await;
                found
            }
        }
    }

    async fn found(
        &self,
        record: Record,
        host: Option<(Connection, Hello)>,
        peer: Option<Peer>,
        new: bool,
    ) -> Result<Terminal, Failure> {
        let found = Found {
            record,
            host,
            peer,
            new,
        };
        self.ask(|reply| Message::TakeOver(Box::new(found), reply))
            .await
    }

    async fn reach(&self, id: &str) -> Reached {
        let mut connection = match Connection::begin(&self.setup.place.socket(id), true).await {
            Ok(connection) => connection,
            Err(error) if is_gone(&error) => return Reached::Gone(error),
            Err(_) => return Reached::Silent(None),
        };
        match tokio::time::timeout(HELLO, connection.hello()).await {
            Ok(Ok(hello)) => Reached::Host(connection, hello),
            Ok(Err(error)) => Reached::Gone(error),
            Err(_) => Reached::Silent(Some(connection)),
        }
    }

    fn written(&self, id: &str) -> Option<Record> {
        written(&self.setup.place, id)
    }
}

/// A terminal of which nothing is known but that its host is there.
fn unknown(id: &str) -> Record {
    Record {
        id: id.to_owned(),
        name: id.to_owned(),
        title: "its record is damaged".to_owned(),
        rows: 24,
        cols: 80,
        created_at: clock::rfc3339(SystemTime::now()),
        ..Record::default()
    }
}

/// Waits for the hello of a host, however long it takes, and tells the owner of it or of its end.
pub(super) async fn listen(
    place: Place,
    mailbox: mpsc::Sender<Message>,
    id: String,
    mut connection: Option<Connection>,
) {
    let mut pause = PAUSE;
    let found = loop {
        let error = match &mut connection {
            Some(open) => match open.hello().await {
                Ok(hello) => {
                    let host = connection.take().map(|open| Box::new((open, hello)));
                    break host.map(|host| Message::Adopt(id, host));
                }
                Err(error) => error,
            },
            None => match Connection::begin(&place.socket(&id), true).await {
                Ok(open) => {
                    connection = Some(open);
                    continue;
                }
                Err(error) => error,
            },
        };
        // Only this says that nobody listens: a host that is being killed ends its connections before its socket.
        let kind = error.kind();
        if matches!(
            kind,
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused
        ) {
            if kind == io::ErrorKind::ConnectionRefused {
                let _ = std::fs::remove_file(place.socket(&id));
            }
            let left = written(&place, &id).map(Box::new);
            break Some(Message::Lost(id, left));
        }
        connection = None;
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(RETRY);
    };
    if let Some(message) = found {
        // The owner is gone only when the daemon ends.
        let _ = mailbox.send(message).await;
    }
}

/// What the host wrote down when its program ended.
fn written(place: &Place, id: &str) -> Option<Record> {
    let record = Record::read(&place.record(id)).ok()?;
    record.exit.is_some().then_some(record)
}
