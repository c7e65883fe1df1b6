//! Which conversation a program has.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::index::walk;
use super::{Conversation, Pool};
use crate::os::clock;
use crate::os::process_table::ProcessTable;
use crate::os::tree::{Root, Tree};
use crate::provider::transcript::Format;
use crate::provider::{Provider, Providers};
use crate::service::programs;

/// How much earlier than its process a conversation may seem to begin: clocks of files and processes are coarse.
const SLACK: Duration = Duration::from_secs(2);

/// A program whose conversation is looked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// Whose program it is.
    pub provider: Provider,
    /// Where it was started.
    pub cwd: String,
    /// Its process, or one that it came of; absent or ended: its files are all that is left.
    pub process: Option<Root>,
    /// When it was started.
    pub began: SystemTime,
}

/// What the processes say of one program.
#[derive(Default)]
struct Seen {
    /// The id in the program's own words.
    named: Option<String>,
    /// Files that it holds open, those of the nearest process first.
    held: Vec<PathBuf>,
    /// Ids in the words of other programs of this provider.
    others: BTreeSet<String>,
    /// Files that these hold open.
    others_hold: HashSet<PathBuf>,
    /// Whether another one runs in this directory whose conversation nothing tells.
    rival: bool,
}

impl Pool {
    /// The id of the conversation that a program has beyond doubt: its own words name it, or it holds the file open. What
    /// began in its directory meanwhile may be that of another program, which has left before anybody looked.
    pub async fn proven(&self, question: Question) -> Option<String> {
        let providers = self.providers.borrow().clone();
        let id = question.provider.id().to_owned();
        let found = self.of(|provider| provider.id() == id).await;
        let look = move || {
            let seen = look(&question, &providers, &mut ProcessTable::new());
            certain(&question, &seen, &found.conversations)
        };
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }

    /// The directories below which nothing is named for the conversation of a program that runs: nobody has spoken to it.
    /// `None`: something is, or nobody can say where its conversations are.
    pub async fn unspoken(&self, question: Question, id: &str) -> Option<Vec<PathBuf>> {
        let (home, id) = (Arc::clone(&self.home), id.to_owned());
        let providers = self.providers.borrow().clone();
        let look = move || {
            let format = question.provider.transcripts()?;
            let mut table = ProcessTable::new();
            let own = Tree::of(question.process?, None).pids();
            let program = own
                .into_iter()
                .find(|pid| is_one(&question, &providers, &mut table, *pid))?;
            let env = table.environ(program)?;
            let own_home = env.get("HOME").map_or(&*home, String::as_str);
            let roots: Vec<PathBuf> = format
                .roots(own_home, &|name| env.get(name).cloned())
                .into_iter()
                .map(PathBuf::from)
                .collect();
            let files = !roots.is_empty() && !is_named(&roots, format.depth(), &id);
            files.then_some(roots)
        };
        tokio::task::spawn_blocking(look).await.ok().flatten()
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

    /// The ids of the conversations that programs have, in one look: the one that its own words name; else that of a file which it
    /// holds open; else that of the only conversation that began in its directory since it was started, as long as nobody else
    /// can have begun it. What one of them has for certain is no other's.
    ///
    /// `None`: it is not certain. The newest conversation is not good enough, and most programs write nothing before the
    /// person has said something.
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
            let seen: Vec<Seen> = questions
                .iter()
                .map(|question| look(question, &providers, &mut table))
                .collect();
            let mut answers: Vec<Option<String>> = questions
                .iter()
                .zip(&seen)
                .map(|(question, seen)| certain(question, seen, &found.conversations))
                .collect();
            let taken: BTreeSet<String> = answers.iter().flatten().cloned().collect();
            for (answer, (question, seen)) in answers.iter_mut().zip(questions.iter().zip(&seen)) {
                if answer.is_none() {
                    *answer = only(question, seen, &taken, &found.conversations);
                }
            }
            answers
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }
}

