//! What can be taken up again, and which of it an id means. Pure.

use crate::proto::text::shown;
use crate::proto::{Failure, Kind, SurfaceRef};

/// A session that may be taken up again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known {
    /// Its provider.
    pub(super) provider: String,
    /// The provider's id of it. Empty: not known, which only an agent's can be.
    pub(super) session: String,
    /// Where it was begun.
    pub(super) cwd: Option<String>,
    /// The version of the program that wrote it last.
    pub(super) version: Option<String>,
    /// Its title, or the beginning of its first prompt.
    pub(super) title: Option<String>,
    /// The agent whose session it is.
    pub(super) agent: Option<String>,
    /// Whether that agent is archived.
    pub(super) archived: bool,
    /// Where it runs at this moment.
    pub(super) live: Option<Live>,
    /// The host that it is on; absent: this machine.
    pub(super) machine: Option<String>,
}

/// Where a session runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Live {
    /// The agent's process.
    pub(super) pid: Option<u32>,
    /// The application in which it is seen.
    pub(super) seen_in: Option<String>,
    /// Its surface.
    pub(super) surface: Option<SurfaceRef>,
    /// The line that shows it.
    pub(super) attach: Option<String>,
}

/// The most sessions that an error lists.
const LISTED: usize = 8;

impl Known {
    /// How it is called in errors.
    pub(super) fn name(&self) -> String {
        match &self.agent {
            Some(agent) if self.session.is_empty() => format!("the session of agent {agent}"),
            _ => format!("session {}", self.session),
        }
    }

    fn is_called(&self, id: &str) -> bool {
        (!self.session.is_empty() && self.session == id) || self.agent.as_deref() == Some(id)
    }

    fn begins_with(&self, id: &str) -> bool {
        self.session.starts_with(id)
            || self
                .agent
                .as_deref()
                .is_some_and(|agent| agent.starts_with(id))
    }

    /// One line of an error that lists several.
    fn line(&self) -> String {
        let mut line = format!("{} ({}", self.session, self.provider);
        if let Some(agent) = self.agent.as_ref().filter(|_| self.session.is_empty()) {
            line = format!("{agent} ({}", self.provider);
        }
        if let Some(cwd) = &self.cwd {
            line.push_str(" in ");
            line.push_str(cwd);
        }
        if let Some(machine) = &self.machine {
            line.push_str(" on ");
            line.push_str(machine);
        }
        if let Some(agent) = self.agent.as_ref().filter(|_| !self.session.is_empty()) {
            line.push_str(", agent ");
            line.push_str(agent);
        }
        line.push(')');
        line
    }
}

/// The index of the session that an id means: one that is called exactly so, else the only one that begins with it. `place`
/// says where was looked.
///
/// # Errors
/// `not-found`, and `conflict` with a list where it means several.
pub(super) fn find(pool: &[Known], id: &str, place: &str) -> Result<usize, Failure> {
    let all = |means: &dyn Fn(&Known) -> bool| -> Vec<usize> {
        let indexes = pool.iter().enumerate().filter(|(_, known)| means(known));
        indexes.map(|(index, _)| index).collect()
    };
    let exact = all(&|known| known.is_called(id));
    let found = if exact.is_empty() {
        all(&|known| known.begins_with(id))
    } else {
        exact
    };
    match found[..] {
        [one] => Ok(one),
        [] => Err(Failure::new(
            Kind::NotFound,
            format!("no session {id} is known: looked at {place}", id = shown(id)),
        )
        .hint("`surfaced sessions --files` lists those there are; a session on another machine is named with its host")),
        _ => {
            let lines: Vec<String> = found
                .iter()
                .take(LISTED)
                .map(|index| pool[*index].line())
                .collect();
            let rest = match found.len().saturating_sub(LISTED) {
                0 => String::new(),
                rest => format!(" and {rest} more"),
            };
            Err(Failure::new(
                Kind::Conflict,
                format!("{id} means {} sessions: {}{rest}",
                    found.len(),
                    lines.join(", "), id = shown(id)),
            )
            .hint(if found.iter().all(|index| pool[*index].session == pool[found[0]].session) {
                "they have the same id: give the id of the agent, or name the host with --device"
            } else {
                "give more of the id"
            }))
        }
    }
}

