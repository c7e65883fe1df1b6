//! `terminal.*`: terminals that the daemon hosts.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::daemon::Subscribed;
use super::error::Failure;
use super::method::{Empty, Method, Stream, methods};
use super::surfaces::Exit;
use super::text::{AbsolutePath, Env, Word};

/// The greatest number of rows and of columns.
pub const MAX_SIZE: u16 = 1000;

/// The longest name and the longest title that a caller may give, in characters.
const MAX_NAME: usize = 200;
pub(super) const MAX_TITLE: usize = 1000;

/// Refuses what would spoil every list that shows it.
pub(super) fn label(what: &str, text: &str, most: usize) -> Result<(), Failure> {
    let refused = |why: String| {
        Err(Failure::params(what, format!("{what} {why}")).hint(format!(
            "a {what} is one line of at most {most} characters, without escape sequences"
        )))
    };
    if text.chars().any(char::is_control) {
        return refused("must not hold control characters".to_owned());
    }
    let count = text.chars().count();
    if count > most {
        return refused(format!(
            "must not be longer than {most} characters, and has {count}"
        ));
    }
    Ok(())
}

/// What rows and columns are.
const SIDE: &str = "a whole number from 1 to 1000";

/// Reads rows or columns; what they must be is said once, whatever is wrong.
fn side<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    Side::deserialize(deserializer).map(|side| side.0)
}

/// The same where they may be absent.
fn some_side<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    Ok(Option::<Side>::deserialize(deserializer)?.map(|side| side.0))
}

struct Side(u32);

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_u32(SideVisitor)
    }
}

struct SideVisitor;

impl Visitor<'_> for SideVisitor {
    type Value = Side;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SIDE)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Side, E> {
        match u32::try_from(value) {
            Ok(side) if (1..=u32::from(MAX_SIZE)).contains(&side) => Ok(Side(side)),
            _ => Err(E::invalid_value(Unexpected::Unsigned(value), &self)),
        }
    }
}

/// Parameters of `terminal.create`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct CreateParams {
    /// Absent: the caller's, else home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
    /// The program; absent: the login shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Word>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<Word>>,
    /// The shell to run where there is no command; absent: the login shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Word>,
    /// Variables over the daemon's allow-list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Env>,
    /// Absent: 24.
    #[serde(
        default,
        deserialize_with = "some_side",
        skip_serializing_if = "Option::is_none"
    )]
    pub rows: Option<u32>,
    /// Absent: 80.
    #[serde(
        default,
        deserialize_with = "some_side",
        skip_serializing_if = "Option::is_none"
    )]
    pub cols: Option<u32>,
    /// A name for people, of 1 to 200 characters of which none is a control character; absent: the program's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Word>,
    /// The title until the program sets one: at most 1000 characters, none of them a control character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Word>,
    /// A terminal agent: answers the terminal that it lives in, or opens it in a new one, as `agent.open` does. Its own
    /// command, directory and variables hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Word>,
}

/// Whether the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TerminalState {
    /// It does.
    Running,
    /// It ended.
    Exited,
}

/// A hosted terminal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Terminal {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The working directory: the program's own word (OSC 7), else where it started.
    pub cwd: String,
    /// The title.
    pub title: String,
    /// The argv.
    pub command: Vec<String>,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
    /// The program's process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Whether the program runs.
    pub state: TerminalState,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Exit>,
    /// Why it cannot be reached, or why its end is not known: the process that hosted it was ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it seems to wait for a person; absent where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for_input: Option<bool>,
    /// The last 12 lines, after the exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_output_lines: Option<Vec<String>>,
    /// The terminal agent that it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The line that shows it.
    pub attach: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
}

/// Parameters of `terminal.list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct TerminalListParams {
    /// Only those of this directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<AbsolutePath>,
}

/// Result of `terminal.list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TerminalListResult {
    /// In the order in which they were made.
    pub terminals: Vec<Terminal>,
}

/// Parameters of methods that name a terminal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct TerminalIdParams {
    /// The terminal.
    pub id: Word,
}

