//! Which shell wraps commands: zsh where it exists, else the login shell.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::launch::shell::Shell;
use crate::launch::step::Invocation;
use crate::os::supervise::Supervisor;
use crate::proto::{Failure, HostAlias};
use crate::service::path_capture::{PathCapture, search};
use crate::transport::Transport;
use crate::transport::ssh::nothing_was_done;

/// How long the answer of a host holds.
const KEPT: Duration = Duration::from_mins(10);

/// Asks a host for its shell.
const QUESTION: &str =
    r#"if command -v zsh >/dev/null 2>&1; then printf zsh; else printf %s "${SHELL:-/bin/sh}"; fi"#;

/// The shells of this machine and of hosts.
#[derive(Clone)]
pub(super) struct Shells {
    here: Shell,
    hosts: Arc<Mutex<HashMap<HostAlias, (Shell, Instant)>>>,
    /// PATH of interactive shells of hosts.
    paths: Arc<Mutex<HashMap<HostAlias, PathCapture>>>,
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
            paths: Arc::default(),
        }
    }

    pub(super) const fn here(&self) -> &Shell {
        &self.here
    }

    /// PATH of the interactive shells of a host.
    pub(super) fn paths(
        &self,
        host: &HostAlias,
        supervisor: &Supervisor,
        transport: &Arc<dyn Transport>,
    ) -> PathCapture {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || PathCapture::new(supervisor.clone(), Arc::clone(transport));
        paths.entry(host.clone()).or_insert_with(new).clone()
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
        let name = if let Some(probe) = transport.probe().await? {
            if probe.tools.contains_key("zsh") {
                "zsh".to_owned()
            } else {
                probe.shell.clone()
            }
        } else {
            let answer = transport
                .run(Invocation::new(["/bin/sh", "-c", QUESTION]))
                .await
                .map_err(nothing_was_done)?;
            answer.text()
        };
        let shell = Shell::named(if name.is_empty() { "/bin/sh" } else { &name });
        self.hosts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(host.clone(), (shell.clone(), Instant::now()));
        Ok(shell)
    }
}