/// Why a session that runs is not taken up a second time.
pub(super) fn runs_already(known: &Known, live: &Live) -> Failure {
    let pid = live
        .pid
        .map_or_else(String::new, |pid| format!(" as process {pid}"));
    let seen = match (&live.surface, &live.seen_in) {
        (Some(surface), Some(app)) => format!(" in {app}, {surface}"),
        (Some(surface), None) => format!(" in {surface}"),
        (None, Some(app)) => format!(" in {app}"),
        (None, None) => String::new(),
    };
    let failure = Failure::new(
        Kind::Conflict,
        format!("{} runs already{pid}{seen}", known.name()),
    );
    match (&live.attach, &live.surface) {
        (Some(attach), _) => failure.hint(format!("look at it with: {attach}")),
        (None, Some(surface)) => failure.hint(format!(
            "go to it with: surfaced surfaces focus '{surface}'"
        )),
        (None, None) => failure.hint("go on where it runs, or leave it there first"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(session: &str, agent: Option<&str>) -> Known {
        Known {
            provider: "claude".into(),
            session: session.into(),
            cwd: Some("/x".into()),
            agent: agent.map(str::to_owned),
            ..Known::default()
        }
    }

    fn pool() -> Vec<Known> {
        vec![
            known("abc", None),
            known("abcd-1", None),
            known("abcd-2", Some("0193-agent")),
            known("", Some("0194-agent")),
        ]
    }

    #[test]
    fn an_id_is_whole_or_the_beginning_of_one_only() {
        for (id, expected) in [
            ("abc", 0),
            ("abcd-2", 2),
            ("abcd-1", 1),
            ("0193", 2),
            ("0193-agent", 2),
            ("0194", 3),
        ] {
            assert_eq!(find(&pool(), id, "here"), Ok(expected), "{id}");
        }
    }

    #[test]
    fn several_are_listed_and_none_says_where_was_looked() {
        let failure = find(&pool(), "abcd", "this machine").unwrap_err();
        assert_eq!(failure.kind(), Kind::Conflict);
        assert_eq!(
            failure.message,
            "\"abcd\" means 2 sessions: abcd-1 (claude in /x), abcd-2 (claude in /x, agent 0193-agent)"
        );
        assert_eq!(failure.data.hint.as_deref(), Some("give more of the id"));
        let failure = find(&pool(), "019", "here").unwrap_err();
        assert!(
            failure.message.contains("0194-agent (claude in /x)"),
            "{failure}"
        );
        let failure = find(&pool(), "zzz", "this machine").unwrap_err();
        assert_eq!(failure.kind(), Kind::NotFound);
        assert!(
            failure.message.ends_with("looked at this machine"),
            "{failure}"
        );
    }

    #[test]
    fn one_id_on_several_machines_names_them() {
        let there = Known {
            machine: Some("zion".into()),
            ..known("abc", Some("0193-agent"))
        };
        let failure = find(&[known("abc", None), there], "abc", "here").unwrap_err();
        assert_eq!(
            failure.message,
            "\"abc\" means 2 sessions: abc (claude in /x), abc (claude in /x on zion, agent 0193-agent)"
        );
        let hint = failure.data.hint.unwrap_or_default();
        assert!(hint.contains("--device"), "{hint}");
    }

    #[test]
    fn a_long_list_is_cut() {
        let many: Vec<Known> = (0..20).map(|n| known(&format!("s{n}"), None)).collect();
        let failure = find(&many, "s", "here").unwrap_err();
        assert!(failure.message.ends_with("and 12 more"), "{failure}");
    }

    #[test]
    fn what_runs_is_shown_where_it_is() {
        let live = Live {
            pid: Some(7),
            seen_in: Some("ghostty".into()),
            ..Live::default()
        };
        let failure = runs_already(&known("abc", None), &live);
        assert_eq!(
            failure.message,
            "session abc runs already as process 7 in ghostty"
        );
        assert_eq!(failure.kind(), Kind::Conflict);
    }
}
