//! `surface.list`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::verbs::Surfaces;
use crate::backend::Backend;
use crate::backend::tmux::Caller;
use crate::os::peer::Peer;
use crate::proto::surfaces::{ListParams, ListResult, SurfaceInfo};
use crate::proto::{BackendId, Failure, HostAlias, Kind, SurfaceRef, TmuxPane};
use crate::service::conversation::converse;
use crate::service::open::Question;
use crate::tmux::list::{ListPanes, PaneRow};
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
        for backend in backends {
            match self
                .list_one(backend.as_ref(), host.as_ref(), transport.as_ref(), caller)
                .await
            {
                Ok(found) => surfaces.extend(found),
                Err(failure) if params.backend.is_some() => return Err(failure),
                // Of a host that cannot be asked nothing is known, which is not that it has none.
                Err(failure) if host.is_some() && !is_absent(backend.id(), &failure) => {
                    return Err(failure);
                }
                Err(failure) => {
                    tracing::debug!(backend = backend.id(), %failure, "surfaces cannot be listed");
                }
            }
        }
        Ok(ListResult { surfaces })
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
    ) -> Result<Vec<SurfaceInfo>, Failure> {
        match (backend.id(), host) {
            ("tmux", _) => self.panes(host, transport, caller).await,
            ("builtin", None) => self.hosted.list().await,
            (_, Some(_)) if !backend.capabilities().remote => Err(Failure::new(
                Kind::NotSupported,
                format!("{} cannot be driven on a host", backend.label()),
            )),
            (_, host) => {
                let mut found = converse(transport, backend.list()?).await?;
                if let Some(host) = host {
                    for one in &mut found {
                        one.surface = one.surface.clone().on(host);
                    }
                }
                Ok(found)
            }
        }
    }

    /// The panes of the default server and, of a caller inside another one, of that.
    async fn panes(
        &self,
        host: Option<&HostAlias>,
        transport: &dyn Transport,
        caller: Option<Peer>,
    ) -> Result<Vec<SurfaceInfo>, Failure> {
        let mut servers = vec![Server::Default];
        let mut default = BTreeMap::new();
        if host.is_none() && caller.is_some() {
            let question = Question {
                caller,
                context: None,
                named: Vec::new(),
                choose: false,
                headless: false,
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
        let mut surfaces: Vec<SurfaceInfo> = Vec::new();
        for server in servers {
            let mut look = server.invocation(&ListPanes::All);
            if server == Server::Default {
                // The default server of a caller is the one that its own tmux speaks to.
                look.env.clone_from(&default);
            }
            let answer = transport.run(look).await?;
            let rows = match Outcome::of(&ListPanes::All, &answer) {
                Outcome::Absent(Absent::Server) => Vec::new(),
                outcome => outcome.on_surface("list the panes of tmux")?,
            };
            for row in &rows {
                let info = info(row, host);
                if surfaces.iter().all(|known| known.surface != info.surface) {
                    surfaces.push(info);
                }
            }
        }
        Ok(surfaces)
    }
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
        Kind::HostToolMissing | Kind::NotSupported | Kind::BackendUnavailable => true,
        _ => backend != "tmux",
    }
}

fn info(row: &PaneRow, host: Option<&HostAlias>) -> SurfaceInfo {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    SurfaceInfo {
        surface: SurfaceRef::Tmux(TmuxPane {
            server: row.server,
            window: row.window.0,
            pane: Some(row.pane.0),
            socket: row.socket.clone(),
            host: host.cloned(),
        }),
        backend: BackendId::from("tmux"),
        title: some(&row.title),
        cwd: some(&row.cwd),
        command: some(&row.command),
        active: Some(row.active && row.window_active),
    }
}
