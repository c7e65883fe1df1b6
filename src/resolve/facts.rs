//! What is known of the caller and its machine, as values. Whoever collects them is above; nothing here asks anybody.

use std::collections::BTreeMap;

use crate::proto::launch::BackendId;
use crate::proto::launch::Platform;
use crate::proto::resolve::SessionSample;

use super::program::Program;
use super::tmux_env::{self, InTmux};

/// Everything that the decision depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The system.
    pub platform: Platform,
    /// The caller's variables; empty where they are withheld.
    pub env: BTreeMap<String, String>,
    /// The caller and its ancestors, the nearest first; `None`: nobody said which process it is, or it is gone.
    pub ancestry: Option<Vec<Program>>,
    /// What is known of the tmux that the caller's variables or ancestors name.
    pub tmux: TmuxFact,
    /// Which terminals can be driven here.
    pub installed: Installed,
    /// Live sessions, in no order.
    pub sessions: Vec<SessionSample>,
}

/// Whether the caller is inside tmux, as far as its variables and the server say. Ancestors that lie nearer can still
/// outrank it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TmuxFact {
    /// Nothing says so.
    Outside,
    /// Something says so, and it is not true: the reason.
    Refused(String),
    /// It is, here.
    Inside(InTmux),
}

impl TmuxFact {
    /// What the variables alone say, nobody asked.
    #[must_use]
    pub fn of_env(env: &BTreeMap<String, String>) -> Self {
        match tmux_env::read(env) {
            Ok(None) => Self::Outside,
            Ok(Some(place)) => Self::Inside(place),
            Err(reason) => Self::Refused(reason),
        }
    }
}

/// Which terminals are there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Installed {
    /// The caller listed them.
    Named(Vec<BackendId>),
    /// Nobody said and nobody may look: what the variables and the sessions name, and Terminal on a Mac.
    Inferred,
    /// Somebody looked. What is not listed is not there.
    Looked(BTreeMap<BackendId, Result<String, Lack>>),
}

/// Why a terminal cannot be driven, and what to do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lack {
    /// The reason, which completes "iTerm: …".
    pub reason: String,
    /// What the person can do, one sentence.
    pub remedy: Option<String>,
}

impl Lack {
    /// A reason without a remedy.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            remedy: None,
        }
    }

    /// The same, with what to do.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

impl Facts {
    /// Facts of a caller that says where it is, of which nothing is looked up.
    #[must_use]
    pub fn pure(platform: Platform, env: BTreeMap<String, String>, apps: Option<Vec<BackendId>>) -> Self {
        Self {
            platform,
            tmux: TmuxFact::of_env(&env),
            env,
            ancestry: None,
            installed: apps.map_or(Installed::Inferred, Installed::Named),
            sessions: Vec::new(),
        }
    }

    /// A variable, where it is not empty.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// Whether the caller came here over SSH.
    #[must_use]
    pub fn over_ssh(&self) -> bool {
        self.var("SSH_CONNECTION").is_some() || self.var("SSH_TTY").is_some()
    }
}
