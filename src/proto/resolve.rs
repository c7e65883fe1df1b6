//! `resolveBackend`, `backends`: which terminal, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::launch::{BackendId, Context};
use super::method::{Example, Method};
use super::open::Source;
use super::text::Word;

/// What is read of a session that a caller gives: the rest is ignored, since callers pass their own records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", expecting = "a session, which is an object")]
pub struct SessionSample {
    /// The application that hosts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The application that shows it, which outranks `host`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewing_app: Option<String>,
    /// When something last happened in it, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity_ms: Option<f64>,
    /// When it started, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at_ms: Option<f64>,
}

/// Parameters of `resolveBackend`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct ResolveParams {
    /// Where the caller is; absent: what the daemon sees of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Live sessions; absent: none with a pure context, else those of `sessions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<SessionSample>>,
    /// Use this backend or say why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced: Option<BackendId>,
    /// Fall back to `builtin` instead of to nothing; absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headless: Option<bool>,
}

/// A candidate that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Considered {
    /// The backend.
    pub backend: BackendId,
    /// Whether it could have been chosen.
    pub ok: bool,
    /// Why, or why not.
    pub reason: String,
}

/// Result of `resolveBackend`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolveResult {
    /// `null`: nothing can be driven here.
    pub backend: Option<BackendId>,
    /// `null`: nothing can be driven here.
    pub source: Option<Source>,
    /// The session's host application, where `source` is `active-session`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// One line for people, such as `Ghostty (where your ghostty sessions run)`.
    pub description: String,
    /// The candidates in the order they were looked at.
    pub considered: Vec<Considered>,
}

/// `resolveBackend`: which terminal a surface would open in.
pub enum ResolveBackend {}

impl Method for ResolveBackend {
    const NAME: &'static str = "resolveBackend";
    const SUMMARY: &'static str = "Which terminal a surface would open in, and why.";
    type Params = ResolveParams;
    type Result = ResolveResult;

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "a caller without a terminal follows the most recent session",
            params: json!({
                "context": { "platform": "darwin", "apps": ["iterm", "ghostty", "terminal"] },
                "sessions": [{ "host": "iterm", "lastActivityMs": 1 }, { "host": "ghostty", "lastActivityMs": 2 }],
            }),
            result: None,
        }]
    }
}

/// What a backend can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the protocol's shape: one answer for each question"
)]
pub struct Capabilities {
    /// Opens tabs.
    pub tab: bool,
    /// Splits to the right.
    pub split_right: bool,
    /// Splits downwards.
    pub split_down: bool,
    /// Opens windows.
    pub window: bool,
    /// Splits exactly the surface that is named, wherever the focus is.
    pub exact_target: bool,
    /// Tells the identity of a new surface.
    pub handle: bool,
    /// Brings a surface to the front.
    pub focus: bool,
    /// Types text.
    pub inject: bool,
    /// Presses keys.
    pub keys: bool,
    /// Reads the screen.
    pub capture: bool,
    /// Closes a surface.
    pub close: bool,
    /// Works on a host over SSH.
    pub remote: bool,
    /// Works where nobody is logged in graphically.
    pub headless: bool,
}

/// Where a backend's definition comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BackendSource {
    /// It is part of this program.
    BuiltIn,
    /// It is in the configuration file.
    Config,
}

/// One backend as `backends` lists it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackendInfo {
    /// Its id.
    pub id: BackendId,
    /// Its name for people.
    pub label: String,
    /// Whether it can be driven.
    pub available: bool,
    /// Why it can or cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What to do so that it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// What it can do.
    pub capabilities: Capabilities,
    /// Where its definition comes from.
    pub source: BackendSource,
}

/// Parameters of `backends`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct BackendsParams {
    /// Where the caller is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Look on a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Word>,
}

/// Result of `backends`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BackendsResult {
    /// In registry order.
    pub backends: Vec<BackendInfo>,
}

/// `backends`: the terminals, and for each why it can or cannot be driven.
pub enum Backends {}

impl Method for Backends {
    const NAME: &'static str = "backends";
    const SUMMARY: &'static str =
        "The terminals, and for each why it can or cannot be driven here.";
    type Params = BackendsParams;
    type Result = BackendsResult;

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "those of this machine",
            params: json!({}),
            result: None,
        }]
    }
}
