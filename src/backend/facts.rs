//! What is known of a machine when a backend is asked whether it can be driven.

use std::collections::{BTreeMap, BTreeSet};

use crate::proto::{BackendId, Platform};

/// A thing to look for on the machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Need {
    /// A program on PATH.
    Program(String),
    /// A bundle such as `iTerm.app` in one of the directories for applications of macOS.
    App(String),
    /// An entry of a directory below the home directory whose name begins like this.
    HomeEntry {
        /// The directory, relative to home.
        dir: String,
        /// How the name begins.
        prefix: String,
    },
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A caller says which backends are installed.
    Listed(BTreeSet<BackendId>),
    /// These things were looked for and are there.
    Seen(BTreeSet<Need>),
}

/// What is known of a machine and of the caller on it.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The system.
    pub platform: Platform,
    /// The caller's variables.
    pub env: BTreeMap<String, String>,
    /// What is installed.
    pub found: Found,
    /// Whether the caller runs inside a pane of tmux that lives.
    pub in_tmux: bool,
    /// Whether the machine is a host, which is not the daemon's own.
    pub on_host: bool,
}

impl Facts {
    /// The first of the things that a backend needs and that is missing.
    #[must_use]
    pub fn missing<'a>(&self, backend: &str, needs: &'a [Need]) -> Option<Missing<'a>> {
        match &self.found {
            Found::Listed(ids) if ids.iter().any(|id| id.as_str() == backend) => None,
            Found::Listed(_) => Some(Missing::Backend),
            Found::Seen(seen) => {
                needs
                    .iter()
                    .find(|need| !seen.contains(need))
                    .map(|need| match need {
                        Need::Program(name) if self.on_host => Missing::ProgramOfHost(name),
                        need => Missing::Need(need),
                    })
            }
        }
    }

    /// Whether the caller came over SSH, from where the graphical session cannot be scripted.
    #[must_use]
    pub fn over_ssh(&self) -> bool {
        ["SSH_CONNECTION", "SSH_TTY"]
            .iter()
            .any(|name| self.env.get(*name).is_some_and(|value| !value.is_empty()))
    }
}

/// What a backend lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing<'a> {
    /// The caller does not count it as installed.
    Backend,
    /// This was not found.
    Need(&'a Need),
    /// This program was not found on a host.
    ProgramOfHost(&'a str),
}

impl Missing<'_> {
    /// Says so.
    #[must_use]
    pub fn reason(&self, label: &str) -> String {
        match self {
            Self::Backend => format!("{label} is not among the caller's applications"),
            Self::Need(Need::Program(name)) => {
                format!("the program {name} was not found on the daemon's PATH")
            }
            Self::ProgramOfHost(name) => {
                format!("the program {name} was not found on the PATH of that host")
            }
            Self::Need(Need::App(name)) => format!("{name} was not found in Applications"),
            Self::Need(Need::HomeEntry { dir, prefix }) => {
                format!(
                    "no extension {} was found in ~/{dir}",
                    prefix.trim_end_matches('-')
                )
            }
        }
    }
}

/// Whether a backend can be driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Whether it can, when it is named.
    pub available: bool,
    /// Whether it may be chosen without being named.
    pub candidate: bool,
    /// Why, or why not.
    pub reason: String,
    /// What to do so that it can.
    pub remedy: Option<String>,
    /// The extension that an editor is driven through, where the machine was looked at.
    pub extension: Option<String>,
}

impl Availability {
    /// It can, and may be chosen.
    pub fn yes(reason: impl Into<String>) -> Self {
        Self {
            available: true,
            candidate: true,
            reason: reason.into(),
            remedy: None,
            extension: None,
        }
    }

    /// It can, through this extension of the editor.
    pub fn through(extension: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            extension: Some(extension.into()),
            ..Self::yes(reason)
        }
    }

    /// It can when it is named, and is not chosen otherwise.
    pub fn named(reason: impl Into<String>) -> Self {
        Self {
            candidate: false,
            ..Self::yes(reason)
        }
    }

    /// It cannot.
    pub fn no(reason: impl Into<String>, remedy: Option<String>) -> Self {
        Self {
            available: false,
            candidate: false,
            reason: reason.into(),
            remedy,
            extension: None,
        }
    }
}
