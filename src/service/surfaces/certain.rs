//! Servers of tmux whose socket is missing: that alone proves nothing.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::launch::step::{Answer, Invocation};
use crate::proto::{Failure, Kind, SurfaceRef, TmuxPane};
use crate::service::open::Links;
use crate::service::seats::Processes;
use crate::tmux::outcome::lacks_server;
use crate::transport::Transport;

/// The way to the server of one surface. That its socket is missing, or leads to another server, is only passed on once the
/// server's process is gone: who cleans /tmp ends no server.
pub(super) struct Certain<'a> {
    inner: &'a dyn Transport,
    place: &'a TmuxPane,
    processes: Processes,
}

impl<'a> Certain<'a> {
    pub(super) fn new(
        inner: &'a dyn Transport,
        place: &'a TmuxPane,
        links: &Arc<dyn Links>,
    ) -> Self {
        Self {
            inner,
            place,
            processes: Processes::new(Arc::clone(links)),
        }
    }

    fn unknown(&self, why: &str) -> Failure {
        let surface = SurfaceRef::Tmux(self.place.clone());
        Failure::new(
            Kind::StateUnknown,
            format!("cannot tell what became of {surface}: {why}"),
        )
    }
}

impl Transport for Certain<'_> {
    fn run(&self, invocation: Invocation) -> BoxFuture<'_, Result<Answer, Failure>> {
        async move {
            let answer = self.inner.run(invocation).await?;
            if !lacks_server(&answer) {
                return Ok(answer);
            }
            let TmuxPane {
                server,
                socket,
                host,
                ..
            } = self.place;
            match self.processes.server_ends(host.as_ref(), *server).await {
                Ok(true) => Ok(answer),
                Ok(false) => Err(self
                    .unknown(&format!(
                        "the socket {socket} does not lead to tmux server {server}, which still runs"
                    ))
                    .hint(format!(
                        "`kill -USR1 {server}` on {} makes that tmux create its socket again",
                        host.as_ref().map_or("this machine", |host| host.as_str())
                    ))),
                Err(why) => Err(self.unknown(&why)),
            }
        }
        .boxed()
    }
}
