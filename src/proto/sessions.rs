//! `sessions`: agents that run now, and where they are seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::method::{Example, Method};
use super::surface::SurfaceRef;
use super::text::Word;

/// Parameters of `sessions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct SessionsParams {
    /// Add the sessions on disk; absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_files: Option<bool>,
    /// Those of a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Word>,
}

/// The tmux pane that a session runs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TmuxPlace {
    /// Path of the server's socket.
    pub socket: String,
    /// The session's name.
    pub session: String,
    /// `@N`.
    pub window: String,
    /// `%N`.
    pub pane: String,
}

/// A live agent, or a session on disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The agent's process; absent for a session on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The provider, such as `claude`.
    pub kind: String,
    /// The application that hosts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The application in which the tmux client that shows it was last active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewing_app: Option<String>,
    /// All applications that show it, most recently active first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewers: Option<Vec<String>>,
    /// Its working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Its terminal device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tty: Option<String>,
    /// Its tmux pane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tmux: Option<TmuxPlace>,
    /// The provider's id of the conversation, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<u64>,
    /// What its conversation is about: its title or the beginning of its first prompt. Of sessions on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The version of the program that wrote it last. Of sessions on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Milliseconds since 1970; from the terminal device and tmux, and of a session on disk from its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity_ms: Option<u64>,
    /// Its surface, where it can be driven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceRef>,
    /// The host it runs on; absent: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

/// Result of `sessions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionsResult {
    /// Those that run, most recently active first; then those on disk, newest first, without those that run.
    pub sessions: Vec<Session>,
    /// What could not be looked at, a sentence each; absent: nothing was left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// `sessions`: live agents and where they are seen.
pub enum Sessions {}

impl Method for Sessions {
    const NAME: &'static str = "sessions";
    const SUMMARY: &'static str = "Live agent processes and the terminals they are seen in.";
    type Params = SessionsParams;
    type Result = SessionsResult;

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "live ones",
            params: json!({}),
            result: None,
        }]
    }
}
