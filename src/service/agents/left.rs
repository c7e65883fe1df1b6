//! What came of an agent's program and lives on without it.
//!
//! A program may fork and end: what it left has no terminal any more, and may have no parent. It is known by the variable that
//! each start is marked with. What is the provider's own program is the agent's still, and ends when the agent is closed;
//! anything else, such as a server that it started for the person, is told and left alone, as after any terminal.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::record::Record;
use super::service::Agents;
use crate::os::process_table::ProcessTable;
use crate::os::tree::Tree;
use crate::proto::{Env, EnvName, Failure, Kind, Word};
use crate::provider::{Provider, Providers};
use crate::service::programs;

/// The variable that marks what came of a start: the agent's id and the number of the start.
const MARK: &str = "SURFACED_AGENT_RUN";

/// How long what was hung up may take to end.
const ENDING: Duration = Duration::from_millis(300);

/// How long a kill may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// So many processes are named.
const NAMED: usize = 3;

/// What lives on.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The provider's own program, and what came of that.
    own: Tree,
    /// Other programs, without what came of them: number and name.
    others: Vec<(u32, String)>,
}

impl Left {
    /// Why the agent is not quite gone; `None`: nothing lives on.
    pub(super) fn told(&self, label: &str, id: &str) -> Option<String> {
        let mut told = Vec::new();
        if let Some(pid) = self.own.pids().first() {
            told.push(format!(
                "{label} ended in its terminal and runs on without one, as process {pid}: `surfaced agent close {id}` ends it"
            ));
        }
        if !self.others.is_empty() {
            let named = self.others.iter().take(NAMED);
            let mut named: Vec<String> = named
                .map(|(pid, name)| format!("process {pid} ({name})"))
                .collect();
            if self.others.len() > NAMED {
                named.push(format!("{} more", self.others.len() - NAMED));
            }
            told.push(format!(
                "what it started runs on: {}, which is left alone",
                named.join(", ")
            ));
        }
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// Marks a start.
pub(super) fn mark(env: &mut Env, agent: &str, number: u32) {
    if let (Ok(name), Ok(value)) = (
        EnvName::parse(MARK),
        Word::parse(format!("{agent}-{number}")),
    ) {
        env.insert(name, value);
    }
}

impl Agents {
    /// What lives on of an agent whose program ended. What is about to end gets a moment.
    pub(super) async fn left(&self, record: &Record) -> Left {
        if record.run.host().is_some() {
            return Left::default();
        }
        let first = self.seen_left(record).await;
        if first.own.is_empty() && first.others.is_empty() {
            return first;
        }
        sleep(ENDING).await;
        self.seen_left(record).await
    }

    async fn seen_left(&self, record: &Record) -> Left {
        let provider = self.programs().provider(&record.provider).ok();
        let providers = self.programs().installed.providers();
        let prefix = format!("{}-", record.id);
        tokio::task::spawn_blocking(move || look(&prefix, provider.as_ref(), &providers))
            .await
            .unwrap_or_default()
    }

    /// Ends what is the agent's own of it, and says what is left then.
    ///
    /// # Errors
    /// `timeout` where it still runs after a kill.
    pub(super) async fn end_left(&self, record: &Record) -> Result<Option<String>, Failure> {
        let mut left = self.left(record).await;
        let pid = left.own.pids().first().copied();
        if let Some(pid) = pid
            && !left.own.kill(Instant::now() + PATIENCE).await
        {
            return Err(Failure::new(
                Kind::Timeout,
                format!(
                    "process {pid} of agent {} still runs after a kill",
                    record.id
                ),
            ));
        }
        left.own = Tree::default();
        Ok(left.told("", &record.id))
    }
}

fn look(prefix: &str, provider: Option<&Provider>, providers: &Providers) -> Left {
    let is_marked = |mark: &String| mark.starts_with(prefix);
    let found = Tree::left_behind(|env| env.get(MARK).is_some_and(is_marked));
    let parents: HashSet<u32> = found.iter().map(|process| process.pid).collect();
    let mut table = ProcessTable::new();
    let mut left = Left::default();
    for process in found {
        let own = programs::provider(providers, &mut table, &process);
        if own.is_some() && own.as_ref() == provider {
            left.own.add(process);
        } else if !parents.contains(&process.parent) {
            left.others.push((process.pid, process.name));
        }
    }
    left
}
