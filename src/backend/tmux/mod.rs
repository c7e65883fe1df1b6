//! tmux: windows as tabs, panes as splits, everything addressed by id.

mod act;
mod build;
pub mod caller;
mod lookout;
mod open;
mod there;
mod together;

pub use act::info;
pub use caller::Caller;

use super::{Act, Availability, Backend, Done, Draft, Facts, Job, Need, Opened, Together};
use crate::launch::step::{BoxedConversation, Invocation};
use crate::proto::resolve::Capabilities;
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{Failure, SurfaceRef};

/// The session that is made where no server runs.
pub const SESSION: &str = "surfaced";

/// tmux.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tmux;

impl Backend for Tmux {
    fn id(&self) -> &'static str {
        "tmux"
    }

    fn label(&self) -> &'static str {
        "tmux"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tab: true,
            split_right: true,
            split_down: true,
            window: false,
            exact_target: true,
            handle: true,
            focus: true,
            inject: true,
            keys: true,
            capture: true,
            close: true,
            remote: true,
            headless: true,
        }
    }

    fn needs(&self) -> Vec<Need> {
        vec![Need::Program("tmux".into())]
    }

    fn availability(&self, facts: &Facts) -> Availability {
        if facts.in_tmux {
            return Availability::yes("you are inside tmux");
        }
        match facts.missing(self.id(), &self.needs()) {
            Some(missing) => {
                let remedy = if facts.on_host {
                    "install tmux there, or put its directory on PATH in the rc file of the login shell"
                } else {
                    "install tmux, or let the daemon start where it is on PATH: surfaced daemon restart"
                };
                Availability::no(missing.reason("tmux"), Some(remedy.into()))
            }
            None => {
                Availability::named("it is used where you are inside it, name it or name a host")
            }
        }
    }

    fn knows_caller(&self, job: &Job) -> bool {
        Caller::of(job).is_some_and(|caller| caller.pane.is_some())
    }

    fn build(&self, job: &Job) -> Result<Draft, Failure> {
        Ok(build::build(job))
    }

    fn open(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
        Ok(Box::new(open::Opening::new(job.clone())))
    }

    fn joins(&self, job: &Job) -> bool {
        together::joins(job)
    }

    fn open_together(&self, jobs: &[Job]) -> Option<BoxedConversation<Together>> {
        together::open(jobs)
    }

    fn steps(&self, surface: &SurfaceRef, act: &Act) -> Result<Vec<Invocation>, Failure> {
        Ok(act::plan(surface, act)?.into_invocations())
    }

    fn act(&self, surface: &SurfaceRef, act: &Act) -> Result<BoxedConversation<Done>, Failure> {
        Ok(Box::new(act::plan(surface, act)?))
    }

    fn list(&self) -> Result<BoxedConversation<Vec<SurfaceInfo>>, Failure> {
        Ok(act::list())
    }
}
