//! What is done with a seat once it is there: status, stop, interrupt, capture, wait, reap.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::Seats;
use super::book::{End, Record};
use super::panes::{Reference, Seen, Where, foreign, moved, unknown};
use super::spawn::EXIT_PHRASE;
use super::watch::exit_of;
use crate::proto::seat::{
    Outcome as Reaping, Reaped, SeatCaptureParams, SeatState, SeatStatus, SeatWaitParams,
    StopParams, Stopped,
};
use crate::proto::surfaces::{Exit, Text};
use crate::proto::{Failure, Kind, SurfaceRef};
use crate::tmux::outcome::closed;
use crate::tmux::pane::{Capture, Press, Write};
use crate::tmux::seat::{Guarded, Place, Vacate};
use crate::tmux::{Absent, Key, Outcome};

const GRACE: Duration = Duration::from_millis(1500);
const LIMIT: Duration = Duration::from_secs(8);

/// How long a reap may take.
const REAP: Duration = Duration::from_secs(10);

/// How often a seat is looked at while something is waited for.
const PAUSE: Duration = Duration::from_millis(100);

/// The same on a host, where each look is a command of its own: many who wait there look together.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How long a wait puts up with a tmux that does not answer before it fails.
const PATIENCE: Duration = Duration::from_secs(3);

/// The same on a host: a link that broke is made again in that time.
const PATIENCE_THERE: Duration = Duration::from_secs(10);

/// How long after its time a call may still be answered, where tmux hangs.
const SLACK: Duration = Duration::from_millis(300);

/// What is known of a tmux that hangs.
const SILENT: &str = "tmux did not answer in time";

impl Seats {
    /// Whether a seat's program runs.
    ///
    /// # Errors
    /// `state-unknown`: tmux did not answer in words that prove anything.
    pub async fn status(&self, reference: &SurfaceRef) -> Result<SeatStatus, Failure> {
        let seat = Reference::of(reference)?;
        let seen = self.look(&seat).await;
        self.state(&seat, seen, "seat.status").await
    }

    /// Looks at a seat.
    async fn look(&self, seat: &Reference) -> Seen {
        self.own(seat, self.inner.panes.look(seat).await).await
    }

    /// The same sight, unless another program runs in the pane by now: somebody respawned it, and what runs there is theirs.
    async fn own(&self, seat: &Reference, seen: Seen) -> Seen {
        let (Seen::Running(at) | Seen::Dead(at, _)) = seen else {
            return seen;
        };
        let record = self.inner.book.get(&seat.surface()).await.ok().flatten();
        match record.and_then(|record| record.pid) {
            Some(pid) if pid != at.pid => Seen::Gone,
            _ => seen,
        }
    }

    /// The state of a seat of which this was seen.
    async fn state(&self, seat: &Reference, seen: Seen, verb: &str) -> Result<SeatStatus, Failure> {
        let seen = match seen {
            Seen::Running(at) => {
                let processes = self.inner.panes.processes();
                match processes.is_used(seat.host.as_ref(), at.pid).await {
                    Err(why) => return Err(unknown(verb, seat, &why)),
                    Ok(true) => Seen::Running(at),
                    // The process has ended and tmux has not noticed: it is asked until it has.
                    Ok(false) => self.look_after_end(seat).await,
                }
            }
            Seen::Dead(..) => self.look_after_end(seat).await,
            seen => seen,
        };
        match seen {
            Seen::Running(_) => Ok(SeatStatus::of(SeatState::Running)),
            Seen::Dead(_, dead) => {
                let exit = exit_of(dead);
                Ok(SeatStatus {
                    exit_code: exit.exit_code,
                    signal: exit.signal,
                    ..SeatStatus::of(SeatState::Exited)
                })
            }
            Seen::Unknown(why) => Err(unknown(verb, seat, &why)),
            Seen::Foreign => Err(foreign(verb, seat)),
            Seen::Gone | Seen::WindowLeft(_) => self.remembered(seat).await,
        }
    }

    async fn look_after_end(&self, seat: &Reference) -> Seen {
        self.own(seat, self.inner.panes.look_after_end(seat).await)
            .await
    }

