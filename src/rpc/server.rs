//! What all connections share.

use std::sync::Arc;

use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::time::timeout;

use super::connection::{self, Socket};
use super::control::{Control, Counted, Held};
use super::driver::{Mode, Shortage};
use super::outbox::Total;
use super::registry::Registry;
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::proto::daemon::Limits;

/// The methods, the limits in force, and what runs: shared by all connections. Clones share it.
#[derive(Clone, Debug)]
pub struct Server {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    registry: Registry,
    control: Control,
    limits: watch::Receiver<Limits>,
    supervisor: Supervisor,
    unread: Total,
}

impl Server {
    /// A server of these methods. New values of `limits` hold from the next message on.
    ///
    /// Its tasks are the supervisor's: once that is cancelled, what still runs is answered with `shutting-down`,
    /// subscriptions get their `end`, and connections close when their callers have read that, after a second at the latest.
    #[must_use]
    pub fn new(
        registry: Registry,
        control: Control,
        limits: watch::Receiver<Limits>,
        supervisor: Supervisor,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                registry,
                control,
                limits,
                supervisor,
                unread: Total::default(),
            }),
        }
    }

    /// Bytes of replies that no caller has read yet, all connections together.
    pub(super) fn unread(&self) -> &Total {
        &self.shared.unread
    }

    pub(super) fn registry(&self) -> &Registry {
        &self.shared.registry
    }

    pub(super) fn control(&self) -> &Control {
        &self.shared.control
    }

    pub(super) fn limits(&self) -> Limits {
        self.shared.limits.borrow().clone()
    }

    pub(super) fn supervisor(&self) -> &Supervisor {
        &self.shared.supervisor
    }
}

/// How many connections over the limit are answered at a time; more are closed without a word.
const REFUSED: usize = 64;

/// Serves a connection that was accepted and whose peer may use this daemon. Returns at once; the work is a task of the
/// server's supervisor.
///
/// A connection over the limit gets `busy` for its first message, in its framing, and is closed.
pub fn serve(server: &Server, stream: UnixStream, peer: Peer) {
    let open = server.control().counts().connections;
    if open < server.limits().connections {
        let held = server.control().hold(Counted::Connection);
        begin(server, stream, peer, Mode::Full, held);
    } else {
        turn_away(server, stream, peer, Shortage::Connections);
    }
}

/// Answers a connection for which there is no descriptor left with `busy`, and closes it.
pub fn refuse(server: &Server, stream: UnixStream, peer: Peer) {
    turn_away(server, stream, peer, Shortage::Descriptors);
}

fn turn_away(server: &Server, stream: UnixStream, peer: Peer, shortage: Shortage) {
    if server.control().refused() < REFUSED {
        let held = server.control().hold(Counted::Refused);
        begin(server, stream, peer, Mode::Refused(shortage), held);
    } else {
        tracing::warn!(?shortage, "a connection was closed: too many are open");
    }
}

fn begin(server: &Server, stream: UnixStream, peer: Peer, mode: Mode, held: Held) {
    let server = server.clone();
    let supervisor = server.supervisor().clone();
    supervisor.spawn_owned(async move {
        let _held = held;
        let running = connection::run(&server, Socket::from(stream), peer, mode);
        match mode {
            Mode::Refused(shortage) => {
                let _ = timeout(shortage.patience(), running).await;
            }
            _ => running.await,
        }
    });
}
