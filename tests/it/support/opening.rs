//! The services behind `open` and `surface.*`, without a daemon around them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;
use surfaced::backend::{Act, Done, Job, Opened, Registry};
use surfaced::launch::step::{Answer, Invocation};
use surfaced::os::supervise::Supervisor;
use surfaced::proto::open::{OpenAnswer, OpenParams, OpenResult};
use surfaced::proto::surfaces::{Exit, SurfaceInfo};
use surfaced::proto::{AbsolutePath, Failure, Kind};
use surfaced::service::context::Contexts;
use surfaced::service::events::Events;
use surfaced::service::hosted::Hosted;
use surfaced::service::machine::Machine;
use surfaced::service::open::{OnThisMachine, Opener, Parts};
use surfaced::service::path_capture::PathCapture;
use surfaced::service::resolve::Resolver;
use surfaced::service::scripts::Scripts;
use surfaced::service::sessions::Sessions;
use surfaced::service::surfaces::{Announcer, Surfaces};
use surfaced::service::turns::Turns;
use surfaced::transport::{Local, Transport};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::env::Sandbox;

/// Commands that see the sandbox and no locale.
struct Inside {
    local: Local,
    env: Vec<(&'static str, String)>,
}

impl Transport for Inside {
    fn run(&self, mut invocation: Invocation) -> BoxFuture<'_, Result<Answer, Failure>> {
        for (name, value) in &self.env {
            invocation
                .env
                .entry((*name).to_owned())
                .or_insert_with(|| value.clone());
        }
        self.local.run(invocation)
    }
}

/// A daemon that hosts no terminals.
struct HostsNone;

fn none<T: Send + 'static>() -> BoxFuture<'static, Result<T, Failure>> {
    async {
        Err(Failure::new(
            Kind::NotSupported,
            "this test hosts no terminals",
        ))
    }
    .boxed()
}

impl Hosted for HostsNone {
    fn create<'a>(&'a self, _: &'a Job) -> BoxFuture<'a, Result<Opened, Failure>> {
        none()
    }
    fn act<'a>(&'a self, _: &'a str, _: &'a Act) -> BoxFuture<'a, Result<Done, Failure>> {
        none()
    }
    fn wait<'a>(&'a self, _: &'a str, _: Option<Duration>) -> BoxFuture<'a, Result<Exit, Failure>> {
        none()
    }
    fn list(&self) -> BoxFuture<'_, Result<Vec<SurfaceInfo>, Failure>> {
        none()
    }
}

/// The services of one place.
pub struct Bench {
    /// Opens surfaces.
    pub opener: Opener,
    /// Does things with them.
    pub surfaces: Surfaces,
    /// Holds their tasks.
    pub supervisor: Supervisor,
    /// Where launch scripts are written.
    pub scripts: PathBuf,
}

impl Bench {
    /// The services in this place.
    pub fn new(sandbox: &Sandbox) -> Self {
        let supervisor = Supervisor::new();
        let path = sandbox.path().to_owned();
        let env = vec![
            ("HOME", sandbox.home().display().to_string()),
            ("TMUX_TMPDIR", sandbox.tmux_dir().display().to_string()),
            ("TMUX", String::new()),
            ("SHELL", "/bin/sh".to_owned()),
            ("LC_ALL", "POSIX".to_owned()),
        ];
        let transport: Arc<dyn Transport> = Arc::new(Inside {
            local: Local::new(path.clone()),
            env,
        });
        let machine = Arc::new(Machine::new(
            sandbox.home(),
            path.clone(),
            Some(sandbox.tmux_dir()),
        ));
        let (_, registry) = watch::channel(Registry::default());
        let whereabouts = Arc::new(Resolver::new(
            machine.clone(),
            registry.clone(),
            Contexts::new(machine.clone(), transport.clone()),
            Sessions::new(machine, transport.clone(), super::providers()),
        ));
        let links = Arc::new(OnThisMachine(transport.clone()));
        let scripts = sandbox.root().join("scripts");
        let opener = Opener::new(Parts {
            supervisor: supervisor.clone(),
            registry: registry.clone(),
            whereabouts: whereabouts.clone(),
            links: links.clone(),
            hosted: Arc::new(HostsNone),
            scripts: Scripts::new(&scripts),
            records: None,
            paths: PathCapture::new(supervisor.clone(), transport),
            path,
            home: AbsolutePath::try_from(sandbox.home()).unwrap(),
            login_shell: "/bin/sh".to_owned(),
            announce: Arc::new(|_| {}),
        });
        let surfaces = Surfaces {
            registry,
            whereabouts,
            links: links.clone(),
            hosted: Arc::new(HostsNone),
            announcer: Announcer {
                events: Events::new(),
                links,
                hosted: Arc::new(HostsNone),
                supervisor: supervisor.clone(),
            },
            seats: None,
            turns: Turns::default(),
        };
        Self {
            opener,
            surfaces,
            supervisor,
            scripts,
        }
    }

    /// Calls `open` with parameters as on the wire.
    pub async fn try_open(&self, params: Value) -> Result<OpenAnswer, Failure> {
        let params: OpenParams = serde_json::from_value(params).unwrap();
        self.opener
            .open(params, None, &CancellationToken::new())
            .await
    }

    /// The results of an `open`.
    pub async fn open(&self, params: Value) -> Vec<OpenResult> {
        match self.try_open(params).await {
            Ok(OpenAnswer::Opened { results, .. }) => results,
            other => panic!("open: {other:?}"),
        }
    }
}
