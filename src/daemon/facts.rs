//! What the daemon knows about itself.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use tokio::sync::watch;

use crate::config::Store;
use crate::os::clock;
use crate::os::paths::Paths;
use crate::os::replace;
use crate::proto::Instance;
use crate::proto::daemon::{PROTOCOL, ShutdownMode};
use crate::rpc::Control;

/// Shared by the methods of `daemon.*`; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) instance: Arc<Instance>,
    pub(super) paths: Arc<Paths>,
    pub(super) config: Store,
    pub(super) control: Control,
    pub(super) started: Instant,
    /// Filled once the registry is complete.
    pub(super) methods: Arc<OnceLock<Vec<String>>>,
    /// The strongest shutdown that was asked for.
    pub(super) shutdown: Arc<watch::Sender<Option<ShutdownMode>>>,
}

impl Facts {
    pub(super) fn new(paths: &Paths, config: Store, control: Control) -> Self {
        let instance = Instance {
            socket: paths.socket.display().to_string(),
            pid: std::process::id(),
            instance_id: uuid::Uuid::now_v7().to_string(),
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: clock::rfc3339(SystemTime::now()),
        };
        Self {
            instance: Arc::new(instance),
            paths: Arc::new(paths.clone()),
            config,
            control,
            started: Instant::now(),
            methods: Arc::default(),
            shutdown: Arc::new(watch::channel(None).0),
        }
    }

    /// Writes `daemon.json`, and returns what stands there.
    pub(super) fn write(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(&*self.instance)?;
        line.push(b'\n');
        replace::replace(&self.paths.instance(), &line)?;
        Ok(line)
    }

    /// Whether `daemon.json` is there and says who runs.
    pub(super) fn are_written(&self) -> bool {
        replace::read(&self.paths.instance())
            .ok()
            .and_then(|bytes| serde_json::from_slice::<Instance>(&bytes).ok())
            .is_some_and(|found| found == *self.instance)
    }

    /// Asks for the end. `Now` overrides an earlier `Drain`, and nothing overrides `Now`.
    ///
    /// New work is refused from here on: whoever reads the reply may ask for some at once.
    pub(super) fn shut_down(&self, mode: ShutdownMode) {
        self.control.drain();
        self.shutdown.send_modify(|asked| {
            if *asked != Some(ShutdownMode::Now) {
                *asked = Some(mode);
            }
        });
    }
}
