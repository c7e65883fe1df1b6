//! The decision: a total function from facts to an answer with its reasons.

use crate::proto::BackendId;
use crate::proto::open::Source;
use crate::proto::resolve::{Considered, ResolveResult, SessionSample};

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
    let choice = match ask {
        Ask::Forced(wanted) => forced(wanted, facts),
        Ask::Best { headless } => best(candidates, facts, headless),
    };
    ResolveResult {
        backend: choice.backend.cloned(),
        source: choice.source,
        host: choice.host,
        description: choice.description,
        considered: candidates
            .iter()
            .map(|candidate| considered(candidate, facts, ask))
            .collect(),
    }
}

struct Choice<'a> {
    backend: Option<&'a BackendId>,
    source: Option<Source>,
    host: Option<String>,
    description: String,
}

fn chosen<'a>(
    candidate: &'a Candidate,
    source: Source,
    host: Option<&str>,
    why: &str,
) -> Choice<'a> {
    Choice {
        backend: Some(&candidate.id),
        source: Some(source),
        host: host.map(str::to_owned),
        description: format!("{} ({why})", candidate.label),
    }
}

fn forced<'a>(wanted: &'a Candidate, facts: &Facts) -> Choice<'a> {
    let reason = match silent(wanted, facts) {
        Some(reason) => reason,
        None if wanted.availability.available => {
            return chosen(wanted, Source::Forced, None, "you asked for it");
        }
        None => &wanted.availability.reason,
    };
    let why = format!("you asked for it, but {reason}");
    Choice {
        backend: None,
        ..chosen(wanted, Source::Forced, None, &why)
    }
}

fn best<'a>(candidates: &'a [Candidate], facts: &Facts, headless: bool) -> Choice<'a> {
    let visible = || candidates.iter().filter(|candidate| is_visible(candidate));
    if let Some(found) = current_terminal(candidates, facts) {
        return chosen(
            found,
            Source::CurrentTerminal,
            None,
            "the terminal you're in",
        );
    }
    for host in by_recency(&facts.sessions).into_iter().filter_map(seen_in) {
        if let Some(found) = visible().find(|candidate| drives(host, candidate)) {
            let why = format!("where your {host} sessions run");
            return chosen(found, Source::ActiveSession, Some(host), &why);
        }
    }
    if let Some(found) = visible().next() {
        return chosen(
            found,
            Source::Available,
            None,
            "no running session named a terminal",
        );
    }
    let builtin = candidates.iter().find(|candidate| is_builtin(candidate));
    if let Some(found) = builtin.filter(|_| headless) {
        return chosen(
            found,
            Source::Headless,
            None,
            "no visible terminal can be driven here",
        );
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

/// The candidate that drives the terminal in which the caller runs. It is chosen whatever sessions there are.
#[must_use]
pub fn current_terminal<'a>(candidates: &'a [Candidate], facts: &Facts) -> Option<&'a Candidate> {
    let here = current::host_id(facts)?;
    let mut visible = candidates.iter().filter(|candidate| is_visible(candidate));
    visible.find(|candidate| drives(here, candidate))
}

fn considered(candidate: &Candidate, facts: &Facts, ask: Ask<'_>) -> Considered {
    let availability = &candidate.availability;
    let ok = match ask {
        Ask::Forced(wanted) if wanted == candidate => {
            availability.available && silent(candidate, facts).is_none()
        }
        Ask::Best { headless } if is_builtin(candidate) => headless,
        _ => availability.available && availability.candidate,
    };
    let refused = current::tmux(facts).err();
    let reason = match (ok, refused) {
        (false, Some(refused)) if candidate.id.as_str() == "tmux" && availability.available => {
            refused
        }
        (false, _) if is_builtin(candidate) && availability.available => {
            format!(
                "{}, where `headless` asks for a terminal that nobody sees",
                availability.reason
            )
        }
        (false, _) => availability.reason.clone(),
        (true, _) if current::host_id(facts).is_some_and(|here| drives(here, candidate)) => {
            format!("{}; it is the terminal you're in", availability.reason)
        }
        (true, _) => match sessions_in(candidate, facts) {
            0 => availability.reason.clone(),
            1 => format!("{}; 1 live session runs there", availability.reason),
            n => format!("{}; {n} live sessions run there", availability.reason),
        },
    };
    Considered {
        backend: candidate.id.clone(),
        ok,
        reason,
    }
}

/// Why tmux cannot be driven for a caller whose own server does not answer: another session is not what it means.
fn silent<'a>(candidate: &Candidate, facts: &'a Facts) -> Option<&'a str> {
    current::silent(facts).filter(|_| candidate.id.as_str() == "tmux")
}

fn is_builtin(candidate: &Candidate) -> bool {
    candidate.id.as_str() == "builtin"
}

/// Whether it may be chosen without being named, and a person sees what it opens.
fn is_visible(candidate: &Candidate) -> bool {
    let availability = &candidate.availability;
    availability.available && availability.candidate && !is_builtin(candidate)
}

fn drives(host: &str, candidate: &Candidate) -> bool {
    hosts::drives(host, candidate.id.as_str())
}

fn sessions_in(candidate: &Candidate, facts: &Facts) -> usize {
    let hosts = facts.sessions.iter().filter_map(seen_in);
    hosts.filter(|host| drives(host, candidate)).count()
}

/// The application in which a session is seen, which outranks the one that hosts it.
fn seen_in(session: &SessionSample) -> Option<&str> {
    session.viewing_app.as_deref().or(session.host.as_deref())
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
