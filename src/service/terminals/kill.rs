//! Ending programs, and forgetting terminals.

use std::time::Duration;

use tokio::time::Instant;

use super::handle::{Terminals, missing};
use super::owner::Message;
use crate::host::wire::Operation;
use crate::os::tree::{Root, Tree};
use crate::proto::surfaces::Exit;
use crate::proto::{Failure, Kind};

/// How long each step takes where nobody says.
pub const PATIENCE: Duration = Duration::from_secs(2);

impl Terminals {
    /// Ends the program: a hang-up for it and what is in the foreground; after `graceful` a kill for everything that came of
    /// it. What survives a hang-up on purpose (`nohup`, a server in a session of its own) is left alone where the program
    /// itself ended by it.
    ///
    /// # Errors
    /// `not-found`; `timeout` where something still runs `force` after the kill.
    pub async fn kill(
        &self,
        id: &str,
        graceful: Duration,
        force: Duration,
    ) -> Result<Exit, Failure> {
        let access = self.access(id).await?;
        if let Some(exit) = access.record.exit {
            return Ok(exit);
        }
        // Before the hang-up: afterwards the root may be gone, and with it the way to what came of it.
        let tree = match access.record.pid {
            Some(pid) => {
                let tty = access.tty;
                tokio::task::spawn_blocking(move || Tree::of(Root::now(pid), tty.as_deref()))
                    .await
                    .unwrap_or_default()
            }
            None => Tree::default(),
        };
        if let Some(link) = access.link {
            let _ = link.ask(Operation::HangUp).await;
        }
        let exit = self.wait(id, Some(graceful)).await?;
        if exit.exited {
            return Ok(exit);
        }
        let deadline = Instant::now() + force;
        let mut tree = tree;
        let all = tree.kill(deadline).await;
        let left = deadline.saturating_duration_since(Instant::now());
        // The kill itself has worked; what is left is the host writing it down.
        let exit = self
            .wait(id, Some(left.max(Duration::from_secs(1))))
            .await?;
        if all && exit.exited {
            Ok(exit)
        } else {
            Err(Failure::new(
                Kind::Timeout,
                format!("the program in terminal {id} still runs after a kill"),
            ))
        }
    }

    /// Forgets a terminal; a running program is killed first.
    ///
    /// # Errors
    /// `not-found`; `timeout` where the program cannot be ended.
    pub async fn remove(&self, id: &str) -> Result<(), Failure> {
        self.kill(id, PATIENCE, PATIENCE).await?;
        if let Some(link) = self.access(id).await?.link {
            // A host whose disk was full would write it down later.
            let _ = link.ask(Operation::Forget).await;
        }
        if self
            .ask(|reply| Message::Remove(id.to_owned(), reply))
            .await?
        {
            Ok(())
        } else {
            Err(missing(id))
        }
    }
}
