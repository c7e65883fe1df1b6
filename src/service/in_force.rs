//! The backends and providers in force: those of the configuration as it is now.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

use crate::backend::Registry;
use crate::config::{Config, Store};
use crate::provider::Providers;

/// Makes the registries anew when the configuration has changed.
#[derive(Clone)]
pub struct InForce {
    config: Store,
    made_from: Arc<Mutex<Arc<Config>>>,
    backends: Arc<watch::Sender<Registry>>,
    providers: Arc<watch::Sender<Providers>>,
}

impl InForce {
    /// What the configuration says now.
    #[must_use]
    pub fn new(config: Store) -> Self {
        let now = config.current();
        let (backends, _) = watch::channel(Registry::new(&now));
        let (providers, _) = watch::channel(Providers::new(&now));
        Self {
            config,
            made_from: Arc::new(Mutex::new(now)),
            backends: Arc::new(backends),
            providers: Arc::new(providers),
        }
    }

    /// Follows the backends.
    #[must_use]
    pub fn backends(&self) -> watch::Receiver<Registry> {
        self.backends.subscribe()
    }

    /// Follows the providers.
    #[must_use]
    pub fn providers(&self) -> watch::Receiver<Providers> {
        self.providers.subscribe()
    }

    /// Looks whether the configuration has changed: one `stat` where it has not.
    pub fn refresh(&self) {
        let now = self.config.current();
        let mut made_from = self
            .made_from
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&now, &made_from) {
            self.backends.send_replace(Registry::new(&now));
            self.providers.send_replace(Providers::new(&now));
            *made_from = now;
        }
    }
}
