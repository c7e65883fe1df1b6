//! Running commands: here, or on a host.

pub mod local;
pub mod ssh;

pub use local::Local;

use futures_util::future::BoxFuture;

use crate::launch::step::{Answer, Invocation};
use crate::proto::Failure;

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
}
