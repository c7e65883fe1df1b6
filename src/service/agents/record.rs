//! What is written down of an agent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::os::clock;
use crate::os::tree::Root;
use crate::proto::SurfaceRef;
use crate::proto::agent::{Agent, Lifecycle, Place};
use crate::proto::provider::Handle;

/// The version of the shape of these records.
pub const VERSION: u32 = 1;

/// How much later than its report a process may seem to have started: clocks of files and processes are coarse.
const SLACK: Duration = Duration::from_secs(2);

/// An agent. Its prompt and the values of its variables are not here: both may be secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// A `UUIDv7`.
    pub id: String,
    /// The provider's id.
    pub provider: String,
    /// Where its conversation was begun, which is where it is taken up.
    pub cwd: String,
    /// The model that it was created with.
    #[serde(default)]
    pub model: Option<String>,
    /// The mode that it was created with.
    #[serde(default)]
    pub mode_id: Option<String>,
    /// Its name for people.
    pub title: String,
    /// Marks of callers.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Whether it was created with a first prompt.
    #[serde(default)]
    pub prompted: bool,
    /// The names of the variables that it was created with.
    #[serde(default)]
    pub variables: Vec<String>,
    /// What it does.
    pub lifecycle: Lifecycle,
    /// Why, one sentence.
    #[serde(default)]
    pub reason: Option<String>,
    /// What came of its program and lives on, one sentence.
    #[serde(default)]
    pub left: Option<String>,
    /// Its conversation, where that is known.
    #[serde(default)]
    pub session: Option<Handle>,
    /// Where nothing was found of the conversation when its program ended: nobody had spoken to it, so that there is
    /// none to take up and its id is still to be used.
    #[serde(default)]
    pub unspoken: Option<Vec<PathBuf>>,
    /// A conversation that the provider said it does not have. It is asked for once more where its file is
    /// there after all, and not again.
    #[serde(default)]
    pub lost_session: Option<Handle>,
    /// Whether it was asked for once more.
    #[serde(default)]
    pub asked_again: bool,
    /// Its latest program.
    pub run: Run,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// RFC 3339; absent: it is not archived.
    #[serde(default)]
    pub archived_at: Option<String>,
}

/// One start of an agent's program and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// Counts the starts of an agent, from 1.
    pub number: u32,
    /// How far it is.
    pub stage: Stage,
    /// Whether it takes up a conversation.
    pub resumes: bool,
    /// Whether it was given the id of its conversation.
    #[serde(default)]
    pub preset: bool,
    /// The directories in which its program keeps conversations, once that was seen.
    #[serde(default)]
    pub roots: Option<Vec<PathBuf>>,
    /// Where it was asked to be.
    pub place: Place,
    /// When it was begun, milliseconds since 1970.
    pub began_ms: u64,
    /// Since which start of the machine, where the system tells.
    #[serde(default)]
    pub boot: Option<String>,
    /// The id of its terminal, from before that is there.
    #[serde(default)]
    pub terminal: Option<String>,
    /// The name of its seat, from before that is there.
    #[serde(default)]
    pub seat_name: Option<String>,
    /// The seat.
    #[serde(default)]
    pub seat: Option<SurfaceRef>,
    /// The surface, where its terminal tells it.
    #[serde(default)]
    pub surface: Option<SurfaceRef>,
    /// The process, where it is known.
    #[serde(default)]
    pub process: Option<Process>,
    /// The process on a host, in that host's own words.
    #[serde(default)]
    pub there: Option<String>,
    /// The line that shows it.
    #[serde(default)]
    pub attach: Option<String>,
    /// Why its host cannot be asked at the moment, so that nothing of it is known.
    #[serde(default)]
    pub doubt: Option<String>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// It is about to be started, or was and nobody wrote it down.
    Starting,
    /// It was started.
    Living,
    /// Somebody wants it ended.
    Ending,
    /// It is over.
    Over,
}

/// A process by its number and its start, since numbers are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, milliseconds since 1970; absent: it had ended when it was looked at.
    #[serde(default)]
    pub started_ms: Option<u64>,
}

impl Process {
    /// The process that has this number now.
    pub(super) fn now(pid: u32) -> Self {
        Self {
            pid,
            started_ms: Root::now(pid).started.map(clock::millis),
        }
    }

    /// The process that had this number at that time, which is no later one that has it now.
    pub(super) fn of(pid: u32, then: SystemTime) -> Self {
        let now = Self::now(pid);
        let then = clock::millis(then + SLACK);
        Self {
            started_ms: now.started_ms.filter(|started| *started <= then),
            ..now
        }
    }

    /// The same, as the process table knows it.
    pub(super) fn root(self) -> Root {
        Root {
            pid: self.pid,
            started: self.started_ms.map(clock::at_ms),
        }
    }
}

impl Run {
    /// Whether a program may run.
    pub(super) const fn is_live(&self) -> bool {
        matches!(self.stage, Stage::Living | Stage::Ending)
    }

    /// What is said of one whose host cannot be asked.
    fn doubted(&self) -> Option<String> {
        let (why, host) = (self.doubt.as_ref()?, self.host()?);
        self.is_live()
            .then(|| format!("whether it runs is not known, because {host} cannot be asked: {why}"))
    }

    /// The host that it is on; absent: this machine.
    pub(super) fn host(&self) -> Option<&str> {
        match &self.place {
            Place::Surface { host, .. } => host.as_deref(),
            Place::Terminal {} | Place::Seat { .. } => None,
        }
    }
}

impl Record {
    /// Whether it is still being created: nobody has been told of it.
    pub(super) const fn is_unborn(&self) -> bool {
        matches!(self.run.stage, Stage::Starting) && self.run.number == 1
    }

    /// The agent as the wire shows it. Where it lives is said only while it does.
    pub(super) fn shown(&self) -> Agent {
        let record = self.clone();
        let said = [record.run.doubted(), record.reason, record.left];
        let said: Vec<String> = said.into_iter().flatten().collect();
        let reason = (!said.is_empty()).then(|| said.join("; "));
        // An id that was given and never used names nothing.
        let unused = record.unspoken.is_some() && !record.run.is_live();
        let run = if record.run.is_live() {
            Some(record.run)
        } else {
            None
        };
        Agent {
            id: record.id,
            provider: record.provider,
            cwd: record.cwd,
            model: record.model,
            mode_id: record.mode_id,
            title: record.title,
            labels: record.labels,
            terminal: true,
            lifecycle: record.lifecycle,
            reason,
            terminal_id: run.as_ref().and_then(|run| run.terminal.clone()),
            surface: run.as_ref().and_then(|run| run.surface.clone()),
            seat: run.as_ref().and_then(|run| run.seat.clone()),
            attach: run.and_then(|run| run.attach),
            persistence: record.session.filter(|_| !unused),
            created_at: record.created_at,
            updated_at: record.updated_at,
            archived_at: record.archived_at,
        }
    }
}
