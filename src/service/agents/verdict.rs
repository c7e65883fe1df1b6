//! What the end of a program says of its agent: a function from what was seen to a state and a sentence.

use std::ops::RangeInclusive;

use crate::os::signal_name;
use crate::proto::agent::{Lifecycle, Place};
use crate::proto::surfaces::Exit;
use crate::provider::Provider;

/// A program that ends with an error within this time has not begun to work.
const SHORT_MS: u64 = 10_000;

/// The statuses with which a shell says that it could not run a program.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// The statuses with which a program or its shell says that a signal ended it: 128 and its number.
const SIGNALS: RangeInclusive<i32> = 129..=159;

/// What was seen of an end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    /// The status or the signal. Neither: nobody saw it.
    pub(super) exit: Exit,
    /// The last lines that it left, where they can be read.
    pub(super) words: String,
    /// The place itself was closed or removed.
    pub(super) place_gone: bool,
}

/// What is known beside that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case<'a> {
    pub(super) provider: Option<&'a Provider>,
    /// Its name for people.
    pub(super) label: &'a str,
    pub(super) place: &'a Place,
    /// Somebody closed the agent.
    pub(super) wanted: bool,
    /// The machine was started again since.
    pub(super) rebooted: bool,
    /// How long it ran.
    pub(super) lasted_ms: u64,
    /// The conversation that it was to take up.
    pub(super) resumed: Option<&'a str>,
}

/// What becomes of the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) lifecycle: Lifecycle,
    /// Why, without what to do next.
    pub(super) why: Option<String>,
    /// The provider says that it has no such conversation.
    pub(super) missing: bool,
}

impl Verdict {
    const fn closed() -> Self {
        Self {
            lifecycle: Lifecycle::Closed,
            why: None,
            missing: false,
        }
    }

    const fn of(lifecycle: Lifecycle, why: String) -> Self {
        Self {
            lifecycle,
            why: Some(why),
            missing: false,
        }
    }
}

/// Judges an end.
pub(super) fn judge(end: &End, case: &Case<'_>) -> Verdict {
    if case.wanted {
        return Verdict::closed();
    }
    let Case { label, .. } = case;
    let code = end.exit.exit_code;
    if let Some(provider) = case.provider
        && let Some(id) = case.resumed
        && code != Some(0)
        && let Some(words) = provider.missing_conversation(&end.words)
    {
        let why = format!("{label} has no conversation {id} and says: {words}");
        return Verdict {
            missing: true,
            ..Verdict::of(Lifecycle::Failed, why)
        };
    }
    let goodbye = match case.provider {
        Some(provider) => provider.said_goodbye(code, &end.words),
        None => code == Some(0),
    };
    if goodbye {
        return Verdict::closed();
    }
    if let Some(signal) = &end.exit.signal {
        let why = format!("{label} was ended by {signal}");
        return Verdict::of(Lifecycle::Interrupted, why);
    }
    let Some(code) = code else {
        return Verdict::of(Lifecycle::Interrupted, unseen(end, case));
    };
    if SIGNALS.contains(&code) {
        let why = format!("{label} was ended by {}", signal_name::name(code - 128));
        return Verdict::of(Lifecycle::Interrupted, why);
    }
    let words = last_line(&end.words).map_or_else(String::new, |line| format!(": {line}"));
    if CANNOT_RUN.contains(&code) {
        let why = format!("the program of {label} could not be run{words}");
        return Verdict::of(Lifecycle::Failed, why);
    }
    if case.lasted_ms < SHORT_MS {
        let why = match case.resumed {
            Some(id) => {
                format!("{label} did not take up conversation {id}, with status {code}{words}")
            }
            None => format!("{label} ended right after its start with status {code}{words}"),
        };
        return Verdict::of(Lifecycle::Failed, why);
    }
    let why = format!("{label} ended with status {code}{words}");
    Verdict::of(Lifecycle::Interrupted, why)
}

