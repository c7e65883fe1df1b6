//! Makes a daemon answer: starts one where there is none, waits for one that starts or drains, replaces an older one.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use super::error::ClientError;
use super::find::{Found, Options, connect};
use crate::os::detach::{self, ANOTHER_RUNS, Start};
use crate::os::lock;
use crate::proto::daemon::{Shutdown, ShutdownMode, ShutdownParams, State};

/// The longest pause between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Connects to the daemon, and makes sure that there is one.
///
/// Any number of callers at once get the same daemon: each may try to start one, and the lock lets one through. A daemon
/// that holds the lock is waited for and never replaced, unless it speaks a lower protocol: then it is asked to drain.
/// With [`Options::socket`] nothing is started.
///
/// # Errors
/// [`ClientError`]; [`ClientError::Unresponsive`] where something holds the lock and does not answer in time.
pub async fn ensure(options: &Options) -> Result<Found, ClientError> {
    let mut attempt = Attempt {
        options,
        deadline: Instant::now() + options.start,
        pause: Duration::from_millis(5),
        started: false,
        replaced: false,
    };
    loop {
        if let Some(found) = attempt.once().await? {
            return Ok(found);
        }
    }
}

struct Attempt<'a> {
    options: &'a Options,
    deadline: Instant,
    pause: Duration,
    started: bool,
    replaced: bool,
}

impl Attempt<'_> {
    /// One look, and what it calls for. `None`: look again.
    async fn once(&mut self) -> Result<Option<Found>, ClientError> {
        match connect(self.options).await {
            Ok(found) => self.judge(found).await,
            Err(error) if self.options.socket.is_some() => Err(error),
            // The others: it ended just when it was asked.
            Err(
                ClientError::NoDaemon { .. }
                | ClientError::Lost { .. }
                | ClientError::Unheard { .. },
            ) => self.start().await,
            // Its queue of connections is full, which passes.
            Err(ClientError::Unresponsive { waited, .. }) if waited.is_zero() => self.rest().await,
            Err(error) => Err(error),
        }
    }

    async fn judge(&mut self, mut found: Found) -> Result<Option<Found>, ClientError> {
        let (daemon, client) = (found.hello.protocol, self.options.protocol);
        if found.hello.state == State::Draining {
            return self.outlast(&found).await;
        }
        if daemon < client && !self.replaced && self.options.socket.is_none() {
            self.replaced = true;
            let params = ShutdownParams {
                mode: Some(ShutdownMode::Drain),
            };
            // Whatever it answers, the end of the connection is what counts.
            let _ = found.connection.call::<Shutdown>(&params).await;
            return self.outlast(&found).await;
        }
        if daemon != client {
            return Err(ClientError::Mismatch { daemon, client });
        }
        found.started = self.started;
        Ok(Some(found))
    }

    /// Waits until a daemon that drains has closed the connection.
    async fn outlast(&mut self, found: &Found) -> Result<Option<Found>, ClientError> {
        match timeout_at(self.deadline, found.connection.closed()).await {
            Ok(()) => Ok(None),
            Err(_) => Err(self.unresponsive()),
        }
    }

    async fn start(&mut self) -> Result<Option<Found>, ClientError> {
        if self.is_held() {
            return self.rest().await;
        }
        let start = detach::start(
            &self.options.program,
            &["daemon", "run", "--detached"],
            &self.options.paths.variables,
        );
        match timeout_at(self.deadline, start).await {
            Err(_) => Err(self.unresponsive()),
            Ok(Ok(Start::Ready(_))) => {
                self.started = true;
                Ok(None)
            }
            Ok(Ok(Start::Ended { status, .. }))
                if status.code() == Some(i32::from(ANOTHER_RUNS)) =>
            {
                self.rest().await
            }
            Ok(Ok(Start::Ended { status, complaint })) => {
                let last = complaint.lines().next().unwrap_or_default();
                let reason = last.strip_prefix("error: ").unwrap_or(last);
                let hint = complaint
                    .lines()
                    .find_map(|line| line.strip_prefix("hint: "));
                Err(ClientError::Start {
                    hint: hint.map(str::to_owned),
                    reason: if reason.is_empty() {
                        status.to_string()
                    } else {
                        reason.to_owned()
                    },
                })
            }
            Ok(Err(error)) => Err(ClientError::Start {
                hint: None,
                reason: format!("cannot run {}: {error}", self.options.program.display()),
            }),
        }
    }

    /// Pauses before another look, as long as there is time.
    async fn rest(&mut self) -> Result<Option<Found>, ClientError> {
        if Instant::now() + self.pause > self.deadline {
            return Err(self.unresponsive());
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(PAUSE);
        Ok(None)
    }

    fn is_held(&self) -> bool {
        lock::is_held(&self.options.paths.lock()).unwrap_or(false)
    }

    fn unresponsive(&self) -> ClientError {
        ClientError::Unresponsive {
            socket: self.options.endpoint(),
            pid: self.options.holder(),
            waited: self.options.start,
        }
    }
}
