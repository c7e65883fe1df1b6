//! How long part of a message has been waiting for the rest.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::server::Server;

/// When the message that is not whole began; clones share it. A connection that never said anything counts as one.
#[derive(Clone, Debug)]
pub(in super::super) struct Half(Arc<Mutex<Option<Instant>>>);

impl Half {
    /// From now on.
    pub(in super::super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(Instant::now()))))
    }

    /// Whether part of a message is there; the time counts from the first that was.
    pub(in super::super) fn set(&self, half: bool) {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if half {
            since.get_or_insert_with(Instant::now);
        } else {
            *since = None;
        }
    }

    fn since(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until connections are short, that is three of four are taken, and this one has kept the daemon waiting for
    /// longer than allowed.
    pub(in super::super) async fn expired(&self, server: &Server) {
        loop {
            let short = server.limits().connections.div_ceil(4) * 3;
            server.control().crowd(short).await;
            let allowed = Duration::from_millis(server.limits().half_sent_ms);
            let Some(since) = self.since() else {
                sleep(allowed.max(Duration::from_millis(10))).await;
                continue;
            };
            if since.elapsed() >= allowed {
                return;
            }
            sleep(allowed.saturating_sub(since.elapsed())).await;
        }
    }
}
