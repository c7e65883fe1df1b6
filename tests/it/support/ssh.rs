//! The ways to hosts without a daemon around them.

use std::path::PathBuf;
use std::time::Duration;

use surfaced::config::Store;
use surfaced::launch::step::{Answer, Invocation};
use surfaced::os::supervise::Supervisor;
use surfaced::proto::{Failure, HostAlias};
use surfaced::transport::Transport;
use surfaced::transport::ssh::{Hosts, Remote, Settings};

use super::env::Sandbox;
use super::sshd::SshConfig;

/// A configuration of ssh and the hosts in it.
pub struct Ways {
    pub sandbox: Sandbox,
    pub config: SshConfig,
    pub settings: Settings,
    pub supervisor: Supervisor,
}

impl Ways {
    /// No host yet.
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        let config = SshConfig::new(&sandbox);
        let mut settings = Settings::new(sandbox.root().join("r"), "/usr/local/bin:/usr/bin:/bin");
        // Other tests keep the machine busy.
        settings.command = Duration::from_mins(1);
        let ways = Self {
            config,
            settings,
            supervisor: Supervisor::new(),
            sandbox,
        };
        ways.prefer("auto");
        ways
    }

    fn own_config(&self) -> PathBuf {
        self.sandbox.root().join("config.toml")
    }

    /// Sets which implementation is wanted: `auto`, `library` or `openssh`.
    pub fn prefer(&self, backend: &str) {
        let text = format!(
            "[ssh]\nbackend = \"{backend}\"\nconfigFile = \"{}\"\n",
            self.config.path().display()
        );
        std::fs::write(self.own_config(), text).unwrap();
    }

    /// The hosts with the settings of now.
    pub fn hosts(&self) -> Hosts {
        Hosts::new(
            self.settings.clone(),
            Store::open(self.own_config()),
            &self.supervisor,
        )
    }

    /// One host.
    pub fn host(&self, alias: &str) -> Remote {
        self.hosts().get(&HostAlias::parse(alias).unwrap())
    }

    /// Ends all connections.
    pub async fn end(&self) {
        self.supervisor.cancel();
        self.supervisor.join().await;
    }
}

/// Runs words on a host.
pub async fn run(host: &Remote, words: &[&str]) -> Result<Answer, Failure> {
    host.run(Invocation::new(words.iter().copied())).await
}

/// Runs a script of `sh` on a host that must succeed, and returns its output without the last newline.
#[track_caller]
pub fn sh<'a>(host: &'a Remote, script: &'a str) -> impl Future<Output = String> + 'a {
    let place = std::panic::Location::caller();
    async move {
        let answer = run(host, &["/bin/sh", "-c", script]).await;
        let answer = answer.unwrap_or_else(|failure| panic!("{place}: {failure}"));
        assert!(answer.ok(), "{place}: {answer:?}");
        answer.text().trim_end_matches('\n').to_owned()
    }
}

/// What is used for a host: `library` or `openssh`, and why.
pub async fn way(host: &Remote) -> (&'static str, Vec<String>) {
    let connection = host.reconnect().await.unwrap();
    (connection.link.name(), connection.reasons.clone())
}
