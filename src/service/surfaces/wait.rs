//! `surface.wait`: until the program in a surface ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::certain::Certain;
use super::show;
use super::verbs::{Surfaces, no_wait};
use crate::backend::target_gone;
use crate::proto::surfaces::{Exit, Or, WaitParams};
use crate::proto::{Failure, Kind, SurfaceRef, TmuxPane};
use crate::service::open::Links;
use crate::service::seats::exit_of;
use crate::tmux::list::{Dead, ListPanes};
use crate::tmux::seat::Nudge;
use crate::tmux::{OnServer, Outcome, PaneId, Server};
use crate::transport::Transport;

/// Pauses between two looks: short at first, since many programs end soon.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_millis(500);

/// The same on a host, where each look costs the start of a login shell.
const LONGEST_THERE: Duration = Duration::from_secs(2);

/// How long tmux has for an answer, at least and at most.
const LOOK: Duration = Duration::from_secs(2);
const ANSWER: Duration = Duration::from_secs(10);

/// So many looks in a row may fail before the wait does.
const PATIENCE: u32 = 20;

impl Surfaces {
    /// Waits for the end of the program in a surface.
    ///
    /// # Errors
    /// `target-gone` where it is gone already, `state-unknown` where nothing can be learned of it for long,
    /// `not-supported` for a terminal that does not tell.
    pub async fn wait(&self, params: WaitParams) -> Result<Or<Exit>, Failure> {
        let limit = params.timeout_ms.map(Duration::from_millis);
        let dry_run = params.dry_run == Some(true);
        let place = match &params.surface {
            SurfaceRef::Builtin(id) if !dry_run => {
                return self.hosted.wait(id, limit).await.map(Or::Done);
            }
            SurfaceRef::Tmux(place) => place,
            other => return Err(no_wait(self.backend(other)?.label())),
        };
        let Some(pane) = place.pane.map(PaneId) else {
            return Err(Failure::params(
                "surface",
                format!("{} names a window, not a pane", params.surface),
            ));
        };
        let server = Server::Socket(place.socket.clone());
        if dry_run {
            let look = server.invocation(&around(place, pane));
            return Ok(Or::Shown(show::spec(
                &params.surface,
                vec![look],
                &self.links.ssh(),
            )));
        }
        if let Some(seats) = &self.seats
            && let Some(exit) = seats.wait_if_seat(&params.surface, limit).await
        {
            return exit.map(Or::Done);
        }
        let transport = self.links.to(place.host.as_ref()).await?;
        let watch = Watch {
            place,
            pane,
            server,
            transport: Certain::new(transport.as_ref(), place, &self.links),
        };
        watch.end(&params.surface, limit).await.map(Or::Done)
    }
}

/// What was seen of a pane.
enum Seen {
    Runs,
    Ended(Dead),
    /// It does not exist, or not on the server that was meant.
    Gone,
    Unknown(String),
}

struct Watch<'a> {
    place: &'a TmuxPane,
    pane: PaneId,
    server: Server,
    transport: Certain<'a>,
}

/// Waits until a pane of this machine is gone, after its program ended: a pane may stay for people to read.
///
/// Its exit, as far as it was seen. `None` where nothing can be learned of it for long.
pub(super) async fn gone(place: &TmuxPane, links: &Arc<dyn Links>) -> Option<Exit> {
    let transport = links.to(None).await.ok()?;
    let pane = place.pane.map(PaneId)?;
    let watch = Watch {
        place,
        pane,
        server: Server::Socket(place.socket.clone()),
        transport: Certain::new(transport.as_ref(), place, links),
    };
    let (mut pause, mut failures) = (FIRST, 0);
    let mut exit = Exit::unknown();
    loop {
        match watch.look(None).await {
            Ok(Seen::Gone) => return Some(exit),
            Ok(Seen::Ended(dead)) => (failures, exit) = (0, watch.exit(dead).await),
            // Somebody respawned it.
            Ok(Seen::Runs) => failures = 0,
            Ok(Seen::Unknown(_)) | Err(_) => failures += 1,
        }
        if failures > PATIENCE {
            return None;
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_THERE);
    }
}

