//! Where a caller is: from what it says, or from its process as the kernel names it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::machine::Machine;
use super::programs;
use super::tmux_servers::{self, census};
use crate::os::peer::Peer;
use crate::os::process_table::ProcessTable;
use crate::proto::{AbsolutePath, BackendId, Context, Platform};
use crate::resolve::{self, Facts, InTmux, Program, TmuxFact, read_tmux};
use crate::tmux::census::Census;
use crate::tmux::{Absent, Outcome};
use crate::transport::Transport;

/// A caller and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// Its facts, without sessions.
    pub facts: Facts,
    /// Its directory.
    pub cwd: Option<AbsolutePath>,
    /// The backends that it says are installed.
    pub apps: Option<BTreeSet<BackendId>>,
    /// Whether it said where it is without naming a process: then nothing is looked up, and the same words give the same answer.
    pub pure: bool,
}

impl Caller {
    /// Its variables, without those of terminals that it is not in.
    #[must_use]
    pub fn env(&self) -> BTreeMap<String, String> {
        resolve::caller_env(&self.facts)
    }
}

/// Finds out where callers are.
#[derive(Clone)]
pub struct Contexts {
    machine: Arc<Machine>,
    transport: Arc<dyn Transport>,
}

/// What the process table says of a caller.
struct Seen {
    env: BTreeMap<String, String>,
    cwd: Option<AbsolutePath>,
    chain: Vec<Program>,
    /// Of the nearest tmux server among its ancestors, where that is ours: its place in the chain and its socket.
    server: Option<(usize, String)>,
}

impl Contexts {
    /// Looks at this machine, and asks tmux through this transport.
    #[must_use]
    pub fn new(machine: Arc<Machine>, transport: Arc<dyn Transport>) -> Self {
        Self { machine, transport }
    }

    /// Where the caller is. What it says itself always wins; without a context its process is looked at.
    ///
    /// A process that cannot be the caller (it is gone, it started after the connection was made, it is another user's)
    /// is not looked at, and the caller is then one without a terminal.
    pub async fn see(&self, peer: &Peer, context: Option<&Context>) -> Caller {
        let Some(context) = context else {
            let peer = *peer;
            let seen = match peer.pid {
                Some(pid) => self.look(pid, Some(peer), None).await,
                None => None,
            };
            return self.caller(Platform::current(), seen).await;
        };
        let platform = context.platform.unwrap_or(Platform::current());
        let apps = context
            .apps
            .as_ref()
            .map(|apps| apps.iter().cloned().collect());
        let seen = match context.pid {
            Some(pid) => self.look(pid, None, context.env.clone()).await,
            None => None,
        };
        let mut caller = if seen.is_some() {
            self.caller(platform, seen).await
        } else {
            Caller {
                facts: Facts::pure(platform, context.env.clone().unwrap_or_default()),
                cwd: None,
                apps: None,
                pure: context.pid.is_none(),
            }
        };
        caller.apps = apps;
        if let Some(cwd) = &context.cwd {
            caller.cwd = Some(cwd.clone());
        }
        caller
    }

    /// Looks at a process of ours. `peer`: as it was when it connected.
    async fn look(
        &self,
        pid: u32,
        peer: Option<Peer>,
        env: Option<BTreeMap<String, String>>,
    ) -> Option<Seen> {
        let machine = self.machine.clone();
        let look = move || {
            let mut table = ProcessTable::new();
            let process = table.get(pid)?;
            let is_ours = process.uid == ProcessTable::me();
            if !is_ours || peer.is_some_and(|peer| process.started_after(peer.since)) {
                return None;
            }
            let env = env.or_else(|| table.environ(pid)).unwrap_or_default();
            let chain = programs::chain(&mut table, pid);
            let server = tmux_servers::server_in(&mut table, &chain).map(|at| {
                let inside = read_tmux(&env).ok().flatten();
                let server = chain[at].pid;
                let socket = tmux_servers::socket_of(&machine, &mut table, server, inside.as_ref());
                (at, socket)
            });
            let cwd = table.cwd(pid).and_then(|cwd| AbsolutePath::parse(cwd).ok());
            Some(Seen {
                env,
                cwd,
                chain,
                server,
            })
        };
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }

    async fn caller(&self, platform: Platform, seen: Option<Seen>) -> Caller {
        let Some(seen) = seen else {
            return Caller {
                facts: Facts::pure(platform, BTreeMap::new()),
                cwd: None,
                apps: None,
                pure: false,
            };
        };
        let tmux = self.tmux(&seen).await;
        Caller {
            facts: Facts {
                platform,
                env: seen.env,
                ancestry: Some(seen.chain),
                tmux,
                sessions: Vec::new(),
            },
            cwd: seen.cwd,
            apps: None,
            pure: false,
        }
    }

