//! One connection for each host: made once however many ask, kept while it is used, ended when it is idle.
//!
//! Each host has one task that owns its connection; everybody else asks it. A host that is down keeps only its own task busy.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::{OnceCell, Semaphore, mpsc, oneshot};
use tokio::time::Instant;

use super::connect::{Refusal, Sticky, connect};
use super::errors::Target;
use super::link::{Link, Unsent};
use super::probe::{self, Probe};
use super::settings::Source;
use crate::os::supervise::Supervisor;
use crate::proto::{Failure, HostAlias, Kind};

/// How many commands run on a host at a time: servers take ten sessions a connection, one of which is held in advance.
const SLOTS: usize = 8;

/// The first pause after a failure that a host may answer by locking this address out.
const PAUSE: Duration = Duration::from_secs(2);

/// The longest of these pauses.
const LONGEST_PAUSE: Duration = Duration::from_mins(5);

/// How long a connection may take to answer after a command on it was not answered in time.
const TEST: Duration = Duration::from_secs(5);

/// A difference between the two clocks that means that the machine slept.
const SLEPT: Duration = Duration::from_secs(30);

/// A connection with what is known about its host.
#[derive(Debug)]
pub struct Connection {
    /// Which one it is, of all of this host.
    pub generation: u64,
    /// The connection itself.
    pub link: Link,
    /// The host as messages name it.
    pub target: Target,
    /// Why it is of this kind; nothing to say of the library.
    pub reasons: Vec<String>,
    /// Places for commands.
    pub slots: Arc<Semaphore>,
    /// What is installed there, once it was asked.
    pub probe: OnceCell<Arc<Probe>>,
    capacity: AtomicUsize,
    /// A command on it was not answered in time, so that it may be frozen.
    suspect: AtomicBool,
    used: Mutex<(Instant, SystemTime)>,
}

impl Connection {
    fn new(generation: u64, link: Link, target: Target, reasons: Vec<String>) -> Self {
        Self {
            generation,
            link,
            target,
            reasons,
            slots: Arc::new(Semaphore::new(SLOTS)),
            probe: OnceCell::new(),
            capacity: AtomicUsize::new(SLOTS),
            suspect: AtomicBool::new(false),
            used: Mutex::new((Instant::now(), SystemTime::now())),
        }
    }

    /// The host takes fewer sessions than there are places: one place less, and nothing in advance. `false`: it was the last one.
    pub async fn shrink(&self) -> bool {
        self.link.spare_nothing().await;
        let left = self
            .capacity
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                (left > 1).then(|| left - 1)
            });
        if left.is_ok() && self.slots.forget_permits(1) == 0 {
            // All are in use; the place that this command had is given back by now, so this is rare and costs one more try.
            self.capacity.fetch_add(1, Ordering::Relaxed);
        }
        left.is_ok()
    }

    /// Notes that it is in use.
    pub fn touch(&self) {
        *self.used() = (Instant::now(), SystemTime::now());
    }

    /// Notes that a command on it was not answered in time: it is tested before it is used again.
    pub fn suspect(&self) {
        self.suspect.store(true, Ordering::Relaxed);
    }

    /// Whether it still answers, which is only asked where there is a doubt.
    async fn answers(&self) -> bool {
        if !self.suspect.load(Ordering::Relaxed) {
            return true;
        }
        // Beside the places for commands, which may all be taken by others that are slow.
        let asking = async {
            let permit = Arc::new(Semaphore::new(1)).acquire_owned().await.ok()?;
            Some(match self.link.run(&probe::ping(TEST)?, permit).await {
                Ok(reply) => reply.stdout.ended().is_some(),
                Err(unsent) => unsent == Unsent::Full,
            })
        };
        let answer = tokio::time::timeout(TEST, asking).await;
        let lives = matches!(answer, Ok(Some(true)));
        self.suspect.store(!lives, Ordering::Relaxed);
        lives
    }

    fn used(&self) -> MutexGuard<'_, (Instant, SystemTime)> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the machine slept since it was last used: the far side has given up on it, and this side does not know.
    fn slept(&self) -> bool {
        let (instant, wall) = *self.used();
        wall.elapsed()
            .is_ok_and(|wall| wall > instant.elapsed() + SLEPT)
    }
}

type Reply = oneshot::Sender<Result<Arc<Connection>, Failure>>;

enum Message {
    Get {
        /// A connection that turned out to be gone.
        not: Option<u64>,
        reply: Reply,
    },
    /// A new connection, whatever there is, and whatever failed before.
    Fresh(Reply),
}

/// The way to the task of a host.
#[derive(Clone, Debug)]
pub struct Host {
    inbox: mpsc::Sender<Message>,
}

impl Host {
    /// Starts the task.
    #[must_use]
    pub fn start(alias: HostAlias, source: Source, supervisor: &Supervisor) -> Self {
        let (inbox, messages) = mpsc::channel(64);
        let task = Task {
            alias,
            source,
            supervisor: supervisor.clone(),
            connection: None,
            sticky: None,
            pause: None,
            generation: 0,
        };
        supervisor.spawn_owned(task.run(messages));
        Self { inbox }
    }

