//! What tmux says of a seat's pane, and commands that only hit the pane in its place.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use tokio::time::Instant;

use super::processes::Processes;
use crate::proto::{Failure, HostAlias, Kind, SurfaceRef, TmuxPane};
use crate::service::open::Links;
use crate::service::turns::{Turn, Turns};
use crate::tmux::list::Dead;
use crate::tmux::seat::{Guarded, InPlace, KillWindowOf, ListSeats, Nudge, Place, SeatRow};
use crate::tmux::{Absent, Command, OnServer, Outcome, PaneId, Server, SessionId, WindowId};

/// How often tmux is asked again for an end that it has missed, once the program has ended.
const NUDGES: u32 = 8;

/// How often at most, where the program has not ended yet though its terminal is closed: on a busy machine that can take a while.
const LOOKS: u32 = 40;

/// The pause before that, longer each time: the terminal of a program is closed a moment before the program has ended.
const MOMENT: Duration = Duration::from_millis(15);

/// How long a look is remembered.
const LOOKS_KEPT: Duration = Duration::from_mins(1);

/// SIGHUP, as tmux counts signals.
const HUP: i32 = 1;

/// A seat as its reference names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The process id of the server.
    pub server: u32,
    /// The socket.
    pub socket: String,
    /// The window.
    pub window: WindowId,
    /// The pane.
    pub pane: PaneId,
    /// The host; absent: this machine.
    pub host: Option<HostAlias>,
}

impl Reference {
    /// Reads a reference that `seat.spawn` gave.
    ///
    /// # Errors
    /// `invalid-params` where it can be none.
    pub fn of(surface: &SurfaceRef) -> Result<Self, Failure> {
        let bad = || {
            Failure::params(
                "reference",
                format!("{surface} is not the reference of a seat"),
            )
            .hint("use the reference that seat.spawn or seat.list answered")
        };
        match surface {
            SurfaceRef::Tmux(TmuxPane {
                server,
                window,
                pane: Some(pane),
                socket,
                host,
            }) => Ok(Self {
                server: *server,
                socket: socket.clone(),
                window: WindowId(*window),
                pane: PaneId(*pane),
                host: host.clone(),
            }),
            _ => Err(bad()),
        }
    }

    /// The reference as the wire shows it.
    #[must_use]
    pub fn surface(&self) -> SurfaceRef {
        SurfaceRef::Tmux(TmuxPane {
            server: self.server,
            window: self.window.0,
            pane: Some(self.pane.0),
            socket: self.socket.clone(),
            host: self.host.clone(),
        })
    }

    /// Its server.
    #[must_use]
    pub fn server(&self) -> Server {
        Server::Socket(self.socket.clone())
    }
}

/// What was seen of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Its program runs.
    Running(Where),
    /// Its program ended and the pane was kept.
    Dead(Where, Dead),
    /// Its pane is gone and its window is still in its session.
    WindowLeft(SessionId),
    /// tmux itself says that it is gone.
    Gone,
    /// The pane exists and is no seat: its reference names something of the person's.
    Foreign,
    /// Nothing is known.
    Unknown(String),
}

/// Where a seat's pane was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Where {
    /// The place it must have; absent: it has moved.
    pub place: Option<Place>,
    /// Its process.
    pub pid: u32,
}

/// The panes of a server, as far as seats need them.
type Rows = Outcome<Arc<Vec<SeatRow>>>;

