//! What all connections share.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::time::timeout;

use super::connection::{self, Socket};
use super::control::{Control, Counted};
use super::driver::Mode;
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

/// How long a connection over the limit may take to send its request.
const REFUSAL: Duration = Duration::from_secs(5);

/// Serves a connection that was accepted and whose peer may use this daemon. Returns at once; the work is a task of the
/// server's supervisor.
///
/// A connection over the limit gets `busy` for its first message, in its framing, and is closed.
pub fn serve(server: &Server, stream: UnixStream, peer: Peer) {
    let control = server.control();
    let open = control.counts().connections;
    let (held, mode) = if open < server.limits().connections {
        (control.hold(Counted::Connection), Mode::Full)
    } else if control.refused() < REFUSED {
        (control.hold(Counted::Refused), Mode::Refused)
    } else {
        tracing::warn!(open, "a connection was closed: too many are open");
        return;
    };
    let server = server.clone();
    let supervisor = server.supervisor().clone();
    supervisor.spawn_owned(async move {
        let _held = held;
        let running = connection::run(&server, Socket::from(stream), peer, mode);
        if mode == Mode::Refused {
            let _ = timeout(REFUSAL, running).await;
        } else {
            running.await;
        }
    });
}
