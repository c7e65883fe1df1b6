//! Ending programs, and forgetting terminals.

use std::time::Duration;

use tokio::time::Instant;

use super::entry::{ANSWER, Access};
use super::handle::{Terminals, missing};
use super::owner::Message;
use crate::host::process;
use crate::host::wire::Operation;
use crate::os::tree::{Root, Tree, ended_by};
use crate::proto::surfaces::Exit;
use crate::proto::{Failure, Kind};

/// How long each step takes where nobody says.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// How long a host may take to pass on the hang-up.
const HANG_UP: Duration = Duration::from_secs(1);

/// How long it may take to say how its program ended. The kill itself has worked then.
const LAST_WORD: Duration = Duration::from_secs(1);

/// The processes of a terminal, as far as they are beyond doubt.
struct Processes {
    host: Option<Root>,
    /// Without a start: it has ended.
    program: Option<Root>,
    /// Everything that came of the program.
    tree: Tree,
}

impl Processes {
    async fn of(id: &str, access: &Access) -> Self {
        let (id, pid) = (id.to_owned(), access.record.pid);
        let (peer, tty) = (access.peer, access.tty.clone());
        let orphan = access.record.program();
        let find = move || {
            let host = peer.and_then(|peer| process::host(peer, &id));
            let child = host.zip(pid).map(|(host, pid)| process::program(host, pid));
            // Without its host the terminal may be another's by now.
            let orphan = orphan.filter(|root| host.is_none() && root.alive());
            let tty = tty.filter(|_| orphan.is_none());
            let program = child.or(orphan);
            Self {
                host,
                program,
                tree: program.map_or_else(Tree::default, |root| Tree::of(root, tty.as_deref())),
            }
        };
        let found = tokio::task::spawn_blocking(find).await;
        found.unwrap_or(Self {
            host: None,
            program: None,
            tree: Tree::default(),
        })
    }
}

impl Terminals {
    /// Ends the program: a hang-up for it and what is in the foreground; after `graceful` a kill for everything that came of
    /// it. What survives a hang-up on purpose (`nohup`, a server in a session of its own) is left alone where the program
    /// itself ended by it.
    ///
    /// A host that does not answer is woken, and its program is ended without it. Where it still does not tell how the
    /// program ended, the answer says that it has, and nothing more.
    ///
    /// # Errors
    /// `not-found`; `timeout` where something still runs `force` after the kill; `state-unknown` where the host does not
    /// answer and its program cannot be told from others.
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
        // Before the hang-up: afterwards the program may be gone, and with it the way to what came of it.
        let mut processes = Processes::of(id, &access).await;
        let begun = Instant::now();
        if !matches!(access.ask(Operation::HangUp, HANG_UP).await, Ok(Some(_))) {
            tracing::warn!(
                id,
                "the host of a terminal does not answer; its program is ended without it"
            );
            let roots = (processes.host, processes.program);
            let _ = tokio::task::spawn_blocking(move || {
                if let Some(host) = roots.0 {
                    host.wake();
                }
                if let Some(program) = roots.1 {
                    program.hang_up();
                }
            })
            .await;
        }
        let exit = self
            .wait(id, Some(graceful.saturating_sub(begun.elapsed())))
            .await?;
        if exit.exited {
            return Ok(exit);
        }
        let deadline = Instant::now() + force;
        let all = processes.tree.kill(deadline).await;
        let left = deadline.saturating_duration_since(Instant::now());
        let exit = self.wait(id, Some(left.max(LAST_WORD))).await?;
        match (all, exit.exited, processes.program) {
            (true, true, _) => Ok(exit),
            (true, false, Some(_)) => self.ask(|reply| Message::Seen(id.to_owned(), reply)).await,
            (true, false, None) => Err(Failure::new(
                Kind::StateUnknown,
                format!("the host of terminal {id} does not answer; whether its program runs is not known"),
            )
            .hint("end the process of its host, surfaced terminal-host")),
            (false, ..) => Err(Failure::new(
                Kind::Timeout,
                format!("the program in terminal {id} still runs after a kill"),
            )
            .hint("it may wait for a disk or a device that does not answer; give forceTimeoutMs more, or try again later")),
        }
    }

    /// Forgets a terminal; a running program is killed first, and then a host that does not answer.
    ///
    /// # Errors
    /// `not-found`; `timeout` where the program cannot be ended; `state-unknown` as [`Terminals::kill`].
    pub async fn remove(&self, id: &str) -> Result<(), Failure> {
        self.kill(id, PATIENCE, PATIENCE).await?;
        let access = self.access(id).await?;
        // A host whose disk was full would write it down later.
        if access.ask(Operation::Forget, ANSWER).await.is_err()
            && let Some(host) = Processes::of(id, &access).await.host
        {
            let _ = tokio::task::spawn_blocking(move || host.kill()).await;
            ended_by(host, Instant::now() + PATIENCE).await;
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
