//! What is checked of a session before it is taken up, and the item that it becomes.

use std::path::Path;

use super::known::{Known, runs_already};
use crate::proto::launch::OnExit;
use crate::proto::provider::TerminalCommand;
use crate::proto::{AbsolutePath, Argv, Env, EnvName, Failure, HostAlias, Item, Kind, Word};

/// The item of a session, without its command.
pub(super) fn item(known: &Known, host: Option<&Word>) -> Item {
    let word = |text: &str| Word::parse(text).ok();
    Item {
        cwd: known
            .cwd
            .clone()
            .and_then(|cwd| AbsolutePath::parse(cwd).ok()),
        agent: word(&known.provider),
        session_id: word(&known.session),
        host: host.cloned(),
        // What a provider says of a session that it does not have stays to be read.
        on_exit: Some(OnExit::HoldOnFailure),
        ..Item::default()
    }
}

/// Puts a command into an item.
///
/// # Errors
/// Words that no command can hold.
pub(super) fn launched(item: &mut Item, command: TerminalCommand) -> Result<(), Failure> {
    let wrong = |error: String| Failure::params("", format!("the command {error}"));
    let words = std::iter::once(command.command).chain(command.args);
    let words = words
        .map(Word::parse)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| wrong(error.to_string()))?;
    item.command = Some(Argv::try_from(words).map_err(|error| wrong(error.to_string()))?);
    let mut env = Env::new();
    for (name, value) in command.env {
        let name = EnvName::parse(name).map_err(|error| wrong(error.to_string()))?;
        env.insert(
            name,
            Word::parse(value).map_err(|error| wrong(error.to_string()))?,
        );
    }
    item.env = (!env.is_empty()).then_some(env);
    Ok(())
}

/// Whether a session runs nowhere, as far as that can be known.
///
/// # Errors
/// `conflict`, with where it is seen.
pub(super) fn stands_still(known: &Known) -> Result<(), Failure> {
    match &known.live {
        Some(live) => Err(runs_already(known, live)),
        None => Ok(()),
    }
}

/// Whether the directory in which a session was begun is there: it is found again from there only.
///
/// # Errors
/// `cwd-missing`.
pub(super) fn begun_here(known: &Known) -> Result<(), Failure> {
    // From where a relative one counts nobody has written down.
    let Some(cwd) = known.cwd.as_ref().filter(|cwd| cwd.starts_with('/')) else {
        return Err(nowhere(known));
    };
    let why = match Path::new(cwd).metadata() {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => "is no directory any more".to_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "is gone".to_owned(),
        Err(error) => format!("cannot be used: {error}"),
    };
    Err(gone(known, cwd, &why))
}

/// The directory of a session is gone from its host.
pub(super) fn begun_there(known: &Known, cwd: &str, host: &HostAlias) -> Failure {
    gone(known, cwd, &format!("is gone from {host}"))
}

fn gone(known: &Known, cwd: &str, why: &str) -> Failure {
    Failure::new(
        Kind::CwdMissing,
        format!(
            "{} was begun in {cwd}, which {why}, and is found from there only",
            known.name()
        ),
    )
    .hint("put the directory back where it was (an empty one is enough to read on), then resume again")
}

fn nowhere(known: &Known) -> Failure {
    Failure::new(
        Kind::CwdMissing,
        format!(
            "in which directory {} was begun is not known{}",
            known.name(),
            match &known.cwd {
                Some(cwd) => format!(": its file says {cwd:?} only"),
                None => String::new(),
            }
        ),
    )
    .hint(format!(
        "go to that directory and resume it there with {} itself",
        known.provider
    ))
}

/// A session is on another machine than the one that was named: on `machine`, or on this one.
pub(super) fn elsewhere(
    known: &Known,
    machine: Option<&str>,
    named: Option<&HostAlias>,
) -> Failure {
    let there = machine.unwrap_or("this machine");
    let not = match named {
        Some(named) => named.to_string(),
        None => "this machine".to_owned(),
    };
    let hint = match machine {
        Some(machine) => format!("name that host: on {machine:?}, or --device {machine}"),
        None => "leave the host out".to_owned(),
    };
    Failure::new(
        Kind::HostInvalid,
        format!("{} is on {there} and not on {not}", known.name()),
    )
    .hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_is_gone_says_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let text = |path: &Path| Some(path.display().to_string());
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        for (cwd, expected) in [
            (text(dir.path()), None),
            (text(&dir.path().join("none")), Some("is gone")),
            (text(&file), Some("is no directory any more")),
            (None, Some("is not known")),
            (
                Some("work/app".to_owned()),
                Some("is not known: its file says \"work/app\" only"),
            ),
        ] {
            let known = Known {
                session: "s1".into(),
                cwd,
                ..Known::default()
            };
            match (begun_here(&known), expected) {
                (Ok(()), None) => {}
                (Err(failure), Some(part)) => {
                    assert_eq!(failure.kind(), Kind::CwdMissing);
                    assert!(failure.message.contains(part), "{failure}");
                    assert!(failure.data.hint.is_some());
                }
                (found, _) => panic!("{found:?}"),
            }
        }
    }

    #[test]
    fn the_right_machine_is_named() {
        let known = Known {
            session: "s1".into(),
            ..Known::default()
        };
        let zion = HostAlias::parse("zion").unwrap();
        let failure = elsewhere(&known, None, Some(&zion));
        assert_eq!(
            failure.message,
            "session s1 is on this machine and not on zion"
        );
        let failure = elsewhere(&known, Some("far"), None);
        assert_eq!(
            failure.message,
            "session s1 is on far and not on this machine"
        );
        assert_eq!(failure.kind(), Kind::HostInvalid);
    }
}