    /// The end of a seat whose pane is not there any more, as it was written down.
    async fn remembered(&self, seat: &Reference) -> Result<SeatStatus, Failure> {
        let end = self
            .inner
            .book
            .get(&seat.surface())
            .await?
            .and_then(|record| record.end);
        Ok(end.map_or(SeatStatus::of(SeatState::Gone), End::status))
    }

    /// Presses C-c in a seat.
    ///
    /// # Errors
    /// `target-gone`, `seat-refused` where the pane has moved, `state-unknown`.
    pub async fn interrupt(&self, reference: &SurfaceRef) -> Result<(), Failure> {
        let seat = Reference::of(reference)?;
        let place = self.running(&seat, "seat.interrupt").await?;
        let press = Press {
            pane: seat.pane,
            keys: vec![Key::interrupt()],
        };
        let _turn = self.inner.panes.turn(&seat).await;
        let pressed = self.inner.panes.in_place(&seat, place, press).await;
        done("seat.interrupt", &seat, pressed)
    }

    /// The text on a seat's pane, wherever it is now.
    ///
    /// # Errors
    /// `target-gone`, `state-unknown`.
    pub async fn capture(&self, params: &SeatCaptureParams) -> Result<Text, Failure> {
        let seat = Reference::of(&params.reference)?;
        if self.look(&seat).await == Seen::Foreign {
            return Err(foreign("seat.capture", &seat));
        }
        let capture = Capture {
            pane: seat.pane,
            lines: params.lines,
        };
        match self.inner.panes.on(&seat, capture).await {
            Outcome::Unknown(why) => Err(unknown("seat.capture", &seat, &why)),
            outcome => Ok(Text {
                text: outcome.on_surface("read the seat")?,
            }),
        }
    }

    /// The place of a seat that runs and has not moved.
    async fn running(&self, seat: &Reference, verb: &str) -> Result<Place, Failure> {
        match self.look(seat).await {
            Seen::Running(Where {
                place: Some(place), ..
            }) => Ok(place),
            Seen::Running(_) => Err(moved(verb, seat)),
            Seen::Foreign => Err(foreign(verb, seat)),
            Seen::Unknown(why) => Err(unknown(verb, seat, &why)),
            Seen::Dead(..) | Seen::Gone | Seen::WindowLeft(_) => Err(over(verb)),
        }
    }

    /// Waits for the end of a seat's program. A tmux that fails for a moment is asked again; one that goes on failing fails
    /// the wait, which never takes that for an end.
    ///
    /// # Errors
    /// `state-unknown`.
    pub async fn wait(&self, params: &SeatWaitParams) -> Result<Exit, Failure> {
        let limit = params.timeout_ms.map_or(LIMIT, Duration::from_millis);
        self.wait_for(&Reference::of(&params.reference)?, Some(limit))
            .await
    }

    /// Waits for the end of a seat, where a surface is one that was spawned by this daemon or an earlier one.
    ///
    /// # Errors
    /// `state-unknown`.
    pub async fn wait_if_seat(
        &self,
        surface: &SurfaceRef,
        limit: Option<Duration>,
    ) -> Option<Result<Exit, Failure>> {
        let seat = Reference::of(surface).ok()?;
        self.inner.book.get(surface).await.ok().flatten()?;
        Some(self.wait_for(&seat, limit).await)
    }