/// A look at a server of a host that is under way or was just taken, and when it began.
type Taken = (Instant, Shared<BoxFuture<'static, Rows>>);

/// The last look at each server of a host, by its process and socket.
type Looks = BTreeMap<(HostAlias, u32, String), Taken>;

/// Asks tmux about seats, here and on hosts.
#[derive(Clone)]
pub struct Panes {
    links: Arc<dyn Links>,
    /// Who types into which pane.
    turns: Turns,
    processes: Processes,
    /// Many who wait for seats of a host look together.
    looks: Arc<Mutex<Looks>>,
}

impl Panes {
    /// Asks over these links.
    #[must_use]
    pub fn new(links: Arc<dyn Links>, turns: Turns) -> Self {
        Self {
            turns,
            processes: Processes::new(Arc::clone(&links)),
            links,
            looks: Arc::default(),
        }
    }

    /// The ways to the machines.
    #[must_use]
    pub fn links(&self) -> &Arc<dyn Links> {
        &self.links
    }

    /// Waits for the right to type into a seat's pane.
    pub(super) async fn turn(&self, seat: &Reference) -> Turn {
        self.turns.take(&seat.surface()).await
    }

    /// The processes of seats.
    pub(super) const fn processes(&self) -> &Processes {
        &self.processes
    }

    /// Runs one command on a server, whichever process it is.
    pub async fn ask<C: Command>(
        &self,
        host: Option<&HostAlias>,
        server: &Server,
        command: &C,
    ) -> Outcome<C::Output> {
        let answer = async {
            self.links
                .to(host)
                .await?
                .run(server.invocation(command))
                .await
        };
        match answer.await {
            Ok(answer) => Outcome::of(command, &answer),
            Err(failure) => Outcome::Unknown(failure.message),
        }
    }

    /// Runs one command on the server of a seat, and on no other that has its socket now.
    pub async fn on<C: Command>(&self, seat: &Reference, command: C) -> Outcome<C::Output> {
        self.on_server(seat.host.as_ref(), seat.server, &seat.socket, command)
            .await
    }

    /// Runs one command on the server with this process and socket. That the socket is missing, or belongs to another server
    /// now, proves nothing: the server is gone once its process is.
    pub async fn on_server<C: Command>(
        &self,
        host: Option<&HostAlias>,
        pid: u32,
        socket: &str,
        command: C,
    ) -> Outcome<C::Output> {
        let server = Server::Socket(socket.to_owned());
        let outcome = self.ask(host, &server, &OnServer { pid, command }).await;
        let is_missing = matches!(outcome, Outcome::Absent(Absent::Server));
        // These words are of a server that ends with its last window.
        let is_ending = matches!(&outcome, Outcome::Unknown(why)
            if why.starts_with("server exited") || why.starts_with("lost server"));
        if !is_missing && !is_ending {
            return outcome;
        }
        match self.processes.server_ends(host, pid).await {
            Ok(true) => Outcome::Absent(Absent::Server),
            Ok(false) if is_ending => outcome,
            Ok(false) => Outcome::Unknown(format!(
                "the socket {socket} does not lead to tmux server {pid}, which still runs"
            )),
            Err(why) => Outcome::Unknown(why),
        }
    }

    /// Runs one command while the seat is in its place.
    pub async fn in_place<C: Command<Output = ()>>(
        &self,
        seat: &Reference,
        place: Place,
        command: C,
    ) -> Outcome<Guarded> {
        self.on(seat, InPlace { place, command }).await
    }

    /// Looks at a seat.
    pub async fn look(&self, seat: &Reference) -> Seen {
        found(seat, &self.rows(seat).await)
    }

    /// All panes of a seat's server.
    pub(super) async fn rows(&self, seat: &Reference) -> Rows {
        self.on(seat, ListSeats).await.map(Arc::new)
    }

    /// Looks at a seat of a host, or takes what somebody saw there who looked no longer ago than this.
    pub(super) async fn look_lately(&self, seat: &Reference, age: Duration) -> Seen {
        let Some(host) = &seat.host else {
            return self.look(seat).await;
        };
        let key = (host.clone(), seat.server, seat.socket.clone());
        let now = Instant::now();
        let look = {
            let mut looks = self.looks.lock().unwrap_or_else(PoisonError::into_inner);
            looks.retain(|_, (began, _)| now.duration_since(*began) < LOOKS_KEPT);
            let known = looks.get(&key);
            let is_good =
                |taken: &&Taken| taken.1.peek().is_none() || now.duration_since(taken.0) <= age;
            if let Some((_, look)) = known.filter(is_good) {
                look.clone()
            } else {
                let (panes, seat) = (self.clone(), seat.clone());
                let look = async move { panes.rows(&seat).await }.boxed().shared();
                looks.insert(key, (now, look.clone()));
                look
            }
        };
        found(seat, &look.await)
    }

    /// Looks at a seat whose process has ended, until tmux knows how: it misses some ends, and finds them when it is nudged.
    pub async fn look_after_end(&self, seat: &Reference) -> Seen {
        let mut seen = self.look(seat).await;
        let mut nudges = 0;
        for _ in 0..LOOKS {
            match seen {
                // A hang-up may be the placeholder's, which was replaced by one, where the end of the program was missed.
                Seen::Dead(
                    at,
                    Dead {
                        status: None,
                        signal: None | Some(HUP),
                    },
                ) => {
                    let used = self.processes.is_used(seat.host.as_ref(), at.pid).await;
                    if used != Ok(true) {
                        nudges += 1;
                    }
                }
                Seen::Running(at) => {
                    let used = self.processes.is_used(seat.host.as_ref(), at.pid).await;
                    if used != Ok(false) {
                        break;
                    }
                    nudges += 1;
                }
                _ => break,
            }
            if nudges > NUDGES {
                break;
            }
            tokio::time::sleep(MOMENT * nudges.max(1)).await;
            let _ = self.on(seat, Nudge).await;
            seen = self.look(seat).await;
        }
        seen
    }

    /// Closes the window of a seat whose pane is gone, while its session still holds it.
    pub async fn close_left(&self, seat: &Reference, session: SessionId) -> Outcome<Guarded> {
        self.on(
            seat,
            KillWindowOf {
                session,
                window: seat.window,
            },
        )
        .await
    }
}

fn found(seat: &Reference, rows: &Rows) -> Seen {
    match rows {
        Outcome::Done(rows) => seen(seat, rows),
        Outcome::Absent(_) => Seen::Gone,
        Outcome::Unknown(why) => Seen::Unknown(why.clone()),
    }
}

/// The row of a seat's pane, wherever that is now. A pane whose window is linked to several sessions has several rows; one in the
/// session of the seat is the one.
pub(super) fn row<'a>(seat: &Reference, rows: &'a [SeatRow]) -> Option<&'a SeatRow> {
    rows.iter()
        .filter(|row| row.place.pane == seat.pane)
        .min_by_key(|row| row.home != Some(row.place.session))
}

