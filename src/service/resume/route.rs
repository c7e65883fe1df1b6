//! Which version of a program takes a session up, and with which command. Pure.

use crate::proto::provider::{AgentConfig, Handle, TerminalCommand};
use crate::proto::{Failure, Kind, Word};
use crate::provider::{Provider, Version};
use crate::service::providers::Health;

/// A program of a provider, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::service) struct Candidate {
    /// What it is called: the plain program, or a version's such as `claude@2.1.187`.
    pub(in crate::service) name: String,
    /// Whether it answers, and with which version.
    pub(in crate::service) health: Health,
}

/// How a session is taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// The command.
    pub(super) command: TerminalCommand,
    /// What the person is told of it, where it is not the version of origin that takes it up.
    pub(super) note: Option<String>,
}

/// Whether this program is of the version that wrote a session. One whose version is not known is no other's.
pub(super) fn is_origin(origin: &str, health: &Health) -> bool {
    let wanted = Version::parse(origin);
    wanted.is_some() && health.version() == wanted
}

/// The command that takes up a session: the program of its own version resumes it; where that does not answer, another one
/// that does is told to continue it. Where its version is not known, the plain program resumes it.
///
/// `candidates` are in the order in which they are preferred; the first is the plain program.
///
/// # Errors
/// `program-missing` where none answers, with the reason for each; `not-supported` where the program has no words for it.
pub(super) fn route(
    provider: &Provider,
    session: &str,
    origin: Option<&str>,
    candidates: &[Candidate],
) -> Result<Route, Failure> {
    let works = |candidate: &&Candidate| matches!(candidate.health, Health::Works { .. });
    let native = match origin {
        Some(origin) => {
            let mut own = candidates
                .iter()
                .filter(|candidate| is_origin(origin, &candidate.health));
            let shim = provider.shim(origin);
            own.clone()
                .find(|candidate| candidate.name == shim)
                .or_else(|| own.next())
        }
        None => candidates.first().filter(works),
    };
    let config = AgentConfig::default();
    if let Some(candidate) = native {
        let id = Word::parse(session)
            .map_err(|error| Failure::params("", format!("the id of the session {error}")))?;
        let handle = Handle {
            session_id: id,
            native_handle: None,
        };
        let command = provider.resume(&handle, &config, candidate.health.version().as_ref())?;
        return Ok(Route {
            command: named(command, candidate),
            note: None,
        });
    }
    let Some(candidate) = candidates.iter().find(works) else {
        return Err(none_works(provider, session, origin, candidates));
    };
    let command = provider.take_over(session, &config, candidate.health.version().as_ref())?;
    let label = provider.label();
    let own = match origin {
        Some(origin) => format!("{label} {origin}, which wrote it, does not answer here"),
        None => format!("{} does not answer here", provider.program()),
    };
    Ok(Route {
        note: Some(format!(
            "{own}, so {} was told to continue session {session}",
            candidate.name
        )),
        command: named(command, candidate),
    })
}

/// The same words for the program of this name.
fn named(command: TerminalCommand, candidate: &Candidate) -> TerminalCommand {
    TerminalCommand {
        command: candidate.name.clone(),
        ..command
    }
}

