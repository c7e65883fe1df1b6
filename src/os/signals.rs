//! The signals that a daemon is told things with.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// SIGTERM or SIGINT: end.
    End,
    /// SIGHUP: look at everything again.
    Look,
}

/// Receives signals. A terminal that goes away sends SIGHUP, so that one never ends the daemon.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// Takes over the three signals.
    ///
    /// # Errors
    /// Those of the system.
    pub fn take() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one. Dropping the future loses none.
    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.terminate.recv() => Asked::End,
            _ = self.interrupt.recv() => Asked::End,
            _ = self.hangup.recv() => Asked::Look,
        }
    }
}
