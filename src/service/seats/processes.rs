//! The processes of seats, here and on hosts: whether one runs, and the end of everything that came of it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::panes::Reference;
use super::there::{self, Named};
use crate::launch::step::{Answer, Ended, Invocation};
use crate::os::clock;
use crate::os::process_table::ProcessTable;
use crate::os::tree::{self, Root};
use crate::proto::HostAlias;
use crate::service::open::Links;

/// How often a host is asked whether a process still runs: each time is a command of its own, so that waiting holds none of
/// the few sessions that a host gives.
const PAUSE: Duration = Duration::from_millis(250);

/// How often this machine is asked the same.
const GLANCE: Duration = Duration::from_millis(20);

/// How long a server may take to end once it answers nobody any more.
const ENDING: Duration = Duration::from_secs(2);

/// A process of a seat, by its number and its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Process {
    /// Of this machine.
    Here(Root),
    /// Of a host; absent: it had ended when it was first looked at.
    There(u32, Option<String>),
}

impl Process {
    /// The process as a record of a seat names it.
    pub(super) fn recorded(
        host: Option<&HostAlias>,
        pid: Option<u32>,
        started_ms: Option<u64>,
        start: Option<&str>,
    ) -> Self {
        let pid = pid.unwrap_or(0);
        if host.is_some() {
            Self::There(pid, start.map(str::to_owned))
        } else {
            let started = started_ms.map(clock::at_ms);
            Self::Here(Root { pid, started })
        }
    }

    /// When it started, milliseconds since 1970, where this machine's clock says so.
    pub(super) fn started_ms(&self) -> Option<u64> {
        let Self::Here(root) = self else { return None };
        root.started.map(clock::millis)
    }

    /// When it started, in the words of its host.
    pub(super) fn start(&self) -> Option<String> {
        match self {
            Self::Here(_) => None,
            Self::There(_, start) => start.clone(),
        }
    }

    /// Its name on its host, where it is on one and was seen.
    pub(super) fn named(&self) -> Option<Named> {
        match self {
            Self::There(pid, Some(start)) => Some(Named {
                pid: *pid,
                start: start.clone(),
            }),
            _ => None,
        }
    }
}

/// Everything that came of a process.
pub(super) enum Family {
    Here(tree::Tree),
    There(HostAlias, Vec<String>),
}

/// Asks this machine and hosts about processes. What fails says why nothing is known.
#[derive(Clone)]
pub(in crate::service) struct Processes {
    links: Arc<dyn Links>,
}

impl Processes {
    pub(in crate::service) fn new(links: Arc<dyn Links>) -> Self {
        Self { links }
    }

    /// Asks a host.
    pub(super) async fn ask(
        &self,
        host: &HostAlias,
        invocation: Invocation,
    ) -> Result<Answer, String> {
        let answer = async { self.links.to(Some(host)).await?.run(invocation).await };
        let answer = answer.await.map_err(|failure| failure.message)?;
        match answer.ended {
            Ended::Lost => Err(format!("the link to {host} broke before it answered")),
            Ended::TimedOut | Ended::Stays { .. } => Err(format!("{host} did not answer in time")),
            Ended::Code(_) | Ended::Signal(_) => Ok(answer),
        }
    }

    /// Those of these processes of a host that run.
    pub(super) async fn running(
        &self,
        host: &HostAlias,
        pids: &[u32],
    ) -> Result<Vec<Named>, String> {
        self.seen(host, there::see(pids)).await
    }

    async fn seen(&self, host: &HostAlias, question: Invocation) -> Result<Vec<Named>, String> {
        let answer = self.ask(host, question).await?;
        there::seen(&answer).ok_or_else(|| unread(host, &answer))
    }

    /// The process that has this number now.
    pub(super) async fn now(&self, host: Option<&HostAlias>, pid: u32) -> Result<Process, String> {
        let Some(host) = host else {
            return Ok(Process::Here(Root::now(pid)));
        };
        let found = self.running(host, &[pid]).await?.pop();
        Ok(Process::There(pid, found.map(|found| found.start)))
    }

