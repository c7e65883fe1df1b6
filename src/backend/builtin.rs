//! The terminals that the daemon hosts itself: always there, no command opens them.

use super::{Act, Availability, Backend, Done, Draft, Facts, Job, Need, Opened, not_supported};
use crate::launch::step::{BoxedConversation, Invocation};
use crate::proto::resolve::Capabilities;
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{Failure, Kind, Layout, SurfaceRef};

/// The daemon's own terminals. Their verbs are those of `terminal.*`, which the daemon carries out itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Builtin;

const OWN: &str = "the daemon does that itself, through terminal.*";

impl Backend for Builtin {
    fn id(&self) -> &'static str {
        "builtin"
    }

    fn label(&self) -> &'static str {
        "the daemon's own terminal"
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tab: true,
            handle: true,
            inject: true,
            keys: true,
            capture: true,
            close: true,
            headless: true,
            ..Capabilities::default()
        }
    }

    fn needs(&self) -> Vec<Need> {
        Vec::new()
    }

    fn availability(&self, _facts: &Facts) -> Availability {
        Availability::named("always there, `surfaced attach` shows it")
    }

    fn knows_caller(&self, _job: &Job) -> bool {
        false
    }

    fn build(&self, job: &Job) -> Result<Draft, Failure> {
        if job.request.host.is_some() {
            let message = "the daemon's own terminals are on this machine, not on a host";
            return Err(Failure::new(Kind::NotSupported, message).hint("use tmux with a host"));
        }
        let draft = Draft::default();
        Ok(match job.layout {
            Layout::Tab => draft,
            Layout::Window | Layout::SplitRight | Layout::SplitDown => {
                draft.warn("the daemon's own terminals have neither windows nor panes, so it is a terminal of its own")
            }
        })
    }

    fn open(&self, _job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
        Err(Failure::new(
            Kind::NotSupported,
            format!("no command opens it: {OWN}"),
        ))
    }

    fn steps(&self, _surface: &SurfaceRef, act: &Act) -> Result<Vec<Invocation>, Failure> {
        Err(not_supported(self.label(), act, OWN))
    }

    fn act(&self, _surface: &SurfaceRef, act: &Act) -> Result<BoxedConversation<Done>, Failure> {
        Err(not_supported(self.label(), act, OWN))
    }

    fn list(&self) -> Result<BoxedConversation<Vec<SurfaceInfo>>, Failure> {
        Err(Failure::new(
            Kind::NotSupported,
            format!("no command lists them: {OWN}"),
        ))
    }
}
