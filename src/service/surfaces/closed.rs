//! `surface.opened` and `surface.closed`: the surfaces that this daemon opened, and their end where it can be seen.

use std::sync::Arc;

use serde::Serialize;

use super::wait;
use crate::os::exit_watch;
use crate::os::supervise::Supervisor;
use crate::os::tree::Root;
use crate::proto::SurfaceRef;
use crate::proto::open::OpenResult;
use crate::proto::surfaces::Exit;
use crate::service::events::Events;
use crate::service::hosted::Hosted;
use crate::service::open::Links;

/// Tells of surfaces that were opened and that are gone.
///
/// The end is seen of panes of tmux on this machine, without asking tmux while their program runs, and of the daemon's own
/// terminals. Of every other surface it is told when `surface.close` closed it.
#[derive(Clone)]
pub struct Announcer {
    /// Where it is told.
    pub events: Events,
    /// The way to tmux on this machine.
    pub links: Arc<dyn Links>,
    /// The daemon's own terminals.
    pub hosted: Arc<dyn Hosted>,
    /// Ends the tasks that wait.
    pub supervisor: Supervisor,
}

/// What is told of a surface that was opened: its result, of the variables only the names. Everybody may listen, and a
/// variable may be a secret.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    #[serde(flatten)]
    result: OpenResult,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    env_names: Vec<String>,
}

impl Told {
    fn of(result: &OpenResult) -> Self {
        let mut result = result.clone();
        let env = result.request.env.take().unwrap_or_default();
        Self {
            result,
            env_names: env.keys().map(|name| name.as_str().to_owned()).collect(),
        }
    }
}

/// What is told of a surface that is gone.
#[derive(Serialize)]
struct Closed<'a> {
    surface: &'a SurfaceRef,
    /// How its program ended, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit: Option<Exit>,
}

impl Announcer {
    /// A surface was opened: tells it, and its end once that is seen.
    pub fn opened(&self, result: &OpenResult) {
        self.events.publish("surface.opened", &Told::of(result));
        let Some(surface) = result.surface.clone() else {
            return;
        };
        if !is_followed(&surface) {
            return;
        }
        let (this, pid) = (self.clone(), result.pid);
        self.supervisor.spawn_owned(async move {
            if let Some(exit) = this.end(&surface, pid).await {
                this.tell(&surface, Some(exit));
            }
        });
    }

    /// A surface was closed on request.
    pub fn closed(&self, surface: &SurfaceRef) {
        if !is_followed(surface) {
            self.tell(surface, None);
        }
    }

    async fn end(&self, surface: &SurfaceRef, pid: Option<u32>) -> Option<Exit> {
        match surface {
            SurfaceRef::Builtin(id) => self.hosted.wait(id, None).await.ok(),
            SurfaceRef::Tmux(place) => {
                if let Some(pid) = pid {
                    exit_watch::ended(Root::now(pid)).await;
                }
                wait::gone(place, &self.links).await
            }
            _ => None,
        }
    }

    fn tell(&self, surface: &SurfaceRef, exit: Option<Exit>) {
        self.events
            .publish("surface.closed", &Closed { surface, exit });
    }
}

/// Whether the end of a surface is seen without having been asked for.
fn is_followed(surface: &SurfaceRef) -> bool {
    match surface {
        SurfaceRef::Builtin(_) => true,
        SurfaceRef::Tmux(place) => place.host.is_none() && place.pane.is_some(),
        _ => false,
    }
}
