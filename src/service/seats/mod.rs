//! Seats: windows of tmux in which a supervisor runs programs in isolation, watches, stops, waits for and reaps them, and
//! never kills or types into anything else.

pub mod book;
pub mod confirm;
pub mod names;
pub mod panes;

mod life;
mod spawn;
mod watch;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::launch::quote::{Style, posix};
use crate::os::supervise::Supervisor;
use crate::proto::seat::{Seat, SeatListResult, SeatState, SpawnParams, Spawned};
use crate::proto::{Env, Failure, Kind, SurfaceRef};
use crate::service::scripts::Scripts;
use crate::transport::Transport;

use book::Book;
use names::Space;
use panes::{Panes, Reference, Seen};
use spawn::{Made, Wanted};

/// Told of what happens to seats: the topic and what it is about.
pub type Announce = Arc<dyn Fn(&'static str, Value) + Send + Sync>;

/// The use cases of seats.
#[derive(Clone)]
pub struct Seats {
    inner: Arc<Inner>,
    makers: mpsc::Sender<Job>,
}

pub(crate) struct Inner {
    panes: Panes,
    scripts: Scripts,
    /// PATH, HOME, USER, LOGNAME, SHELL and LANG of the daemon.
    base: Env,
    book: Book,
    announce: Announce,
    supervisor: Supervisor,
    /// Seats that are being ended on purpose: their watchers leave it to whoever does that to say so.
    ending: Mutex<HashSet<SurfaceRef>>,
}

/// A window to make, and where its maker's answer goes.
struct Job {
    wanted: Wanted,
    reply: oneshot::Sender<(Wanted, Result<Made, Failure>)>,
}

impl Inner {
    /// Writes down whether a seat is being ended on purpose.
    fn ending(&self, seat: &Reference, now: bool) {
        let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
        if now {
            ending.insert(seat.surface());
        } else {
            ending.remove(&seat.surface());
        }
    }

    /// Whether a seat is being ended on purpose. It is asked once: the answer is forgotten.
    fn is_ending(&self, seat: &Reference) -> bool {
        self.ending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&seat.surface())
    }

    fn announce(&self, topic: &'static str, seat: &Seat) {
        (self.announce)(topic, json!(seat));
    }
}

/// The line that shows a seat.
pub(crate) fn attach_line(session: &str, reference: &SurfaceRef) -> String {
    let SurfaceRef::Tmux(pane) = reference else {
        return String::new();
    };
    // Quoted always: zsh takes a word that begins with `=` for the path of a command.
    let target = posix(&format!("={session}:@{}", pane.window), Style::Quoted).into_owned();
    format!(
        "tmux -S {} attach -t {target}",
        posix(&pane.socket, Style::Bare)
    )
}

impl Seats {
    /// Seats of this machine. `base` is what every seat's environment begins with.
    ///
    /// Seats that an earlier daemon spawned are watched from now on.
    ///
    /// # Errors
    /// The records cannot be read.
    pub async fn start(
        transport: Arc<dyn Transport>,
        scripts: Scripts,
        base: Env,
        book: Book,
        announce: Announce,
        supervisor: Supervisor,
    ) -> Result<Self, Failure> {
        let panes = Panes::new(transport);
        let inner = Arc::new(Inner {
            panes,
            scripts,
            base,
            book,
            announce,
            supervisor: supervisor.clone(),
            ending: Mutex::default(),
        });
        inner.adopt().await?;
        let (makers, jobs) = mpsc::channel(64);
        supervisor.spawn_owned(make_in_turn(Arc::clone(&inner), jobs));
        Ok(Self { inner, makers })
    }

    /// Spawns a seat. What was handed to tmux is finished, whatever becomes of the caller.
    ///
    /// # Errors
    /// `seat-refused`: nothing was started. `conflict`: the name is taken. `cwd-missing`, `program-missing`, `spawn-failed`:
    /// the launch script started nothing and its window is closed again.
    pub async fn spawn(&self, params: SpawnParams) -> Result<Spawned, Failure> {
        let wanted = Wanted::parse(params, &self.inner.base)?;
        let inner = Arc::clone(&self.inner);
        let makers = self.makers.clone();
        let ended = || {
            Failure::new(Kind::ShuttingDown, "the daemon is ending")
                .hint("call again: a new one is started")
        };
        self.finish(async move {
            let (reply, made) = oneshot::channel();
            makers
                .send(Job { wanted, reply })
                .await
                .map_err(|_| ended())?;
            let (wanted, made) = made.await.map_err(|_| ended())?;
            inner.begin(wanted, made?).await
        })
        .await
    }

    /// Runs something to its end, also where the caller vanishes: half a stop or half a spawn is nobody's wish.
    async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let whole = self.inner.supervisor.spawn_owned(work).await;
        whole.map_err(|_| Failure::new(Kind::Internal, "work on a seat ended without a result"))?
    }

    /// All seats, or those of a space, with their state now. Seats that somebody stopped or reaped are not among them.
    ///
    /// # Errors
    /// `seat-refused` for a name that no space has.
    pub async fn list(&self, space: Option<&str>) -> Result<SeatListResult, Failure> {
        let space = space.map(Space::parse).transpose()?;
        let mut seats = Vec::new();
        for record in self.inner.book.all().await? {
            if space
                .as_ref()
                .is_some_and(|space| space.as_str() != record.space)
            {
                continue;
            }
            let state = match &record.end {
                Some(end) if end.dismissed => continue,
                Some(end) => Some(end.state),
                None => match self.look(&Reference::of(&record.reference)?).await {
                    Seen::Running(_) => Some(SeatState::Running),
                    Seen::Dead(..) => Some(SeatState::Exited),
                    Seen::Gone | Seen::WindowLeft(_) | Seen::Foreign => Some(SeatState::Gone),
                    Seen::Unknown(_) => None,
                },
            };
            seats.push(record.seat(state));
        }
        Ok(SeatListResult { seats })
    }
}

/// Makes windows one at a time: only so is a name that was free when it was looked up still free when it is taken.
async fn make_in_turn(inner: Arc<Inner>, mut jobs: mpsc::Receiver<Job>) {
    let token = inner.supervisor.token().clone();
    loop {
        let job = tokio::select! {
            job = jobs.recv() => job,
            () = token.cancelled() => None,
        };
        let Some(Job { wanted, reply }) = job else {
            return;
        };
        let made = inner.make(&wanted).await;
        let _ = reply.send((wanted, made));
    }
}
