//! Which shell wraps commands: zsh where it exists, else the login shell.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::launch::shell::Shell;
use crate::launch::step::Invocation;
use crate::proto::{Failure, HostAlias};
use crate::service::path_capture::search;
use crate::transport::Transport;
use crate::transport::ssh::nothing_was_done;

/// How long the answer of a host holds.
const KEPT: Duration = Duration::from_mins(10);

/// More programs than anybody opens.
const MOST_PROGRAMS: usize = 1024;

/// Asks a host for its shell.
const QUESTION: &str =
    r#"if command -v zsh >/dev/null 2>&1; then printf zsh; else printf %s "${SHELL:-/bin/sh}"; fi"#;

/// The shells of this machine and of hosts.
#[derive(Clone, Debug)]
pub(super) struct Shells {
    here: Shell,
    hosts: Arc<Mutex<HashMap<HostAlias, (Shell, Instant)>>>,
    /// Programs that only the interactive shell of a host finds.
    programs: Arc<Mutex<HashSet<(HostAlias, String)>>>,
}

impl Shells {
    /// Of this machine: zsh where it is on `path`, else `login`.
    pub(super) fn new(path: &str, login: &str) -> Self {
        let here = if search(path, "zsh").is_some() {
            Shell::default()
        } else {
            Shell::named(login)
        };
        Self {
            here,
            hosts: Arc::default(),
            programs: Arc::default(),
        }
    }

    pub(super) const fn here(&self) -> &Shell {
        &self.here
    }

    /// Remembers that the interactive shell of a host finds a program.
    pub(super) fn found(&self, host: &HostAlias, program: &str) {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if programs.len() >= MOST_PROGRAMS {
            programs.clear();
        }
        programs.insert((host.clone(), program.to_owned()));
    }

    /// Whether it did.
    pub(super) fn has_found(&self, host: &HostAlias, program: &str) -> bool {
        let programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        programs.contains(&(host.clone(), program.to_owned()))
    }

    pub(super) async fn on(
        &self,
        host: &HostAlias,
        transport: &dyn Transport,
    ) -> Result<Shell, Failure> {
        let known = self
            .hosts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(host)
            .cloned();
        if let Some((shell, at)) = known
            && at.elapsed() < KEPT
        {
            return Ok(shell);
        }
        let answer = transport
            .run(Invocation::new(["/bin/sh", "-c", QUESTION]))
            .await
            .map_err(nothing_was_done)?;
        let text = answer.text();
        let shell = if answer.ok() && !text.is_empty() {
            Shell::named(&text)
        } else {
            Shell::named("/bin/sh")
        };
        self.hosts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(host.clone(), (shell.clone(), Instant::now()));
        Ok(shell)
    }
}