/// Parameters of `terminal.resize`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct ResizeParams {
    /// The terminal.
    pub id: Word,
    /// 1 to 1000.
    #[serde(deserialize_with = "side")]
    pub rows: u32,
    /// 1 to 1000.
    #[serde(deserialize_with = "side")]
    pub cols: u32,
}

/// Parameters of `terminal.input`: exactly one of `data` and `dataBase64`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct InputParams {
    /// The terminal.
    pub id: Word,
    /// Text, sent as UTF-8. NUL is allowed here: it is a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
    /// Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_base64: Option<String>,
}

/// Parameters of `terminal.capture`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct TerminalCaptureParams {
    /// The terminal.
    pub id: Word,
    /// The first line, from 0, the oldest kept; negative: from the end. Absent: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// The line after the last; negative: from the end. Absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<i64>,
    /// Plain text; absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strip_ansi: Option<bool>,
}

/// Result of `terminal.capture`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalCaptureResult {
    /// The lines, without newlines.
    pub lines: Vec<String>,
    /// How many are kept.
    pub total_lines: usize,
}

/// Where the cursor is, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cursor {
    /// The row, from 0.
    pub row: u16,
    /// The column, from 0.
    pub col: u16,
    /// Whether it is shown.
    pub visible: bool,
}

/// Result of `terminal.snapshot`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Rows of the content.
    pub rows: u16,
    /// Columns of the content.
    pub cols: u16,
    /// The cursor.
    pub cursor: Cursor,
    /// base64 of escape sequences that redraw the screen in an emulator of this size.
    pub screen: String,
    /// The revision that it shows; output with a greater one comes after it.
    pub revision: u64,
}

/// Parameters of `terminal.kill`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct KillParams {
    /// The terminal.
    pub id: Word,
    /// Milliseconds between hang-up and kill; absent: 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graceful_timeout_ms: Option<u64>,
    /// Milliseconds to wait after the kill; absent: 2000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_timeout_ms: Option<u64>,
}

/// Parameters of `terminal.wait`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct TerminalWaitParams {
    /// The terminal.
    pub id: Word,
    /// Milliseconds; absent: as long as it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Parameters of `terminal.attach`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct AttachParams {
    /// The terminal.
    pub id: Word,
    /// Begin with a snapshot; absent: true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<bool>,
    /// A person types here: with a size it resizes the terminal; absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interactive: Option<bool>,
    /// The viewer's rows; only together with `cols`.
    #[serde(
        default,
        deserialize_with = "some_side",
        skip_serializing_if = "Option::is_none"
    )]
    pub rows: Option<u32>,
    /// The viewer's columns; only together with `rows`.
    #[serde(
        default,
        deserialize_with = "some_side",
        skip_serializing_if = "Option::is_none"
    )]
    pub cols: Option<u32>,
}

/// An item of `terminal.attach`. The stream may also carry `gap` and ends with `end`, as every stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "lowercase",
    rename_all_fields = "camelCase"
)]
pub enum AttachItem {
    /// The whole screen.
    Snapshot(Snapshot),
    /// Bytes that the program wrote.
    Output {
        /// The bytes.
        data_base64: String,
        /// Counts bytes: the total written up to the end of this item.
        revision: u64,
    },
    /// The title changed.
    Title {
        /// The title.
        title: String,
    },
    /// The size changed.
    Resized {
        /// Rows.
        rows: u16,
        /// Columns.
        cols: u16,
    },
    /// The program ended; nothing but `end` follows.
    Exit(Exit),
}

