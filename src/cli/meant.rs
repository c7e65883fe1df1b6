//! Which of several terminals is meant.

use super::exit::CliError;
use crate::proto::Kind;

/// A terminal that may be.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) cwd: String,
    pub(super) running: bool,
}

/// What is to be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// Something that only a running program can be asked: where several are called so, those that run count.
    Running,
    /// Anything else.
    Any,
}

/// The one with this id; else the one that has this name or whose id begins so; else the one whose name begins so.
pub(super) fn meant<'a>(
    wanted: &str,
    all: &'a [Candidate],
    purpose: For,
) -> Result<&'a Candidate, CliError> {
    if let Some(exact) = all.iter().find(|candidate| candidate.id == wanted) {
        return Ok(exact);
    }
    let mut called: Vec<&Candidate> = all
        .iter()
        .filter(|candidate| {
            candidate.name == wanted || (!wanted.is_empty() && candidate.id.starts_with(wanted))
        })
        .collect();
    if called.is_empty() && !wanted.is_empty() {
        let begins = |candidate: &&Candidate| candidate.name.starts_with(wanted);
        called = all.iter().filter(begins).collect();
    }
    if purpose == For::Running && called.iter().any(|candidate| candidate.running) {
        called.retain(|candidate| candidate.running);
    }
    match called[..] {
        [one] => Ok(one),
        [] => Err(
            CliError::failed(format!("no terminal is called {wanted:?}"))
                .kind(Kind::NotFound)
                .hint("surfaced terminal list shows those there are"),
        ),
        _ => {
            let each: Vec<String> = called
                .iter()
                .map(|candidate| described(candidate))
                .collect();
            Err(
                CliError::failed(format!("several terminals are called {wanted:?}"))
                    .kind(Kind::Conflict)
                    .hint(format!("say which: {}", each.join(", "))),
            )
        }
    }
}

fn described(candidate: &Candidate) -> String {
    let Candidate {
        id,
        name,
        cwd,
        running,
    } = candidate;
    let state = if *running { "running" } else { "ended" };
    format!("{id} ({name}, {state}, in {cwd})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_their_beginnings_and_names_are_understood() {
        let all: Vec<Candidate> = [
            ("abc", "sh", true),
            ("abd", "sh", false),
            ("xyz", "abc", true),
            ("xya", "vim", false),
        ]
        .map(|(id, name, running)| Candidate {
            id: id.into(),
            name: name.into(),
            cwd: "/".into(),
            running,
        })
        .to_vec();
        let check = |wanted: &str, purpose: For, expected: Result<&str, &str>| {
            let found = meant(wanted, &all, purpose);
            let found = found.map(|found| found.id.as_str());
            let found = found.map_err(|error| error.hint.unwrap_or_default());
            assert_eq!(
                found,
                expected.map_err(str::to_owned),
                "{wanted} {purpose:?}"
            );
        };
        let none = Err("surfaced terminal list shows those there are");
        let both = Err("say which: abc (sh, running, in /), abd (sh, ended, in /)");
        check("abc", For::Any, Ok("abc"));
        check("vim", For::Any, Ok("xya"));
        check("xyz", For::Running, Ok("xyz"));
        check("abd", For::Running, Ok("abd"));
        check("sh", For::Running, Ok("abc"));
        check("sh", For::Any, both);
        check("ab", For::Any, both);
        check("xy", For::Running, Ok("xyz"));
        check("vi", For::Any, Ok("xya"));
        check("s", For::Running, Ok("abc"));
        check("s", For::Any, both);
        check("zz", For::Any, none);
        check("", For::Any, none);
    }
}
