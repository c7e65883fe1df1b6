//! Turns at a surface: what one call types arrives without a word of another's in between.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::proto::{SurfaceRef, TmuxPane};

/// Who types into which surface. Text and Enter are two writes, and between two writes of one call another one could put its
/// own: both commands would become one. Cheap to clone; all clones are one.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    surfaces: Arc<Mutex<HashMap<String, Weak<Semaphore>>>>,
}

/// The right to type. It ends when this is dropped.
#[derive(Debug)]
pub struct Turn {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// Waits for its turn at a surface, behind those that came before.
    pub async fn take(&self, surface: &SurfaceRef) -> Turn {
        self.take_key(key(surface)).await
    }

    /// The same for a terminal of the daemon.
    pub async fn take_terminal(&self, id: &str) -> Turn {
        self.take_key(id.to_owned()).await
    }

    async fn take_key(&self, key: String) -> Turn {
        let turns = {
            let mut surfaces = self.surfaces.lock().unwrap_or_else(PoisonError::into_inner);
            surfaces.retain(|_, turns| turns.strong_count() > 0);
            let known = surfaces.get(&key).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let turns = Arc::new(Semaphore::new(1));
                surfaces.insert(key, Arc::downgrade(&turns));
                turns
            })
        };
        // Nothing closes it.
        Turn {
            _permit: turns.acquire_owned().await.ok(),
        }
    }
}

/// What makes two references name one surface: a window is renumbered and a socket spelled otherwise, a pane keeps its number.
fn key(surface: &SurfaceRef) -> String {
    match surface {
        SurfaceRef::Tmux(TmuxPane {
            server,
            pane: Some(pane),
            host,
            ..
        }) => {
            let host = host.as_ref().map_or("", |host| host.as_str());
            format!("tmux {host} {server} {pane}")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_surface_has_one_turn_and_others_have_their_own() {
        let turns = Turns::default();
        let surface = |text: &str| text.parse::<SurfaceRef>().unwrap();
        let pane = surface("tmux:8.@1.%2;socket=/a");
        let first = turns.take(&pane).await;
        let same = surface("tmux:8.@7.%2;socket=/b");
        let mut second = Box::pin(turns.take(&same));
        assert!(futures_util::poll!(&mut second).is_pending());
        for other in ["tmux:8.@1.%3;socket=/a", "tmux:9.@1.%2;socket=/a"] {
            turns.take(&surface(other)).await;
        }
        drop(first);
        second.await;
        // What nobody uses any more is forgotten.
        turns.take(&surface("builtin:x")).await;
        assert_eq!(turns.surfaces.lock().unwrap().len(), 1);
    }
}
