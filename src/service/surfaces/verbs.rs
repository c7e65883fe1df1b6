//! The service, and the verbs that are done at once.

use std::sync::Arc;

use tokio::sync::watch;

use super::certain::Certain;
use super::closed::Announcer;
use super::show;
use crate::backend::{Act, Backend, Done, Registry};
use crate::os::peer::Peer;
use crate::proto::method::Empty;
use crate::proto::surfaces::{
    CaptureParams, InjectParams, KeysParams, Or, SurfaceParams, Text, Writes,
};
use crate::proto::{Failure, Kind, SurfaceRef};
use crate::service::conversation::converse;
use crate::service::hosted::Hosted;
use crate::service::open::{Links, Whereabouts};
use crate::service::seats::Seats;
use crate::service::turns::Turns;

/// Does things with surfaces.
#[derive(Clone)]
pub struct Surfaces {
    /// The backends.
    pub registry: watch::Receiver<Registry>,
    /// Where callers are: a caller inside tmux means its own server.
    pub whereabouts: Arc<dyn Whereabouts>,
    /// The ways to this machine and to hosts.
    pub links: Arc<dyn Links>,
    /// The terminals that the daemon hosts itself.
    pub hosted: Arc<dyn Hosted>,
    /// Tells of surfaces that were closed.
    pub announcer: Announcer,
    /// Seats, which are surfaces too: how one ended is known after its window has gone.
    pub seats: Option<Seats>,
    /// Who types into which surface.
    pub turns: Turns,
}

impl Surfaces {
    /// Types text into a surface. Text and Enter are two writes unless they are to be combined.
    ///
    /// # Errors
    /// `target-gone`, `not-supported`, `state-unknown`.
    pub async fn inject(&self, params: InjectParams) -> Result<Or<Writes>, Failure> {
        let act = Act::Inject {
            text: params.text.into(),
            enter: params.enter.unwrap_or(true),
            combined: params.combined.unwrap_or(false),
        };
        self.verb(&params.surface, &act, params.dry_run, |done| match done {
            Done::Writes(writes) => Writes { writes },
            Done::Nothing | Done::Text(_) => Writes { writes: 0 },
        })
        .await
    }

    /// Presses keys in a surface.
    ///
    /// # Errors
    /// `invalid-params` for a key that nobody knows, and as [`Self::inject`].
    pub async fn keys(&self, params: KeysParams) -> Result<Or<Empty>, Failure> {
        let act = Act::Keys(params.keys.into_iter().map(Into::into).collect());
        self.verb(&params.surface, &act, params.dry_run, |_| Empty {})
            .await
    }

    /// Reads a surface.
    ///
    /// # Errors
    /// As [`Self::inject`].
    pub async fn capture(&self, params: CaptureParams) -> Result<Or<Text>, Failure> {
        let act = Act::Capture(params.lines);
        self.verb(&params.surface, &act, params.dry_run, |done| match done {
            Done::Text(text) => Text { text },
            Done::Nothing | Done::Writes(_) => Text {
                text: String::new(),
            },
        })
        .await
    }

    /// Brings a surface to the front.
    ///
    /// # Errors
    /// As [`Self::inject`].
    pub async fn focus(&self, params: SurfaceParams) -> Result<Or<Empty>, Failure> {
        self.verb(&params.surface, &Act::Focus, params.dry_run, |_| Empty {})
            .await
    }

    /// Notes who asks for a surface of a host: logins are done with the agent of the most recent caller.
    pub async fn called(&self, caller: Peer, surface: &SurfaceRef) {
        if surface.host().is_some() {
            self.links.called(Some(caller), None).await;
        }
    }

    pub(super) async fn verb<T>(
        &self,
        surface: &SurfaceRef,
        act: &Act,
        dry_run: Option<bool>,
        read: impl FnOnce(Done) -> T,
    ) -> Result<Or<T>, Failure> {
        if dry_run == Some(true) {
            let steps = self.backend(surface)?.steps(surface.there(), act)?;
            return Ok(Or::Shown(show::spec(surface, steps, &self.links.ssh())));
        }
        let done = match act {
            Act::Inject { .. } | Act::Keys(_) => {
                // A caller that leaves between its text and its Enter would leave the text to the next one's.
                let (own, surface, act) = (self.clone(), surface.clone(), act.clone());
                let typing = async move { own.act(&surface, &act).await };
                let typed = self.announcer.supervisor.spawn_owned(typing).await;
                typed.unwrap_or_else(|error| {
                    Err(Failure::new(
                        Kind::Internal,
                        format!("typing into a surface broke off: {error}"),
                    ))
                })
            }
            Act::Capture(_) | Act::Focus | Act::Close => self.act(surface, act).await,
        };
        done.map(read).map(Or::Done)
    }

    async fn act(&self, surface: &SurfaceRef, act: &Act) -> Result<Done, Failure> {
        if let SurfaceRef::Builtin(id) = surface {
            return self.hosted.act(id, act).await;
        }
        let conversation = self.backend(surface)?.act(surface.there(), act)?;
        let _turn = match act {
            Act::Inject { .. } | Act::Keys(_) => Some(self.turns.take(surface).await),
            Act::Capture(_) | Act::Focus | Act::Close => None,
        };
        let transport = self.links.to(surface.host()).await?;
        match surface {
            SurfaceRef::Tmux(place) => {
                let certain = Certain::new(transport.as_ref(), place, &self.links);
                converse(&certain, conversation).await
            }
            _ => converse(transport.as_ref(), conversation).await,
        }
    }

    /// The backend that a surface belongs to.
    pub(super) fn backend(&self, surface: &SurfaceRef) -> Result<Arc<dyn Backend>, Failure> {
        let registry = self.registry.borrow();
        registry
            .get(surface.backend())
            .map(Arc::clone)
            .ok_or_else(|| {
                Failure::params(
                    "surface",
                    format!("{surface} belongs to no backend that is known here"),
                )
                .hint(format!("the backends are {}", registry.ids().join(", ")))
            })
    }
}

/// A surface whose terminal does not say when its program ends.
pub(super) fn no_wait(label: &str) -> Failure {
    Failure::new(
        Kind::NotSupported,
        format!("{label} cannot wait for a surface: it does not tell when a program ends"),
    )
}
