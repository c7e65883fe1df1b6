//! The candidates: what the decision needs to know of each backend, in the order of the registry.

use crate::proto::Failure;
use crate::proto::launch::BackendId;

/// A backend as far as the decision goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: BackendId,
    /// Its name for people.
    pub label: String,
}

/// The candidate of this id, which the parameter `path` names.
///
/// # Errors
/// `invalid-params` with the ids that there are.
pub fn find<'a>(candidates: &'a [Candidate], id: &BackendId, path: &str) -> Result<&'a Candidate, Failure> {
    let found = candidates.iter().find(|candidate| candidate.id == *id);
    found.ok_or_else(|| {
        let ids: Vec<_> = candidates.iter().map(|candidate| candidate.id.as_str()).collect();
        Failure::params(path, format!("unknown backend: {id} (valid: {})", ids.join(", ")))
    })
}