impl Watch<'_> {
    async fn end(&self, surface: &SurfaceRef, limit: Option<Duration>) -> Result<Exit, Failure> {
        // A limit beyond what a clock can hold is none.
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let longest = if self.place.host.is_some() {
            LONGEST_THERE
        } else {
            LONGEST
        };
        let (mut pause, mut failures, mut known) = (FIRST, 0, false);
        loop {
            // A server that does not answer is not waited for beyond the time of the wait, and nor is a host.
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let seen = self.look_within(left.map(|left| left.max(LOOK))).await?;
            // One reading of the clock: a wait that saw nothing must not find that its time is up only after it forgave that.
            let now = Instant::now();
            let is_over = end.is_some_and(|end| now >= end);
            match seen {
                Seen::Runs => (failures, known) = (0, true),
                Seen::Ended(dead) => return Ok(self.exit(dead).await),
                Seen::Gone if known => return Ok(Exit::unknown()),
                Seen::Gone => return Err(target_gone(surface)),
                Seen::Unknown(why) => {
                    failures += 1;
                    if failures > PATIENCE || is_over {
                        let message = format!("cannot tell whether {surface} still runs: {why}");
                        return Err(Failure::new(Kind::StateUnknown, message)
                            .hint("nothing was assumed; ask again when it answers"));
                    }
                }
            }
            if is_over {
                return Ok(Exit::default());
            }
            let left = end.map_or(longest, |end| end.duration_since(now));
            sleep(pause.min(left)).await;
            pause = (pause * 2).min(longest);
        }
    }

    /// Looks. What a host takes beyond its command, such as a login, counts too.
    async fn look_within(&self, limit: Option<Duration>) -> Result<Seen, Failure> {
        let (Some(time), Some(host)) = (limit, &self.place.host) else {
            return self.look(limit).await;
        };
        tokio::time::timeout(time, self.look(limit))
            .await
            .unwrap_or_else(|_| Ok(Seen::Unknown(format!("{host} did not answer in time"))))
    }

    async fn look(&self, limit: Option<Duration>) -> Result<Seen, Failure> {
        let command = around(self.place, self.pane);
        let mut look = self.server.invocation(&command);
        look.timeout = limit.map(|limit| limit.min(ANSWER));
        let answer = match self.transport.run(look).await {
            // A link that broke or hangs says nothing of the surface.
            Err(failure) if failure.kind() == Kind::StateUnknown => {
                return Ok(Seen::Unknown(failure.message));
            }
            answer => answer?,
        };
        Ok(match Outcome::of(&command, &answer) {
            Outcome::Done(rows) => {
                let ours = |row: &&_| is(row, self.place, self.pane);
                match rows.iter().find(ours).map(|row| row.dead) {
                    None => Seen::Gone,
                    Some(None) => Seen::Runs,
                    Some(Some(dead)) => Seen::Ended(dead),
                }
            }
            Outcome::Absent(_) => Seen::Gone,
            Outcome::Unknown(why) => Seen::Unknown(why),
        })
    }

    /// The exit of a pane that was kept. tmux can miss the end of a program until its next child ends, so it is given one.
    async fn exit(&self, mut dead: Dead) -> Exit {
        if dead == Dead::default() {
            let nudge = OnServer {
                pid: self.place.server,
                command: Nudge,
            };
            let _ = self.transport.run(self.server.invocation(&nudge)).await;
            if let Ok(Seen::Ended(again)) = self.look(None).await {
                dead = again;
            }
        }
        exit_of(dead)
    }
}

/// The question for the panes around one, to the server that is meant.
pub(super) const fn around(place: &TmuxPane, pane: PaneId) -> OnServer<ListPanes> {
    OnServer {
        pid: place.server,
        command: ListPanes::Around(pane),
    }
}

fn is(row: &crate::tmux::list::PaneRow, place: &TmuxPane, pane: PaneId) -> bool {
    row.pane == pane && row.server == place.server
}