methods! {
    /// `terminal.create`.
    Create "terminal.create" "Makes a terminal that outlives the daemon." CreateParams => Terminal, |p| {
        if p.command.as_ref().is_some_and(|command| command.is_empty()) {
            return Err(Failure::params("command", "command must not be empty")
                .hint("leave it out for the login shell"));
        }
        if let Some(name) = &p.name {
            if name.is_empty() {
                return Err(Failure::params("name", "name must not be empty")
                    .hint("leave it out to name the terminal after its program"));
            }
            label("name", name, MAX_NAME)?;
        }
        if let Some(title) = &p.title {
            label("title", title, MAX_TITLE)?;
        }
        if p.agent_id.is_some() {
            for (path, given) in [
                ("command", p.command.is_some()),
                ("shell", p.shell.is_some()),
                ("env", p.env.is_some()),
            ] {
                if given {
                    return Err(Failure::params(path, format!("an agent's terminal takes no {path}: the agent's own holds"))
                        .hint(format!("leave {path} out, or agentId")));
                }
            }
        }
        if p.command.is_none() && p.args.as_ref().is_some_and(|args| !args.is_empty()) {
            return Err(Failure::params("args", "args need a command").hint("name the program in command"));
        }
        Ok(())
    };
    /// `terminal.list`.
    TerminalList "terminal.list" "The terminals, exited ones included." TerminalListParams => TerminalListResult;
    /// `terminal.get`.
    TerminalGet "terminal.get" "One terminal." TerminalIdParams => Terminal;
    /// `terminal.resize`.
    Resize "terminal.resize" "Changes the size of a terminal." ResizeParams => Empty;
    /// `terminal.remove`.
    Remove "terminal.remove" "Forgets a terminal; a running one is killed first." TerminalIdParams => Empty;
    /// `terminal.input`.
    Input "terminal.input" "Sends bytes to the program." InputParams => Empty, |p| match (&p.data, &p.data_base64) {
        (Some(_), None) | (None, Some(_)) => Ok(()),
        _ => Err(Failure::params("", "terminal.input takes exactly one of data and dataBase64")
            .hint("data is text, dataBase64 any bytes")),
    };
    /// `terminal.capture`.
    TerminalCapture "terminal.capture" "The kept lines of a terminal." TerminalCaptureParams => TerminalCaptureResult;
    /// `terminal.snapshot`.
    TerminalSnapshot "terminal.snapshot" "The screen as escape sequences." TerminalIdParams => Snapshot;
    /// `terminal.kill`.
    Kill "terminal.kill" "Ends the program: hang-up, then kill." KillParams => Exit;
    /// `terminal.wait`.
    TerminalWait "terminal.wait" "Waits for the program to end." TerminalWaitParams => Exit;
}

/// `terminal.attach`: the screen, then everything that happens to it.
pub enum Attach {}

impl Method for Attach {
    const NAME: &'static str = "terminal.attach";
    const SUMMARY: &'static str =
        "The screen of a terminal, then everything that happens to it, the exit last.";
    type Params = AttachParams;
    type Result = Subscribed;

    fn check(params: &AttachParams) -> Result<(), Failure> {
        let missing = match (params.rows, params.cols) {
            (Some(_), None) => "cols",
            (None, Some(_)) => "rows",
            _ => return Ok(()),
        };
        Err(Failure::params(
            missing,
            format!("{missing} is missing: a viewer has both rows and cols, or none"),
        )
        .hint("send both to give the terminal the viewer's size, or none to leave it"))
    }
}

impl Stream for Attach {
    const END: &'static str = "terminal.detach";
    type Item = AttachItem;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_titles_are_one_short_line() {
        let check = |name: Option<&str>, title: Option<&str>| {
            let word = |text: &str| Word::parse(text).unwrap();
            Create::check(&CreateParams {
                name: name.map(word),
                title: title.map(word),
                ..CreateParams::default()
            })
        };
        let long = "n".repeat(100_000);
        for (name, title, path) in [
            (Some("build é ✻"), Some("a: b"), None),
            (None, Some(""), None),
            (Some(&*"é".repeat(MAX_NAME)), None, None),
            (Some(""), None, Some("name")),
            (Some(&*long), None, Some("name")),
            (Some("a\u{1b}[31m"), None, Some("name")),
            (Some("a\nb"), None, Some("name")),
            (None, Some("a\u{9b}2J"), Some("title")),
            (None, Some(&*long), Some("title")),
        ] {
            let refused = check(name, title).err();
            let found = refused
                .as_ref()
                .and_then(|failure| failure.data.path.as_deref());
            assert_eq!(found, path, "{refused:?}");
            assert!(refused.is_none_or(|failure| {
                failure.data.hint.is_some() && failure.message.len() < 200
            }));
        }
    }
}
