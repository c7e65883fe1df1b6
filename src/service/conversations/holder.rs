//! Which conversation a program has.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::index::walk;
use super::{Conversation, Pool};
use crate::os::process_table::ProcessTable;
use crate::os::tree::{Root, Tree};
use crate::proto::Env;
use crate::provider::transcript::Format;
use crate::provider::{Provider, Providers};
use crate::service::programs;

/// So much of an id every program writes into the name of its file.
const NAMED: usize = 8;

/// A program whose conversation is looked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// Whose program it is.
    pub provider: Provider,
    /// Its process, or one that it came of; absent or ended: nobody can tell.
    pub process: Option<Root>,
}

/// What the processes say of one program.
#[derive(Default)]
struct Seen {
    /// The id in the program's own words.
    named: Option<String>,
    /// Files that it holds open, those of the nearest process first.
    held: Vec<PathBuf>,
}

impl Pool {
    /// The id of the conversation that a program has beyond doubt: its own words name it, or it holds the file open.
    ///
    /// `None`: it is not certain. Neither the newest conversation nor the only one that began in its directory meanwhile is good
    /// enough: that may be the one of another program, which has left before anybody looked.
    pub async fn session_of(&self, question: Question) -> Option<String> {
        self.sessions_of(vec![question]).await.pop().flatten()
    }

    /// The same of several programs, in one look.
    pub async fn sessions_of(&self, questions: Vec<Question>) -> Vec<Option<String>> {
        if questions.is_empty() {
            return Vec::new();
        }
        let providers = self.providers.borrow().clone();
        let ids: HashSet<String> = questions
            .iter()
            .map(|question| question.provider.id().to_owned())
            .collect();
        let found = self.of(|provider| ids.contains(provider.id())).await;
        let look = move || {
            let mut table = ProcessTable::new();
            let ids = questions.iter().map(|question| {
                let seen = look(question, &providers, &mut table);
                certain(question, seen, &found.conversations)
            });
            ids.collect()
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// The directories below which nothing is named for the conversation of a program that runs: nobody has spoken to it.
    /// `None`: something is, or nobody can say where its conversations are.
    pub async fn unspoken(&self, question: Question, id: &str) -> Option<Vec<PathBuf>> {
        let provider = question.provider.clone();
        let roots = self.roots_of(question).await?;
        let is_there = self.is_there(&provider, roots.clone(), id);
        (!is_there.await).then_some(roots)
    }

    /// The directories in which a program that runs keeps conversations. `None`: nobody can say, or it keeps them otherwise.
    pub async fn roots_of(&self, question: Question) -> Option<Vec<PathBuf>> {
        let home = Arc::clone(&self.home);
        let providers = self.providers.borrow().clone();
        let look = move || {
            let mut table = ProcessTable::new();
            let own = Tree::of(question.process?, None).pids();
            let program = own
                .into_iter()
                .find(|pid| is_one(&question, &providers, &mut table, *pid))?;
            let env = table.environ(program)?;
            let own_home = env.get("HOME").map_or(&*home, String::as_str);
            roots(&question.provider, own_home, &|name| env.get(name).cloned())
        };
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }

    /// The directories in which a program of this provider keeps conversations that is started from here with these variables.
    #[must_use]
    pub fn roots(&self, provider: &Provider, env: &Env) -> Option<Vec<PathBuf>> {
        let given = |name: &str| {
            let own = env.iter().find(|(known, _)| known.as_str() == name);
            own.map(|(_, value)| value.to_string())
        };
        let home = given("HOME").unwrap_or_else(|| self.home.to_string());
        roots(provider, &home, &|name| {
            given(name).or_else(|| super::variable(provider, name))
        })
    }

    /// Whether a file below these directories is named for this conversation.
    pub async fn is_there(&self, provider: &Provider, roots: Vec<PathBuf>, id: &str) -> bool {
        let Some(depth) = provider.transcripts().map(Format::depth) else {
            return true;
        };
        let id = id.to_owned();
        let look = move || is_named(&roots, depth, &id);
        tokio::task::spawn_blocking(look).await.unwrap_or(true)
    }
}

/// `None`: it keeps conversations in a database, or nobody knows how.
fn roots(
    provider: &Provider,
    home: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<PathBuf>> {
    let format = provider.transcripts()?;
    if !format.databases(home, variable).is_empty() {
        return None;
    }
    let roots: Vec<PathBuf> = format
        .roots(home, variable)
        .into_iter()
        .map(PathBuf::from)
        .collect();
    (!roots.is_empty()).then_some(roots)
}

/// Every program writes the beginning of an id into the name of its file; some write no more of it.
fn is_named(roots: &[PathBuf], depth: usize, id: &str) -> bool {
    let part = id.get(..NAMED).unwrap_or(id);
    roots.iter().any(|root| {
        let mut paths = Vec::new();
        walk(root, "", depth, &mut paths);
        paths.iter().any(|path| path.contains(part))
    })
}

/// The conversation that the program's words name, or whose file it holds open.
fn certain(question: &Question, seen: Seen, all: &[Conversation]) -> Option<String> {
    let of = |file: &PathBuf| {
        all.iter()
            .find(|one| one.provider == question.provider && one.file == *file && !is_shared(one))
    };
    let held = || seen.held.iter().find_map(of);
    seen.named.or_else(|| held().map(|one| one.said.id.clone()))
}

/// Whether one file holds many conversations: who holds it open says nothing.
fn is_shared(conversation: &Conversation) -> bool {
    let kind = conversation.file.extension();
    kind.is_some_and(|found| found == "db")
}

/// Whether the process is an agent of this provider.
fn is_one(question: &Question, providers: &Providers, table: &mut ProcessTable, pid: u32) -> bool {
    table
        .get(pid)
        .filter(|found| found.uid == ProcessTable::me())
        .and_then(|process| programs::provider(providers, table, &process))
        .is_some_and(|provider| provider == question.provider)
}

fn look(question: &Question, providers: &Providers, table: &mut ProcessTable) -> Seen {
    let mut seen = Seen::default();
    if question.provider.transcripts().is_none() {
        return seen;
    }
    let own = question.process.map(|root| Tree::of(root, None).pids());
    for pid in own.unwrap_or_default() {
        if is_one(question, providers, table, pid) {
            let words = table.argv(pid);
            let named = || question.provider.conversation_in(&words);
            seen.named = seen.named.or_else(named);
        }
        seen.held.extend(table.open_files(pid));
    }
    seen
}