/// An end that nobody saw.
fn unseen(end: &End, case: &Case<'_>) -> String {
    let Case { label, .. } = case;
    if case.rebooted {
        return format!("the machine was restarted while {label} ran");
    }
    let place = match (case.place, end.place_gone) {
        (Place::Terminal {}, true) => "its terminal was removed",
        (Place::Terminal {}, false) => "the process that hosted its terminal was killed",
        (Place::Seat { .. }, _) => "its seat or the tmux server was closed",
        (Place::Surface { .. }, _) => "its surface was closed",
    };
    format!("{label} did not say goodbye: {place}, or its program was killed")
}

/// The last line that says something.
fn last_line(words: &str) -> Option<&str> {
    words
        .lines()
        .map(str::trim)
        .rfind(|line| line.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Providers;

    fn code(code: i32, words: &str) -> End {
        End {
            exit: Exit {
                exited: true,
                exit_code: Some(code),
                signal: None,
            },
            words: words.to_owned(),
            place_gone: false,
        }
    }

    fn signal(name: &str) -> End {
        End {
            exit: Exit {
                exited: true,
                exit_code: None,
                signal: Some(name.to_owned()),
            },
            ..End::default()
        }
    }

    #[test]
    fn ends_are_told_apart() {
        use Lifecycle::{Closed, Failed, Interrupted};
        let providers = Providers::default();
        let base = Case {
            provider: providers.get("claude"),
            label: "Claude Code",
            place: &Place::Terminal {},
            wanted: false,
            rebooted: false,
            lasted_ms: 60_000,
            resumed: None,
        };
        let short = Case {
            lasted_ms: 100,
            ..base
        };
        let resumed = Case {
            resumed: Some("ID"),
            ..short
        };
        let missing = "No conversation found with session ID: ID\n";
        for (name, end, case, lifecycle, words) in [
            ("it exited", code(0, ""), base, Closed, ""),
            ("right away", code(0, ""), short, Closed, ""),
            ("killed", signal("SIGKILL"), base, Interrupted, "SIGKILL"),
            (
                "a crash",
                code(1, "a\nboom\n\n"),
                base,
                Interrupted,
                "status 1: boom",
            ),
            (
                "a broken version",
                code(1, "boom"),
                short,
                Failed,
                "right after its start with status 1: boom",
            ),
            (
                "no program",
                code(127, "not found"),
                base,
                Failed,
                "could not be run: not found",
            ),
            (
                "not resumed",
                code(2, "eh"),
                resumed,
                Failed,
                "did not take up conversation ID, with status 2: eh",
            ),
            (
                "unseen",
                End::default(),
                base,
                Interrupted,
                "hosted its terminal",
            ),
            (
                "missing",
                code(1, missing),
                resumed,
                Failed,
                "has no conversation ID and says: No conversation found with session ID: ID",
            ),
            (
                "restarted",
                End::default(),
                Case {
                    rebooted: true,
                    ..base
                },
                Interrupted,
                "the machine was restarted",
            ),
            (
                "closed",
                signal("SIGKILL"),
                Case {
                    wanted: true,
                    ..base
                },
                Closed,
                "",
            ),
        ] {
            let verdict = judge(&end, &case);
            assert_eq!(verdict.lifecycle, lifecycle, "{name}");
            let why = verdict.why.unwrap_or_default();
            assert!(why.contains(words), "{name}: {why}");
            assert_eq!(why.is_empty(), lifecycle == Closed, "{name}: {why}");
            assert_eq!(verdict.missing, name == "missing", "{name}");
        }
    }

    #[test]
    fn a_status_that_tells_a_signal_is_no_broken_program() {
        let case = |resumed| Case {
            provider: None,
            label: "Claude Code",
            place: &Place::Terminal {},
            wanted: false,
            rebooted: false,
            lasted_ms: 100,
            resumed,
        };
        for (status, signal) in [(129, "SIGHUP"), (137, "SIGKILL"), (143, "SIGTERM")] {
            for resumed in [None, Some("ID")] {
                let verdict = judge(&code(status, "? for shortcuts"), &case(resumed));
                assert_eq!(verdict.lifecycle, Lifecycle::Interrupted, "{status}");
                let why = format!("Claude Code was ended by {signal}");
                assert_eq!(verdict.why, Some(why));
            }
        }
        let broken = judge(&code(128, ""), &case(None));
        assert_eq!(broken.lifecycle, Lifecycle::Failed);
    }
}
