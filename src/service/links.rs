//! The ways to this machine and to hosts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::open::Links;
use crate::launch::ssh_line::SshLine;
use crate::os::environment::AGENT;
use crate::os::peer::Peer;
use crate::os::process_table::ProcessTable;
use crate::proto::{Context, Failure, HostAlias};
use crate::transport::Transport;
use crate::transport::ssh::Hosts;

/// Links to this machine and, over SSH, to every host that the person's configuration knows.
#[derive(Clone)]
pub struct Everywhere {
    here: Arc<dyn Transport>,
    hosts: Hosts,
}

impl Everywhere {
    /// The links.
    #[must_use]
    pub fn new(here: Arc<dyn Transport>, hosts: Hosts) -> Self {
        Self { here, hosts }
    }
}

impl Links for Everywhere {
    fn to<'a>(
        &'a self,
        host: Option<&'a HostAlias>,
    ) -> BoxFuture<'a, Result<Arc<dyn Transport>, Failure>> {
        let link: Arc<dyn Transport> = match host {
            None => Arc::clone(&self.here),
            Some(host) => Arc::new(self.hosts.get(host)),
        };
        std::future::ready(Ok(link)).boxed()
    }

    fn called<'a>(
        &'a self,
        caller: Option<Peer>,
        context: Option<&'a Context>,
    ) -> BoxFuture<'a, ()> {
        async move {
            if let Some(agent) = agent(caller, context).await {
                self.hosts.offer_agent(&agent);
            }
        }
        .boxed()
    }

    fn ssh(&self) -> SshLine {
        self.hosts.ssh()
    }

    fn attach(&self, host: &HostAlias, line: &str) -> String {
        self.hosts.attach(host, line)
    }
}

/// The caller's agent: the one that it names, else that of its process.
async fn agent(caller: Option<Peer>, context: Option<&Context>) -> Option<PathBuf> {
    let named = |env: &BTreeMap<String, String>| {
        env.get(AGENT)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if let Some(env) = context.and_then(|context| context.env.as_ref()) {
        return named(env);
    }
    let peer = caller?;
    let look = move || {
        let mut table = ProcessTable::new();
        let process = table.get(peer.pid?)?;
        let is_meant = process.uid == ProcessTable::me() && !process.started_after(peer.since);
        if is_meant {
            table.environ(peer.pid?)
        } else {
            None
        }
    };
    let env = tokio::task::spawn_blocking(look).await.ok().flatten()?;
    named(&env)
}
