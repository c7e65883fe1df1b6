//! Looks after what may be taken from under a running daemon: its socket, its home, its configuration.

use std::time::Duration;

use tokio::net::UnixListener;
use tokio::sync::watch;

use crate::config::Store;
use crate::os::lock::Lock;
use crate::os::paths::Paths;
use crate::os::socket::{self, Place};
use crate::proto::daemon::Limits;

/// How often it looks. Each look costs three `stat` calls and reads `daemon.json`.
pub(super) const EVERY: Duration = Duration::from_secs(2);

/// What a look found.
#[derive(Debug)]
pub(super) enum Sight {
    /// All is well.
    Well,
    /// The socket was gone and is there again.
    Rebound(UnixListener),
    /// The home was removed or replaced: another daemon may have the new one.
    HomeLost,
}

/// Remembers what is to be looked after.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) paths: Paths,
    pub(super) lock: Lock,
    pub(super) place: Place,
    pub(super) config: Store,
    pub(super) limits: watch::Sender<Limits>,
}

impl Watch {
    /// Looks once.
    pub(super) async fn look(&mut self) -> Sight {
        let limits = &self.config.current().limits;
        self.limits.send_if_modified(|now| {
            let changed = now != limits;
            if changed {
                now.clone_from(limits);
            }
            changed
        });
        if !self.lock.in_place() {
            return Sight::HomeLost;
        }
        if self.place.is_in_place() {
            return Sight::Well;
        }
        match socket::bind(&self.paths.socket).await {
            Ok(bound) => {
                tracing::warn!(socket = %self.paths.socket.display(), "the socket was gone, bound it again");
                self.place = bound.place();
                Sight::Rebound(bound.listener)
            }
            Err(error) => {
                tracing::error!(%error, "the socket is gone and cannot be bound again");
                Sight::Well
            }
        }
    }
}
