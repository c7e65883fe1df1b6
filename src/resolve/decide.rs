//! The decision: a total function from facts to an answer with its reasons.

use crate::proto::launch::BackendId;
use crate::proto::open::Source;
use crate::proto::resolve::{Considered, ResolveResult, SessionSample};

use super::available::{Availability, availability};
use super::catalog::Candidate;
use super::current;
use super::facts::Facts;
use super::hosts;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask<'a> {
    /// This one, or why not.
    Forced(&'a Candidate),
    /// The best one. `headless`: where there is none, the terminals that the daemon hosts itself.
    Best {
        /// Whether to fall back to `builtin` instead of to nothing.
        headless: bool,
    },
}

/// Decides. The order: the terminal that the caller runs in, the application of the most recent live session, the first
/// that can be driven, nothing. A step that names nothing that can be driven here is skipped.
///
/// `considered` has every candidate in the order given, whatever was chosen.
#[must_use]
pub fn decide(candidates: &[Candidate], facts: &Facts, ask: Ask<'_>) -> ResolveResult {
    let looked: Vec<Looked<'_>> = candidates
        .iter()
        .map(|candidate| Looked {
            candidate,
            availability: availability(candidate, facts, ask == Ask::Forced(candidate)),
        })
        .collect();
    let choice = match ask {
        Ask::Forced(wanted) => forced(&looked, wanted),
        Ask::Best { headless } => best(&looked, facts, headless),
    };
    ResolveResult {
        backend: choice.backend.cloned(),
        source: choice.source,
        host: choice.host,
        description: choice.description,
        considered: looked.iter().map(|looked| looked.considered(facts)).collect(),
    }
}

struct Choice<'a> {
    backend: Option<&'a BackendId>,
    source: Option<Source>,
    host: Option<String>,
    description: String,
}

struct Looked<'a> {
    candidate: &'a Candidate,
    availability: Availability,
}

impl<'a> Looked<'a> {
    fn id(&self) -> &'a str {
        self.candidate.id.as_str()
    }

    fn chosen(&self, source: Source, host: Option<&str>, why: &str) -> Choice<'a> {
        Choice {
            backend: Some(&self.candidate.id),
            source: Some(source),
            host: host.map(str::to_owned),
            description: format!("{} ({why})", self.candidate.label),
        }
    }

    fn considered(&self, facts: &Facts) -> Considered {
        let reason = match &self.availability {
            Err(lack) => lack.reason.clone(),
            Ok(reason) if drives(current::host_id(facts), self.id()) => {
                format!("{reason}; it is the terminal you're in")
            }
            Ok(reason) => {
                let named = |session: &&SessionSample| drives(seen_in(session), self.id());
                match facts.sessions.iter().filter(named).count() {
                    0 => reason.clone(),
                    1 => format!("{reason}; 1 live session runs there"),
                    n => format!("{reason}; {n} live sessions run there"),
                }
            }
        };
        Considered {
            backend: self.candidate.id.clone(),
            ok: self.availability.is_ok(),
            reason,
        }
    }
}

fn forced<'a>(looked: &[Looked<'a>], wanted: &'a Candidate) -> Choice<'a> {
    let found = looked.iter().find(|looked| looked.candidate == wanted);
    let lack = match found.map(|looked| &looked.availability) {
        Some(Ok(_)) => None,
        Some(Err(lack)) => Some(lack.reason.as_str()),
        None => Some("it is not a candidate"),
    };
    Choice {
        backend: lack.is_none().then_some(&wanted.id),
        source: Some(Source::Forced),
        host: None,
        description: match lack {
            None => format!("{} (you asked for it)", wanted.label),
            Some(lack) => format!("{} (you asked for it, but {lack})", wanted.label),
        },
    }
}

fn best<'a>(looked: &[Looked<'a>], facts: &Facts, headless: bool) -> Choice<'a> {
    let visible = || looked.iter().filter(|looked| looked.availability.is_ok() && looked.id() != "builtin");
    if let Some(here) = current::host_id(facts)
        && let Some(found) = visible().find(|looked| drives(Some(here), looked.id()))
    {
        return found.chosen(Source::CurrentTerminal, None, "the terminal you're in");
    }
    for host in by_recency(&facts.sessions).into_iter().filter_map(seen_in) {
        if let Some(found) = visible().find(|looked| drives(Some(host), looked.id())) {
            let why = format!("where your {host} sessions run");
            return found.chosen(Source::ActiveSession, Some(host), &why);
        }
    }
    if let Some(found) = visible().next() {
        return found.chosen(Source::Available, None, "no running session named a terminal");
    }
    let builtin = looked.iter().find(|looked| looked.id() == "builtin");
    if let Some(found) = builtin.filter(|_| headless) {
        return found.chosen(Source::Headless, None, "no visible terminal can be driven here");
    }
    let remedy = if facts.over_ssh() {
        "you came over SSH: start tmux here"
    } else {
        "none can be driven here: start tmux"
    };
    Choice {
        backend: None,
        source: None,
        host: None,
        description: format!("no terminal ({remedy})"),
    }
}

/// The application in which a session is seen, which outranks the one that hosts it.
fn seen_in(session: &SessionSample) -> Option<&str> {
    session.viewing_app.as_deref().or(session.host.as_deref())
}

fn drives(host: Option<&str>, id: &str) -> bool {
    host.is_some_and(|host| hosts::drives(host, id))
}

/// The most recent first; those without any time last, each kind in the order given.
fn by_recency(sessions: &[SessionSample]) -> Vec<&SessionSample> {
    let at = |session: &SessionSample| {
        session
            .last_activity_ms
            .or(session.started_at_ms)
            .unwrap_or(f64::NEG_INFINITY)
    };
    let mut sessions: Vec<_> = sessions.iter().collect();
    sessions.sort_by(|a, b| at(b).total_cmp(&at(a)));
    sessions
}
