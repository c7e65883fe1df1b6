//! `open`, `open.subscribe`: opening surfaces, and what became of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::daemon::Subscribed;
use super::error::{Failure, Kind};
use super::few::few;
use super::launch::{BackendId, BuildResult, Context, Item, Packing, Request, check_items};
use super::method::{Example, Method, Stream};
use super::surface::SurfaceRef;
use super::text::Word;

/// Parameters of `open` and `open.subscribe`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct OpenParams {
    /// What to open.
    #[serde(deserialize_with = "few")]
    #[schemars(length(max = 1000))]
    pub items: Vec<Item>,
    /// Absent: as `resolveBackend` with `headless`; with a host: `tmux`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<BackendId>,
    /// The host of items that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Word>,
    /// Absent: `two-per-tab`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
    /// Where the caller is; absent: what the daemon sees of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// The wrapping shell; absent: zsh where it exists, else the login shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Word>,
    /// `false`: the launch engine's own bare commands. Absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handles: Option<bool>,
    /// Milliseconds between items on terminals without ids; absent: 400 there, 0 elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stagger_ms: Option<u32>,
    /// Whether the new surfaces take the focus; absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<bool>,
    /// The same key within ten minutes opens nothing again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Word>,
    /// Run every check and answer `{ specs }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// How long to wait for a surface to be seen, in milliseconds; absent: 5000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_timeout_ms: Option<u32>,
}

/// Whether a new surface was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Started {
    /// The terminal listed it by id, or its launch script reported.
    Seen,
    /// Neither happened in time.
    Unconfirmed,
}

/// What became of one item of `open`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenResult {
    /// Whether it was opened.
    pub ok: bool,
    /// What was asked, as planned.
    pub request: Request,
    /// Whether it was seen; absent where it was not opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<Started>,
    /// The reference of the new surface, where the terminal tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceRef>,
    /// The process in the surface, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The line that shows it, where it did not open in front of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attach: Option<String>,
    /// Where a lesser thing was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// One sentence a person can act on; absent when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What a program branches on; absent when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// What the person can do next; absent when `ok`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl OpenResult {
    /// An item that was opened.
    #[must_use]
    pub const fn opened(request: Request, started: Started) -> Self {
        Self {
            ok: true,
            request,
            started: Some(started),
            surface: None,
            pid: None,
            attach: None,
            warnings: None,
            error: None,
            kind: None,
            hint: None,
        }
    }

    /// An item that was not opened, and why.
    #[must_use]
    pub fn refused(request: Request, failure: &Failure) -> Self {
        Self {
            ok: false,
            started: None,
            error: Some(failure.message.clone()),
            kind: Some(failure.kind()),
            hint: failure.data.hint.clone(),
            ..Self::opened(request, Started::Unconfirmed)
        }
    }
}

/// Why a backend was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The caller named it.
    Forced,
    /// The caller runs in it.
    CurrentTerminal,
    /// The most recent live session runs in it.
    ActiveSession,
    /// It is the first that can be driven here.
    Available,
    /// A host was named and no backend.
    RemoteDefault,
    /// Nothing else can be driven, so the daemon hosts it.
    Headless,
}

/// Result of `open`; with `dryRun` it is a [`BuildResult`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OpenAnswer {
    /// What `dryRun` answers.
    Specs(BuildResult),
    /// What became of the items.
    Opened {
        /// The first item's backend.
        backend: Option<BackendId>,
        /// Why that one.
        source: Option<Source>,
        /// One for each item, in order.
        results: Vec<OpenResult>,
    },
}

/// `open`: opens surfaces where the person works and says truthfully what happened.
pub enum Open {}

impl Method for Open {
    const NAME: &'static str = "open";
    const SUMMARY: &'static str =
        "Opens surfaces where the person works; failures of items are results.";
    type Params = OpenParams;
    type Result = OpenAnswer;

    fn check(params: &OpenParams) -> Result<(), Failure> {
        check_key(params)?;
        check_items(&params.items)
    }

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "a dry run in the daemon's own terminal",
            params: json!({ "backend": "builtin", "dryRun": true, "items": [{ "command": ["sh", "-c", "echo hi"] }] }),
            result: None,
        }]
    }
}

/// Refuses a key that is none: every caller that left it empty would have the same one.
fn check_key(params: &OpenParams) -> Result<(), Failure> {
    match &params.key {
        Some(key) if key.is_empty() => Err(Failure::params("key", "key must not be empty")
            .hint("leave it out to open anew each time")),
        _ => Ok(()),
    }
}

/// An item of `open.subscribe`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OpenItem {
    /// What became of one item.
    Result {
        /// Its index in `items`.
        index: usize,
        /// What became of it.
        result: OpenResult,
    },
}

/// `open.subscribe`: as `open`, with each result as it comes.
pub enum OpenSubscribe {}

impl Method for OpenSubscribe {
    const NAME: &'static str = "open.subscribe";
    const SUMMARY: &'static str = "As open; each result is sent when it is known.";
    type Params = OpenParams;
    type Result = Subscribed;

    fn check(params: &OpenParams) -> Result<(), Failure> {
        check_key(params)?;
        check_items(&params.items)
    }
}

impl Stream for OpenSubscribe {
    const END: &'static str = "open.unsubscribe";
    type Item = OpenItem;
}
