//! `plan`, `build`: surfaces to open, how a batch is laid out, and the exact commands.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::Failure;
use super::few::{few, few_if_any};
use super::host::HostAlias;
use super::method::{Example, Method};
use super::surface::SurfaceRef;
use super::text::{AbsolutePath, Argv, Env, Word};

/// The name of a backend: one of the built-in ones or of the configuration file's.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct BackendId(pub String);

impl BackendId {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for BackendId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl std::fmt::Display for BackendId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// How a surface is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// A tab (in tmux: a window).
    Tab,
    /// A pane to the right.
    SplitRight,
    /// A pane below.
    SplitDown,
    /// A window of the application; a tab, with a warning, where there is none.
    Window,
}

impl Layout {
    /// Whether it divides an existing pane.
    #[must_use]
    pub const fn is_split(self) -> bool {
        matches!(self, Self::SplitRight | Self::SplitDown)
    }
}

/// How a batch is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Packing {
    /// tab, split-right, tab, split-right, …
    #[default]
    TwoPerTab,
    /// Every surface in a tab of its own.
    Tabs,
}

/// What becomes of a surface when its command ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnExit {
    /// It closes.
    #[default]
    Close,
    /// It stays until the person presses Enter.
    Hold,
    /// It stays so where the command failed, and closes where it ended with status 0 or by Ctrl-C. In editors the terminal
    /// stays as it is.
    HoldOnFailure,
}

/// One surface to open. With neither `command` nor `shellCommand` it runs the person's shell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an item, which is an object"
)]
pub struct Item {
    /// The working directory; absent: the caller's, else home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// The argv, received byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Argv>,
    /// One line for the wrapping shell, passed on as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_command: Option<Word>,
    /// Variables for the command; they travel in a launch script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Env>,
    /// The title of the surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Word>,
    /// The agent that it runs, for terminals that show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Word>,
    /// The agent's session, for terminals that track it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Word>,
    /// Its own layout, which wins over the packing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Its own host, which wins over the call's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Word>,
    /// The surface to split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<SurfaceRef>,
    /// What becomes of the surface when its command ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exit: Option<OnExit>,
}

/// An item that was planned: with its backend and layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a request, which is an object"
)]
pub struct Request {
    /// The terminal that opens it.
    pub backend: BackendId,
    /// Where in it.
    pub layout: Layout,
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// The argv.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Argv>,
    /// Or a line for the wrapping shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_command: Option<Word>,
    /// Variables for the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Env>,
    /// The host; absent: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Word>,
    /// The surface to split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<SurfaceRef>,
    /// The agent that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Word>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Word>,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Word>,
    /// What becomes of the surface when its command ends; absent: it closes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_exit: Option<OnExit>,
}

/// A family of operating systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// macOS.
    Darwin,
    /// Linux.
    Linux,
}

impl Platform {
    /// The platform that this program was built for.
    #[must_use]
    pub const fn current() -> Self {
        if cfg!(target_os = "macos") {
            Self::Darwin
        } else {
            Self::Linux
        }
    }
}

/// Where the caller is. An explicit one always wins over what the daemon sees of the caller's process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a context, which is an object"
)]
pub struct Context {
    /// Absent: the daemon's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
    /// The caller's environment, as far as it matters. Names that are no variable names are ignored. Absent: empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// The caller's directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// The caller's process, whose ancestors are then looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The backends that are installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apps: Option<Vec<BackendId>>,
}

/// Parameters of `plan`: exactly one of `items` and `count`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct PlanParams {
    /// The items to lay out.
    #[serde(
        default,
        deserialize_with = "few_if_any",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(length(max = 1000))]
    pub items: Option<Vec<Item>>,
    /// Or how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Absent: `two-per-tab`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
    /// The backend of every item; with `host` and without it: `tmux`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<BackendId>,
    /// The host of items that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Word>,
}

/// Result of `plan`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanResult {
    /// One for each item, in order.
    pub layouts: Vec<Layout>,
    /// The planned items, where items were given and every one's backend is known (a `backend`, or a host).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<Vec<Request>>,
}

/// Parameters of `build`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct BuildParams {
    /// What to open.
    #[serde(deserialize_with = "few")]
    #[schemars(length(max = 1000))]
    pub items: Vec<Item>,
    /// Absent: as `resolveBackend`; with a host: `tmux`.
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
    /// The wrapping shell, a name or a path; absent: `zsh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Word>,
    /// `false`: the launch engine's own bare commands. Absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handles: Option<bool>,
}

/// Result of `build` and of `open` with `dryRun`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BuildResult {
    /// One for each item, in order.
    pub specs: Vec<Spec>,
}

