//! What became of a command: done, proven absent, or unknown.

use crate::launch::step::{Answer, Ended};
use crate::proto::{Failure, Kind};

use super::command::Command;
use super::guard::is_other;

/// What tmux itself said does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// No server runs on the socket, or another one than was meant.
    Server,
    /// The session.
    Session,
    /// The window.
    Window,
    /// The pane.
    Pane,
    /// The program in the pane, which was kept.
    Program,
    /// A way into the pane: a person switched its input off.
    Input,
}

/// What is known where tmux said nothing: it may have done it, or do it yet.
const UNANSWERED: [&str; 2] = [
    "tmux did not answer in time",
    "the link to the host broke before tmux answered",
];

/// What became of a command.
///
/// The difference between the last two is kept everywhere: a surface that is proven gone may be forgotten, one of which
/// nothing is known may not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It was done.
    Done(T),
    /// tmux said in its own words that its object does not exist; nothing was done.
    Absent(Absent),
    /// Anything else, with what is known of it: it may have been done or not.
    Unknown(String),
}

impl<T> Outcome<T> {
    /// The outcome of `command` from the answer to it.
    pub fn of(command: &impl Command<Output = T>, answer: &Answer) -> Self {
        match answer.ended {
            Ended::Code(0) => command.read(&answer.text()),
            Ended::Code(code) => {
                let complaint = answer.complaint();
                match absence(&complaint) {
                    Some(absent) => Self::Absent(absent),
                    None if complaint.is_empty() => {
                        Self::Unknown(format!("tmux ended with status {code} and said nothing"))
                    }
                    None => Self::Unknown(complaint),
                }
            }
            Ended::Signal(signal) => Self::Unknown(format!("tmux was ended by signal {signal}")),
            Ended::TimedOut | Ended::Stays { .. } => Self::Unknown(UNANSWERED[0].to_owned()),
            Ended::Lost => Self::Unknown(UNANSWERED[1].to_owned()),
        }
    }

    /// The result of a command on an existing surface. `doing` completes "`cannot` …".
    ///
    /// # Errors
    /// `target-gone` where the absence is proven, `state-unknown` otherwise.
    pub fn on_surface(self, doing: &str) -> Result<T, Failure> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Absent(Absent::Input) => Err(closed(doing)),
            Self::Absent(absent) => Err(Failure::new(
                Kind::TargetGone,
                match absent {
                    Absent::Server => format!("cannot {doing}: its tmux server has ended"),
                    Absent::Program => format!("cannot {doing}: its program has ended"),
                    _ => format!("cannot {doing}: it was closed"),
                },
            )
            .hint("`surfaced surfaces` lists those that exist")),
            Self::Unknown(why) if UNANSWERED.contains(&why.as_str()) => Err(Failure::new(
                Kind::StateUnknown,
                format!("it is not known whether tmux did {doing}: {why}"),
            )
            .hint("it may do so yet; look with `surfaced surfaces` when it answers again")),
            Self::Unknown(why) => Err(Failure::new(
                Kind::StateUnknown,
                format!("cannot {doing}: {why}"),
            )),
        }
    }

    /// The same with another result.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Done(done) => Outcome::Done(change(done)),
            Self::Absent(absent) => Outcome::Absent(absent),
            Self::Unknown(why) => Outcome::Unknown(why),
        }
    }
}

/// The failure of what is sent to a pane whose input is switched off. `doing` completes "`cannot` …".
#[must_use]
pub fn closed(doing: &str) -> Failure {
    Failure::new(
        Kind::NotSupported,
        format!("cannot {doing}: the input of its pane is switched off"),
    )
    .hint("switch it on: tmux select-pane -e -t PANE")
}

/// Whether an answer says that no server is there, or another one than was meant ([`super::OnServer`]). The socket alone says
/// that: a server whose socket somebody removed lives on.
#[must_use]
pub fn lacks_server(answer: &Answer) -> bool {
    match answer.ended {
        Ended::Code(0) => is_other(&answer.text()),
        Ended::Code(_) => absence(&answer.complaint()) == Some(Absent::Server),
        _ => false,
    }
}

/// The outcome where tmux printed something that this program does not understand.
pub(super) fn garbled<T>(output: &str) -> Outcome<T> {
    let line: String = output
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(120)
        .collect();
    Outcome::Unknown(format!("tmux answered {line:?}, which cannot be read"))
}

/// What a complaint proves absent: only tmux's own words count.
#[must_use]
pub fn absence(complaint: &str) -> Option<Absent> {
    complaint.lines().find_map(|line| {
        let connecting = line.starts_with("error connecting to ")
            && line.ends_with(" (No such file or directory)");
        [
            ("can't find pane: ", Absent::Pane),
            ("can't find window: ", Absent::Window),
            ("can't find session: ", Absent::Session),
            ("no server running on ", Absent::Server),
            // Of a server without a session, which is about to end: every command here names its target or all of them.
            ("no current target", Absent::Server),
        ]
        .into_iter()
        .find_map(|(words, absent)| line.starts_with(words).then_some(absent))
        .or(connecting.then_some(Absent::Server))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_of_tmux_prove_absence() {
        for (complaint, expected) in [
            ("can't find pane: %99", Some(Absent::Pane)),
            ("can't find window: @9", Some(Absent::Window)),
            ("can't find session: $9", Some(Absent::Session)),
            (
                "no server running on /tmp/tmux-0/default",
                Some(Absent::Server),
            ),
            (
                "error connecting to /tmp/x (No such file or directory)",
                Some(Absent::Server),
            ),
            ("no current target", Some(Absent::Server)),
            ("error connecting to /tmp/x (Permission denied)", None),
            (
                "error connecting to /tmp/x (Resource temporarily unavailable)",
                None,
            ),
            ("server exited unexpectedly", None),
            ("lost server", None),
            ("sh: can't find pane: %1", None),
            ("no such file or directory", None),
            ("", None),
        ] {
            assert_eq!(absence(complaint), expected, "{complaint:?}");
        }
    }
}
