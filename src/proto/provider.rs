//! `provider.*`: the programs of terminal agents.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::daemon::NoParams;
use super::error::Failure;
use super::method::{Example, Method};
use super::text::{AbsolutePath, Word};

/// What a provider's program can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol's shape: one answer for each question"
)]
pub struct ProviderCapabilities {
    /// It has a terminal program of its own.
    pub supports_terminal_mode: bool,
    /// It takes up an earlier conversation.
    pub supports_resume: bool,
    /// A model can be named.
    pub supports_model: bool,
    /// A mode can be named.
    pub supports_mode: bool,
    /// It takes a first prompt.
    pub supports_prompt: bool,
    /// The id of a new conversation can be set beforehand.
    pub supports_session_id: bool,
}

/// A provider as `provider.list` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Its program.
    pub command: String,
    /// Whether the program is there and answers.
    pub available: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its version, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it can do.
    pub capabilities: ProviderCapabilities,
    /// The ids of its modes.
    pub modes: Vec<String>,
}

/// Result of `provider.list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderListResult {
    /// Built-in ones first, then those of the configuration file.
    pub providers: Vec<Provider>,
}

/// Whether a conversation is begun or taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A new one.
    Create,
    /// An earlier one.
    Resume,
}

/// What an agent is started with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a configuration, which is an object"
)]
pub struct AgentConfig {
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// The model, in the provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Word>,
    /// The mode, one of the provider's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_id: Option<Word>,
    /// The first prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Word>,
    /// The id to give a new conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Word>,
}

/// What names an earlier conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a handle, which is an object with a sessionId"
)]
pub struct Handle {
    /// The provider's id of it.
    pub session_id: Word,
    /// The provider's own name for it, where that is another one; it wins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_handle: Option<Word>,
}

/// Parameters of `provider.command`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct CommandParams {
    /// The provider.
    pub provider: Word,
    /// Create or resume.
    pub action: Action,
    /// What it is started with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<AgentConfig>,
    /// The conversation to take up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
    /// The version that takes it; absent: today's form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Word>,
}

/// Result of `provider.command`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TerminalCommand {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables for it.
    pub env: BTreeMap<String, String>,
}

/// `provider.list`.
pub enum ProviderList {}

impl Method for ProviderList {
    const NAME: &'static str = "provider.list";
    const SUMMARY: &'static str = "The programs of terminal agents, and whether they are here.";
    type Params = NoParams;
    type Result = ProviderListResult;

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "all providers",
            params: json!({}),
            result: None,
        }]
    }
}

/// `provider.command`.
pub enum ProviderCommand {}

impl Method for ProviderCommand {
    const NAME: &'static str = "provider.command";
    const SUMMARY: &'static str = "The command that starts or resumes an agent. Pure.";
    type Params = CommandParams;
    type Result = TerminalCommand;

    fn check(params: &CommandParams) -> Result<(), Failure> {
        match (params.action, &params.handle) {
            (Action::Resume, None) => Err(Failure::params(
                "handle",
                "resume needs a handle with a sessionId",
            )),
            (Action::Create, Some(_)) => Err(Failure::params("handle", "create takes no handle")),
            _ => Ok(()),
        }
    }

    fn examples() -> Vec<Example> {
        let id = "0193b5a4-6c1f-7e52-9d0a-3f2b8c4d5e6f";
        vec![
            Example {
                name: "a new conversation with an id of the caller's",
                params: json!({
                    "provider": "claude",
                    "action": "create",
                    "config": { "model": "opus", "modeId": "plan", "prompt": "fix the tests", "sessionId": id },
                }),
                result: Some(json!({
                    "command": "claude",
                    "args": ["--model", "opus", "--permission-mode", "plan", "--session-id", id, "fix the tests"],
                    "env": {},
                })),
            },
            Example {
                name: "an earlier conversation",
                params: json!({
                    "provider": "codex",
                    "action": "resume",
                    "config": { "modeId": "on-request" },
                    "handle": { "sessionId": id },
                }),
                result: Some(json!({
                    "command": "codex",
                    "args": ["--ask-for-approval", "on-request", "resume", id],
                    "env": {},
                })),
            },
            Example {
                name: "the form that an old version takes",
                params: json!({
                    "provider": "codex",
                    "action": "create",
                    "config": { "modeId": "full-auto" },
                    "version": "0.1.2505172129",
                }),
                result: Some(json!({
                    "command": "codex",
                    "args": ["--approval-mode", "full-auto"],
                    "env": {},
                })),
            },
        ]
    }
}