/// A place in a [`Spec`] whose text is known only while opening.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// The index of the word in `argv`, or the name of the variable in `env`.
    pub at: SlotAt,
    /// The text that stands there: `{surface:N}`, `{script}`, `{session}` or `{payload}`.
    pub text: String,
}

/// Where a slot is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SlotAt {
    /// An index of `argv`.
    Argv(usize),
    /// A name in `env`.
    Env(String),
}

/// How a [`Spec`] reaches the terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Transport {
    /// Run on this machine.
    Local,
    /// Run on a host.
    Ssh {
        /// The host.
        host: String,
        /// The argv as one POSIX line, for people.
        command: String,
    },
    /// The daemon hosts it itself.
    Builtin,
}

/// The exact command that opens a surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// The words; empty for `builtin`.
    pub argv: Vec<String>,
    /// Variables of the terminal's own command (not of the program in the surface).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// Bytes for its standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// The text of the launch script, whose path goes where `{script}` stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// What is known only while opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots: Option<Vec<Slot>>,
    /// An editor's JSON, which goes where `{payload}` stands, encoded last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<serde_json::Value>,
    /// Earlier steps of terminals that need a conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Vec<Vec<String>>>,
    /// The argv to use where no server runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<Vec<String>>,
    /// What it opens.
    pub request: Request,
    /// How it is run.
    pub transport: Transport,
    /// A line to read and paste; no values of `env`.
    pub display: String,
}

/// Refuses a host that may not be handed to ssh.
fn check_hosts(host: Option<&Word>, items: &[Item]) -> Result<(), Failure> {
    let own = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| Some((format!("items[{index}].host"), item.host.as_ref()?)));
    for (path, host) in host
        .map(|host| ("host".to_owned(), host))
        .into_iter()
        .chain(own)
    {
        HostAlias::parse(host.as_str())
            .map_err(|error| Failure::bad_host(path, error.to_string()))?;
    }
    Ok(())
}

/// Refuses an item with two commands.
pub(crate) fn check_items(items: &[Item]) -> Result<(), Failure> {
    for (index, item) in items.iter().enumerate() {
        if item.command.is_some() && item.shell_command.is_some() {
            return Err(Failure::params(
                format!("items[{index}]"),
                format!("items[{index}] has both command and shellCommand, and can have only one"),
            )
            .hint("send command (a list of words) or shellCommand (one line for the shell)"));
        }
    }
    Ok(())
}

/// `plan`: how a batch is laid out. Pure.
pub enum Plan {}

impl Method for Plan {
    const NAME: &'static str = "plan";
    const SUMMARY: &'static str = "How a batch of surfaces is laid out. Pure.";
    type Params = PlanParams;
    type Result = PlanResult;

    fn check(params: &PlanParams) -> Result<(), Failure> {
        check_hosts(
            params.host.as_ref(),
            params.items.as_deref().unwrap_or_default(),
        )?;
        match (&params.items, params.count) {
            (Some(items), None) => check_items(items),
            (None, Some(count)) if count <= 10_000 => Ok(()),
            (None, Some(_)) => Err(Failure::params("count", "count must be at most 10000")),
            (Some(_), Some(_)) => Err(Failure::params("", "plan takes items or count, not both")),
            (None, None) => Err(Failure::params("", "plan needs items or count")),
        }
    }

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "five surfaces, two to a tab",
            params: json!({ "count": 5 }),
            result: Some(json!({ "layouts": ["tab", "split-right", "tab", "split-right", "tab"] })),
        }]
    }
}

/// `build`: the exact commands that `open` would run. Pure with an explicit context that has no pid.
pub enum Build {}

impl Method for Build {
    const NAME: &'static str = "build";
    const SUMMARY: &'static str = "The exact commands that open would run; opens nothing.";
    type Params = BuildParams;
    type Result = BuildResult;

    fn check(params: &BuildParams) -> Result<(), Failure> {
        check_items(&params.items)
    }

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "a tmux window, as the launch engine spells it",
            params: json!({
                "backend": "tmux", "handles": false, "context": {},
                "items": [{ "cwd": "/x/y", "command": ["claude@2.1.187", "--resume", "cad0e546"] }],
            }),
            result: Some(json!({ "specs": [{
                "argv": ["tmux", "new-window", "-c", "/x/y", "zsh -ilc 'exec claude@2.1.187 --resume cad0e546'"],
                "request": { "backend": "tmux", "layout": "tab", "cwd": "/x/y", "command": ["claude@2.1.187", "--resume", "cad0e546"] },
                "transport": { "kind": "local" },
                "display": r"tmux new-window -c /x/y 'zsh -ilc '\''exec claude@2.1.187 --resume cad0e546'\'''",
            }] })),
        }]
    }
}
