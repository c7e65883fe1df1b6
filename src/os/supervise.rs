//! Every task of the daemon is spawned here, so that none is left when it ends.

use std::future::Future;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Spawns tasks and ends them: a token that is cancelled at the end, and a tracker that knows what still runs.
#[derive(Clone, Debug, Default)]
pub struct Supervisor {
    token: CancellationToken,
    tracker: TaskTracker,
}

impl Supervisor {
    /// A supervisor without tasks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A supervisor whose tasks also end when this one's do, and which can be ended by itself.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            token: self.token.child_token(),
            tracker: self.tracker.clone(),
        }
    }

    /// The token that is cancelled when the tasks have to end.
    #[must_use]
    pub const fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Spawns a task that is dropped at its next await once the token is cancelled. `None`: it was dropped.
    pub fn spawn<F>(&self, future: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let token = self.token.clone();
        self.tracker
            .spawn(async move { token.run_until_cancelled_owned(future).await })
    }

    /// Spawns a task that sees to its own end; the end of the daemon waits for it.
    pub fn spawn_owned<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.tracker.spawn(future)
    }

    /// Cancels the token: tasks of `spawn` end at their next await.
    pub fn cancel(&self) {
        self.token.cancel();
    }

    /// Waits until no task runs any more. Tasks that are spawned meanwhile are waited for too.
    pub async fn join(&self) {
        self.tracker.close();
        self.tracker.wait().await;
    }
}
