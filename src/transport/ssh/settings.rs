//! What the ways to hosts have in common.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::identity::Agent;
use crate::config::SshConfig;
use crate::launch::ssh_line::SshLine;
use crate::os::environment;
use crate::os::paths::Paths;

/// The person's wishes and the daemon's places.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `[ssh]` of the configuration.
    pub config: SshConfig,
    /// Where `ssh` and its companions are looked for, and the PATH that they get.
    pub path: String,
    /// A directory of the daemon's own with a short path, for control sockets and generated files.
    pub runtime: PathBuf,
    /// `SSH_AUTH_SOCK` of this process, which is where the library looks for an agent.
    pub env_agent: Option<PathBuf>,
    /// Whether `env_agent` is a link of the daemon's own, that may be pointed somewhere else.
    pub agent_is_link: bool,
    /// Held while the link of the daemon's own has to stand where it stands.
    pub agent_lock: Arc<tokio::sync::Mutex<()>>,
    /// The agent of the most recent caller.
    pub caller_agent: Arc<Latest>,
    /// What agents answered, where one answer is to do for many hosts; absent where each has to be as of now.
    pub asked: Option<Arc<Asked>>,
    /// How long one address may take to answer, where the configuration does not say.
    pub connect: Duration,
    /// How long a command may take that has no time of its own.
    pub command: Duration,
    /// When a connection without commands ends.
    pub idle: Duration,
}

impl Settings {
    /// The usual times, with this directory and nothing else set.
    #[must_use]
    pub fn new(runtime: impl Into<PathBuf>, path: impl Into<String>) -> Self {
        Self {
            config: SshConfig::default(),
            path: path.into(),
            runtime: runtime.into(),
            env_agent: None,
            agent_is_link: false,
            agent_lock: Arc::default(),
            caller_agent: Arc::default(),
            asked: None,
            connect: Duration::from_secs(10),
            command: Duration::from_secs(30),
            idle: Duration::from_mins(10),
        }
    }

    /// Those of the daemon with these places. `SSH_AUTH_SOCK` of this process counts where it is the link that the daemon is started
    /// with, and as the agent of somebody who runs it in the foreground elsewhere.
    #[must_use]
    pub fn of_daemon(paths: &Paths, path: impl Into<String>) -> Self {
        let agent = environment::variable(environment::AGENT).map(PathBuf::from);
        Self {
            agent_is_link: agent.as_ref() == Some(&paths.agent()),
            env_agent: agent,
            ..Self::new(paths.ssh(), path)
        }
    }

    /// The agent to use where the configuration names none: the most recent caller's, else that of this process.
    #[must_use]
    pub fn agent(&self) -> Option<PathBuf> {
        self.caller_agent
            .get()
            .or_else(|| self.env_agent.clone().filter(|_| !self.agent_is_link))
    }

    /// `ssh` with the configuration that counts.
    #[must_use]
    pub fn ssh(&self) -> SshLine {
        SshLine::new(self.config.config_file.as_ref())
    }
}

/// A path of which the latest counts.
#[derive(Debug, Default)]
pub struct Latest(Mutex<Option<PathBuf>>);

impl Latest {
    /// Replaces it.
    pub fn set(&self, path: &Path) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.to_owned());
    }

    /// The latest.
    #[must_use]
    pub fn get(&self) -> Option<PathBuf> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Agents that were asked, by their sockets. One at a time is asked.
pub type Asked = tokio::sync::Mutex<BTreeMap<PathBuf, Agent>>;

/// The settings at this moment.
pub type Source = Arc<dyn Fn() -> Settings + Send + Sync>;
