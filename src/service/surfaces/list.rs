//! `surface.list`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::verbs::Surfaces;
use crate::backend::Backend;
use crate::backend::tmux::{Caller, info};
use crate::os::peer::Peer;
use crate::proto::surfaces::{ListParams, ListResult, SurfaceInfo};
use crate::proto::{BackendId, Failure, HostAlias, Kind};
use crate::service::conversation::converse;
use crate::service::open::Question;
use crate::service::seats::exit_of;
use crate::tmux::list::ListPanes;
use crate::tmux::{Absent, Outcome, Server};
use crate::transport::Transport;

impl Surfaces {
    /// The surfaces that can be seen now. Without a backend those of all terminals that tell them.
    ///
    /// # Errors
    /// With a backend: why its surfaces cannot be listed. `host-invalid`, and what a host can fail with.
    pub async fn list(
        &self,
        params: ListParams,
        caller: Option<Peer>,
    ) -> Result<ListResult, Failure> {
        let host = match &params.host {
            Some(host) => Some(
                HostAlias::parse(host.as_str())
                    .map_err(|error| Failure::bad_host("host", error.to_string()))?,
            ),
            None => None,
        };
        if host.is_some() {
            self.links.called(caller, None).await;
        }
        let mut backends = self.listed(params.backend.as_ref())?;
        if host.is_some() {
            // The one that hosts are asked with first: one that cannot be asked costs its time once.
            backends.sort_by_key(|backend| backend.id() != "tmux");
        }
        let transport = self.links.to(host.as_ref()).await?;
        let mut surfaces = Vec::new();
        let mut warnings = Vec::new();
        for backend in backends {
            let failure = self
                .list_one(
                    backend.as_ref(),
                    host.as_ref(),
                    transport.as_ref(),
                    caller,
                    &mut surfaces,
                )
                .await
                .err();
            let Some(failure) = failure else { continue };
            // Of a host that cannot be asked nothing is known, which is not that it has none.
            if params.backend.is_some() || (host.is_some() && !is_absent(backend.id(), &failure)) {
                return Err(failure);
            }
            tracing::debug!(backend = backend.id(), %failure, "surfaces cannot be listed");
            if host.is_none() && !has_none(&failure) && self.is_here(backend.id(), caller).await {
                warnings.push(format!(
                    "surfaces of {} may be left out: {}",
                    backend.label(),
                    failure.message
                ));
            }
        }
        Ok(ListResult {
            surfaces,
            warnings: Some(warnings).filter(|warnings| !warnings.is_empty()),
        })
    }

    /// Whether a terminal is on this machine at all: of one that is not, nothing is left out.
    async fn is_here(&self, backend: &str, caller: Option<Peer>) -> bool {
        let id = BackendId::from(backend);
        let question = Question {
            caller,
            context: None,
            named: vec![id.clone()],
            choose: false,
            confirm: false,
        };
        match self.whereabouts.look(question).await {
            Ok(place) => place
                .availability
                .get(&id)
                .is_none_or(|answer| answer.available),
            Err(_) => true,
        }
    }

    fn listed(&self, wanted: Option<&BackendId>) -> Result<Vec<Arc<dyn Backend>>, Failure> {
        let registry = self.registry.borrow();
        match wanted {
            None => Ok(registry.iter().map(Arc::clone).collect()),
            Some(id) => registry
                .named(id)
                .map(|backend| vec![Arc::clone(backend)])
                .map_err(|failure| {
                    let hint = failure.data.hint.clone().unwrap_or_default();
                    Failure::params("backend", failure.message).hint(hint)
                }),
        }
    }

    async fn list_one(
        &self,
        backend: &dyn Backend,
        host: Option<&HostAlias>,
        transport: &dyn Transport,
        caller: Option<Peer>,
        surfaces: &mut Vec<SurfaceInfo>,
    ) -> Result<(), Failure> {
        match (backend.id(), host) {
            ("tmux", _) => return self.panes(host, transport, caller, surfaces).await,
            ("builtin", None) => surfaces.extend(self.hosted.list().await?),
            (_, Some(_)) if !backend.capabilities().remote => {
                return Err(Failure::new(
                    Kind::NotSupported,
                    format!("{} cannot be driven on a host", backend.label()),
                ));
            }
            (_, host) => {
                let found = converse(transport, backend.list()?).await?;
                surfaces.extend(found.into_iter().map(|one| there(one, host)));
            }
        }
        Ok(())
    }

    /// The panes of the default server and, of a caller inside another one, of that. One that fails leaves the other's.
    async fn panes(
        &self,
        host: Option<&HostAlias>,
        transport: &dyn Transport,
        caller: Option<Peer>,
        surfaces: &mut Vec<SurfaceInfo>,
    ) -> Result<(), Failure> {
        let mut servers = vec![Server::Default];
        let mut default = BTreeMap::new();
        if host.is_none() && caller.is_some() {
            let question = Question {
                caller,
                context: None,
                named: Vec::new(),
                choose: false,
                confirm: false,
            };
            if let Ok(place) = self.whereabouts.look(question).await
                && let Some(env) = place.context.env
            {
                servers.extend(Caller::read(&env).map(|inside| Server::Socket(inside.socket)));
                let dir = env.get_key_value("TMUX_TMPDIR");
                default.extend(dir.map(|(name, dir)| (name.clone(), dir.clone())));
            }
        }
        let mut failed = Ok(());
        for server in servers {
            let mut look = server.invocation(&ListPanes::All);
            if server == Server::Default {
                // The default server of a caller is the one that its own tmux speaks to.
                look.env.clone_from(&default);
            }
            let rows = match transport.run(look).await {
                Ok(answer) => match Outcome::of(&ListPanes::All, &answer) {
                    Outcome::Absent(Absent::Server) => Ok(Vec::new()),
                    outcome => outcome.on_surface("list the panes of tmux"),
                },
                Err(failure) => Err(failure),
            };
            match rows {
                Ok(rows) => {
                    for row in &rows {
                        let exit = row.dead.map(exit_of);
                        let info = there(SurfaceInfo { exit, ..info(row) }, host);
                        if surfaces.iter().all(|known| known.surface != info.surface) {
                            surfaces.push(info);
                        }
                    }
                }
                Err(failure) => failed = Err(failure),
            }
        }
        failed
    }
}

/// Whether this says that the terminal is not there, or that it never tells its surfaces.
fn has_none(failure: &Failure) -> bool {
    matches!(
        failure.kind(),
        Kind::HostToolMissing | Kind::NotSupported | Kind::BackendUnavailable
    )
}

/// Whether this says that a host lacks the terminal, or no more than that this one terminal there did not tell.
fn is_absent(backend: &str, failure: &Failure) -> bool {
    match failure.kind() {
        Kind::HostInvalid
        | Kind::HostUnreachable
        | Kind::HostKey
        | Kind::HostAuth
        | Kind::Timeout
        | Kind::Busy => false,
        _ => has_none(failure) || backend != "tmux",
    }
}

/// A surface, on its host where it has one.
fn there(info: SurfaceInfo, host: Option<&HostAlias>) -> SurfaceInfo {
    match host {
        None => info,
        Some(host) => SurfaceInfo {
            surface: info.surface.on(host),
            ..info
        },
    }
}
