//! The other end of the private protocol: how the daemon and `attach` talk to a host.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::buffer::Frames;
use super::wire::{
    self, Attach, Event, Greeting, Head, Hello, LONGEST_FROM_HOST, Operation, Outcome, Reply,
    Request,
};
use crate::os::peer::Peer;

/// How long a host may take to say hello to a viewer. It does so at once, unless the machine is very busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Requests that wait for their turn on one link.
const WAITING: usize = 256;

/// A connection to a host that has said hello.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
    peer: Option<Peer>,
    frames: Frames,
    buffer: Vec<u8>,
}

/// What a host sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// The answer to a request.
    Reply(Reply),
    /// Something happened.
    Event(Event),
    /// Output, to a viewer.
    Output {
        /// The total up to the end of it.
        revision: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The screen, to a viewer.
    Snapshot {
        /// What it shows.
        head: Head,
        /// The drawing.
        bytes: Vec<u8>,
    },
}

impl Connection {
    /// Connects, and waits for the hello, as a viewer.
    ///
    /// # Errors
    /// Nobody listens there ([`is_gone`]), or it does not answer in time.
    pub async fn open(socket: &Path) -> io::Result<Self> {
        let mut connection = Self::begin(socket, false).await?;
        tokio::time::timeout(PATIENCE, connection.hello()).await??;
        Ok(connection)
    }

    /// Connects and greets. `daemon`: what happened before it came is told after the hello.
    ///
    /// # Errors
    /// Nobody listens there ([`is_gone`]), or it takes no more connections.
    pub async fn begin(socket: &Path, daemon: bool) -> io::Result<Self> {
        let stream = UnixStream::connect(socket).await?;
        let mut connection = Self {
            peer: Peer::of(&stream, SystemTime::now()).ok(),
            stream,
            frames: Frames::default(),
            buffer: vec![0; 64 << 10],
        };
        let greeting = Greeting {
            protocol: wire::VERSION,
            daemon,
        };
        connection
            .send(&wire::json(wire::GREETING, &greeting))
            .await?;
        Ok(connection)
    }

    /// The process that listens, where the system tells it: also of one that does not answer.
    #[must_use]
    pub const fn peer(&self) -> Option<Peer> {
        self.peer
    }

    /// Waits for the hello, for as long as it takes. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The host ended, or it is none.
    pub async fn hello(&mut self) -> io::Result<Hello> {
        loop {
            match self.frame().await? {
                Some((wire::HELLO, payload)) => return Ok(serde_json::from_slice(&payload)?),
                Some(_) => {}
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }

    /// Becomes a viewer.
    ///
    /// # Errors
    /// The host is gone.
    pub async fn attach(&mut self, attach: &Attach) -> io::Result<()> {
        self.send(&wire::json(wire::ATTACH, attach)).await
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// The host is gone.
    pub async fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.stream.write_all(frame).await
    }

    /// What the host sends next; `None` at its end. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The connection broke, or is not to a host.
    pub async fn next(&mut self) -> io::Result<Option<Sent>> {
        while let Some((kind, payload)) = self.frame().await? {
            let sent = match kind {
                wire::REPLY => serde_json::from_slice(&payload).ok().map(Sent::Reply),
                wire::EVENT => serde_json::from_slice(&payload).ok().map(Sent::Event),
                wire::OUTPUT => wire::read_output(&payload).map(|(revision, bytes)| Sent::Output {
                    revision,
                    bytes: bytes.to_vec(),
                }),
                wire::SNAPSHOT => {
                    wire::read_snapshot(&payload).map(|(head, bytes)| Sent::Snapshot {
                        head,
                        bytes: bytes.to_vec(),
                    })
                }
                _ => None,
            };
            if sent.is_some() {
                return Ok(sent);
            }
        }
        Ok(None)
    }

    async fn frame(&mut self) -> io::Result<Option<(u8, Vec<u8>)>> {
        loop {
            if let Some((kind, payload)) = self
                .frames
                .next(LONGEST_FROM_HOST)
                .map_err(io::Error::other)?
            {
                return Ok(Some((kind, payload.to_vec())));
            }
            let count = self.stream.read(&mut self.buffer).await?;
            if count == 0 {
                return Ok(None);
            }
            self.frames.push(&self.buffer[..count]);
        }
    }
}

/// Whether an error of a connection says that nobody is there, and not only that nobody answers.
#[must_use]
pub fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
    )
}

/// Why a host gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswered {
    /// It is gone.
    #[error("the host of this terminal is gone")]
    Gone,
    /// It is there and says nothing: stopped, or hung. What it was asked it may still do.
    #[error("the host of this terminal does not answer")]
    Silent,
}

/// A handle to a connection that carries requests. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Link {
    asks: mpsc::Sender<(Operation, oneshot::Sender<Outcome>)>,
}

impl Link {
    /// A link over this connection, and the future that moves its frames: it ends when the host is gone or no handle is
    /// left. Events go to `tell`.
    pub fn over(
        connection: Connection,
        tell: mpsc::Sender<Event>,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (asks, asked) = mpsc::channel(WAITING);
        (Self { asks }, carry(connection, asked, tell))
    }

    /// Asks the host, and waits for its answer until the deadline.
    ///
    /// # Errors
    /// It is gone, or silent.
    pub async fn ask(
        &self,
        operation: Operation,
        deadline: Instant,
    ) -> Result<Outcome, Unanswered> {
        let answer = async {
            let (give, take) = oneshot::channel();
            self.asks.send((operation, give)).await.ok()?;
            take.await.ok()
        };
        match tokio::time::timeout_at(deadline, answer).await {
            Ok(Some(outcome)) => Ok(outcome),
            Ok(None) => Err(Unanswered::Gone),
            Err(_) => Err(Unanswered::Silent),
        }
    }
}

async fn carry(
    mut connection: Connection,
    mut asked: mpsc::Receiver<(Operation, oneshot::Sender<Outcome>)>,
    tell: mpsc::Sender<Event>,
) {
    let mut open: HashMap<u64, oneshot::Sender<Outcome>> = HashMap::new();
    let mut last = 0;
    loop {
        tokio::select! {
            sent = connection.next() => match sent {
                Ok(Some(Sent::Reply(reply))) => {
                    if let Some(give) = open.remove(&reply.id) {
                        let _ = give.send(reply.outcome);
                    }
                }
                Ok(Some(Sent::Event(event))) => {
                    if tell.send(event).await.is_err() {
                        return;
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => return,
            },
            ask = asked.recv() => {
                let Some((operation, give)) = ask else { return };
                // Whoever gave up meanwhile was told so: it is not done behind their back.
                if give.is_closed() {
                    continue;
                }
                open.retain(|_, give| !give.is_closed());
                last += 1;
                open.insert(last, give);
                let request = Request { id: last, operation };
                if connection.send(&wire::json(wire::REQUEST, &request)).await.is_err() {
                    return;
                }
            }
        }
    }
}