    /// The connection of the host, made where there is none. `not` is one that turned out to be gone.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn connection(&self, not: Option<u64>) -> Result<Arc<Connection>, Failure> {
        self.ask(|reply| Message::Get { not, reply }).await
    }

    /// A new connection, whatever there is, and whatever failed before.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn fresh(&self) -> Result<Arc<Connection>, Failure> {
        self.ask(Message::Fresh).await
    }

    async fn ask(
        &self,
        message: impl FnOnce(Reply) -> Message,
    ) -> Result<Arc<Connection>, Failure> {
        let ending = || Failure::new(Kind::ShuttingDown, "the daemon is ending");
        let (reply, answer) = oneshot::channel();
        self.inbox
            .send(message(reply))
            .await
            .map_err(|_| ending())?;
        answer.await.map_err(|_| ending())?
    }
}

struct Pause {
    until: Instant,
    length: Duration,
    failure: Failure,
}

struct Task {
    alias: HostAlias,
    source: Source,
    supervisor: Supervisor,
    connection: Option<Arc<Connection>>,
    sticky: Option<Sticky>,
    pause: Option<Pause>,
    generation: u64,
}

impl Task {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let token = self.supervisor.token().clone();
        loop {
            let idle = self.idle_end();
            tokio::select! {
                () = token.cancelled() => break,
                message = messages.recv() => match message {
                    None => break,
                    Some(message) => {
                        let work = self.answer(message, &mut messages);
                        if token.run_until_cancelled(work).await.is_none() {
                            break;
                        }
                    }
                },
                () = tokio::time::sleep_until(idle.unwrap_or_else(Instant::now)), if idle.is_some() => self.end_if_idle(),
            }
        }
        if let Some(connection) = self.connection.take() {
            connection.link.close().await;
        }
    }

    async fn answer(&mut self, message: Message, messages: &mut mpsc::Receiver<Message>) {
        let reply = match message {
            Message::Get { not, reply } => {
                let usable = match &self.connection {
                    Some(connection) => {
                        not != Some(connection.generation)
                            && !connection.link.is_gone()
                            && !connection.slept()
                            && connection.answers().await
                    }
                    None => false,
                };
                if !usable {
                    self.retire();
                }
                reply
            }
            Message::Fresh(reply) => {
                self.retire();
                self.pause = None;
                reply
            }
        };
        let result = match (&self.connection, &self.pause) {
            (Some(connection), _) => {
                connection.touch();
                let _ = reply.send(Ok(Arc::clone(connection)));
                return;
            }
            (None, Some(pause)) if pause.until > Instant::now() => {
                let left = pause.until - Instant::now();
                let detail = serde_json::json!({ "retryAfterMs": left.as_millis() });
                Err(pause.failure.clone().detail(detail))
            }
            (None, _) => self.make().await,
        };
        let _ = reply.send(result.clone());
        // Whoever asked while it was being made gets the same answer: a host that is down costs its time once.
        while let Ok(message) = messages.try_recv() {
            let (Message::Get { reply, .. } | Message::Fresh(reply)) = message;
            let _ = reply.send(result.clone());
        }
    }

    async fn make(&mut self) -> Result<Arc<Connection>, Failure> {
        let settings = (self.source)();
        let made = connect(&self.alias, &settings, &mut self.sticky, &self.supervisor).await;
        match made {
            Ok(made) => {
                self.pause = None;
                self.generation += 1;
                tracing::info!(host = %self.alias, way = made.link.name(), "connected");
                let connection =
                    Connection::new(self.generation, made.link, made.target, made.reasons);
                let connection = Arc::new(connection);
                self.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(Refusal { failure, provokes }) => {
                tracing::info!(host = %self.alias, error = %failure.message, "not connected");
                if provokes {
                    let length = self
                        .pause
                        .take()
                        .map_or(PAUSE, |pause| (pause.length * 2).min(LONGEST_PAUSE));
                    self.pause = Some(Pause {
                        until: Instant::now() + length,
                        length,
                        failure: failure.clone(),
                    });
                }
                Err(failure)
            }
        }
    }

    /// Lets go of the connection. Commands that still run on it end with it.
    fn retire(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.supervisor
                .spawn_owned(async move { connection.link.close().await });
        }
    }

    fn idle_end(&self) -> Option<Instant> {
        let connection = self.connection.as_ref()?;
        Some(connection.used().0 + (self.source)().idle)
    }

    fn end_if_idle(&mut self) {
        let busy = self
            .connection
            .as_ref()
            .is_some_and(|connection| Arc::strong_count(connection) > 1);
        if busy {
            if let Some(connection) = &self.connection {
                connection.touch();
            }
        } else {
            self.retire();
        }
    }
}
