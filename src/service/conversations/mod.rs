//! The conversations of agents on this disk: which there are, and which one a program has.

mod holder;
mod index;
mod opencode;
mod sample;
pub mod there;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use index::Index;

pub use holder::Question;

use crate::os::environment;
use crate::provider::transcript::Transcript;
use crate::provider::{Provider, Providers};

/// A conversation that can be taken up.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// Whose it is.
    pub provider: Provider,
    /// The file, or the database, that holds it.
    pub file: PathBuf,
    /// When it was last written, in milliseconds since 1970.
    pub last_ms: u64,
    /// What its file says.
    pub said: Transcript,
}

impl Conversation {
    /// Whether it was begun in this directory, which must be known.
    #[must_use]
    pub fn is_of(&self, cwd: &str) -> bool {
        if let Some(own) = &self.said.cwd {
            return same_directory(own, cwd);
        }
        let format = self.provider.transcripts();
        let place = self.said.place.as_deref();
        format
            .zip(place)
            .is_some_and(|(format, place)| format.is_of(place, cwd))
    }
}

/// Whether two paths name one directory: programs write down what they are told, links included.
fn same_directory(one: &str, other: &str) -> bool {
    let real = |path: &str| fs_err::canonicalize(path).ok();
    one.trim_end_matches('/') == other.trim_end_matches('/')
        || real(one).is_some_and(|one| Some(one) == real(other))
}

/// A file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The id of the provider.
    pub provider: String,
    /// The file.
    pub file: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// What the disk holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The conversations, the most recently written first; of two files with one id the later one.
    pub conversations: Vec<Conversation>,
    /// The files that were left out.
    pub damaged: Vec<Damaged>,
}

impl Found {
    /// What was left out, a sentence for each provider.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let mut rest: Vec<&Damaged> = self.damaged.iter().collect();
        while let Some(first) = rest.first().copied() {
            let (same, others): (Vec<_>, Vec<_>) = rest
                .into_iter()
                .partition(|damaged| damaged.provider == first.provider);
            rest = others;
            let one = format!("{}: {}", first.file.display(), first.reason);
            warnings.push(match same.len() {
                1 => format!("a session of {} cannot be read, {one}", first.provider),
                many => format!(
                    "{many} sessions of {} cannot be read, the first is {one}",
                    first.provider
                ),
            });
        }
        warnings
    }
}

/// The pool of conversations. What was read of a file is kept for as long as its size and time are the same.
#[derive(Clone)]
pub struct Pool {
    providers: watch::Receiver<Providers>,
    home: Arc<str>,
    index: Arc<Mutex<Index>>,
}

impl Pool {
    /// The conversations of these providers below this home directory, and below the directories that the daemon's variables
    /// and those of the providers name.
    #[must_use]
    pub fn new(providers: watch::Receiver<Providers>, home: &str) -> Self {
        Self {
            providers,
            home: home.into(),
            index: Arc::default(),
        }
    }

    /// All conversations.
    pub async fn all(&self) -> Found {
        self.of(|_| true).await
    }

    /// The conversations of those providers that `wanted` says yes to.
    pub async fn of(&self, wanted: impl Fn(&Provider) -> bool) -> Found {
        let providers: Vec<Provider> = {
            let all = self.providers.borrow();
            all.iter()
                .filter(|provider| wanted(provider))
                .cloned()
                .collect()
        };
        let (index, home) = (Arc::clone(&self.index), Arc::clone(&self.home));
        let look = move || {
            let mut index = index.lock().unwrap_or_else(PoisonError::into_inner);
            let mut found = Found::default();
            for provider in providers {
                index.look(&provider, &home, &mut found);
            }
            found.conversations.sort_by(|one, other| {
                other
                    .last_ms
                    .cmp(&one.last_ms)
                    .then_with(|| one.said.id.cmp(&other.said.id))
            });
            let mut seen = std::collections::HashSet::new();
            found
                .conversations
                .retain(|one| seen.insert((one.provider.id().to_owned(), one.said.id.clone())));
            found
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    /// The conversations with this id; more than one where two providers happen to have it.
    pub async fn find(&self, id: &str) -> Vec<Conversation> {
        let mut found = self.all().await.conversations;
        found.retain(|conversation| conversation.said.id == id);
        found
    }
}

/// A variable with which a provider's program is started, as far as that is known.
fn variable(provider: &Provider, name: &str) -> Option<String> {
    let own = provider
        .env()
        .iter()
        .find(|(known, _)| known.as_str() == name);
    match own {
        Some((_, value)) => Some(value.to_string()),
        None => environment::variable(name),
    }
}
