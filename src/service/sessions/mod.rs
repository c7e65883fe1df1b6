//! Live agents, the applications that host them, and where those that run in tmux are seen.

mod agents;
mod remote;
mod viewers;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use agents::AgentProcess;
use tokio::sync::watch;
use viewers::{UNKNOWN, Viewers};

use super::conversations::{Conversation, Pool, Question, there};
use super::hosted::Hosted;
use super::machine::Machine;
use super::tmux_servers;
use crate::os::clock;
use crate::os::device;
use crate::os::process_table::ProcessTable;
use crate::os::tree::Root;
use crate::proto::resolve::SessionSample;
use crate::proto::sessions::{Session, SessionsResult, TmuxPlace};
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{Failure, HostAlias, SurfaceRef, TmuxPane};
use crate::provider::Providers;
use crate::tmux::census::Place;
use crate::transport::Transport;

/// How often the clients of servers that were found are followed to further servers.
const ROUNDS: usize = 3;

/// Finds live sessions. Nothing is remembered between two questions: processes end, and their numbers are used again.
#[derive(Clone)]
pub struct Sessions {
    machine: Arc<Machine>,
    transport: Arc<dyn Transport>,
    providers: watch::Receiver<Providers>,
    /// The terminals of this daemon, once there are any.
    hosted: Option<Arc<dyn Hosted>>,
}

impl Sessions {
    /// Looks at this machine for agents of these providers, and asks tmux through this transport.
    #[must_use]
    pub fn new(
        machine: Arc<Machine>,
        transport: Arc<dyn Transport>,
        providers: watch::Receiver<Providers>,
    ) -> Self {
        Self {
            machine,
            transport,
            providers,
            hosted: None,
        }
    }

    /// The same, which knows the terminals that this daemon hosts.
    #[must_use]
    pub fn with(self, hosted: Arc<dyn Hosted>) -> Self {
        Self {
            hosted: Some(hosted),
            ..self
        }
    }

    /// Leaves out terminals of other daemons: nothing can be done with them here.
    async fn own_terminals(&self, sessions: &mut [Session]) {
        let is_hosted = |session: &Session| matches!(session.surface, Some(SurfaceRef::Builtin(_)));
        if !sessions.iter().any(is_hosted) {
            return;
        }
        let listed = match &self.hosted {
            Some(hosted) => hosted.list().await.unwrap_or_default(),
            None => Vec::new(),
        };
        for session in sessions.iter_mut().filter(|session| is_hosted(session)) {
            let own = |info: &SurfaceInfo| Some(&info.surface) == session.surface.as_ref();
            if !listed.iter().any(own) {
                session.surface = None;
            }
        }
    }

    /// The live sessions, the most recently active first.
    ///
    /// What cannot be found out is left out of a session: a tmux server that does not answer costs its agents their pane and
    /// viewers, not their place in the list.
    pub async fn live(&self) -> Vec<Session> {
        let machine = self.machine.clone();
        let providers = self.providers.borrow().clone();
        let find = move || {
            let mut table = ProcessTable::new();
            let agents = agents::find(&machine, &providers, &mut table);
            (table, agents)
        };
        let Ok((table, agents)) = tokio::task::spawn_blocking(find).await else {
            return Vec::new();
        };
        let viewers = Self::follow(&self.machine, &*self.transport, table, &agents).await;
        let mut sessions: Vec<_> = agents
            .into_iter()
            .map(|agent| session(agent, &viewers, None, &device::last_used))
            .collect();
        sort(&mut sessions);
        sessions
    }

    /// Asks the tmux servers of agents who shows them, and follows those clients to further servers.
    async fn follow(
        machine: &Arc<Machine>,
        transport: &dyn Transport,
        mut table: ProcessTable,
        agents: &[AgentProcess],
    ) -> Viewers {
        let mut viewers = Viewers::default();
        let mut servers = agents::servers(agents);
        for _ in 0..ROUNDS {
            if servers.is_empty() {
                break;
            }
            let answered = tmux_servers::censuses(transport, &servers).await;
            viewers.servers.extend(answered);
            let (clients, machine) = (viewers.unseen(), Arc::clone(machine));
            let look = move || {
                let seen: Vec<_> = clients
                    .into_iter()
                    .map(|pid| (pid, agents::client(&machine, &mut table, pid)))
                    .collect();
                (table, seen)
            };
            let Ok((back, seen)) = tokio::task::spawn_blocking(look).await else {
                break;
            };
            table = back;
            viewers.clients.extend(seen);
            servers = viewers.unasked();
        }
        viewers
    }

