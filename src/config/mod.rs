//! The configuration file as plain values, and its validator.
//!
//! Every key is optional; an empty or absent file is the default configuration. A file with any problem is refused as a
//! whole, with every problem named by line and key.

mod backends;
mod extension;
mod file;
mod keys;
mod parse;
mod providers;
mod reader;
mod ssh;
mod store;
mod template;

pub use backends::{Availability, BackendTemplate, LayoutForm, TerminalTabs};
pub use keys::DetachKey;
pub use parse::parse;
pub use providers::ProviderConfig;
pub use reader::{Problem, Problems};
pub use ssh::{SshBackend, SshConfig};
pub use store::Store;
pub use template::{Hole, Piece, Template, TemplateWord};

use std::collections::BTreeMap;

use crate::proto::daemon::Limits;

/// Rows of scrollback that a hosted terminal keeps where the file says nothing.
pub const DEFAULT_SCROLLBACK: usize = 2000;

/// What the configuration file says.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// `shell`: the shell that wraps commands, a name or an absolute path. Absent: zsh where it exists, else the login shell.
    pub shell: Option<String>,
    /// `detachKey`: what leaves `surfaced attach`.
    pub detach_key: DetachKey,
    /// `[limits]`: the limits of the wire, by the names that `daemon.hello` shows.
    pub limits: Limits,
    /// `[terminals] scrollback`: rows that a hosted terminal keeps.
    pub scrollback: usize,
    /// `[backends.terminal] tabs`: how Terminal.app makes tabs.
    pub terminal_tabs: TerminalTabs,
    /// `[backends.EDITOR] extension`: the extension through which an editor is driven, by the backend's id; each is a
    /// publisher, a dot and a name, all of characters that stand for themselves in a URL.
    pub extensions: BTreeMap<String, String>,
    /// `[backends.NAME]`: terminals that need no code, in the order of the file.
    pub backends: Vec<BackendTemplate>,
    /// `[providers.NAME]`: agents, or changes to the built-in ones, by id.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// `[ssh]`: how hosts are reached.
    pub ssh: SshConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            shell: None,
            detach_key: DetachKey::default(),
            limits: Limits::default(),
            scrollback: DEFAULT_SCROLLBACK,
            terminal_tabs: TerminalTabs::default(),
            extensions: BTreeMap::new(),
            backends: Vec::new(),
            providers: BTreeMap::new(),
            ssh: SshConfig::default(),
        }
    }
}
