//! `seat.*` and `layout.*`: windows of tmux in which a supervisor runs agents in isolation.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::Failure;
use super::few::few;
use super::launch::Context;
use super::method::{Empty, methods};
use super::surface::SurfaceRef;
use super::surfaces::{Exit, Text};
use super::text::{AbsolutePath, Env, Word};

/// A prompt that is answered once when it shows on the pane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a prompt to confirm, which is an object"
)]
pub struct Confirm {
    /// A regular expression that is looked for in the pane's text.
    pub pattern: Word,
    /// The keys to press, by tmux's names.
    pub keys: Vec<Word>,
    /// How long to look, in milliseconds; absent: 10000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Parameters of `seat.spawn`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct SpawnParams {
    /// The space, which becomes the tmux session `surfaced-<space>`.
    pub space: Word,
    /// The seat's name, which becomes the name of its window.
    pub name: Word,
    /// The program.
    pub command: Word,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<Word>>,
    /// Variables over the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Env>,
    /// Of the base keep only TERM, TMUX and `TMUX_PANE`; absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact_env: Option<bool>,
    /// The working directory; with `host` absent: the home there. Without `host` it has to be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// What a graceful stop types; absent: `/exit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_phrase: Option<Word>,
    /// A prompt to answer once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirm>,
    /// The host; absent: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Word>,
}

/// Result of `seat.spawn`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Spawned {
    /// Names the seat in every later call, also to another daemon.
    pub reference: SurfaceRef,
    /// The tmux session's name.
    pub session: String,
    /// `@N`.
    pub window_id: String,
    /// `%N`.
    pub pane_id: String,
    /// The line that shows it.
    pub attach: String,
}

/// Parameters of methods that name a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct SeatParams {
    /// The seat.
    pub reference: SurfaceRef,
}

/// Whether a seat's program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeatState {
    /// It does.
    Running,
    /// It ended, and its end was seen.
    Exited,
    /// tmux itself says that it is not there.
    Gone,
}

/// Result of `seat.status`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeatStatus {
    /// Whether it runs.
    pub state: SeatState,
    /// Its exit status, where it exited and that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

impl SeatStatus {
    /// A state of which no more is known.
    #[must_use]
    pub const fn of(state: SeatState) -> Self {
        Self {
            state,
            exit_code: None,
            signal: None,
        }
    }
}

/// Parameters of `seat.stop`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct StopParams {
    /// The seat.
    pub reference: SurfaceRef,
    /// Type the exit phrase first; absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graceful: Option<bool>,
    /// Milliseconds for the program to end by itself; absent: 1500.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grace_ms: Option<u64>,
    /// Milliseconds for all of it, from the call; absent: 8000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Result of `seat.stop`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Stopped {
    /// `exited`, or `gone` where it was not there any more.
    pub state: SeatState,
}

/// Parameters of `seat.capture`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct SeatCaptureParams {
    /// The seat.
    pub reference: SurfaceRef,
    /// The last so many lines, scrollback included; absent: what is visible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
}

/// Parameters of `seat.list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct SeatListParams {
    /// Only those of this space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<Word>,
}

/// A seat as `seat.list` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Seat {
    /// Names it in every call.
    pub reference: SurfaceRef,
    /// Its space.
    pub space: String,
    /// Its name.
    pub name: String,
    /// The tmux session's name.
    pub session: String,
    /// Whether it runs; absent: that cannot be told now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<SeatState>,
    /// Its exit status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// The argv.
    pub command: Vec<String>,
    /// Where it started.
    pub cwd: String,
    /// Its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// When it was spawned, RFC 3339.
    pub started_at: String,
    /// `true`: its pane or its window was moved out of its place. It is shown where it is now, and nothing is done to it: a stop or a
    /// reap is refused until it is moved back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<bool>,
    /// The line that shows it; absent: it has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attach: Option<String>,
    /// The host; absent: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// Result of `seat.list`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeatListResult {
    /// In the order in which they were spawned.
    pub seats: Vec<Seat>,
}

/// Parameters of `seat.wait`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct SeatWaitParams {
    /// The seat.
    pub reference: SurfaceRef,
    /// Milliseconds; absent: 8000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// What a reap found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was not there any more.
    Absent,
    /// It was ended and its window closed.
    Reaped,
}

/// Result of `seat.reap`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reaped {
    /// What was found.
    pub outcome: Outcome,
    /// One sentence.
    pub detail: String,
}

/// The direction of a split: `vertical` is side by side, `horizontal` stacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Side by side.
    Vertical,
    /// Stacked.
    Horizontal,
}

