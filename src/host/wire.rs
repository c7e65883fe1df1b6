//! The private protocol: frames of a length, a kind and a payload.
//!
//! A frame is four bytes of length (little-endian, of what follows), one byte of kind, and the payload. Both sides say
//! hello first. It grows by additions only, so that hosts of older versions are still served: a host ignores fields and
//! frames it does not know, and answers an operation that it does not know with `unknown`.

use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::proto::surfaces::Exit;

/// The version of this protocol. A host says the version it speaks; what later versions added is not asked of it.
pub const VERSION: u32 = 1;

/// The longest frame that a host reads.
pub const LONGEST_TO_HOST: usize = 8 << 20;

/// The longest frame that a host writes: a capture of the largest screen and scrollback.
pub const LONGEST_FROM_HOST: usize = 1 << 30;

/// To the host: [`Greeting`].
pub const GREETING: u8 = 1;
/// To the host: [`Request`].
pub const REQUEST: u8 = 2;
/// To the host: bytes for the program. Not answered; when too many wait, the host stops reading this connection.
pub const INPUT: u8 = 3;
/// To the host: [`Attach`]; from then on the connection is a viewer.
pub const ATTACH: u8 = 4;
/// To the host: [`Size`], of the viewer.
pub const RESIZE: u8 = 5;

/// From the host: [`Hello`].
pub const HELLO: u8 = 16;
/// From the host: [`Reply`].
pub const REPLY: u8 = 17;
/// From the host: [`Event`].
pub const EVENT: u8 = 18;
/// From the host, to viewers: eight bytes of revision (little-endian, the total up to the end of this frame), then output.
pub const OUTPUT: u8 = 19;
/// From the host, to viewers: four bytes of length (little-endian), a [`Head`] of that length, then the drawing.
pub const SNAPSHOT: u8 = 20;

/// What a client says first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// The version that it speaks.
    pub protocol: u32,
    /// It is the daemon. The first one is told, after the hello, what happened before it came.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub daemon: bool,
}

/// What a host says first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// The version that it speaks.
    pub protocol: u32,
    /// The state of its terminal.
    pub state: State,
    /// What it was made with, for the daemon: what is on the disk may be damaged. Absent: a host of an older version, or it was
    /// asked by another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Box<Record>>,
}

/// What changes about a terminal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The program's process.
    pub pid: Option<u32>,
    /// The device of its terminal, such as `/dev/pts/3`.
    pub tty: Option<String>,
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
    /// The title.
    pub title: String,
    /// The working directory.
    pub cwd: String,
    /// Whether a shell waits at its prompt, where it tells.
    pub waiting: Option<bool>,
    /// How the program ended.
    pub exit: Option<Exit>,
}

/// An operation with a number that its reply repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The number.
    pub id: u64,
    /// What to do.
    #[serde(flatten)]
    pub operation: Operation,
}

/// What a host can be asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Operation {
    /// Type bytes, as base64.
    Input {
        /// The bytes.
        data: String,
    },
    /// Press keys, by tmux's names.
    Keys {
        /// The names.
        keys: Vec<String>,
    },
    /// Change the size.
    Resize(Size),
    /// The kept lines.
    Lines {
        /// With attributes as SGR sequences.
        ansi: bool,
        /// Only those on the screen.
        #[serde(default)]
        visible: bool,
    },
    /// The screen.
    Snapshot,
    /// Hang up: SIGHUP for the program.
    HangUp,
    /// Write nothing more down, and end as soon as the program did.
    Forget,
    /// Of a host that is newer or older than this program.
    #[serde(other)]
    Unknown,
}

/// A size in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub cols: u16,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The request's number.
    pub id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It was done.
    Done,
    /// The kept lines.
    Lines {
        /// Each without a newline.
        lines: Vec<String>,
    },
    /// The screen.
    Snapshot {
        /// What it shows.
        head: Head,
        /// The drawing, as base64.
        drawing: String,
    },
    /// The program has ended.
    Ended,
    /// Too much input waits for the program already.
    Full,
    /// The host does not know this operation.
    Unknown,
}

/// What a drawing shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Rows of the content.
    pub rows: u16,
    /// Columns of the content.
    pub cols: u16,
    /// The cursor's row, from 0.
    pub row: u16,
    /// The cursor's column, from 0.
    pub col: u16,
    /// Whether the cursor is shown.
    pub visible: bool,
    /// Output with a greater revision comes after it.
    pub revision: u64,
}

