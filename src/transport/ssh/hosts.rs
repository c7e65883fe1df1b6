//! All hosts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::aliases;
use super::pool::Host;
use super::remote::Remote;
use super::settings::{Asked, Settings, Source};
use super::survey::{Survey, survey};
use crate::config::Store;
use crate::launch::quote::{Style, posix};
use crate::launch::ssh_line::SshLine;
use crate::os::supervise::Supervisor;
use crate::proto::{Failure, HostAlias};

/// The hosts that were asked for, each with its connection. Cheap to clone; all clones share them.
#[derive(Clone)]
pub struct Hosts {
    source: Source,
    base: Arc<Settings>,
    known: Arc<Mutex<BTreeMap<HostAlias, Remote>>>,
    asked: Arc<Asked>,
    supervisor: Supervisor,
}

impl Hosts {
    /// No host yet. `[ssh]` of the configuration is read anew for each connection.
    #[must_use]
    pub fn new(base: Settings, config: Store, supervisor: &Supervisor) -> Self {
        let base = Arc::new(base);
        let settings = Arc::clone(&base);
        if let (true, Some(link)) = (base.agent_is_link, base.env_agent.clone()) {
            let ending = supervisor.token().clone();
            supervisor.spawn_owned(async move {
                ending.cancelled().await;
                let _ = fs_err::tokio::remove_file(link).await;
            });
        }
        let source: Source = Arc::new(move || Settings {
            config: config.current().ssh.clone(),
            ..(*settings).clone()
        });
        Self {
            source,
            base,
            known: Arc::default(),
            asked: Arc::default(),
            supervisor: supervisor.clone(),
        }
    }

    /// The host of this name. Nothing is connected before its first command.
    #[must_use]
    pub fn get(&self, alias: &HostAlias) -> Remote {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(alias.clone())
            .or_insert_with(|| {
                let host = Host::start(alias.clone(), Arc::clone(&self.source), &self.supervisor);
                Remote::new(alias.clone(), host, Arc::clone(&self.source))
            })
            .clone()
    }

    /// Removes what a daemon that was killed left in the directory of control sockets. Sockets that something listens on stay:
    /// their guards are about to end them.
    pub async fn sweep(&self) {
        let Ok(mut entries) = fs_err::tokio::read_dir(&self.base.runtime).await else {
            return;
        };
        while let Ok(Some(entry)) = entries.next_entry().await {
            let path = entry.path();
            if tokio::net::UnixStream::connect(&path).await.is_err() {
                let _ = fs_err::tokio::remove_file(&path).await;
            }
        }
    }

    /// The agent of whoever asked most recently; it is checked before it is used.
    pub fn offer_agent(&self, socket: &Path) {
        self.base.caller_agent.set(socket);
    }

    /// The names in the person's configuration files, in their order: those that stand for one host each.
    #[must_use]
    pub fn names(&self) -> Vec<HostAlias> {
        aliases::read(&(self.source)())
    }

    /// What keeps the person's configuration files from being read, in words that name them.
    #[must_use]
    pub fn troubles(&self) -> Vec<String> {
        aliases::troubles(&(self.source)())
    }

    /// `ssh` as people call it, with the configuration that counts.
    #[must_use]
    pub fn ssh(&self) -> SshLine {
        (self.source)().ssh()
    }

    /// The line that shows something on a host in a terminal. One that begins with `tmux` names it by its path where logins there do
    /// not find it.
    #[must_use]
    pub fn attach(&self, alias: &HostAlias, line: &str) -> String {
        let probe = self.get(alias).last_probe();
        let hidden = probe.as_ref().filter(|probe| probe.hides_tmux);
        let tmux = hidden.and_then(|probe| probe.tools.get("tmux"));
        match (tmux, line.strip_prefix("tmux ")) {
            (Some(path), Some(rest)) => {
                let line = format!("{} {rest}", posix(path, Style::Bare));
                self.ssh().in_terminal(alias, &line)
            }
            _ => self.ssh().in_terminal(alias, line),
        }
    }

    /// What the daemon would use for a host, and why. Connects to nothing; an agent is asked once for all hosts.
    ///
    /// # Errors
    /// OpenSSH cannot read the configuration.
    pub async fn look(&self, alias: &HostAlias) -> Result<Survey, Failure> {
        let settings = Settings {
            // A daemon can point the library at any agent, this process only at its own.
            agent_is_link: true,
            asked: Some(Arc::clone(&self.asked)),
            ..(self.source)()
        };
        survey(alias, &settings, |_| None).await
    }
}
