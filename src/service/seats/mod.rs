//! Seats: windows of tmux in which a supervisor runs programs in isolation, watches, stops, waits for and reaps them, and
//! never kills or types into anything else.

pub mod book;
pub mod confirm;
pub mod names;
pub mod panes;

mod discover;
mod life;
mod processes;
mod spawn;
mod starting;
pub(in crate::service) mod there;
mod watch;
mod watch_there;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::launch::quote::{Style, posix};
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::proto::seat::{Seat, SeatListResult, SeatState, SpawnParams, Spawned};
use crate::proto::{Env, Failure, HostAlias, Kind, SurfaceRef};
use crate::service::open::Links;
use crate::service::scripts::Scripts;
use crate::service::turns::Turns;
use crate::tmux::seat::SeatRow;
use crate::tmux::{Outcome, PaneId, WindowId};

pub use discover::Unwritten;
pub(super) use processes::Processes;
pub(super) use watch::exit_of;

use book::{Book, Record};
use names::Space;
use panes::{Panes, Reference, Seen};
use spawn::{Made, Wanted};

/// How long a list waits for the machines that the seats are on.
const LIST: Duration = Duration::from_secs(8);

/// Told of what happens to seats: the topic and what it is about.
pub type Announce = Arc<dyn Fn(&'static str, Value) + Send + Sync>;

/// The use cases of seats.
#[derive(Clone)]
pub struct Seats {
    inner: Arc<Inner>,
    makers: Makers,
}

/// The makers of windows, one for each machine: a slow host makes nobody else wait.
type Makers = Arc<Mutex<BTreeMap<Option<HostAlias>, mpsc::Sender<Job>>>>;

pub(crate) struct Inner {
    panes: Panes,
    scripts: Scripts,
    /// PATH, HOME, USER, LOGNAME, SHELL and LANG of the daemon.
    base: Env,
    book: Book,
    announce: Announce,
    supervisor: Supervisor,
    /// Seats that are being ended on purpose, each as often as somebody does: their watchers leave it to them to say so.
    ending: Mutex<Vec<SurfaceRef>>,
    /// Those who watch the seats of hosts.
    watchers: Mutex<BTreeMap<HostAlias, mpsc::UnboundedSender<Record>>>,
}

/// A window to make, and where its maker's answer goes.
struct Job {
    wanted: Wanted,
    reply: oneshot::Sender<(Wanted, Result<Made, Failure>)>,
}

impl Inner {
    /// Notes that a seat is being ended on purpose, until the answer is dropped.
    fn ending(&self, seat: &Reference) -> Ending<'_> {
        let surface = seat.surface();
        self.all_ending().push(surface.clone());
        Ending {
            inner: self,
            surface,
        }
    }

    /// Whether a seat is being ended on purpose.
    fn is_ending(&self, seat: &Reference) -> bool {
        self.all_ending().contains(&seat.surface())
    }

    fn all_ending(&self) -> MutexGuard<'_, Vec<SurfaceRef>> {
        self.ending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self, topic: &'static str, seat: &Seat) {
        (self.announce)(topic, json!(seat));
    }
}

/// A seat is being ended on purpose. It is dropped on every way out, and what its watcher then sees is told by that one.
struct Ending<'a> {
    inner: &'a Inner,
    surface: SurfaceRef,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        let mut ending = self.inner.all_ending();
        if let Some(at) = ending.iter().position(|surface| *surface == self.surface) {
            ending.swap_remove(at);
        }
    }
}

/// The line that shows a window of a session, or a pane in it.
fn attach_line(
    links: &dyn Links,
    seat: &Reference,
    session: &str,
    window: WindowId,
    pane: Option<PaneId>,
) -> String {
    let pane = pane.map_or_else(String::new, |pane| format!(".{pane}"));
    // Quoted always: zsh takes a word that begins with `=` for the path of a command.
    let target = posix(&format!("={session}:{window}{pane}"), Style::Quoted).into_owned();
    let line = format!(
        "tmux -S {} attach -t {target}",
        posix(&seat.socket, Style::Bare)
    );
    match &seat.host {
        None => line,
        Some(host) => links.attach(host, &line),
    }
}

impl Seats {
    /// Seats of this machine and of hosts. `base` is what the environment of every seat of this machine begins with.
    ///
    /// Seats that an earlier daemon spawned are watched from now on.
    ///
    /// # Errors
    /// The records cannot be read.
    pub async fn start(
        links: Arc<dyn Links>,
        scripts: Scripts,
        base: Env,
        book: Book,
        announce: Announce,
        supervisor: Supervisor,
        turns: Turns,
    ) -> Result<Self, Failure> {
        let panes = Panes::new(links, turns);
        let inner = Arc::new(Inner {
            panes,
            scripts,
            base,
            book,
            announce,
            supervisor,
            ending: Mutex::default(),
            watchers: Mutex::default(),
        });
        inner.adopt().await?;
        Ok(Self {
            inner,
            makers: Makers::default(),
        })
    }

    /// Notes who asks for a seat of a host: logins are done with the agent of the most recent caller.
    pub async fn called(&self, caller: Peer, host: bool) {
        if host {
            self.inner.panes.links().called(Some(caller), None).await;
        }
    }

