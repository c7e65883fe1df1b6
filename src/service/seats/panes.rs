//! What tmux says of a seat's pane, and commands that only hit the pane in its place.

use std::sync::Arc;

use crate::os::tree::Root;
use crate::proto::{Failure, Kind, SurfaceRef, TmuxPane};
use crate::tmux::list::Dead;
use crate::tmux::seat::{Guarded, InPlace, KillWindowOf, ListSeats, Nudge, Place, SeatRow};
use crate::tmux::{Command, OnServer, Outcome, PaneId, Server, SessionId, WindowId};
use crate::transport::Transport;

/// How often tmux is asked again for an end that it has missed.
const NUDGES: usize = 5;

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
                host: None,
            }) => Ok(Self {
                server: *server,
                socket: socket.clone(),
                window: WindowId(*window),
                pane: PaneId(*pane),
            }),
            SurfaceRef::Tmux(TmuxPane {
                host: Some(host), ..
            }) => Err(Failure::new(
                Kind::NotSupported,
                format!("seats on hosts are not supported, and {surface} is on {host}"),
            )
            .hint("run the daemon on that host and ask it")),
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
            host: None,
        })
    }

    fn server(&self) -> Server {
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

/// Asks tmux about seats, over a transport.
#[derive(Clone)]
pub struct Panes {
    transport: Arc<dyn Transport>,
}

impl Panes {
    /// Asks over this transport.
    #[must_use]
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        Self { transport }
    }

    /// Runs one command on a server, whichever process it is.
    pub async fn ask<C: Command>(&self, server: &Server, command: &C) -> Outcome<C::Output> {
        match self.transport.run(server.invocation(command)).await {
            Ok(answer) => Outcome::of(command, &answer),
            Err(failure) => Outcome::Unknown(failure.message),
        }
    }

    /// Runs one command on the server of a seat, and on no other that has its socket now.
    pub async fn on<C: Command>(&self, seat: &Reference, command: C) -> Outcome<C::Output> {
        self.ask(
            &seat.server(),
            &OnServer {
                pid: seat.server,
                command,
            },
        )
        .await
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
        match self.on(seat, ListSeats).await {
            Outcome::Done(rows) => seen(seat, &rows),
            Outcome::Absent(_) => Seen::Gone,
            Outcome::Unknown(why) => Seen::Unknown(why),
        }
    }

    /// Looks at a seat whose process has ended, until tmux knows how: it misses some ends, and finds them when it is nudged.
    pub async fn look_after_end(&self, seat: &Reference) -> Seen {
        let mut seen = self.look(seat).await;
        for _ in 0..NUDGES {
            match seen {
                // A hang-up may be the placeholder's, which was replaced by one, where the end of the program was missed.
                Seen::Dead(
                    _,
                    Dead {
                        status: None,
                        signal: None | Some(HUP),
                    },
                ) => {}
                Seen::Running(at) if !Root::now(at.pid).alive() => {}
                _ => break,
            }
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

/// Finds a seat among the panes of its server. A pane whose window is linked to several sessions has several rows; one in the
/// session of the seat is enough.
fn seen(seat: &Reference, rows: &[SeatRow]) -> Seen {
    let mut found: Vec<&SeatRow> = rows
        .iter()
        .filter(|row| row.place.pane == seat.pane)
        .collect();
    found.sort_by_key(|row| row.home != Some(row.place.session));
    let Some(row) = found.first() else {
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
pub fn unknown(verb: &str, why: &str) -> Failure {
    Failure::new(
        Kind::StateUnknown,
        format!("{verb} cannot tell the state of the seat: {why}"),
    )
    .hint("nothing was assumed; ask again when tmux answers")
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
