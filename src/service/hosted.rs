//! What the rest of the daemon asks of the terminals that it hosts itself.

use std::time::Duration;

use futures_util::FutureExt;
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

/// A daemon that hosts no terminals.
#[derive(Clone, Copy, Debug)]
pub struct NoneHosted;

impl Hosted for NoneHosted {
    fn create<'a>(&'a self, _job: &'a Job) -> BoxFuture<'a, Result<Opened, Failure>> {
        async { Err(refused()) }.boxed()
    }

    fn act<'a>(&'a self, _id: &'a str, _act: &'a Act) -> BoxFuture<'a, Result<Done, Failure>> {
        async { Err(refused()) }.boxed()
    }

    fn wait<'a>(
        &'a self,
        _id: &'a str,
        _limit: Option<Duration>,
    ) -> BoxFuture<'a, Result<Exit, Failure>> {
        async { Err(refused()) }.boxed()
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<SurfaceInfo>, Failure>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

fn refused() -> Failure {
    Failure::new(
        crate::proto::Kind::BackendUnavailable,
        "this daemon hosts no terminals",
    )
}