/// What the panes of its server say of a seat.
pub(super) fn seen(seat: &Reference, rows: &[SeatRow]) -> Seen {
    let Some(row) = row(seat, rows) else {
        let left = rows
            .iter()
            .find(|row| row.place.window == seat.window && row.home == Some(row.place.session));
        return left.map_or(Seen::Gone, |row| Seen::WindowLeft(row.place.session));
    };
    let here = row.place.window == seat.window;
    if here && row.home.is_none() {
        return Seen::Foreign;
    }
    let place = (here && row.home == Some(row.place.session)).then_some(row.place);
    let at = Where {
        place,
        pid: row.pid,
    };
    row.dead
        .map_or(Seen::Running(at), |dead| Seen::Dead(at, dead))
}

/// A seat that has moved and is therefore left alone.
#[must_use]
pub fn moved(verb: &str, seat: &Reference) -> Failure {
    Failure::new(
        Kind::SeatRefused,
        format!(
            "{verb} refused: pane {} is not in window {} of its own session any more",
            seat.pane, seat.window
        ),
    )
    .hint("move it back, or close it by hand: what was moved is somebody's")
}

/// A pane that is no seat.
#[must_use]
pub fn foreign(verb: &str, seat: &Reference) -> Failure {
    Failure::new(
        Kind::SeatRefused,
        format!("{verb} refused: pane {} is no seat", seat.pane),
    )
    .hint("only references that seat.spawn answered are taken")
}

/// Nothing is known of a seat.
#[must_use]
pub fn unknown(verb: &str, seat: &Reference, why: &str) -> Failure {
    Failure::new(
        Kind::StateUnknown,
        format!("{verb} cannot tell the state of the seat: {why}"),
    )
    .hint(match &seat.host {
        None => "nothing was assumed; ask again when tmux answers".to_owned(),
        Some(host) => format!(
            "nothing was assumed; ask again when {host} and its tmux answer: `surfaced hosts check {host}` says what is wrong"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(session: u32, window: u32, pane: u32, home: Option<u32>) -> SeatRow {
        SeatRow {
            server: 8,
            place: Place {
                session: SessionId(session),
                window: WindowId(window),
                pane: PaneId(pane),
            },
            pid: 99,
            dead: None,
            session_name: "surfaced-a".into(),
            space: "a".into(),
            seat: "s".into(),
            home: home.map(SessionId),
            window_name: "s".into(),
        }
    }

    #[test]
    fn a_seat_is_in_place_only_in_its_window_of_its_session() {
        let seat = Reference {
            server: 8,
            socket: "/s".into(),
            window: WindowId(2),
            pane: PaneId(3),
            host: None,
        };
        let place = row(1, 2, 3, Some(1)).place;
        for (name, rows, expected) in [
            (
                "in place",
                vec![row(1, 2, 3, Some(1))],
                Seen::Running(Where {
                    place: Some(place),
                    pid: 99,
                }),
            ),
            (
                "linked elsewhere too",
                vec![row(5, 2, 3, Some(1)), row(1, 2, 3, Some(1))],
                Seen::Running(Where {
                    place: Some(place),
                    pid: 99,
                }),
            ),
            (
                "window moved",
                vec![row(5, 2, 3, Some(1))],
                Seen::Running(Where {
                    place: None,
                    pid: 99,
                }),
            ),
            (
                "pane moved",
                vec![row(1, 7, 3, Some(1))],
                Seen::Running(Where {
                    place: None,
                    pid: 99,
                }),
            ),
            (
                "pane moved to no seat",
                vec![row(1, 7, 3, None)],
                Seen::Running(Where {
                    place: None,
                    pid: 99,
                }),
            ),
            ("not a seat", vec![row(1, 2, 3, None)], Seen::Foreign),
            (
                "only the window left",
                vec![row(1, 2, 9, Some(1))],
                Seen::WindowLeft(SessionId(1)),
            ),
            (
                "window left and moved",
                vec![row(5, 2, 9, Some(1))],
                Seen::Gone,
            ),
            ("gone", vec![row(1, 4, 5, Some(1))], Seen::Gone),
            ("nothing", vec![], Seen::Gone),
        ] {
            assert_eq!(seen(&seat, &rows), expected, "{name}");
        }
    }
}