    /// The live sessions with the ids of their conversations, and with those on disk where `files` says so.
    pub async fn told(&self, pool: &Pool, files: bool) -> SessionsResult {
        let mut sessions = self.live().await;
        self.own_terminals(&mut sessions).await;
        let providers = self.providers.borrow().clone();
        let asked: Vec<(usize, Question)> = sessions
            .iter()
            .enumerate()
            .filter_map(|(at, session)| Some((at, question(&providers, session)?)))
            .collect();
        let (places, questions): (Vec<usize>, Vec<Question>) = asked.into_iter().unzip();
        for (at, id) in places.into_iter().zip(pool.sessions_of(questions).await) {
            sessions[at].session_id = id;
        }
        let mut warnings = Vec::new();
        if files {
            let found = pool.all().await;
            warnings = found.warnings();
            let live: HashSet<(String, String)> = sessions
                .iter()
                .filter_map(|session| Some((session.kind.clone(), session.session_id.clone()?)))
                .collect();
            let on_disk = found.conversations.into_iter().map(on_disk);
            sessions.extend(on_disk.filter(|session| {
                let id = session.session_id.clone().unwrap_or_default();
                !live.contains(&(session.kind.clone(), id))
            }));
        }
        SessionsResult {
            sessions,
            warnings: (!warnings.is_empty()).then_some(warnings),
        }
    }

    /// The sessions on the disk of a host: the newest, or those of these ids or beginnings of ids.
    ///
    /// # Errors
    /// What a host can fail with.
    pub async fn there(&self, link: &dyn Transport, ids: &[&str]) -> Result<Vec<Session>, Failure> {
        let providers = self.providers.borrow().clone();
        let found = there::on(link, &providers, ids).await?;
        Ok(found.into_iter().map(on_disk).collect())
    }

    /// The live sessions as far as the choice of a terminal depends on them.
    pub async fn samples(&self) -> Vec<SessionSample> {
        self.live().await.into_iter().map(sample).collect()
    }
}

fn sort(sessions: &mut [Session]) {
    sessions.sort_by_key(|session| {
        std::cmp::Reverse((session.last_activity_ms, session.started_at_ms))
    });
}

/// A session as it is shown. `on`: the host it runs on; `last_used`: when somebody last used a terminal.
fn session(
    agent: AgentProcess,
    viewers: &Viewers,
    on: Option<&HostAlias>,
    last_used: &dyn Fn(&str) -> Option<SystemTime>,
) -> Session {
    let AgentProcess {
        provider,
        process,
        cwd,
        host,
        below_server,
        server,
        hosted,
    } = agent;
    let tty = process.tty.as_deref();
    let places = match &server {
        Some((server, _)) => viewers.places(*server, &below_server, tty),
        None => Vec::new(),
    };
    let place = places.first().copied();
    let shown_in: BTreeSet<_> = places.iter().map(|place| place.session).collect();
    let seen = place.map(|place| viewers.of(place.server, &shown_in));
    let in_window = place.map(|place| place.activity.saturating_mul(1000));
    let on_device = tty.and_then(last_used).map(clock::millis);
    let tmux = server.zip(place).map(|((_, socket), place)| TmuxPlace {
        socket,
        session: place.session_name.clone(),
        window: place.window.to_string(),
        pane: place.pane.to_string(),
    });
    let surface = match (&tmux, place, tty) {
        (Some(tmux), Some(place), _) => Some(tmux_surface(tmux, place, on)),
        (_, _, Some(tty)) if on.is_none() && host.is_some_and(|host| host.id == "terminal") => {
            Some(SurfaceRef::Terminal(tty.to_owned()))
        }
        _ => hosted.filter(|_| on.is_none()).map(SurfaceRef::Builtin),
    };
    Session {
        pid: Some(process.pid),
        kind: provider.id().to_owned(),
        host: host.map(|host| host.id.to_owned()),
        viewing_app: seen
            .as_ref()
            .and_then(|seen| seen.iter().find(|app| *app != UNKNOWN).cloned()),
        viewers: seen,
        cwd,
        tmux,
        session_id: None,
        started_at_ms: Some(clock::millis(process.started)),
        last_activity_ms: in_window.max(on_device),
        surface,
        machine: on.map(ToString::to_string),
        title: None,
        version: None,
        tty: process.tty,
    }
}

/// Which conversation a live session has.
fn question(providers: &Providers, session: &Session) -> Option<Question> {
    Some(Question {
        provider: providers.get(&session.kind)?.clone(),
        process: Some(Root::now(session.pid?)),
    })
}

fn on_disk(conversation: Conversation) -> Session {
    let Conversation {
        provider,
        last_ms,
        said,
        ..
    } = conversation;
    Session {
        kind: provider.id().to_owned(),
        cwd: said.cwd,
        session_id: Some(said.id),
        started_at_ms: said.started_ms,
        last_activity_ms: Some(last_ms),
        title: said.title,
        version: said.version,
        ..Session::default()
    }
}

fn tmux_surface(tmux: &TmuxPlace, place: &Place, host: Option<&HostAlias>) -> SurfaceRef {
    SurfaceRef::Tmux(TmuxPane {
        server: place.server,
        window: place.window.0,
        pane: Some(place.pane.0),
        socket: tmux.socket.clone(),
        host: host.cloned(),
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "milliseconds since 1970 have 41 bits, and a float holds 53"
)]
fn sample(session: Session) -> SessionSample {
    SessionSample {
        host: session.host,
        viewing_app: session.viewing_app,
        last_activity_ms: session.last_activity_ms.map(|at| at as f64),
        started_at_ms: session.started_at_ms.map(|at| at as f64),
    }
}
