//! The candidates: what the decision needs to know of each backend, in the order of the registry.

use std::collections::BTreeSet;

use crate::backend::{Availability, addable};
use crate::proto::text::plain;
use crate::proto::{BackendId, Failure, Platform};

use super::current;
use super::facts::Facts;
use super::hosts;

/// A backend as far as the decision goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: BackendId,
    /// Its name for people.
    pub label: String,
    /// Whether it can be driven with these facts.
    pub availability: Availability,
}

/// The candidate of this id, which the parameter `path` names.
///
/// # Errors
/// `invalid-params` with the ids that there are.
pub fn find<'a>(
    candidates: &'a [Candidate],
    id: &BackendId,
    path: &str,
) -> Result<&'a Candidate, Failure> {
    let found = candidates.iter().find(|candidate| candidate.id == *id);
    found.ok_or_else(|| {
        let ids: Vec<_> = candidates
            .iter()
            .map(|candidate| candidate.id.as_str())
            .collect();
        let words = format!(
            "unknown backend: {} (valid: {})",
            plain(id.as_str()),
            ids.join(", ")
        );
        let failure = Failure::params(path, words);
        match addable(id.as_str()) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

/// What counts as installed where nobody says and nobody may look: what the variables and the sessions name, and Terminal,
/// which is on every Mac. tmux needs no mention: it is a candidate inside tmux.
#[must_use]
pub fn inferred(facts: &Facts) -> BTreeSet<BackendId> {
    let here = current::host_id(facts).and_then(hosts::backend_of);
    let seen = facts
        .sessions
        .iter()
        .flat_map(|session| [&session.host, &session.viewing_app])
        .flatten()
        .filter_map(|host| hosts::backend_of(host))
        // An editor also needs an extension, and a session shows no more than the editor. VSCodium is taken at its word: it
        // is the one that the launch engine was made for.
        .filter(|backend| !matches!(*backend, "cursor-agent" | "vscode-agent"));
    let floor = (facts.platform == Platform::Darwin).then_some("terminal");
    here.into_iter()
        .chain(seen)
        .chain(floor)
        .map(BackendId::from)
        .collect()
}
