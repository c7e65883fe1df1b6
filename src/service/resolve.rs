//! `resolveBackend`: collects what the decision needs, and no more than it needs.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::context::{Caller, Contexts};
use super::machine::Machine;
use super::sessions::Sessions;
use crate::backend::registry::Registry;
use crate::backend::{Found, Need};
use crate::os::peer::Peer;
use crate::proto::resolve::{ResolveParams, ResolveResult, SessionSample};
use crate::proto::{BackendId, Failure};
use crate::resolve::{self, Ask, Candidate, Facts};

/// Chooses terminals for callers.
#[derive(Clone)]
pub struct Resolver {
    machine: Arc<Machine>,
    registry: watch::Receiver<Registry>,
    contexts: Contexts,
    sessions: Sessions,
}

/// What a caller asks to be chosen.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// This backend, or why not.
    pub forced: Option<BackendId>,
    /// Fall back to `builtin`.
    pub headless: bool,
    /// Its own sessions, in the place of the live ones.
    pub sessions: Option<Vec<SessionSample>>,
}

impl Resolver {
    /// Chooses among these backends; a new configuration sends new ones.
    #[must_use]
    pub fn new(
        machine: Arc<Machine>,
        registry: watch::Receiver<Registry>,
        contexts: Contexts,
        sessions: Sessions,
    ) -> Self {
        Self {
            machine,
            registry,
            contexts,
            sessions,
        }
    }

    /// Where callers are.
    #[must_use]
    pub const fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The method.
    ///
    /// # Errors
    /// `invalid-params` for a `forced` that is no backend, with the ids that are.
    pub async fn resolve(
        &self,
        peer: &Peer,
        params: ResolveParams,
    ) -> Result<ResolveResult, Failure> {
        let caller = self.contexts.see(peer, params.context.as_ref()).await;
        let choice = Choice {
            forced: params.forced,
            headless: params.headless.unwrap_or(false),
            sessions: params.sessions,
        };
        Ok(self.choose(&caller, choice).await?.0)
    }

    /// The decision for a caller that was looked at, and the terminals among which it was made.
    ///
    /// # Errors
    /// As [`Resolver::resolve`].
    pub async fn choose(
        &self,
        caller: &Caller,
        choice: Choice,
    ) -> Result<(ResolveResult, Vec<Candidate>), Failure> {
        let registry = self.registry();
        let mut facts = caller.facts.clone();
        let given = choice.sessions.is_some();
        facts.sessions = choice.sessions.unwrap_or_default();
        let candidates = self.candidates(&registry, caller, &facts).await;
        let ask = Ask::Best {
            headless: choice.headless,
        };
        if let Some(forced) = &choice.forced {
            let wanted = resolve::find(&candidates, forced, "forced")?;
            let decision = resolve::decide(&candidates, &facts, Ask::Forced(wanted));
            return Ok((decision, candidates));
        }
        // Live sessions are looked for only where they decide.
        let decided =
            caller.pure || given || resolve::current_terminal(&candidates, &facts).is_some();
        if !decided {
            facts.sessions = self.sessions.samples().await;
        }
        let decision = resolve::decide(&candidates, &facts, ask);
        Ok((decision, candidates))
    }

    /// Every terminal, and whether this caller can drive it.
    pub async fn look_at(&self, caller: &Caller) -> Vec<Candidate> {
        self.candidates(&self.registry(), caller, &caller.facts)
            .await
    }

    pub(super) fn registry(&self) -> Registry {
        self.registry.borrow().clone()
    }

    async fn candidates(
        &self,
        registry: &Registry,
        caller: &Caller,
        facts: &Facts,
    ) -> Vec<Candidate> {
        let listed = match &caller.apps {
            Some(apps) => Some(apps.clone()),
            None if caller.pure => Some(resolve::inferred(facts)),
            None => None,
        };
        let found = match listed {
            Some(mut listed) => {
                // It is a program and no application, so nobody lists it; whoever names it may find out.
                listed.insert("tmux".into());
                Found::Listed(listed)
            }
            None => Found::Seen(self.look(registry).await),
        };
        let facts = facts.machine(found);
        let candidate = |backend: &Arc<dyn crate::backend::Backend>| Candidate {
            id: backend.id().into(),
            label: backend.label().to_owned(),
            availability: backend.availability(&facts),
        };
        registry.iter().map(candidate).collect()
    }

    /// Looks for what the backends need.
    async fn look(&self, registry: &Registry) -> BTreeSet<Need> {
        let needs: BTreeSet<Need> = registry
            .iter()
            .flat_map(|backend| backend.needs())
            .collect();
        let machine = self.machine.clone();
        let look = move || machine.look_for(needs);
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }
}
