//! What the terminals of macOS have in common: `osascript` with one script, data as trailing words to `on run argv`.

use crate::backend::{Draft, Job, target_gone};
use crate::launch::step::{Answer, Ended, Invocation};
use crate::proto::{Failure, Kind, SurfaceRef};

/// The number that our scripts raise where the surface they look for does not exist.
pub(super) const NO_SURFACE: i32 = 9001;

/// Our scripts' separators of fields and records: no title holds them.
pub(super) const FIELD: char = '\u{1f}';
/// See [`FIELD`].
pub(super) const RECORD: char = '\u{1e}';

/// Numbers the words that follow a script.
///
/// `osascript` reads options up to the first word that is none, so a first word that looks like one gets another before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    words: Vec<String>,
    slots: Vec<(usize, String)>,
}

impl Args {
    /// The expression that yields this word in the script.
    pub(super) fn add(&mut self, word: impl Into<String>) -> String {
        let word = word.into();
        if self.words.is_empty() && word.starts_with('-') {
            self.words.push("surfaced".to_owned());
        }
        self.words.push(word);
        format!("(item {} of argv)", self.words.len())
    }

    /// The same for a word that holds `text`, which is not known yet.
    pub(super) fn add_slot(&mut self, word: String, text: &str) -> String {
        self.slots.push((self.words.len(), text.to_owned()));
        self.add(word)
    }

    /// The command: what stands in `body` is run with the words.
    pub(super) fn draft(self, body: &str) -> Draft {
        let first = 3;
        let mut draft = Draft::new(osascript(&format!("on run argv\n{body}\nend run")));
        draft.argv.extend(self.words);
        for (index, text) in self.slots {
            draft = draft.slot(first + index, &text);
        }
        draft
    }

    /// A step of a verb.
    pub(super) fn invocation(self, body: &str) -> Invocation {
        self.draft(body).invocation()
    }
}

fn osascript(script: &str) -> Vec<String> {
    ["osascript", "-e", script].map(str::to_owned).into()
}

/// A script of the launch engine's form, with the command as a literal in it. `script`: the command is a launch script.
pub(super) fn bare(job: &Job, text: &str, script: bool) -> Draft {
    let draft = Draft::new(osascript(text));
    if script {
        draft.with_script(job)
    } else {
        draft
    }
}

/// The line that brings the application to the front, where that is wanted.
pub(super) const fn activate(job: &Job) -> &'static str {
    if job.focus { "  activate\n" } else { "" }
}

/// What `osascript` printed, or why the application refused. `doing` completes "cannot …".
///
/// # Errors
/// `permission`, `target-gone` (of `surface`), `timeout`, `backend-unavailable`, else `spawn-failed`.
pub(super) fn read(
    answer: &Answer,
    app: &str,
    doing: &str,
    surface: Option<&SurfaceRef>,
) -> Result<String, Failure> {
    if answer.ok() {
        return Ok(answer.text().trim_end_matches('\n').to_owned());
    }
    let complaint = answer.complaint();
    let (kind, why, hint) = match (number(&complaint), &answer.ended) {
        (Some(NO_SURFACE | -1728), _) => {
            if let Some(surface) = surface {
                return Err(target_gone(surface));
            }
            (
                Kind::TargetGone,
                "it is gone",
                "list the surfaces that exist with surface.list",
            )
        }
        (Some(-1743), _) => (
            Kind::Permission,
            "macOS does not let this program control it",
            "allow it in System Settings, Privacy & Security, Automation",
        ),
        (Some(-600), _) => (Kind::BackendUnavailable, "it is not running", "start it"),
        (Some(-1712), _) | (None, Ended::TimedOut) => (
            Kind::Timeout,
            "it did not answer in time",
            "look whether a dialog of it waits for you",
        ),
        _ if complaint.contains("AppleScript is disabled") => (
            Kind::BackendUnavailable,
            "its configuration turns AppleScript off",
            "remove macos-applescript = false from its configuration",
        ),
        _ => {
            let why = if complaint.is_empty() {
                "osascript failed without a word"
            } else {
                complaint.as_str()
            };
            return Err(Failure::new(
                Kind::SpawnFailed,
                format!("cannot {doing} in {app}: {why}"),
            ));
        }
    };
    Err(Failure::new(kind, format!("cannot {doing} in {app}: {why}")).hint(hint))
}

/// The number at the end of a complaint: `… execution error: … (-1743)`.
fn number(complaint: &str) -> Option<i32> {
    let (_, number) = complaint.strip_suffix(')')?.rsplit_once('(')?;
    number.parse().ok()
}

/// A reference from what a script returned, if it is such an id.
pub(super) fn reference(backend: &str, id: &str) -> Option<SurfaceRef> {
    format!("{backend}::{id}").parse().ok()
}

/// The records that a listing script printed, each with so many fields; others are left out.
pub(super) fn records<const N: usize>(output: &str) -> Vec<[String; N]> {
    output
        .split(RECORD)
        .filter_map(|record| {
            let fields: Vec<_> = record.split(FIELD).map(str::to_owned).collect();
            fields.try_into().ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(complaint: &str) -> Answer {
        Answer {
            ended: Ended::Code(1),
            stdout: Vec::new(),
            stderr: complaint.as_bytes().to_vec(),
            report: Vec::new(),
        }
    }

    #[test]
    fn refusals_are_told_apart_by_their_numbers() {
        let surface = reference("iterm", "9F").unwrap();
        for (complaint, kind) in [
            (
                "0:5: execution error: Not authorized to send Apple events to Ghostty. (-1743)",
                Kind::Permission,
            ),
            (
                "12:40: execution error: no such session (9001)",
                Kind::TargetGone,
            ),
            (
                "execution error: Can’t get terminal id \"X\". (-1728)",
                Kind::TargetGone,
            ),
            (
                "execution error: iTerm got an error: AppleEvent timed out. (-1712)",
                Kind::Timeout,
            ),
            (
                "execution error: Application isn’t running. (-600)",
                Kind::BackendUnavailable,
            ),
            (
                "execution error: AppleScript is disabled by the macos-applescript configuration. (-1)",
                Kind::BackendUnavailable,
            ),
            (
                "syntax error: Expected end of line. (-2741)",
                Kind::SpawnFailed,
            ),
            ("", Kind::SpawnFailed),
        ] {
            let failure = read(
                &refused(complaint),
                "iTerm",
                "open a surface",
                Some(&surface),
            );
            assert_eq!(failure.unwrap_err().kind(), kind, "{complaint}");
        }
    }

    #[test]
    fn no_word_is_an_option_of_osascript() {
        let mut args = Args::default();
        assert_eq!(args.add("-e"), "(item 2 of argv)");
        assert_eq!(args.draft("").argv[3..], ["surfaced", "-e"]);
    }

    #[test]
    fn records_keep_whatever_a_title_holds() {
        let output = format!("a{FIELD}b, \"c\"\n{RECORD}broken{RECORD}d{FIELD}{RECORD}");
        assert_eq!(records::<2>(&output), [["a", "b, \"c\"\n"], ["d", ""]]);
    }
}
