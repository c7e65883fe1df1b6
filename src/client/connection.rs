//! One connection: calls run at the same time, and subscriptions beside them.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::error::ClientError;
use super::line::{self, Incoming};
use super::subscription::Subscription;
use crate::os::peer::Peer;
use crate::os::person;
use crate::os::supervise::Supervisor;
use crate::proto::{Failure, Method};

/// How many items of a subscription wait unread before the connection is read no further.
const ITEMS: usize = 256;

/// A connection to a daemon. Dropping it closes it.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    supervisor: Supervisor,
}

/// What the callers and the two tasks of a connection have in common.
#[derive(Debug)]
pub(super) struct Shared {
    table: Mutex<Table>,
    outgoing: mpsc::UnboundedSender<String>,
    ended: CancellationToken,
    garbled: AtomicBool,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    /// The request that stands last in what was sent; absent: something else does.
    last: Option<u64>,
    /// Whether the other side closed before it had read the last.
    cut_off: bool,
    waiting: HashMap<u64, Waiter>,
    streams: HashMap<u64, mpsc::Sender<Value>>,
}

type Reply = Result<Value, Failure>;

#[derive(Debug)]
enum Waiter {
    Call(oneshot::Sender<Reply>),
    Subscribe(oneshot::Sender<Reply>, mpsc::Sender<Value>),
}

impl Connection {
    /// Connects to a socket. Nothing is sent.
    ///
    /// # Errors
    /// Those of the system, and one of kind `PermissionDenied` where another user listens.
    pub async fn open(socket: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(socket).await?;
        let owner = Peer::of(&stream, SystemTime::now())?.uid;
        if owner != person::uid() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("user {owner} listens there"),
            ));
        }
        let (reading, writing) = stream.into_split();
        let (outgoing, lines) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            table: Mutex::default(),
            outgoing,
            ended: CancellationToken::new(),
            garbled: AtomicBool::new(false),
        });
        let supervisor = Supervisor::new();
        supervisor.spawn(write(writing, lines));
        let reader = Arc::clone(&shared);
        supervisor.spawn(async move {
            let unread = read(reading, &reader).await;
            reader.end(unread);
        });
        Ok(Self { shared, supervisor })
    }

    /// Calls a method of the protocol.
    ///
    /// Dropping the future cancels the request.
    ///
    /// # Errors
    /// The daemon's failure, and [`ClientError::Lost`] or [`ClientError::Unheard`] as soon as the connection ends.
    pub async fn call<M>(&self, params: &M::Params) -> Result<M::Result, ClientError>
    where
        M: Method,
        M::Params: Serialize,
        M::Result: DeserializeOwned,
    {
        let answer = |source| ClientError::Answer {
            method: M::NAME.to_owned(),
            source,
        };
        let params = serde_json::to_value(params).map_err(answer)?;
        let result = self.call_value(M::NAME, &params).await?;
        serde_json::from_value(result).map_err(answer)
    }

    /// Calls a method by its name.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn call_value(&self, method: &str, params: &Value) -> Result<Value, ClientError> {
        let (sender, receiver) = oneshot::channel();
        self.ask(method, params, Waiter::Call(sender), receiver)
            .await
    }

    /// Subscribes by the name of the subscribing method.
    ///
    /// # Errors
    /// As [`Self::call`].
    pub async fn subscribe(
        &self,
        method: &str,
        params: &Value,
    ) -> Result<Subscription, ClientError> {
        let (sender, receiver) = oneshot::channel();
        let (items, stream) = mpsc::channel(ITEMS);
        let waiter = Waiter::Subscribe(sender, items);
        let reply = self.ask(method, params, waiter, receiver).await?;
        let id = reply["subscription"].as_u64().unwrap_or_default();
        Ok(Subscription::new(method.to_owned(), id, stream))
    }

    async fn ask(
        &self,
        method: &str,
        params: &Value,
        waiter: Waiter,
        receiver: oneshot::Receiver<Reply>,
    ) -> Result<Value, ClientError> {
        let unheard = || ClientError::Unheard {
            method: method.to_owned(),
        };
        let id = self.shared.wait(waiter).ok_or_else(unheard)?;
        let mut asked = Asked {
            shared: &self.shared,
            id: Some(id),
        };
        self.shared
            .send(line::request(id, method, params), Some(id));
        let reply = receiver.await;
        asked.id = None;
        match reply {
            Ok(reply) => Ok(reply?),
            Err(_) if self.shared.is_unheard(id) => Err(unheard()),
            Err(_) => Err(ClientError::Lost {
                method: method.to_owned(),
            }),
        }
    }

    /// Whether the connection was given up because the other side does not speak JSON-RPC.
    pub(super) fn is_garbled(&self) -> bool {
        self.shared.garbled.load(Ordering::Relaxed)
    }

    /// Waits until the other side has closed the connection.
    pub async fn closed(&self) {
        self.shared.ended.cancelled().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.supervisor.cancel();
    }
}

