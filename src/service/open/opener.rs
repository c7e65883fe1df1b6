//! The service behind `open`, `open.subscribe` and `build`.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OnceCell, Semaphore, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::group::Run;
use super::kept::{Kept, Shelf};
use super::keys::Keys;
use super::place::{Links, Whereabouts};
use super::prepare::{Ask, AskHosts, Refused};
use super::progress::{Progress, Running};
use super::shells::Shells;
use crate::backend::Registry;
use crate::launch::shell::Shell;
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::proto::launch::{BuildParams, BuildResult};
use crate::proto::open::{OpenAnswer, OpenParams, OpenResult};
use crate::proto::{AbsolutePath, Failure, Kind};
use crate::service::hosted::Hosted;
use crate::service::path_capture::PathCapture;
use crate::service::scripts::Scripts;
use crate::store::Records;

/// How long a surface may take to be seen, where the caller does not say.
const START: Duration = Duration::from_secs(5);

/// What the service is made of.
pub struct Parts {
    /// Its tasks: a call that has a key runs on without its caller, an item that was handed over is finished.
    pub supervisor: Supervisor,
    /// The backends, those of the configuration file included.
    pub registry: watch::Receiver<Registry>,
    /// Where callers are.
    pub whereabouts: Arc<dyn Whereabouts>,
    /// The ways to this machine and to hosts.
    pub links: Arc<dyn Links>,
    /// The terminals that the daemon hosts itself.
    pub hosted: Arc<dyn Hosted>,
    /// Where launch scripts are written.
    pub scripts: Scripts,
    /// The PATH of interactive shells.
    pub paths: PathCapture,
    /// PATH of the daemon.
    pub path: String,
    /// The directory of surfaces whose caller has none.
    pub home: AbsolutePath,
    /// The person's login shell, a path.
    pub login_shell: String,
    /// Where answers of calls with a key are written down; absent: they end with the daemon.
    pub records: Option<Records<Kept>>,
    /// Told of each surface that was opened.
    pub announce: Arc<dyn Fn(&OpenResult) + Send + Sync>,
}

/// Opens surfaces.
#[derive(Clone)]
pub struct Opener {
    pub(super) parts: Arc<Parts>,
    pub(super) shells: Shells,
    keys: Keys,
    /// Terminals without identities split whatever is in front, so two calls must not use one at a time.
    pub(super) front: Arc<Semaphore>,
}

impl Opener {
    /// The service. Begins to find out the PATH of the interactive shell.
    #[must_use]
    pub fn new(mut parts: Parts) -> Self {
        let keys = Keys::new(Shelf::new(parts.records.take()));
        let shells = Shells::new(&parts.path, &parts.login_shell);
        parts.paths.prepare(shells.here().program());
        Self {
            parts: Arc::new(parts),
            shells,
            keys,
            front: Arc::new(Semaphore::new(1)),
        }
    }

    /// The shell that wraps commands on this machine.
    #[must_use]
    pub const fn shell(&self) -> &Shell {
        self.shells.here()
    }

    /// `open`, until it is done or cancelled. With `dryRun` it answers the commands.
    ///
    /// # Errors
    /// What concerns the call as a whole; `conflict` for a key that was used otherwise; `cancelled`, with what was opened.
    pub async fn open(
        &self,
        params: OpenParams,
        caller: Option<Peer>,
        cancel: &CancellationToken,
    ) -> Result<OpenAnswer, Failure> {
        self.open_but(params, Refused::new(), caller, cancel).await
    }

    /// The same without those items that are known not to open: each of them is answered in its place, with its failure.
    ///
    /// # Errors
    /// As of [`Self::open`].
    pub async fn open_but(
        &self,
        params: OpenParams,
        refused: Refused,
        caller: Option<Peer>,
        cancel: &CancellationToken,
    ) -> Result<OpenAnswer, Failure> {
        if params.dry_run == Some(true) {
            let ask = Ask::to_open(params, caller, refused);
            return self.specs(&ask).await.map(OpenAnswer::Specs);
        }
        let mut running = self.begin_but(params, refused, caller)?;
        tokio::select! {
            biased;
            answer = running.finish() => return answer,
            () = cancel.cancelled() => {}
        }
        let ends = self.parts.supervisor.token().is_cancelled();
        Err(running.cancel(ends).await)
    }

    /// Begins an `open` that is followed result by result.
    ///
    /// # Errors
    /// `conflict` for a key that was used with other parameters; `invalid-params` for a dry run, which has no results.
    pub fn begin(&self, params: OpenParams, caller: Option<Peer>) -> Result<Running, Failure> {
        self.begin_but(params, Refused::new(), caller)
    }

