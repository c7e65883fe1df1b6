//! From ready to ended: accepting, looking after the socket, and the drain.

use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime};

use rustix::io::Errno;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::facts::Facts;
use super::watch::{EVERY, Sight, Watch};
use crate::os::peer::Peer;
use crate::os::person;
use crate::os::signals::{Asked, Signals};
use crate::os::supervise::Supervisor;
use crate::proto::daemon::ShutdownMode;
use crate::rpc::{Server, refuse, serve};

/// How long what runs may take once a drain began.
const DRAIN: Duration = Duration::from_secs(5);
/// How long tasks may take to end once they are cancelled.
const END: Duration = Duration::from_secs(2);
/// How long to wait before accepting again when the system has no descriptor left.
const SHORT_OF_DESCRIPTORS: Duration = Duration::from_millis(50);

/// A daemon that is ready.
pub(super) struct Lifecycle {
    pub(super) facts: Facts,
    pub(super) server: Server,
    pub(super) supervisor: Supervisor,
    pub(super) signals: Signals,
    pub(super) watch: Watch,
    pub(super) listener: UnixListener,
    /// A descriptor that is given up so that a connection can be accepted, and told that there is no other.
    pub(super) reserve: Option<File>,
}

impl Lifecycle {
    /// Serves until the daemon is asked to end and what ran has ended.
    pub(super) async fn serve(mut self) {
        let mut shutdown = self.facts.shutdown.subscribe();
        let end = end(shutdown.clone(), self.facts.clone());
        tokio::pin!(end);
        let mut looks = interval(EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = &mut end => break,
                asked = self.signals.next() => match asked {
                    Asked::End => {
                        // The second time the person means it.
                        let again = shutdown.borrow_and_update().is_some();
                        self.facts.shut_down(if again { ShutdownMode::Now } else { ShutdownMode::Drain });
                    }
                    Asked::Look => self.look().await,
                },
                _ = looks.tick() => self.look().await,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => self.take(stream),
                    // The next turn accepts it with the descriptor that this frees.
                    Err(error) if is_short(&error) && self.reserve.take().is_some() => {}
                    Err(error) => {
                        tracing::error!(%error, "cannot accept a connection");
                        sleep(SHORT_OF_DESCRIPTORS).await;
                    }
                },
            }
        }
        // First the socket, so that nobody connects to what is about to close.
        self.watch.place.unlink();
        remove_instance(&self.facts);
        self.supervisor.cancel();
        // With the methods go the services, and with these the tasks that live as long as someone can ask them.
        drop(self.server);
        if timeout(END, self.supervisor.join()).await.is_err() {
            tracing::warn!("some tasks did not end in time");
        }
        tracing::info!("ended");
    }

    async fn look(&mut self) {
        match self.watch.look().await {
            Sight::Well => self.rewrite(),
            Sight::Rebound(listener) => {
                self.listener = listener;
                self.rewrite();
            }
            Sight::HomeLost => {
                tracing::error!("the home is gone");
                self.facts.shut_down(ShutdownMode::Drain);
            }
        }
    }

    /// Writes `daemon.json` again where somebody removed or changed it: clients look there.
    fn rewrite(&self) {
        if self.facts.are_written() {
            return;
        }
        match self.facts.write() {
            Ok(_) => tracing::warn!("daemon.json was gone or changed, wrote it again"),
            Err(error) => {
                tracing::error!(%error, "daemon.json is gone or changed and cannot be written");
            }
        }
    }

    fn take(&mut self, stream: UnixStream) {
        if self.reserve.is_none() {
            self.reserve = reserve();
        }
        match Peer::of(&stream, SystemTime::now()) {
            Ok(peer) if peer.uid == person::uid() && self.reserve.is_none() => {
                refuse(&self.server, stream, peer);
            }
            Ok(peer) if peer.uid == person::uid() => serve(&self.server, stream, peer),
            Ok(peer) => tracing::warn!(uid = peer.uid, "closed a connection of another user"),
            Err(error) => tracing::warn!(%error, "closed a connection of nobody"),
        }
    }
}

/// A descriptor to give up later; `None`: the process has none left.
pub(super) fn reserve() -> Option<File> {
    File::open("/dev/null").ok()
}

/// Whether the process or the system has no descriptor left.
fn is_short(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

/// Waits until an end is asked for and what runs has ended or used up its time.
async fn end(mut shutdown: watch::Receiver<Option<ShutdownMode>>, facts: Facts) {
    // The sender is in `facts`: neither wait fails.
    let _ = shutdown.wait_for(Option::is_some).await;
    tracing::info!("draining");
    facts.control.drain();
    tokio::select! {
        _ = shutdown.wait_for(|asked| *asked == Some(ShutdownMode::Now)) => {}
        quiet = timeout(DRAIN, facts.control.quiet()) => {
            if quiet.is_err() {
                tracing::warn!("what still runs is cancelled");
            }
        }
    }
}

/// Removes `daemon.json` where it is this daemon's.
fn remove_instance(facts: &Facts) {
    let path = facts.paths.instance();
    let own = std::fs::read(&path)
        .ok()
        .and_then(|bytes| serde_json::from_slice::<crate::proto::Instance>(&bytes).ok())
        .is_some_and(|found| found.instance_id == facts.instance.instance_id);
    if own {
        let _ = std::fs::remove_file(path);
    }
}
