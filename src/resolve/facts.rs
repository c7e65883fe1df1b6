//! What is known of the caller, as values. Whoever collects them is above; nothing here asks anybody.

use std::collections::BTreeMap;

use crate::backend::{self, Found};
use crate::proto::Platform;
use crate::proto::resolve::SessionSample;

use super::current;
use super::program::Program;
use super::tmux_env::{self, InTmux};

/// Everything that the decision depends on, besides which terminals are there.
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
    /// Something says so, and the server that was asked does not answer: the reason.
    Silent(String),
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

impl Facts {
    /// Facts of a caller that says where it is, of which nothing is looked up.
    #[must_use]
    pub fn pure(platform: Platform, env: BTreeMap<String, String>) -> Self {
        Self {
            platform,
            tmux: TmuxFact::of_env(&env),
            env,
            ancestry: None,
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

    /// What the backends are asked with.
    #[must_use]
    pub fn machine(&self, found: Found) -> backend::Facts {
        backend::Facts {
            platform: self.platform,
            env: self.env.clone(),
            found,
            in_tmux: current::tmux(self).is_ok(),
            on_host: false,
        }
    }
}
