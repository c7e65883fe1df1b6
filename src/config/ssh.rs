//! `[ssh]`: how hosts are reached.

use std::collections::BTreeMap;

use super::reader::{Section, Value};
use crate::proto::{AbsolutePath, HostAlias};

/// Which implementation of SSH runs commands on a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SshBackend {
    /// The library where the host's settings allow it, else OpenSSH.
    #[default]
    Auto,
    /// The library only.
    Library,
    /// The system's `ssh` only.
    Openssh,
}

/// What `[ssh]` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshConfig {
    /// `backend`: for hosts without a setting of their own.
    pub backend: SshBackend,
    /// `configFile`: read instead of `~/.ssh/config`.
    pub config_file: Option<AbsolutePath>,
    /// `[ssh.hosts.NAME] backend`.
    pub hosts: BTreeMap<HostAlias, SshBackend>,
}

impl SshConfig {
    /// The implementation for a host.
    #[must_use]
    pub fn backend_for(&self, host: &HostAlias) -> SshBackend {
        self.hosts.get(host).copied().unwrap_or(self.backend)
    }

    /// The table that says which implementation a host has, as it stands in the file.
    #[must_use]
    pub fn table_for(&self, host: &HostAlias) -> String {
        let is_bare = |name: &str| {
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        match host.as_str() {
            name if !self.hosts.contains_key(host) || name.is_empty() => "[ssh]".into(),
            name if is_bare(name) => format!("[ssh.hosts.{name}]"),
            name => format!("[ssh.hosts.\"{name}\"]"),
        }
    }
}

pub(super) fn read(section: Section<'_, '_>) -> SshConfig {
    let mut ssh = SshConfig::default();
    if let Some(found) = section.get("backend").and_then(|value| backend(&value)) {
        ssh.backend = found;
    }
    if let Some(value) = section.get("configFile")
        && let Some(text) = value.string()
    {
        ssh.config_file = AbsolutePath::parse(text)
            .map_err(|error| value.problem(error.to_string()))
            .ok();
    }
    if let Some(hosts) = section.get("hosts").and_then(|value| value.table()) {
        for (name, value) in hosts.entries() {
            let alias = HostAlias::parse(name).map_err(|error| value.problem(error.to_string()));
            if let (Ok(alias), Some(host)) = (alias, value.table()) {
                let found = host.get("backend").and_then(|value| backend(&value));
                host.finish();
                if let Some(found) = found {
                    ssh.hosts.insert(alias, found);
                }
            }
        }
    }
    section.finish();
    ssh
}

fn backend(value: &Value<'_, '_>) -> Option<SshBackend> {
    match value.string()?.as_str() {
        "auto" => Some(SshBackend::Auto),
        "library" => Some(SshBackend::Library),
        "openssh" => Some(SshBackend::Openssh),
        other => {
            value.problem(format!(
                "must be \"auto\", \"library\" or \"openssh\", not {other:?}"
            ));
            None
        }
    }
}
