//! Takes replies to the caller, as fast as it reads.

use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout};

use super::super::outbox::Outbox;
use super::super::server::Server;

/// Why writing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Written {
    /// Everything is with the system.
    All,
    /// The caller is gone.
    Gone,
    /// The caller does not read, and too much is unread.
    Stalled,
}

/// Looks for progress of the reader.
pub(in super::super) struct Progress<'a> {
    server: &'a Server,
    outbox: &'a Outbox,
    /// Since when too much is unread and nothing was read.
    stuck: Option<Instant>,
}

impl<'a> Progress<'a> {
    pub(in super::super) fn new(server: &'a Server, outbox: &'a Outbox) -> Self {
        Self {
            server,
            outbox,
            stuck: None,
        }
    }

    /// How long to wait before looking again.
    pub(in super::super) fn tick(&self) -> Duration {
        Duration::from_millis((self.server.limits().stalled_ms / 8).clamp(10, 1000))
    }

    pub(in super::super) fn made(&mut self, bytes: usize) {
        self.outbox.wrote(bytes);
        self.stuck = None;
    }

    /// Whether the reader has made none for too long while too much is unread. Asked again and again while it makes none.
    pub(in super::super) fn is_stalled(&mut self) -> bool {
        let limits = self.server.limits();
        if self.outbox.unread() < limits.unread_bytes {
            self.stuck = None;
            return false;
        }
        let stuck = self.stuck.get_or_insert_with(Instant::now);
        stuck.elapsed() >= Duration::from_millis(limits.stalled_ms)
    }
}

/// Writes what is in the outbox until it is finished or nobody reads it.
pub(super) async fn write<W: AsyncWrite + Unpin>(
    server: &Server,
    outbox: &Outbox,
    mut io: W,
) -> Written {
    while let Some(chunk) = outbox.pop().await {
        let mut rest = &chunk[..];
        let mut progress = Progress::new(server, outbox);
        while !rest.is_empty() {
            match timeout(progress.tick(), io.write(rest)).await {
                Ok(Ok(0) | Err(_)) => return Written::Gone,
                Ok(Ok(written)) => {
                    progress.made(written);
                    rest = &rest[written..];
                }
                Err(_) if progress.is_stalled() => return Written::Stalled,
                Err(_) => {}
            }
        }
    }
    match io.shutdown().await {
        Ok(()) => Written::All,
        Err(_) => Written::Gone,
    }
}
