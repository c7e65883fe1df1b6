//! The places that agents live in, as they need them: start a program there, find it again, look at it, end it.

mod goodbye;
mod seat;
mod surface;
mod terminal;
mod there;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::program::Programs;
use super::record::Run;
use super::verdict::End;
use crate::host::wire::Size;
use crate::os::peer::Peer;
use crate::proto::agent::Place;
use crate::proto::{Argv, Context, Env, Failure};
use crate::service::open::{Links, Opener};
use crate::service::seats::Seats;
use crate::service::surfaces::Surfaces;
use crate::service::terminals::Terminals;

/// How long a program may take to leave by itself once it was asked to.
const GRACE: Duration = Duration::from_millis(1500);

/// How often is looked while something is waited for.
const PAUSE: Duration = Duration::from_millis(50);

/// The services of the places.
#[derive(Clone)]
pub struct Places {
    /// Hosted terminals.
    pub terminals: Terminals,
    /// Seats.
    pub seats: Seats,
    /// Opens surfaces.
    pub opener: Opener,
    /// Does things with surfaces.
    pub surfaces: Surfaces,
    /// The ways to hosts.
    pub links: Arc<dyn Links>,
    /// Finds programs.
    pub programs: Programs,
    /// Where starts in surfaces report, a directory of our own.
    pub runs: PathBuf,
}

/// A program to start.
#[derive(Clone, Debug)]
pub(super) struct Start {
    pub(super) agent: String,
    pub(super) provider: String,
    pub(super) title: String,
    pub(super) cwd: String,
    pub(super) argv: Argv,
    /// The command without the prompt, as it is written down and told.
    pub(super) shown: Vec<String>,
    pub(super) env: Env,
    /// What its person types to leave it.
    pub(super) phrase: String,
    pub(super) session: Option<String>,
    /// The size of a terminal.
    pub(super) size: Option<Size>,
    /// Who wants it, which is where a surface opens.
    pub(super) caller: Option<Peer>,
    /// Where they say that they are.
    pub(super) context: Option<Context>,
}

/// What was seen of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// It runs.
    Lives,
    /// It has ended.
    Ended(End),
    /// It was never begun, and will not be.
    Never,
    /// Nothing is known.
    Unknown(String),
}

/// Names what will be started, before it is.
pub(super) fn name(run: &mut Run, agent: &str, provider: &str) {
    match run.place {
        Place::Terminal {} => run.terminal = Some(crate::service::terminals::new_id()),
        Place::Seat { .. } => run.seat_name = Some(seat::name(agent, provider, run.number)),
        Place::Surface { .. } => {}
    }
}

impl Places {
    /// Starts a program, and writes into `run` where it is. A note: what was done otherwise than asked for.
    ///
    /// # Errors
    /// Nothing was started, and nothing is left.
    pub(super) async fn start(
        &self,
        start: Start,
        run: &mut Run,
    ) -> Result<Option<String>, Failure> {
        match run.place.clone() {
            Place::Terminal {} => self.start_terminal(start, run).await.map(|()| None),
            Place::Seat { space } => self.start_seat(start, space, run).await.map(|()| None),
            Place::Surface {
                backend,
                host,
                layout,
            } => {
                self.start_surface(start, (backend, host, layout), run)
                    .await
            }
        }
    }

    /// Looks whether a program was started that an earlier daemon had not written down yet. If so, `run` says where it is. If
    /// not, it will not be started any more.
    pub(super) async fn discover(&self, run: &mut Run, agent: &str, start: &Left) -> bool {
        match run.place.clone() {
            Place::Terminal {} => self.discover_terminal(run).await,
            Place::Seat { space } => self.discover_seat(run, &space, start).await,
            Place::Surface { host: None, .. } => self.discover_surface(run, agent).await,
            // A host that does not answer proves nothing, so that a look decides, whenever it can.
            Place::Surface { host: Some(_), .. } => true,
        }
    }

    /// Looks at a program, and writes into `run` what was not known yet of where it is, and whether it can be asked.
    pub(super) async fn see(&self, run: &mut Run, agent: &str) -> Sight {
        let Some(host) = run.host().map(str::to_owned) else {
            return self.look(run, agent).await;
        };
        let sight = self.see_there(run, &host, agent).await;
        match &sight {
            // Other words for the same silence are no news.
            Sight::Unknown(why) => _ = run.doubt.get_or_insert_with(|| why.clone()),
            Sight::Lives | Sight::Ended(_) | Sight::Never => run.doubt = None,
        }
        sight
    }

    /// Looks at a program.
    pub(super) async fn look(&self, run: &Run, agent: &str) -> Sight {
        match &run.place {
            Place::Terminal {} => self.look_terminal(run).await,
            Place::Seat { .. } => self.look_seat(run).await,
            Place::Surface { host: None, .. } => self.look_surface(run, agent).await,
            Place::Surface {
                host: Some(host), ..
            } => self.see_there(&mut run.clone(), host, agent).await,
        }
    }

    /// Ends a program: by its phrase, where that certainly stands alone in its input, which only a hosted terminal can tell;
    /// else by a hang-up or the end of its place, then by a kill. It has ended when this returns.
    ///
    /// # Errors
    /// It may still run.
    pub(super) async fn end(&self, run: &Run, agent: &str, phrase: &str) -> Result<(), Failure> {
        match &run.place {
            Place::Terminal {} => self.end_terminal(run, phrase).await,
            Place::Seat { .. } => self.end_seat(run).await,
            Place::Surface { host: None, .. } => self.end_surface(run, agent).await,
            Place::Surface {
                host: Some(host), ..
            } => self.end_there(run, host, agent).await,
        }
    }

    /// Removes what an ended program reported. A terminal stays to be read.
    pub(super) async fn sweep(&self, run: &Run, agent: &str) {
        match &run.place {
            Place::Surface {
                host: Some(host), ..
            } => self.forget_there(run, host, agent).await,
            Place::Surface { host: None, .. } => self.forget_surface(run, agent),
            Place::Terminal {} | Place::Seat { .. } => {}
        }
    }

    /// Forgets what is left of an ended program.
    pub(super) async fn forget(&self, run: &Run, agent: &str) {
        match run.place {
            Place::Terminal {} => self.forget_terminal(run).await,
            Place::Seat { .. } | Place::Surface { .. } => self.sweep(run, agent).await,
        }
    }
}

/// What a daemon that finds a program needs to know of how it was started.
#[derive(Clone, Debug)]
pub(super) struct Left {
    pub(super) command: Vec<String>,
    pub(super) cwd: String,
    pub(super) phrase: String,
}