    /// Whether it is inside tmux. A server among its ancestors proves it, and the process below the server is its pane's; only
    /// what neither ancestors nor variables tell is asked.
    async fn tmux(&self, seen: &Seen) -> TmuxFact {
        let named = TmuxFact::of_env(&seen.env);
        if let Some((at, socket)) = &seen.server {
            let server = seen.chain[*at].pid;
            return match named {
                TmuxFact::Inside(place) if place.server == server => TmuxFact::Inside(place),
                _ => self.find(seen, *at, socket).await,
            };
        }
        match named {
            // An application that lies nearer outranks it anyway.
            TmuxFact::Inside(place) if resolve::nearest(&seen.chain).is_none() => {
                self.confirm(place, false).await
            }
            named => named,
        }
    }

    /// The pane whose process is among the ancestors.
    async fn find(&self, seen: &Seen, at: usize, socket: &str) -> TmuxFact {
        let server = seen.chain[at].pid;
        let below = &seen.chain[..at];
        match census(&*self.transport, socket).await {
            Outcome::Done(census) => {
                let place = census.places.iter().find(|place| {
                    place.server == server
                        && !place.dead
                        && below.iter().any(|program| program.pid == place.pid)
                });
                let refused = || format!("the tmux server {server} has no pane of this process");
                place.map_or_else(
                    || TmuxFact::Refused(refused()),
                    |place| {
                        TmuxFact::Inside(InTmux {
                            socket: socket.to_owned(),
                            server,
                            session: Some(place.session.0),
                            window: Some(place.window.0),
                            pane: Some(place.pane.0),
                        })
                    },
                )
            }
            // A process that descends from a server proves that it runs.
            Outcome::Absent(_) => TmuxFact::Silent(deaf(server, socket)),
            Outcome::Unknown(why) => {
                TmuxFact::Silent(format!("the tmux server {server} does not answer: {why}"))
            }
        }
    }

    /// What tmux itself says of where the caller is: whether its pane lives, and which session that is in now. For what is about
    /// to open something there the word of a caller is not enough: another server may have the socket and the same numbers by
    /// now, and a pane can be moved to another session than the one that `$TMUX` named when it was made.
    pub async fn confirmed(&self, facts: &Facts) -> TmuxFact {
        let Ok(place) = resolve::tmux_of(facts) else {
            return facts.tmux.clone();
        };
        // The window is known where the server was asked.
        if place.window.is_some() {
            return facts.tmux.clone();
        }
        let descends = facts
            .ancestry
            .as_deref()
            .is_some_and(|chain| chain.iter().any(|program| program.pid == place.server));
        self.confirm(place.clone(), descends).await
    }

    /// What the variables say counts when the server answers and the pane lives. `descends`: the server is an ancestor, so that
    /// it runs whatever is found at its socket.
    async fn confirm(&self, place: InTmux, descends: bool) -> TmuxFact {
        let socket = &place.socket;
        match census(&*self.transport, socket).await {
            Outcome::Done(census) => match found(&census, &place) {
                Some(place) => TmuxFact::Inside(place),
                None => TmuxFact::Refused(format!(
                    "the pane that $TMUX_PANE names on {socket} is gone"
                )),
            },
            Outcome::Absent(_) if descends => TmuxFact::Silent(deaf(place.server, socket)),
            Outcome::Absent(Absent::Server) => TmuxFact::Refused(format!(
                "no tmux server runs on {socket}, which $TMUX names"
            )),
            Outcome::Absent(_) | Outcome::Unknown(_) => {
                TmuxFact::Silent(format!("the tmux server on {socket} does not answer"))
            }
        }
    }
}

/// The place of a caller as its server shows it now; `None`: it is not there. A pane can be in several sessions: the one that
/// `$TMUX` names counts where it is still among them, else the one that somebody used last.
fn found(census: &Census, wanted: &InTmux) -> Option<InTmux> {
    let rows: Vec<_> = census
        .places
        .iter()
        .filter(|place| place.server == wanted.server && !place.dead)
        .collect();
    let Some(pane) = wanted.pane else {
        // A job of tmux itself is in no pane.
        return (!rows.is_empty()).then(|| wanted.clone());
    };
    let used = |session| {
        let viewers = census.viewers.iter().filter(|one| one.session == session);
        viewers.map(|viewer| viewer.activity).max()
    };
    let row = rows
        .into_iter()
        .filter(|place| place.pane.0 == pane)
        .max_by_key(|place| (wanted.session == Some(place.session.0), used(place.session)))?;
    Some(InTmux {
        session: Some(row.session.0),
        window: Some(row.window.0),
        ..wanted.clone()
    })
}

fn deaf(server: u32, socket: &str) -> String {
    format!("the tmux server {server} does not listen on {socket}")
}
