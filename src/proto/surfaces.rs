//! `surface.*`: what can be done with a surface once it is open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::launch::BackendId;
use super::method::{Empty, methods};
use super::surface::SurfaceRef;
use super::text::Word;

/// How a program ended, of every wait: `exited: false` means that the time was up; an unknown status has neither field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exit {
    /// Whether it ended.
    pub exited: bool,
    /// Its exit status, 0 to 255.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

impl Exit {
    /// It ended, and how is not known.
    #[must_use]
    pub fn unknown() -> Self {
        Self {
            exited: true,
            ..Self::default()
        }
    }
}

/// Parameters of `surface.list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct ListParams {
    /// Only of this backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<BackendId>,
    /// Those of a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Word>,
}

/// A surface that exists now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SurfaceInfo {
    /// Its reference.
    pub surface: SurfaceRef,
    /// Its terminal.
    pub backend: BackendId,
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The working directory of what runs in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What runs in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Whether it has the focus of its terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// How its program ended, where it has and the terminal keeps the surface; absent: it runs, as far as is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
}

/// Result of `surface.list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    /// The surfaces that could be seen.
    pub surfaces: Vec<SurfaceInfo>,
    /// Which terminals could not be asked, so that surfaces of theirs may be left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// Parameters of `surface.inject`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct InjectParams {
    /// The surface that gets the text.
    pub surface: SurfaceRef,
    /// Literal text: `Enter` is five letters.
    pub text: Word,
    /// Press Enter after it; absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enter: Option<bool>,
    /// Text and Enter in one write; absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combined: Option<bool>,
    /// Only show the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Parameters of `surface.keys`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct KeysParams {
    /// The surface that gets the keys.
    pub surface: SurfaceRef,
    /// tmux's names: `Enter`, `Escape`, `C-c`, `M-x`, `Up`, `F1`, single characters.
    pub keys: Vec<Word>,
    /// Only show the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Parameters of `surface.capture`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct CaptureParams {
    /// The surface to read.
    pub surface: SurfaceRef,
    /// The last so many lines, scrollback included; absent: what is visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// Only show the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Parameters of `surface.focus` and `surface.close`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct SurfaceParams {
    /// The surface.
    pub surface: SurfaceRef,
    /// Only show the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Parameters of `surface.wait`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct WaitParams {
    /// The surface.
    pub surface: SurfaceRef,
    /// Milliseconds; absent: as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Only show the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// The command that a `dryRun` shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpecShown {
    /// As `build` shows it.
    pub spec: SurfaceSpec,
}

/// The exact command of one `surface.*` call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SurfaceSpec {
    /// The words.
    pub argv: Vec<String>,
    /// Bytes for its standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// Later steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Vec<Vec<String>>>,
    /// How it is run.
    pub transport: super::launch::Transport,
    /// A line to read and paste.
    pub display: String,
}

/// An answer, or the command where `dryRun` was set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Or<T> {
    /// What `dryRun` answers.
    Shown(SpecShown),
    /// What was done.
    Done(T),
}

/// Result of `surface.inject`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Writes {
    /// How many writes were made.
    pub writes: u32,
}

/// Result of `surface.capture`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Text {
    /// Lines that end in a newline, blanks at their ends removed.
    pub text: String,
}

methods! {
    /// `surface.list`.
    List "surface.list" "The surfaces that can be seen now." ListParams => ListResult;
    /// `surface.inject`.
    Inject "surface.inject" "Types text into one surface." InjectParams => Or<Writes>;
    /// `surface.keys`.
    Keys "surface.keys" "Presses keys in one surface." KeysParams => Or<Empty>;
    /// `surface.capture`.
    Capture "surface.capture" "The text on one surface." CaptureParams => Or<Text>;
    /// `surface.focus`.
    Focus "surface.focus" "Brings one surface to the front." SurfaceParams => Or<Empty>;
    /// `surface.close`.
    Close "surface.close" "Closes one surface." SurfaceParams => Or<Empty>;
    /// `surface.wait`.
    Wait "surface.wait" "Waits for the program in one surface to end." WaitParams => Or<Exit>;
}
