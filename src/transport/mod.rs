//! Running commands: here, or on a host.

pub mod local;
pub mod ssh;

pub use local::Local;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::launch::step::{Answer, Invocation};
use crate::proto::Failure;
use ssh::probe::Probe;

/// A place where commands run.
pub trait Transport: Send + Sync {
    /// Runs a command and waits for its end, within its time.
    ///
    /// Dropping the future ends the command. It may leave processes of its own behind (a tmux server does); they are not
    /// waited for, even where they hold its output open.
    ///
    /// # Errors
    /// `host-tool-missing` where the program is not there, `spawn-failed` where it cannot be started, and what a host can
    /// fail with. A command that ran has an [`Answer`], however it ended.
    fn run(&self, invocation: Invocation) -> BoxFuture<'_, Result<Answer, Failure>>;

    /// What is there, where this is the way to a host; asked once a connection. `None`: it is this machine.
    ///
    /// # Errors
    /// What a host can fail with; nothing was done.
    fn probe(&self) -> BoxFuture<'_, Result<Option<Arc<Probe>>, Failure>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Promises a launch script of this text and returns its path. It is written, 0600 in a fresh directory of the person's own,
    /// by the first command that names it, in the same message; without one it never exists.
    ///
    /// `None`: this transport makes no such promises.
    ///
    /// # Errors
    /// What a host can fail with.
    fn promise_script(&self, _text: String) -> BoxFuture<'_, Result<Option<String>, Failure>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Takes a promise back, and removes what was written for it: nothing will run it.
    fn drop_script<'a>(&'a self, _path: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}