    /// Whether a process still runs.
    pub(super) async fn lives(
        &self,
        host: Option<&HostAlias>,
        process: &Process,
    ) -> Result<bool, String> {
        match (host, process) {
            (_, Process::Here(root)) => Ok(root.alive()),
            (Some(host), process) => match process.named() {
                Some(named) => Ok(self.running(host, &[named.pid]).await?.contains(&named)),
                None => Ok(false),
            },
            (None, Process::There(..)) => Ok(false),
        }
    }

    /// Whether any process has this number.
    pub(super) async fn is_used(&self, host: Option<&HostAlias>, pid: u32) -> Result<bool, String> {
        let process = self.now(host, pid).await?;
        Ok(match &process {
            Process::Here(root) => root.alive(),
            Process::There(_, start) => start.is_some(),
        })
    }

    /// Whether the tmux server with this number is gone. One that no longer answers may be about to end: it gets a moment.
    pub(in crate::service) async fn server_ends(
        &self,
        host: Option<&HostAlias>,
        pid: u32,
    ) -> Result<bool, String> {
        let deadline = Instant::now() + ENDING;
        loop {
            // Numbers are used again: what has this one now must at least be a tmux.
            let runs = match host {
                Some(host) => !self.seen(host, there::see_tmux(&[pid])).await?.is_empty(),
                None => ProcessTable::new()
                    .get(pid)
                    .is_some_and(|process| process.name.contains("tmux")),
            };
            if !runs || Instant::now() >= deadline {
                return Ok(!runs);
            }
            sleep(if host.is_some() { PAUSE } else { GLANCE }).await;
        }
    }

    /// Waits until a process has ended. False: it still runs at the deadline.
    pub(super) async fn ended_by(
        &self,
        host: Option<&HostAlias>,
        process: &Process,
        deadline: Instant,
    ) -> Result<bool, String> {
        if let Process::Here(root) = process {
            return Ok(tree::ended_by(*root, deadline).await);
        }
        while self.lives(host, process).await? {
            let now = Instant::now();
            if now >= deadline {
                return Ok(false);
            }
            sleep(PAUSE.min(deadline - now)).await;
        }
        Ok(true)
    }

    /// Everything that came of the process of a seat and still runs.
    pub(super) async fn family(
        &self,
        seat: &Reference,
        process: &Process,
    ) -> Result<Family, String> {
        match (seat.host.as_ref(), process) {
            (Some(host), process) => {
                let members = match process.named() {
                    None => Vec::new(),
                    Some(named) => {
                        let answer = self.ask(host, there::family(&named)).await?;
                        there::members(&answer).ok_or_else(|| unread(host, &answer))?
                    }
                };
                Ok(Family::There(host.clone(), members))
            }
            (None, Process::Here(root)) => {
                let tty = ProcessTable::new()
                    .get(root.pid)
                    .and_then(|process| process.tty);
                let mut tree = tree::Tree::of(*root, tty.as_deref());
                let tmux = format!("{},{},", seat.socket, seat.server);
                let pane = seat.pane.to_string();
                tree.add_marked(|env| {
                    env.get("TMUX_PANE") == Some(&pane)
                        && env
                            .get("TMUX")
                            .is_some_and(|value| value.starts_with(&tmux))
                });
                Ok(Family::Here(tree))
            }
            (None, Process::There(..)) => Ok(Family::Here(tree::Tree::default())),
        }
    }

    /// Kills a family and waits for its end. False: something of it still runs at the deadline.
    pub(super) async fn kill(&self, family: Family, deadline: Instant) -> Result<bool, String> {
        let (host, mut members) = match family {
            Family::Here(mut tree) => return Ok(tree.kill(deadline).await),
            Family::There(host, members) => (host, members),
        };
        while !members.is_empty() {
            let answer = self.ask(&host, there::kill(&members)).await?;
            if there::ended(&answer) {
                break;
            }
            members = there::members(&answer).ok_or_else(|| unread(&host, &answer))?;
            if Instant::now() >= deadline {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn unread(host: &HostAlias, answer: &Answer) -> String {
    let said = answer.complaint();
    if said.is_empty() {
        format!("{host} gave no answer about its processes that can be read")
    } else {
        format!("{host} could not be asked about its processes: {said}")
    }
}
