//! The backends in force: those of the configuration as it is now.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::backend::Registry;
use crate::config::{Config, Store};

/// Makes the registry of backends anew when the configuration has changed.
#[derive(Clone)]
pub struct InForce {
    config: Store,
    made_from: Arc<Mutex<Arc<Config>>>,
    sender: Arc<watch::Sender<Registry>>,
}

impl InForce {
    /// The backends of the configuration now.
    #[must_use]
    pub fn new(config: Store) -> Self {
        let now = config.current();
        let (sender, _) = watch::channel(Registry::new(&now));
        Self {
            config,
            made_from: Arc::new(Mutex::new(now)),
            sender: Arc::new(sender),
        }
    }

    /// Follows them.
    #[must_use]
    pub fn receiver(&self) -> watch::Receiver<Registry> {
        self.sender.subscribe()
    }

    /// Looks whether the configuration has changed: one `stat` where it has not.
    pub fn refresh(&self) {
        let now = self.config.current();
        let mut made_from = self
            .made_from
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&now, &made_from) {
            self.sender.send_replace(Registry::new(&now));
            *made_from = now;
        }
    }
}