/// How a viewer looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attach {
    /// Begin with a snapshot.
    pub replay: bool,
    /// A person types here: the size of the newest such viewer is the terminal's.
    pub interactive: bool,
    /// The viewer has one screen only: it gets drawings of what is visible wherever the program changes between its two.
    pub one_screen: bool,
    /// The viewer's size.
    pub size: Option<Size>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// The title is another.
    Title {
        /// The title.
        title: String,
    },
    /// The directory is another.
    Cwd {
        /// The directory.
        cwd: String,
    },
    /// A command mark.
    Command(Command),
    /// The size is another.
    Resized(Size),
    /// To one viewer: so many bytes of output are missing here. A snapshot follows.
    Gap {
        /// The bytes.
        missed: u64,
    },
    /// The program ended; all of its output came before.
    Exit {
        /// How.
        exit: Exit,
        /// When, milliseconds since 1970.
        at_ms: u64,
    },
    /// Of a newer host.
    #[serde(other)]
    Unknown,
}

/// What a shell with integration says of its commands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Command {
    /// It waits at its prompt.
    Prompt,
    /// A command starts.
    Started {
        /// The line, where the shell tells it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<String>,
    },
    /// It ended.
    Finished {
        /// With this status, where the shell tells it.
        #[serde(default, rename = "exitCode", skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
    },
}

/// A frame with this payload.
#[must_use]
pub fn frame(kind: u8, payload: &[&[u8]]) -> Vec<u8> {
    let length = 1 + payload.iter().map(|part| part.len()).sum::<usize>();
    let mut frame = Vec::with_capacity(4 + length);
    frame.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    frame.push(kind);
    for part in payload {
        frame.extend_from_slice(part);
    }
    frame
}

/// A frame with a JSON payload.
#[must_use]
pub fn json<T: Serialize>(kind: u8, value: &T) -> Vec<u8> {
    // Plain data with string keys always has a JSON form.
    frame(kind, &[&serde_json::to_vec(value).unwrap_or_default()])
}

/// A snapshot frame.
#[must_use]
pub fn snapshot(head: &Head, drawing: &[u8]) -> Vec<u8> {
    let head = serde_json::to_vec(head).unwrap_or_default();
    let length = u32::try_from(head.len()).unwrap_or(0).to_le_bytes();
    frame(SNAPSHOT, &[&length, &head, drawing])
}

/// The two parts of a snapshot frame's payload.
#[must_use]
pub fn read_snapshot(payload: &[u8]) -> Option<(Head, &[u8])> {
    let (length, rest) = payload.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (head, drawing) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(head).ok()?, drawing))
}

/// The two parts of an output frame's payload.
#[must_use]
pub fn read_output(payload: &[u8]) -> Option<(u64, &[u8])> {
    let (revision, bytes) = payload.split_first_chunk::<8>()?;
    Some((u64::from_le_bytes(*revision), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_version_says_is_not_an_error() {
        let request: Request =
            serde_json::from_str(r#"{"id":3,"do":"dance","how":"well"}"#).unwrap();
        assert_eq!(request.operation, Operation::Unknown);
        let event: Event = serde_json::from_str(r#"{"type":"weather"}"#).unwrap();
        assert_eq!(event, Event::Unknown);
        let hello: Hello =
            serde_json::from_str(r#"{"protocol":1,"state":{"rows":2,"new":1}}"#).unwrap();
        assert_eq!(hello.state.rows, 2);
        let request = Request {
            id: 1,
            operation: Operation::Resize(Size { rows: 2, cols: 3 }),
        };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(text, r#"{"id":1,"do":"resize","rows":2,"cols":3}"#);
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request);
    }

    #[test]
    fn snapshots_are_read_back() {
        let head = Head {
            rows: 1,
            cols: 2,
            row: 0,
            col: 1,
            visible: true,
            revision: 9,
        };
        let frame = snapshot(&head, b"\x1b[H");
        assert_eq!(read_snapshot(&frame[5..]), Some((head, &b"\x1b[H"[..])));
        assert_eq!(read_snapshot(b"\xff\xff\xff\xff"), None);
    }
}