    /// The maker of windows on a machine.
    fn maker(&self, host: Option<&HostAlias>) -> mpsc::Sender<Job> {
        let mut makers = self.makers.lock().unwrap_or_else(PoisonError::into_inner);
        let maker = makers.entry(host.cloned()).or_insert_with(|| {
            let (maker, jobs) = mpsc::channel(64);
            let supervisor = &self.inner.supervisor;
            supervisor.spawn_owned(make_in_turn(Arc::clone(&self.inner), jobs));
            maker
        });
        maker.clone()
    }

    /// Spawns a seat. What was handed to tmux is finished, whatever becomes of the caller.
    ///
    /// # Errors
    /// `host-invalid`. `seat-refused`: nothing was started; where a host is the reason, `detail.cause` is what it failed with.
    /// `conflict`: the name is taken. `cwd-missing`, `program-missing`, `spawn-failed`:
    /// the launch script started nothing and its window is closed again.
    pub async fn spawn(&self, params: SpawnParams) -> Result<Spawned, Failure> {
        self.spawn_as(params, None).await
    }

    /// The same; `shown` is written down and told in the place of the command, which may hold a secret.
    ///
    /// # Errors
    /// As of [`Self::spawn`].
    pub async fn spawn_as(
        &self,
        params: SpawnParams,
        shown: Option<Vec<String>>,
    ) -> Result<Spawned, Failure> {
        let mut wanted = Wanted::parse(params, &self.inner.base)?.shown_as(shown);
        let inner = Arc::clone(&self.inner);
        let makers = self.maker(wanted.host());
        let ended = || {
            Failure::new(Kind::ShuttingDown, "the daemon is ending")
                .hint("call again: a new one is started")
        };
        self.finish(async move {
            inner.ask_host(&mut wanted).await?;
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
        let mut records = self.inner.book.all().await?;
        records.retain(|record| {
            let is_meant = space
                .as_ref()
                .is_none_or(|space| space.as_str() == record.space);
            is_meant && record.end.as_ref().is_none_or(|end| !end.dismissed)
        });
        let servers = self.inner.servers(&records).await?;
        let mut seats = Vec::new();
        for record in records {
            if let Some(end) = &record.end {
                seats.push(record.seat(Some(end.state), None));
                continue;
            }
            let seat = Reference::of(&record.reference)?;
            let rows = match servers.get(&server_of(&seat)) {
                Some(Outcome::Done(rows)) => rows.as_slice(),
                Some(Outcome::Absent(_)) => &[],
                Some(Outcome::Unknown(_)) | None => {
                    let attach = self.inner.attach(&record, None);
                    seats.push(record.seat(None, attach));
                    continue;
                }
            };
            let is_ours = |at: &panes::Where| record.pid.is_none_or(|pid| pid == at.pid);
            let (state, at) = match panes::seen(&seat, rows) {
                Seen::Running(at) if is_ours(&at) => (SeatState::Running, Some(at)),
                Seen::Dead(at, _) if is_ours(&at) => (SeatState::Exited, Some(at)),
                _ => (SeatState::Gone, None),
            };
            let row = panes::row(&seat, rows).filter(|_| at.is_some());
            let attach = row.and_then(|row| self.inner.attach(&record, Some(row)));
            seats.push(Seat {
                moved: at.is_some_and(|at| at.place.is_none()).then_some(true),
                ..record.seat(Some(state), attach)
            });
        }
        Ok(SeatListResult { seats })
    }
}

/// What tells servers apart.
type ServerKey = (Option<HostAlias>, u32, String);

fn server_of(seat: &Reference) -> ServerKey {
    (seat.host.clone(), seat.server, seat.socket.clone())
}

impl Inner {
    /// Looks once at each server that one of these seats is on, at all of them side by side.
    async fn servers(
        &self,
        records: &[Record],
    ) -> Result<BTreeMap<ServerKey, Outcome<Arc<Vec<SeatRow>>>>, Failure> {
        let mut servers = BTreeMap::new();
        for record in records.iter().filter(|record| record.end.is_none()) {
            let seat = Reference::of(&record.reference)?;
            servers.insert(server_of(&seat), seat);
        }
        let looks = servers.into_iter().map(async |(server, seat)| {
            let rows = timeout(LIST, self.panes.rows(&seat)).await;
            let rows = rows.unwrap_or_else(|_| Outcome::Unknown("it did not answer".to_owned()));
            (server, rows)
        });
        Ok(join_all(looks).await.into_iter().collect())
    }

    /// The line that shows a seat: where its pane is now, or where it was spawned.
    fn attach(&self, record: &Record, row: Option<&SeatRow>) -> Option<String> {
        let seat = Reference::of(&record.reference).ok()?;
        let links = self.panes.links().as_ref();
        Some(match row {
            None => attach_line(links, &seat, &record.session, seat.window, None),
            Some(row) => {
                let in_place =
                    row.place.window == seat.window && row.home == Some(row.place.session);
                let pane = (!in_place).then_some(seat.pane);
                attach_line(links, &seat, &row.session_name, row.place.window, pane)
            }
        })
    }

    /// A seat that runs, as it was spawned.
    fn started(&self, record: &Record) -> Seat {
        record.seat(Some(SeatState::Running), self.attach(record, None))
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
