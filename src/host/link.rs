//! The other end of the private protocol: how the daemon and `attach` talk to a host.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};

use super::buffer::Frames;
use super::wire::{
    self, Attach, Event, Greeting, Head, Hello, LONGEST_FROM_HOST, Operation, Outcome, Reply,
    Request,
};

/// How long a host may take to say hello. It does so at once, unless the machine is very busy.
const PATIENCE: Duration = Duration::from_secs(10);

/// Requests that wait for their turn on one link.
const WAITING: usize = 256;

/// A connection to a host that has said hello.
#[derive(Debug)]
pub struct Connection {
    stream: UnixStream,
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
    /// Connects and waits for the hello.
    ///
    /// # Errors
    /// Nobody listens there, or it is no host.
    pub async fn open(socket: &Path) -> io::Result<(Self, Hello)> {
        let stream = UnixStream::connect(socket).await?;
        let mut connection = Self {
            stream,
            frames: Frames::default(),
            buffer: vec![0; 64 << 10],
        };
        let greeting = Greeting {
            protocol: wire::VERSION,
        };
        connection
            .send(&wire::json(wire::GREETING, &greeting))
            .await?;
        let hello = tokio::time::timeout(PATIENCE, connection.hello()).await??;
        Ok((connection, hello))
    }

    async fn hello(&mut self) -> io::Result<Hello> {
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

/// The host is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the host of this terminal is gone")]
pub struct Gone;

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

    /// Asks the host.
    ///
    /// # Errors
    /// It is gone.
    pub async fn ask(&self, operation: Operation) -> Result<Outcome, Gone> {
        let (give, take) = oneshot::channel();
        self.asks.send((operation, give)).await.map_err(|_| Gone)?;
        take.await.map_err(|_| Gone)
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
