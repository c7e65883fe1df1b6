//! `surface.close`: the surface, and the program that does not end with it.

use std::time::Duration;

use tokio::time::Instant;

use super::certain::Certain;
use super::verbs::Surfaces;
use super::wait::around;
use crate::backend::Act;
use crate::os::tree::{Root, ended_by};
use crate::proto::method::Empty;
use crate::proto::surfaces::{Or, SurfaceParams};
use crate::proto::{Failure, Kind, SurfaceRef};
use crate::tmux::{Outcome, PaneId, Server};
use crate::transport::Transport;

/// How long a program may take to end by the hang-up that closing is, and then by a kill: as in the daemon's own terminals.
const PATIENCE: Duration = Duration::from_secs(2);

impl Surfaces {
    /// Closes a surface. Of tmux on this machine its program is ended with it: one that takes no notice of the hang-up is killed,
    /// itself and nothing that it has started.
    ///
    /// # Errors
    /// As [`Self::inject`]; `state-unknown` too where the surface is closed and its program still runs.
    pub async fn close(&self, params: SurfaceParams) -> Result<Or<Empty>, Failure> {
        // Nobody would see to a program that lives on once its caller has left.
        let own = self.clone();
        let closing = async move { own.close_now(&params).await };
        let closed = self.announcer.supervisor.spawn_owned(closing).await;
        closed.unwrap_or_else(|error| {
            let broken = format!("closing a surface broke off: {error}");
            Err(Failure::new(Kind::Internal, broken))
        })
    }

    async fn close_now(&self, params: &SurfaceParams) -> Result<Or<Empty>, Failure> {
        let surface = &params.surface;
        let is_dry = params.dry_run == Some(true);
        let program = if is_dry {
            None
        } else {
            // Afterwards nothing says which process it was.
            self.program(surface).await
        };
        let done = self.verb(surface, &Act::Close, params.dry_run, |_| Empty {});
        let done = done.await?;
        if is_dry {
            return Ok(done);
        }
        self.announcer.closed(surface);
        if let Some(root) = program
            && !ended_by(root, Instant::now() + PATIENCE).await
        {
            root.kill();
            if !ended_by(root, Instant::now() + PATIENCE).await {
                return Err(Failure::new(
                    Kind::StateUnknown,
                    format!(
                        "{surface} is closed and its program, process {}, still runs",
                        root.pid
                    ),
                )
                .hint("it takes no notice of a kill: what it waits for has to end first"));
            }
        }
        Ok(done)
    }

    /// The program in a pane of tmux on this machine, where it is beyond doubt.
    async fn program(&self, surface: &SurfaceRef) -> Option<Root> {
        let SurfaceRef::Tmux(place) = surface else {
            return None;
        };
        let pane = PaneId(place.pane.filter(|_| place.host.is_none())?);
        let link = self.links.to(None).await.ok()?;
        let transport = Certain::new(link.as_ref(), place, &self.links);
        let look = around(place, pane);
        let question = Server::Socket(place.socket.clone()).invocation(&look);
        let answer = transport.run(question).await.ok()?;
        let Outcome::Done(rows) = Outcome::of(&look, &answer) else {
            return None;
        };
        let row = rows
            .iter()
            .find(|row| row.pane == pane && row.server == place.server)?;
        // The process of a dead pane may be another by now.
        let root = row.dead.is_none().then(|| Root::now(row.pid))?;
        root.started.is_some().then_some(root)
    }
}