/// How the panes of a tab share it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a split, which is an object"
)]
pub struct Split {
    /// Side by side or stacked.
    pub direction: Direction,
    /// The part of the first pane, between 0 and 1; absent: equal parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// One pane of a tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a pane, which is an object"
)]
pub struct PaneItem {
    /// The program.
    pub command: Word,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<Word>>,
    /// Variables for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Env>,
    /// The working directory; absent: the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// A prompt to answer once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<Confirm>,
}

/// The panes of a tab.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "a tab, which is an object"
)]
pub struct TabItem {
    /// At least one.
    #[serde(deserialize_with = "few")]
    #[schemars(length(max = 1000))]
    pub panes: Vec<PaneItem>,
    /// How they share it; absent: side by side in equal parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
}

/// Parameters of `layout.open`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct LayoutOpenParams {
    /// The name of the window.
    pub label: Word,
    /// Its panes.
    pub tab: TabItem,
    /// Whether it takes the focus; absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<bool>,
    /// Where the caller is; it must be inside tmux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// Result of `layout.open`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutOpened {
    /// The window's reference: a tmux reference without a pane.
    pub window: SurfaceRef,
    /// The panes, in order.
    pub panes: Vec<SurfaceRef>,
}

/// Parameters of `layout.close`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct LayoutCloseParams {
    /// The window.
    pub window: SurfaceRef,
}

/// Parameters of `layout.refs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct LayoutRefsParams {
    /// The label to look for.
    pub label: Word,
    /// Where the caller is; it must be inside tmux.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
}

/// Result of `layout.refs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutRefs {
    /// The windows of the caller's session with this label.
    pub windows: Vec<SurfaceRef>,
}

fn check_confirm(path: &str, confirm: Option<&Confirm>) -> Result<(), Failure> {
    match confirm {
        Some(confirm) if confirm.keys.is_empty() => Err(Failure::params(
            format!("{path}.keys"),
            "confirm needs at least one key to press",
        )),
        _ => Ok(()),
    }
}

methods! {
    /// `seat.spawn`.
    SeatSpawn "seat.spawn" "Runs a program in an isolated tmux window." SpawnParams => Spawned, |p| {
        if p.command.is_empty() {
            return Err(Failure::params("command", "command must not be empty"));
        }
        if p.cwd.is_none() && p.host.is_none() {
            return Err(Failure::params("cwd", "cwd is missing").hint("name the directory of the seat"));
        }
        check_confirm("confirm", p.confirm.as_ref())
    };
    /// `seat.status`.
    SeatStatusOf "seat.status" "Whether a seat's program runs." SeatParams => SeatStatus;
    /// `seat.stop`.
    SeatStop "seat.stop" "Ends a seat; answers when the end is proven." StopParams => Stopped;
    /// `seat.interrupt`.
    SeatInterrupt "seat.interrupt" "Presses C-c in a seat." SeatParams => Empty;
    /// `seat.capture`.
    SeatCapture "seat.capture" "The text on a seat's pane." SeatCaptureParams => Text;
    /// `seat.list`.
    SeatList "seat.list" "The seats, with their state and how to look at them." SeatListParams => SeatListResult;
    /// `seat.wait`.
    SeatWait "seat.wait" "Waits for a seat's program to end." SeatWaitParams => Exit;
    /// `seat.reap`.
    SeatReap "seat.reap" "Ends what is left of a seat and closes its window." SeatParams => Reaped;
    /// `layout.open`.
    LayoutOpen "layout.open" "Opens a window of several panes in the caller's tmux session." LayoutOpenParams => LayoutOpened, |p| {
        if p.tab.panes.is_empty() {
            return Err(Failure::params("tab.panes", "tab.panes must hold at least one pane"));
        }
        for (index, pane) in p.tab.panes.iter().enumerate() {
            if pane.command.is_empty() {
                return Err(Failure::params(format!("tab.panes[{index}].command"), "command must not be empty"));
            }
            check_confirm(&format!("tab.panes[{index}].confirm"), pane.confirm.as_ref())?;
        }
        match p.tab.split.as_ref().and_then(|split| split.ratio) {
            Some(ratio) if !(ratio > 0.0 && ratio < 1.0) => {
                Err(Failure::params("tab.split.ratio", "ratio must lie between 0 and 1"))
            }
            _ => Ok(()),
        }
    };
    /// `layout.close`.
    LayoutClose "layout.close" "Closes a window that layout.open made." LayoutCloseParams => Empty;
    /// `layout.refs`.
    LayoutRefsOf "layout.refs" "The windows with a label in the caller's tmux session." LayoutRefsParams => LayoutRefs;
}
