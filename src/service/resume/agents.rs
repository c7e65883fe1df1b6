//! Sessions of our own agents: their agents open them, so that the record knows where they are and what becomes of them.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::known::{Known, Live};
use crate::os::peer::Peer;
use crate::proto::agent::{Agent, Lifecycle, Place};
use crate::proto::open::{OpenResult, Started};
use crate::proto::{BackendId, Context, Failure, Item, Kind, Layout, Request, Word};
use crate::service::agents::{Agents, Opening};

/// How an agent's session is opened.
#[derive(Clone, Debug)]
pub struct Wish {
    /// In which terminal; absent: as `open` chooses.
    pub backend: Option<BackendId>,
    /// On which host; absent: this machine.
    pub host: Option<Word>,
    /// Who asks.
    pub caller: Option<Peer>,
    /// Where they say that they are.
    pub context: Option<Context>,
}

/// An agent, with the host that it is on; absent: this machine.
pub type Placed = (Agent, Option<String>);

/// Agents as far as their sessions are concerned.
pub trait OfAgents: Send + Sync {
    /// All of them, archived ones too, each with the host that it is on; absent: this machine.
    fn list(&self) -> BoxFuture<'_, Result<Vec<Placed>, Failure>>;

    /// Opens an agent that ended.
    fn open<'a>(&'a self, id: &'a str, wish: Wish) -> BoxFuture<'a, Result<Agent, Failure>>;
}

impl OfAgents for Agents {
    fn list(&self) -> BoxFuture<'_, Result<Vec<Placed>, Failure>> {
        self.placed().boxed()
    }

    fn open<'a>(&'a self, id: &'a str, wish: Wish) -> BoxFuture<'a, Result<Agent, Failure>> {
        let place = match (wish.backend, wish.host) {
            (Some(backend), None) if backend.as_str() == "builtin" => Place::Terminal {},
            (backend, host) => Place::Surface {
                backend,
                host,
                layout: Some(Layout::Tab),
            },
        };
        let opening = Opening {
            place: Some(place),
            size: None,
            caller: wish.caller,
            context: wish.context,
        };
        Self::open(self, id, opening).boxed()
    }
}

/// Adds agents to the sessions that are known otherwise: an agent's session on disk is the same session.
pub(super) fn add(pool: &mut Vec<Known>, agents: Vec<Placed>) {
    for (agent, machine) in agents {
        let session = agent
            .persistence
            .as_ref()
            .map_or_else(String::new, |handle| handle.session_id.to_string());
        let live = matches!(agent.lifecycle, Lifecycle::Idle | Lifecycle::Running).then(|| Live {
            pid: None,
            seen_in: None,
            surface: agent.surface.clone().or_else(|| agent.seat.clone()),
            attach: agent.attach.clone(),
        });
        let same = |known: &&mut Known| {
            !session.is_empty()
                && known.provider == agent.provider
                && known.session == session
                && known.machine == machine
        };
        if let Some(known) = pool.iter_mut().find(same) {
            if let Some(live) = live {
                let seen = known.live.get_or_insert_default();
                seen.surface = seen.surface.take().or(live.surface);
                seen.attach = live.attach;
            }
            known.agent = Some(agent.id);
            known.archived = agent.archived_at.is_some();
            continue;
        }
        pool.push(Known {
            machine,
            provider: agent.provider,
            session,
            cwd: Some(agent.cwd),
            version: None,
            title: Some(agent.title),
            archived: agent.archived_at.is_some(),
            agent: Some(agent.id),
            live,
        });
    }
}

/// Whether an agent's session can be taken up at all.
///
/// # Errors
/// `conflict` for an archived one, `not-found` where its session is not known.
pub(super) fn usable(known: &Known) -> Result<(), Failure> {
    let Some(agent) = &known.agent else {
        return Ok(());
    };
    if known.archived {
        return Err(Failure::new(
            Kind::Conflict,
            format!(
                "{} belongs to agent {agent}, which is archived",
                known.name()
            ),
        )
        .hint(format!(
            "take it back first: surfaced agent unarchive {agent}"
        )));
    }
    if known.session.is_empty() {
        return Err(
            Failure::new(Kind::NotFound, format!("{} is not known", known.name()))
                .hint(format!("surfaced agent open {agent} begins a new one")),
        );
    }
    Ok(())
}

/// What became of opening an agent, as the result of its item.
pub(super) fn result(
    item: &Item,
    backend: Option<&BackendId>,
    opened: Result<Agent, Failure>,
) -> OpenResult {
    let mut request = request(item, backend);
    match opened {
        Ok(agent) if agent.lifecycle == Lifecycle::Idle => {
            if let Some(surface) = &agent.surface {
                request.backend = BackendId::from(surface.backend());
            }
            let hosted = agent.terminal_id.map(crate::proto::SurfaceRef::Builtin);
            OpenResult {
                surface: agent.surface.or(hosted),
                attach: agent.attach,
                warnings: agent.reason.map(|reason| vec![reason]),
                ..OpenResult::opened(request, Started::Seen)
            }
        }
        Ok(agent) => {
            let why = agent
                .reason
                .unwrap_or_else(|| "its program ended".to_owned());
            let failure = Failure::new(
                Kind::SpawnFailed,
                format!("agent {} ended at once: {why}", agent.id),
            );
            let hint = "surfaced agent ls shows what is known of it";
            OpenResult::refused(request, &failure.hint(hint))
        }
        Err(failure) => OpenResult::refused(request, &failure),
    }
}

fn request(item: &Item, backend: Option<&BackendId>) -> Request {
    Request {
        backend: backend
            .cloned()
            .unwrap_or_else(|| BackendId::from("builtin")),
        layout: Layout::Tab,
        cwd: item.cwd.clone(),
        command: item.command.clone(),
        shell_command: None,
        env: item.env.clone(),
        host: None,
        target: None,
        agent: item.agent.clone(),
        session_id: item.session_id.clone(),
        title: None::<Word>,
        on_exit: None,
    }
}