impl Shared {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id under which an answer is waited for; `None` once the connection has ended.
    fn wait(&self, waiter: Waiter) -> Option<u64> {
        let mut table = self.table();
        if self.ended.is_cancelled() {
            return None;
        }
        table.next += 1;
        let id = table.next;
        table.waiting.insert(id, waiter);
        Some(id)
    }

    /// Sends a line: a request with this id, or something else.
    fn send(&self, line: String, id: Option<u64>) {
        self.table().last = id;
        let _ = self.outgoing.send(line);
    }

    /// Whether the other side certainly had not read the whole request when it closed.
    fn is_unheard(&self, id: u64) -> bool {
        let table = self.table();
        table.cut_off && table.last == Some(id)
    }

    /// Everyone who waits learns that nothing comes any more. `unread`: the other side left something of what was sent.
    fn end(&self, unread: bool) {
        let mut table = self.table();
        table.cut_off = unread;
        self.ended.cancel();
        table.waiting.clear();
        table.streams.clear();
    }

    /// Hands out a message.
    async fn take(&self, incoming: Incoming) {
        match incoming {
            Incoming::Reply(id, reply) => self.answer(id, reply),
            Incoming::Item(id, item) => {
                let stream = self.table().streams.get(&id).cloned();
                let Some(stream) = stream else { return };
                let last = item["type"] == "end";
                if stream.send(item).await.is_err() || last {
                    self.table().streams.remove(&id);
                }
            }
            Incoming::Stray => {}
        }
    }

    fn answer(&self, id: u64, reply: Reply) {
        let mut table = self.table();
        match table.waiting.remove(&id) {
            Some(Waiter::Call(sender)) => {
                let _ = sender.send(reply);
            }
            Some(Waiter::Subscribe(sender, items)) => {
                // Before the next message is read: the first item may be it.
                if let Ok(result) = &reply
                    && let Some(id) = result["subscription"].as_u64()
                {
                    table.streams.insert(id, items);
                }
                let _ = sender.send(reply);
            }
            None => {}
        }
    }
}

/// A request that was sent. Dropped while it is not answered, it is cancelled.
struct Asked<'a> {
    shared: &'a Shared,
    id: Option<u64>,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.shared.table().waiting.remove(&id);
            let line = line::notification("$/cancelRequest", &json!({ "id": id }));
            self.shared.send(line, None);
        }
    }
}

async fn write(mut half: OwnedWriteHalf, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        if half.write_all(line.as_bytes()).await.is_err() {
            // The reader learns of the end by itself.
            return;
        }
    }
}

/// Reads to the end. True: the other side closed before it had read all that was sent, which Linux tells by a reset.
async fn read(half: OwnedReadHalf, shared: &Shared) -> bool {
    let mut reader = BufReader::new(half);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.read_until(b'\n', &mut line).await {
            Ok(0) => return false,
            Err(error) => return error.kind() == io::ErrorKind::ConnectionReset,
            Ok(_) => {}
        }
        let Some(incoming) = line::read(&line) else {
            shared.garbled.store(true, Ordering::Relaxed);
            return false;
        };
        shared.take(incoming).await;
    }
}