    async fn wait_for(&self, seat: &Reference, limit: Option<Duration>) -> Result<Exit, Failure> {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let patience = if seat.host.is_some() {
            PATIENCE_THERE
        } else {
            PATIENCE
        };
        let mut failing: Option<Instant> = None;
        let mut pause = PAUSE;
        loop {
            let state = self.state_lately(seat, pause);
            let state = match end {
                None => state.await,
                Some(end) => timeout_at(end + SLACK, state)
                    .await
                    .unwrap_or_else(|_| Err(unknown("seat.wait", seat, SILENT))),
            };
            // One reading of the clock: a wait that saw nothing must not find that its time is up only after it forgave that.
            let now = Instant::now();
            let is_over = end.is_some_and(|end| now >= end);
            match state {
                Ok(SeatStatus {
                    state: SeatState::Running,
                    ..
                }) => failing = None,
                Ok(status) => {
                    return Ok(Exit {
                        exited: true,
                        exit_code: status.exit_code,
                        signal: status.signal,
                    });
                }
                Err(failure) if failure.kind() == Kind::StateUnknown => {
                    let since = *failing.get_or_insert(now);
                    if is_over || now.duration_since(since) >= patience {
                        return Err(failure);
                    }
                }
                Err(failure) => return Err(failure),
            }
            if is_over {
                return Ok(Exit::default());
            }
            let left = end.map_or(pause, |end| end.duration_since(now));
            sleep(pause.min(left)).await;
            if seat.host.is_some() {
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// The state of a seat, on a host as of this long ago at most. Whether tmux there has missed an end is left to whoever
    /// watches the seat.
    async fn state_lately(&self, seat: &Reference, age: Duration) -> Result<SeatStatus, Failure> {
        const VERB: &str = "seat.wait";
        if seat.host.is_none() {
            let seen = self.look(seat).await;
            return self.state(seat, seen, VERB).await;
        }
        let record = self.inner.book.get(&seat.surface()).await?;
        if let Some(end) = record.as_ref().and_then(|record| record.end.clone()) {
            return Ok(end.status());
        }
        let seen = self
            .own(seat, self.inner.panes.look_lately(seat, age).await)
            .await;
        if record.is_some() && matches!(seen, Seen::Running(_)) {
            return Ok(SeatStatus::of(SeatState::Running));
        }
        // A look that was begun before the seat was spawned does not show it, which proves nothing.
        let seen = self.look(seat).await;
        self.state(seat, seen, VERB).await
    }

    /// Ends a seat: gracefully by its exit phrase and a grace, then hard. The answer comes when the end is proven.
    ///
    /// # Errors
    /// `timeout`: the time was up before the grace was, and nothing was killed. `seat-refused`: the pane or its window has
    /// moved, and nothing was done. `state-unknown`: tmux did not answer, or something of it still runs.
    pub async fn stop(&self, params: StopParams) -> Result<Stopped, Failure> {
        let own = self.clone();
        let seat = Reference::of(&params.reference)?;
        let limit = params.timeout_ms.map_or(LIMIT, Duration::from_millis) + SLACK;
        self.finish(async move {
            let stopped = timeout(limit, own.stop_now(&params)).await;
            stopped.unwrap_or_else(|_| Err(unknown("seat.stop", &seat, SILENT)))
        })
        .await
    }

    async fn stop_now(&self, params: &StopParams) -> Result<Stopped, Failure> {
        const VERB: &str = "seat.stop";
        let seat = Reference::of(&params.reference)?;
        let deadline = Instant::now() + params.timeout_ms.map_or(LIMIT, Duration::from_millis);
        let at = match self.look(&seat).await {
            Seen::Unknown(why) => return Err(unknown(VERB, &seat, &why)),
            Seen::Foreign => return Err(foreign(VERB, &seat)),
            Seen::Gone | Seen::WindowLeft(_) => {
                let mut state = self.remembered(&seat).await?.state;
                if self.end_rest(VERB, &seat, deadline).await? {
                    state = SeatState::Exited;
                }
                self.dismiss(&seat, &Exit::default()).await?;
                return Ok(Stopped { state });
            }
            Seen::Running(at) => {
                let place = at.place.ok_or_else(|| moved(VERB, &seat))?;
                if params.graceful.unwrap_or(true) {
                    self.grace(&seat, place, at, params, deadline).await?;
                }
                at
            }
            Seen::Dead(at, _) => at,
        };
        let place = at.place.ok_or_else(|| moved(VERB, &seat))?;
        self.end(VERB, &seat, place, at, deadline).await?;
        Ok(Stopped {
            state: SeatState::Exited,
        })
    }

    /// Types the exit phrase and lets the program end by itself.
    async fn grace(
        &self,
        seat: &Reference,
        place: Place,
        at: Where,
        params: &StopParams,
        deadline: Instant,
    ) -> Result<(), Failure> {
        let record = self.inner.book.get(&seat.surface()).await?;
        let phrase = record.map_or_else(|| EXIT_PHRASE.to_owned(), |record| record.exit_phrase);
        let (host, processes) = (seat.host.as_ref(), self.inner.panes.processes());
        let root = processes
            .now(host, at.pid)
            .await
            .map_err(|why| unknown("seat.stop", seat, &why))?;
        if !phrase.is_empty() {
            let _turn = self.inner.panes.turn(seat).await;
            let write = Write {
                pane: seat.pane,
                text: phrase,
                buffer: format!("surfaced-{:032x}", rand::random::<u128>()),
            };
            typed(seat, self.inner.panes.in_place(seat, place, write).await)?;
            let enter = Press {
                pane: seat.pane,
                keys: vec![Key::enter()],
            };
            typed(seat, self.inner.panes.in_place(seat, place, enter).await)?;
        }
        let grace = Instant::now() + params.grace_ms.map_or(GRACE, Duration::from_millis);
        let ended = processes.ended_by(host, &root, grace.min(deadline)).await;
        if ended.map_err(|why| unknown("seat.stop", seat, &why))? || grace <= deadline {
            return Ok(());
        }
        Err(Failure::new(
            Kind::Timeout,
            "seat.stop ran out of time during the grace, and nothing was killed",
        )
        .hint("give timeoutMs more than graceMs, or stop with graceful: false"))
    }

    /// Closes the pane, its window where nobody else has a pane there, and ends every process that came of it, and proves both.
    async fn end(
        &self,
        verb: &str,
        seat: &Reference,
        place: Place,
        at: Where,
        deadline: Instant,
    ) -> Result<(), Failure> {
        let (host, processes) = (seat.host.as_ref(), self.inner.panes.processes());
        let family = async {
            let root = processes.now(host, at.pid).await?;
            processes.family(seat, &root).await
        };
        let family = family.await.map_err(|why| unknown(verb, seat, &why))?;
        let exit = match self.look_after_end(seat).await {
            Seen::Dead(_, dead) => exit_of(dead),
            _ => Exit::default(),
        };
        let _ending = self.inner.ending(seat);
        let vacate = Vacate {
            window: seat.window,
            pane: seat.pane,
        };
        match self.inner.panes.in_place(seat, place, vacate).await {
            Outcome::Done(Guarded::Done) | Outcome::Absent(_) => {}
            Outcome::Done(Guarded::Moved) => return Err(moved(verb, seat)),
            // A server whose last session has just gone answers in words of its own.
            Outcome::Unknown(why) => {
                if self.look(seat).await != Seen::Gone {
                    return Err(unknown(verb, seat, &why));
                }
            }
        }
        let ended = processes.kill(family, deadline).await;
        if !ended.map_err(|why| unknown(verb, seat, &why))? {
            return Err(unknown(
                verb,
                seat,
                "its window is closed and a process of it still runs",
            ));
        }
        match self.look(seat).await {
            Seen::Gone => {}
            Seen::Unknown(why) => return Err(unknown(verb, seat, &why)),
            _ => return Err(unknown(verb, seat, "tmux still shows it")),
        }
        self.dismiss(seat, &exit).await
    }

    /// Ends what a program has left running whose pane is gone, as after a stop that was cut short. Whether there was anything.
    async fn end_rest(
        &self,
        verb: &str,
        seat: &Reference,
        deadline: Instant,
    ) -> Result<bool, Failure> {
        let (host, processes) = (seat.host.as_ref(), self.inner.panes.processes());
        let Some(record) = self.inner.book.get(&seat.surface()).await? else {
            return Ok(false);
        };
        let root = record.process();
        let ended = async {
            if !processes.lives(host, &root).await? {
                return Ok(None);
            }
            let family = processes.family(seat, &root).await?;
            processes.kill(family, deadline).await.map(Some)
        };
        match ended
            .await
            .map_err(|why: String| unknown(verb, seat, &why))?
        {
            None => Ok(false),
            Some(true) => Ok(true),
            Some(false) => Err(unknown(
                verb,
                seat,
                "its window is closed and a process of it still runs",
            )),
        }
    }

    async fn dismiss(&self, seat: &Reference, exit: &Exit) -> Result<(), Failure> {
        let end = End::now(SeatState::Exited, exit).dismissed();
        let reference = seat.surface();
        if self.inner.book.end(&reference, end.clone()).await?
            && let Some(record) = self.inner.book.get(&reference).await?
        {
            let record = Record {
                end: Some(end),
                ..record
            };
            self.inner
                .announce("seat.exited", &record.seat(Some(SeatState::Exited), None));
        }
        Ok(())
    }

    /// Ends what is left of a seat, also one that an earlier daemon spawned and whose record is lost.
    ///
    /// # Errors
    /// `seat-refused`: the pane or its window has moved, and nothing was done. `state-unknown`.
    pub async fn reap(&self, reference: SurfaceRef) -> Result<Reaped, Failure> {
        let own = self.clone();
        self.finish(async move { own.reap_now(&reference).await })
            .await
    }

    async fn reap_now(&self, reference: &SurfaceRef) -> Result<Reaped, Failure> {
        const VERB: &str = "seat.reap";
        let seat = Reference::of(reference)?;
        let deadline = Instant::now() + REAP;
        let reaped = |detail: &str| Reaped {
            outcome: Reaping::Reaped,
            detail: detail.to_owned(),
        };
        match self.look(&seat).await {
            Seen::Unknown(why) => Err(unknown(VERB, &seat, &why)),
            Seen::Foreign => Err(foreign(VERB, &seat)),
            Seen::Gone if self.end_rest(VERB, &seat, deadline).await? => {
                self.dismiss(&seat, &Exit::default()).await?;
                Ok(reaped(
                    "its pane was gone, and what still ran of it was ended",
                ))
            }
            Seen::Gone => {
                self.dismiss(&seat, &Exit::default()).await?;
                Ok(Reaped {
                    outcome: Reaping::Absent,
                    detail: "tmux has no such pane".to_owned(),
                })
            }
            Seen::WindowLeft(session) => match self.inner.panes.close_left(&seat, session).await {
                Outcome::Done(Guarded::Done) => {
                    self.dismiss(&seat, &Exit::default()).await?;
                    Ok(reaped("its pane was gone, and the window was closed"))
                }
                Outcome::Done(Guarded::Moved) => Err(moved(VERB, &seat)),
                Outcome::Absent(_) => Ok(Reaped {
                    outcome: Reaping::Absent,
                    detail: "tmux has no such window".to_owned(),
                }),
                Outcome::Unknown(why) => Err(unknown(VERB, &seat, &why)),
            },
            Seen::Running(at) => {
                let place = at.place.ok_or_else(|| moved(VERB, &seat))?;
                self.end(VERB, &seat, place, at, deadline).await?;
                Ok(reaped("its program was ended and the window closed"))
            }
            Seen::Dead(at, _) => {
                let place = at.place.ok_or_else(|| moved(VERB, &seat))?;
                self.end(VERB, &seat, place, at, deadline).await?;
                Ok(reaped("its program had ended, and the window was closed"))
            }
        }
    }
}

fn done(verb: &str, seat: &Reference, outcome: Outcome<Guarded>) -> Result<(), Failure> {
    match outcome {
        Outcome::Done(Guarded::Done) => Ok(()),
        Outcome::Done(Guarded::Moved) => Err(moved(verb, seat)),
        Outcome::Absent(Absent::Input) => Err(closed(&format!("do {verb}"))),
        Outcome::Absent(_) => Err(over(verb)),
        Outcome::Unknown(why) => Err(unknown(verb, seat, &why)),
    }
}

/// A program that ended between two writes needs no more of them.
fn typed(seat: &Reference, outcome: Outcome<Guarded>) -> Result<(), Failure> {
    match outcome {
        Outcome::Absent(absent) if absent != Absent::Input => Ok(()),
        outcome => done("seat.stop", seat, outcome),
    }
}

/// A seat that has ended, so that nothing can be done with it.
fn over(verb: &str) -> Failure {
    Failure::new(
        Kind::TargetGone,
        format!("{verb} cannot be done: the seat has ended"),
    )
    .hint("seat.list shows those that run")
}
