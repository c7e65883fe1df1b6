//! What opening needs of the rest of the daemon.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::backend::Availability;
use crate::launch::ssh_line::SshLine;
use crate::os::peer::Peer;
use crate::proto::resolve::ResolveResult;
use crate::proto::{BackendId, Context, Failure, HostAlias, Kind};
use crate::resolve::{Candidate, silent_tmux};
use crate::service::resolve::{Choice, Resolver};
use crate::transport::Transport;

/// What a call wants to know of the world.
#[derive(Clone, Debug)]
pub struct Question {
    /// Who calls; absent: the daemon itself.
    pub caller: Option<Peer>,
    /// Where it says that it is, which wins over what is seen of its process.
    pub context: Option<Context>,
    /// Backends that it names: whether they can be driven.
    pub named: Vec<BackendId>,
    /// Whether a backend has to be chosen, `builtin` where there is no other.
    pub choose: bool,
    /// Whether something is to be opened: then tmux itself is asked whether the caller's pane lives, and in which session.
    pub confirm: bool,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The platform, the directory, and the variables that name the caller's own surface, stale ones left out.
    pub context: Context,
    /// The choice, where one was asked for.
    pub choice: Option<ResolveResult>,
    /// Whether the backends that were named can be driven, and how the chosen one is. One that does not exist is left out.
    pub availability: BTreeMap<BackendId, Availability>,
    /// Why the tmux that the caller is inside cannot be asked: no other session is what it means.
    pub silent: Option<String>,
}

/// Finds out where a caller is and which terminals can be driven there.
pub trait Whereabouts: Send + Sync {
    /// Answers a question.
    fn look(&self, question: Question) -> BoxFuture<'_, Result<Place, Failure>>;
}

impl Whereabouts for Resolver {
    fn look(&self, question: Question) -> BoxFuture<'_, Result<Place, Failure>> {
        async move {
            let nobody = Peer {
                uid: rustix::process::getuid().as_raw(),
                pid: None,
                since: SystemTime::now(),
            };
            let peer = question.caller.unwrap_or(nobody);
            let mut caller = self.contexts().see(&peer, question.context.as_ref()).await;
            if question.confirm {
                caller.facts.tmux = self.contexts().confirmed(&caller.facts).await;
            }
            let (choice, candidates) = if question.choose {
                // What is built is what would be opened, in the daemon's own terminal at worst.
                let choice = Choice {
                    headless: true,
                    ..Choice::default()
                };
                let (choice, candidates) = self.choose(&caller, choice).await?;
                (Some(choice), candidates)
            } else if question.named.is_empty() {
                (None, Vec::new())
            } else {
                (None, self.look_at(&caller).await)
            };
            let chosen = choice.as_ref().and_then(|choice| choice.backend.as_ref());
            let meant = |candidate: &Candidate| {
                question.named.contains(&candidate.id) || chosen == Some(&candidate.id)
            };
            Ok(Place {
                availability: candidates
                    .into_iter()
                    .filter(meant)
                    .map(|candidate| (candidate.id, candidate.availability))
                    .collect(),
                choice,
                silent: silent_tmux(&caller.facts).map(str::to_owned),
                context: Context {
                    platform: Some(caller.facts.platform),
                    env: Some(caller.env()),
                    cwd: caller.cwd,
                    ..Context::default()
                },
            })
        }
        .boxed()
    }
}

/// Finds the way to a machine.
pub trait Links: Send + Sync {
    /// The transport to a host, or to this machine.
    fn to<'a>(
        &'a self,
        host: Option<&'a HostAlias>,
    ) -> BoxFuture<'a, Result<Arc<dyn Transport>, Failure>>;

    /// Notes who asks for a host: logins are done with the agent of the most recent caller.
    fn called<'a>(
        &'a self,
        _caller: Option<Peer>,
        _context: Option<&'a Context>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    /// `ssh` as people call it, with the configuration that counts.
    fn ssh(&self) -> SshLine {
        SshLine::default()
    }

    /// The line that runs `line` in a terminal on a host, for people to paste.
    fn attach(&self, host: &HostAlias, line: &str) -> String {
        self.ssh().in_terminal(host, line)
    }
}

/// Links to this machine alone.
#[derive(Clone)]
pub struct OnThisMachine(pub Arc<dyn Transport>);

impl Links for OnThisMachine {
    fn to<'a>(
        &'a self,
        host: Option<&'a HostAlias>,
    ) -> BoxFuture<'a, Result<Arc<dyn Transport>, Failure>> {
        let link = match host {
            None => Ok(Arc::clone(&self.0)),
            Some(host) => Err(Failure::new(
                Kind::HostUnreachable,
                format!("{host} cannot be reached from here"),
            )),
        };
        async { link }.boxed()
    }
}
