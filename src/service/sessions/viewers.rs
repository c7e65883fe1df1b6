//! Where the sessions of tmux are seen: by the ancestors of the clients that are attached to them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::agents::Seen;
use crate::tmux::SessionId;
use crate::tmux::census::{Census, Place};

/// A tmux inside a tmux inside a tmux is seen; more are not followed.
const DEEPEST: usize = 3;

/// What stands for an application that is not known.
pub(super) const UNKNOWN: &str = "unknown";

/// The servers that answered, and where their clients are.
#[derive(Default)]
pub(super) struct Viewers {
    /// By the server's process.
    pub(super) servers: BTreeMap<u32, Census>,
    /// By the client's process.
    pub(super) clients: HashMap<u32, Seen>,
}

impl Viewers {
    /// The pane of this server whose process is among `below`, in the sessions that show it. Dead panes are skipped: their
    /// process and terminal are those of others by now.
    pub(super) fn places(&self, server: u32, below: &[u32], tty: Option<&str>) -> Vec<&Place> {
        let Some(census) = self.servers.get(&server) else {
            return Vec::new();
        };
        let living = || census.places.iter().filter(|place| !place.dead);
        let by_process: Vec<_> = living()
            .filter(|place| below.contains(&place.pid))
            .collect();
        if !by_process.is_empty() {
            return by_process;
        }
        living()
            .filter(|place| tty == Some(place.tty.as_str()))
            .collect()
    }

    /// The applications in which these sessions of a server are seen, the most recently used first. Empty: nobody looks.
    pub(super) fn of(&self, server: u32, sessions: &BTreeSet<SessionId>) -> Vec<String> {
        let mut seen = self.seen(server, sessions, 0);
        seen.sort_by_key(|(activity, _)| std::cmp::Reverse(*activity));
        let mut apps: Vec<String> = Vec::new();
        for (_, app) in seen {
            if !apps.iter().any(|known| known == app) {
                apps.push(app.to_owned());
            }
        }
        apps
    }

    fn seen(
        &self,
        server: u32,
        sessions: &BTreeSet<SessionId>,
        depth: usize,
    ) -> Vec<(u64, &'static str)> {
        let Some(census) = self.servers.get(&server).filter(|_| depth < DEEPEST) else {
            return Vec::new();
        };
        // tmux lists its clients in the order in which they attached, and counts activity in seconds: of two in one second
        // the later one comes first.
        let viewers = census.viewers.iter().rev();
        viewers
            .filter(|viewer| sessions.contains(&viewer.session))
            .flat_map(|viewer| match self.clients.get(&viewer.pid) {
                Some(Seen::In(host)) => vec![(viewer.activity, host.id)],
                Some(Seen::Pane { server, below }) => {
                    let places = self.places(server.0, below, None);
                    let outer = places.iter().map(|place| place.session).collect();
                    self.seen(server.0, &outer, depth + 1)
                }
                Some(Seen::Elsewhere) | None => vec![(viewer.activity, UNKNOWN)],
            })
            .collect()
    }

    /// The clients that were not looked at yet.
    pub(super) fn unseen(&self) -> Vec<u32> {
        let viewers = self.servers.values().flat_map(|census| &census.viewers);
        viewers
            .map(|viewer| viewer.pid)
            .filter(|pid| !self.clients.contains_key(pid))
            .collect()
    }

    /// The servers around clients that were not asked yet.
    pub(super) fn unasked(&self) -> BTreeSet<(u32, String)> {
        let servers = self.clients.values().filter_map(|seen| match seen {
            Seen::Pane { server, .. } => Some(server),
            Seen::In(_) | Seen::Elsewhere => None,
        });
        servers
            .filter(|(pid, _)| !self.servers.contains_key(pid))
            .cloned()
            .collect()
    }
}