    fn begin_but(
        &self,
        mut params: OpenParams,
        refused: Refused,
        caller: Option<Peer>,
    ) -> Result<Running, Failure> {
        if params.dry_run == Some(true) {
            return Err(
                Failure::params("dryRun", "a dry run has no results to follow").hint("call open"),
            );
        }
        let Some(key) = params.key.take() else {
            let stop = CancellationToken::new();
            let progress = self.spawn(params, refused, caller, &stop, None);
            return Ok(Running::new(progress, Some(stop)));
        };
        let key = key.to_string();
        let progress = self.keys.follow(&key, &params, Instant::now(), || {
            self.spawn(
                params.clone(),
                refused.clone(),
                caller,
                &CancellationToken::new(),
                Some(key.clone()),
            )
        })?;
        Ok(Running::new(progress, None))
    }

    /// `build`: the commands, nothing checked.
    ///
    /// # Errors
    /// The first item that cannot be built.
    pub async fn build(
        &self,
        params: BuildParams,
        caller: Option<Peer>,
    ) -> Result<BuildResult, Failure> {
        self.specs(&Ask::to_build(params, caller)).await
    }

    async fn specs(&self, ask: &Ask) -> Result<BuildResult, Failure> {
        let registry = self.parts.registry.borrow().clone();
        let prepared = self.prepare(ask, &registry, AskHosts::Now).await?;
        let ssh = self.parts.links.ssh();
        let specs = prepared
            .entries
            .into_iter()
            .enumerate()
            .map(|(index, entry)| {
                let spec = entry.planned.map(|planned| planned.into_spec(&ssh));
                spec.map_err(|failure| of_item(index, failure))
            });
        Ok(BuildResult {
            specs: specs.collect::<Result<_, _>>()?,
        })
    }

    /// Runs a call in a task of its own.
    fn spawn(
        &self,
        params: OpenParams,
        refused: Refused,
        caller: Option<Peer>,
        stop: &CancellationToken,
        key: Option<String>,
    ) -> watch::Receiver<Progress> {
        let (sender, receiver) = watch::channel(Progress::default());
        let (this, stop) = (self.clone(), stop.clone());
        self.parts.supervisor.spawn_owned(async move {
            let keyed = key.map(|key| Keyed {
                keys: this.keys.clone(),
                params: params.clone(),
                key,
                kept: OnceCell::new(),
            });
            let run = this.run(params, refused, caller, stop, keyed.as_ref(), &sender);
            let end = run.await;
            if let Some(keyed) = keyed {
                let progress = sender.borrow().clone();
                keyed.ended(&progress).await;
            }
            sender.send_modify(|progress| progress.end = Some(end));
        });
        receiver
    }

    async fn run(
        &self,
        params: OpenParams,
        refused: Refused,
        caller: Option<Peer>,
        stop: CancellationToken,
        keyed: Option<&Keyed>,
        progress: &watch::Sender<Progress>,
    ) -> Result<(), Failure> {
        let millis = |ms: u32| Duration::from_millis(u64::from(ms));
        let stagger = params.stagger_ms.map(millis);
        let start = params.start_timeout_ms.map_or(START, millis);
        let ask = Ask::to_open(params, caller, refused);
        let registry = self.parts.registry.borrow().clone();
        let prepared = self.prepare(&ask, &registry, AskHosts::Later).await?;
        let first = (prepared.backend, prepared.source);
        progress.send_modify(|progress| progress.prepared = Some(first));
        let run = Run {
            opener: self,
            ask: &ask,
            place: &prepared.place,
            requests: &prepared.requests,
            registry: &registry,
            keyed,
            progress,
            stop,
            stagger,
            start,
        };
        run.all(prepared.entries).await;
        Ok(())
    }
}

/// The key of a call that is run.
pub(super) struct Keyed {
    keys: Keys,
    key: String,
    params: OpenParams,
    kept: OnceCell<Kept>,
}

impl Keyed {
    /// Writes down that something is opened from now on, once.
    pub(super) async fn begin(&self) {
        let begun = || self.keys.begun(&self.key, &self.params);
        self.kept.get_or_init(begun).await;
    }

    async fn ended(self, progress: &Progress) {
        let kept = self.kept.into_inner();
        self.keys
            .ended(&self.key, kept, progress, Instant::now())
            .await;
    }
}

/// The failure of a call that answers for all items at once: it says which one it is about.
fn of_item(index: usize, mut failure: Failure) -> Failure {
    if failure.kind() == Kind::BackendUnknown {
        failure.code = Kind::InvalidParams.code();
        failure.data.kind = Kind::InvalidParams;
        return failure.about("backend");
    }
    if failure.data.path.is_some() {
        return failure;
    }
    failure.about(format!("items[{index}]"))
}