fn none_works(
    provider: &Provider,
    session: &str,
    origin: Option<&str>,
    candidates: &[Candidate],
) -> Failure {
    let reasons: Vec<&str> = candidates
        .iter()
        .filter_map(|candidate| candidate.health.reason())
        .collect();
    let version = origin.map_or_else(String::new, |origin| format!(" (it was {origin})"));
    Failure::new(
        Kind::ProgramMissing,
        format!(
            "session {session} cannot be taken up: no version of {}{version} answers: {}",
            provider.label(),
            reasons.join("; ")
        ),
    )
    .hint(format!(
        "install or repair {}; `surfaced call provider.list` says what is seen of it",
        provider.program()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Providers;

    fn works(name: &str, version: &str) -> Candidate {
        Candidate {
            name: name.into(),
            health: Health::Works {
                path: "/b".into(),
                version: version.into(),
            },
        }
    }

    fn broken(name: &str) -> Candidate {
        Candidate {
            name: name.into(),
            health: Health::Broken {
                path: "/b".into(),
                reason: format!("{name} --version ended with status 1"),
            },
        }
    }

    fn missing(name: &str) -> Candidate {
        Candidate {
            name: name.into(),
            health: Health::Missing {
                reason: format!("{name} is not on PATH"),
            },
        }
    }

    /// The words and whether something is told.
    fn words(provider: &str, origin: Option<&str>, candidates: &[Candidate]) -> (String, bool) {
        let providers = Providers::default();
        let provider = providers.get(provider).unwrap();
        let route = route(provider, "s1", origin, candidates).unwrap();
        let words = [vec![route.command.command], route.command.args].concat();
        (words.join(" "), route.note.is_some())
    }

    #[test]
    fn the_version_of_origin_resumes_and_another_one_continues() {
        let old = "2.1.187";
        for (origin, candidates, expected, told) in [
            (
                Some(old),
                vec![works("claude", "2.1.187 (Claude Code)")],
                "claude --resume s1",
                false,
            ),
            (
                Some(old),
                vec![
                    works("claude", "2.2.0 (Claude Code)"),
                    works("claude@2.1.187", "2.1.187 (Claude Code)"),
                ],
                "claude@2.1.187 --resume s1",
                false,
            ),
            (
                Some(old),
                vec![broken("claude"), works("claude@2.1.187", "2.1.187")],
                "claude@2.1.187 --resume s1",
                false,
            ),
            (
                Some(old),
                vec![works("claude", "2.2.0"), broken("claude@2.1.187")],
                "claude /continue s1",
                true,
            ),
            (
                Some(old),
                vec![
                    broken("claude"),
                    missing("claude@2.1.187"),
                    works("claude@2.0.9", "2.0.9"),
                ],
                "claude@2.0.9 /continue s1",
                true,
            ),
            // What does not say its version is not known to be the one.
            (
                Some(old),
                vec![works("claude", "")],
                "claude /continue s1",
                true,
            ),
            (
                None,
                vec![works("claude", "2.2.0")],
                "claude --resume s1",
                false,
            ),
            (
                None,
                vec![broken("claude"), works("claude@2.0.9", "2.0.9")],
                "claude@2.0.9 /continue s1",
                true,
            ),
        ] {
            let (words, note) = words("claude", origin, &candidates);
            assert_eq!(words, expected);
            assert_eq!(note, told, "{words}");
        }
    }

    #[test]
    fn each_provider_has_its_own_words() {
        for (provider, resumes, continues) in [
            ("codex", "codex resume s1", "codex /continue s1"),
            (
                "opencode",
                "opencode --session s1",
                "opencode --prompt /continue s1",
            ),
            (
                "gemini",
                "gemini --resume s1",
                "gemini --prompt-interactive /continue s1",
            ),
        ] {
            let same = vec![works(provider, "1.2.3")];
            assert_eq!(words(provider, Some("1.2.3"), &same).0, resumes);
            assert_eq!(words(provider, Some("1.2.2"), &same).0, continues);
        }
    }

    #[test]
    fn where_none_answers_each_reason_is_told() {
        let providers = Providers::default();
        let claude = providers.get("claude").unwrap();
        let candidates = [broken("claude"), missing("claude@2.1.187")];
        let failure = route(claude, "s1", Some("2.1.187"), &candidates).unwrap_err();
        assert_eq!(failure.kind(), Kind::ProgramMissing);
        for part in [
            "no version of Claude Code (it was 2.1.187)",
            "claude --version ended with status 1",
            "claude@2.1.187 is not on PATH",
        ] {
            assert!(failure.message.contains(part), "{part}: {failure}");
        }
    }

    #[test]
    fn an_id_that_would_be_an_option_is_refused() {
        let providers = Providers::default();
        let claude = providers.get("claude").unwrap();
        let candidates = [works("claude", "1.0.0")];
        for origin in [None, Some("0.9.0")] {
            let failure = route(claude, "--x", origin, &candidates).unwrap_err();
            assert_eq!(failure.kind(), Kind::InvalidParams);
        }
    }
}