fn is_named(roots: &[PathBuf], depth: usize, id: &str) -> bool {
    roots.iter().any(|root| {
        let mut paths = Vec::new();
        walk(root, "", depth, &mut paths);
        paths.iter().any(|path| path.contains(id))
    })
}

/// The conversation that the program's words name, or whose file it holds open.
fn certain(question: &Question, seen: &Seen, all: &[Conversation]) -> Option<String> {
    if seen.named.is_some() {
        return seen.named.clone();
    }
    let of = |file: &PathBuf| {
        all.iter()
            .find(|one| one.provider == question.provider && one.file == *file && !is_shared(one))
    };
    seen.held.iter().find_map(of).map(|one| one.said.id.clone())
}

/// The only conversation that can be its own.
fn only(
    question: &Question,
    seen: &Seen,
    taken: &BTreeSet<String>,
    all: &[Conversation],
) -> Option<String> {
    if seen.rival {
        return None;
    }
    let mut fresh = all.iter().filter(|one| {
        let id = &one.said.id;
        one.provider == question.provider
            && is_since(one, question)
            && !taken.contains(id)
            && !seen.others.contains(id)
            && (is_shared(one) || !seen.others_hold.contains(&one.file))
            && one.is_of(&question.cwd)
    });
    let only = fresh.next()?;
    fresh.next().is_none().then(|| only.said.id.clone())
}

/// Whether one file holds many conversations: who holds it open says nothing.
fn is_shared(conversation: &Conversation) -> bool {
    conversation
        .file
        .extension()
        .is_some_and(|found| found == "db")
}

/// Whether it began after the program did.
fn is_since(conversation: &Conversation, question: &Question) -> bool {
    let Some(started) = conversation.said.started_ms else {
        return false;
    };
    let started = clock::at_ms(started);
    started + SLACK >= question.began
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
    let own: Vec<u32> = question
        .process
        .map(|root| Tree::of(root, None).pids())
        .unwrap_or_default();
    for pid in &own {
        if is_one(question, providers, table, *pid) {
            let words = table.argv(*pid);
            let named = || question.provider.conversation_in(&words);
            seen.named = seen.named.or_else(named);
        }
        seen.held.extend(table.open_files(*pid));
    }
    let candidates: Vec<u32> = table
        .names()
        .into_iter()
        .filter(|(pid, name)| !own.contains(pid) && providers.may_be_agent(name))
        .map(|(pid, _)| pid)
        .collect();
    // A program may be several processes, of which one tells what it has: those above and below it are the same one.
    let (mut told, mut silent) = (HashSet::new(), Vec::new());
    for pid in candidates {
        if !is_one(question, providers, table, pid) {
            continue;
        }
        let named = question.provider.conversation_in(&table.argv(pid));
        let held = table.open_files(pid);
        let family: Vec<u32> = table
            .ancestry(pid)
            .iter()
            .map(|process| process.pid)
            .collect();
        if named.is_some() || held.iter().any(|file| is_transcript(question, file)) {
            told.extend(family);
        } else if is_near(question, table, pid) {
            silent.push(family);
        }
        seen.others.extend(named);
        seen.others_hold.extend(held);
    }
    // Whoever started our own program is no rival of it.
    let above = own
        .first()
        .map(|pid| table.ancestry(*pid))
        .unwrap_or_default();
    told.extend(above.iter().map(|process| process.pid));
    seen.rival = silent.iter().any(|family| {
        let me = family.first();
        !me.is_some_and(|pid| told.contains(pid))
    });
    seen
}

fn is_near(question: &Question, table: &mut ProcessTable, pid: u32) -> bool {
    let cwd = table.cwd(pid);
    cwd.is_none_or(|cwd| super::same_directory(&cwd, &question.cwd))
}

/// Whether a file looks like a conversation of this provider.
fn is_transcript(question: &Question, file: &Path) -> bool {
    let format = question.provider.transcripts();
    let path = file.to_str();
    format
        .zip(path)
        .is_some_and(|(format, path)| format.holds(path))
}
