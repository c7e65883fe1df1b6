//! A session that was started in advance: its login shell is up and `/bin/sh` waits for a script, so that a command costs one
//! round trip and no start of a shell.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place for one such session.
#[derive(Debug)]
pub struct Ahead<S> {
    slot: Mutex<Option<S>>,
    off: AtomicBool,
}

impl<S> Default for Ahead<S> {
    fn default() -> Self {
        Self {
            slot: Mutex::new(None),
            off: AtomicBool::new(false),
        }
    }
}

impl<S> Ahead<S> {
    /// Takes it.
    pub fn take(&self) -> Option<S> {
        self.slot().take()
    }

    /// Whether one should be started.
    pub fn wants_one(&self) -> bool {
        !self.off.load(Ordering::Relaxed) && self.slot().is_none()
    }

    /// Leaves one there. It comes back where there is one already, or none is wanted any more.
    pub fn put(&self, session: S) -> Option<S> {
        let mut slot = self.slot();
        if self.off.load(Ordering::Relaxed) || slot.is_some() {
            return Some(session);
        }
        *slot = Some(session);
        None
    }

    /// Takes it, and wants none any more: the host has no room for it.
    pub fn stop(&self) -> Option<S> {
        let mut slot = self.slot();
        self.off.store(true, Ordering::Relaxed);
        slot.take()
    }

    fn slot(&self) -> MutexGuard<'_, Option<S>> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
