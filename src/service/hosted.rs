//! What the rest of the daemon asks of the terminals that it hosts itself.

use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::backend::{Act, Done, Job, Opened};
use crate::proto::Failure;
use crate::proto::surfaces::{Exit, SurfaceInfo};

/// Terminals of the backend `builtin`, as surfaces. Their ids are those of `builtin:<id>`.
pub trait Hosted: Send + Sync {
    /// Opens one. The job's program was checked; its script is not written.
    fn create<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<Opened, Failure>>;

    /// Does a verb on one.
    ///
    /// `target-gone` where none has this id, `not-supported` for a verb that it does not have.
    fn act<'a>(&'a self, id: &'a str, act: &'a Act) -> BoxFuture<'a, Result<Done, Failure>>;

    /// Waits for the end of its program, for as long as `limit` says; `exited: false` where the time was up.
    fn wait<'a>(
        &'a self,
        id: &'a str,
        limit: Option<Duration>,
    ) -> BoxFuture<'a, Result<Exit, Failure>>;

    /// Those that run.
    fn list(&self) -> BoxFuture<'_, Result<Vec<SurfaceInfo>, Failure>>;
}
