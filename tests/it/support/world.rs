//! A daemon and hosts that it reaches.

use std::time::Duration;

use serde_json::Value;

use super::daemon::Daemon;
use super::env::{Sandbox, have};
use super::slow_line::SlowLine;
use super::sshd::{SshConfig, Sshd, have_ssh};

/// A daemon whose ssh configuration is the test's.
pub struct World {
    pub sandbox: Sandbox,
    pub config: SshConfig,
}

impl World {
    /// No host yet.
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        let config = SshConfig::new(&sandbox);
        Self { sandbox, config }
    }

    /// Sets which implementation daemons use: `auto`, `library` or `openssh`.
    pub fn prefer(&self, backend: &str) {
        let text = format!(
            "[ssh]\nbackend = \"{backend}\"\nconfigFile = \"{}\"\n",
            self.config.path().display()
        );
        std::fs::write(self.sandbox.state().join("config.toml"), text).unwrap();
    }

    /// A daemon.
    pub fn daemon(&self) -> Daemon {
        Daemon::start(&self.sandbox)
    }

    /// A server at the end of a slow line.
    pub fn far(&self, alias: &str, more: &str, way: Duration) -> (Sshd, SlowLine) {
        let sshd = Sshd::start_with(&self.sandbox, alias, more);
        std::fs::write(sshd.home().join(".zshrc"), "").unwrap();
        let line = SlowLine::to(sshd.port(), way);
        self.config.far(alias, &sshd, &line);
        (sshd, line)
    }

    /// A server whose sessions have rc files that say nothing and ask nothing.
    pub fn server(&self, name: &str, shell: &str) -> Sshd {
        let sshd = Sshd::with_shell(&self.sandbox, name, shell);
        std::fs::write(sshd.home().join(".zshrc"), "alias -g L='| less'\n").unwrap();
        self.config.host(name, &sshd, "");
        sshd
    }
}

/// Whether everything is there that surfaces on hosts need.
pub fn ready() -> bool {
    have_ssh() && have("tmux") && have("zsh")
}

/// The surfaces that a call of `open` opened, which has to be all of them.
#[track_caller]
pub fn all_ok(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results
        .iter()
        .map(|result| {
            assert_eq!(result["ok"], true, "{result}");
            result["surface"].as_str().unwrap()
        })
        .collect()
}
