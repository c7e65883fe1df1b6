//! The programs of a provider that might take a session up, here or on a host, and which of them answer.

use std::path::PathBuf;

use super::route::{Candidate, is_origin};
use crate::launch::quote::Style;
use crate::launch::shell::Shell;
use crate::launch::step::{Answer, Invocation};
use crate::proto::{Argv, Failure, Kind};
use crate::provider::{Provider, Version};
use crate::service::providers::{Health, Installed};
use crate::transport::Transport;

/// Marks our lines among those of the person's rc files.
const MARK: &str = "surfaced-program";

/// Finds a program and those of its versions on PATH, and asks each once; `$1` is its name, `$2` the mark, and with `plain` as
/// `$3` the versions are left alone.
const ASK: &str = r#"ask() {
  if command -v timeout >/dev/null 2>&1; then timeout 10 "$1" --version </dev/null 2>&1; else "$1" --version </dev/null 2>&1; fi
}
set -f
IFS=:
seen=:
for at in $PATH; do
  set +f
  for file in "${at:-.}/$1" "${at:-.}/$1"@*; do
    name=${file##*/}
    case $seen in *":$name:"*) continue ;; esac
    [ "$3" != plain ] || [ "$name" = "$1" ] || continue
    [ -f "$file" ] && [ -x "$file" ] || continue
    seen=$seen$name:
    said=$(ask "$file")
    status=$?
    said=$(printf '%s\n' "$said" | sed -n '/[^[:space:]]/{p;q;}')
    printf '\n%s\t%s\t%s\t%s\t%s\n' "$2" "$status" "$name" "$file" "$said"
  done
  set -f
done
"#;

/// The programs on this machine, in the order in which they are preferred. As soon as one of the version of origin answers, no
/// further one is asked.
pub(super) async fn here(
    installed: &Installed,
    provider: &Provider,
    origin: Option<&str>,
) -> Vec<Candidate> {
    let ask = async |version: Option<&str>| Candidate {
        name: version.map_or_else(
            || provider.program().to_owned(),
            |version| provider.shim(version),
        ),
        health: installed.health(provider, version).await,
    };
    let mut candidates = vec![ask(None).await];
    let Some(origin) = origin else {
        if matches!(candidates[0].health, Health::Works { .. }) {
            return candidates;
        }
        for version in installed.versions(provider).await {
            candidates.push(ask(Some(&version)).await);
        }
        return candidates;
    };
    let own = ask(Some(origin)).await;
    let found = is_origin(origin, &own.health) || is_origin(origin, &candidates[0].health);
    let usable = matches!(candidates[0].health, Health::Works { .. });
    candidates.push(own);
    if found || usable {
        return candidates;
    }
    for version in installed.versions(provider).await {
        if version != origin {
            candidates.push(ask(Some(&version)).await);
        }
    }
    candidates
}

/// Which programs of a provider are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::service) enum Asked {
    /// The plain one: another version that hangs costs no time.
    Plain,
    /// Each version too.
    Versions,
}

/// The programs on a host, asked in the interactive shell that commands are launched in there.
///
/// # Errors
/// What a host can fail with.
pub(in crate::service) async fn on(
    transport: &dyn Transport,
    shell: &Shell,
    provider: &Provider,
    asked: Asked,
) -> Result<Vec<Candidate>, Failure> {
    let which = match asked {
        Asked::Plain => "plain",
        Asked::Versions => "versions",
    };
    let argv = Argv::parse(["/bin/sh", "-c", ASK, "sh", provider.program(), MARK, which])
        .map_err(|error| Failure::params("", format!("the program {error}")))?;
    let line = shell.exec(&argv, Style::Quoted);
    let answer = transport.run(Invocation::new(shell.wrap(line))).await?;
    Ok(read(&answer, provider))
}

/// What a host answered. The plain program comes first, whether it is there or not; then the versions, newest first.
fn read(answer: &Answer, provider: &Provider) -> Vec<Candidate> {
    let text = answer.text();
    let mut found: Vec<Candidate> = text.lines().filter_map(candidate).collect();
    found.sort_by(|one, other| {
        let rank = |candidate: &Candidate| {
            let version = candidate.name.split_once('@');
            version.map(|(_, version)| Version::parse(version))
        };
        match (rank(one), rank(other)) {
            (Some(one), Some(other)) => other.cmp(&one),
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    });
    if found
        .first()
        .is_none_or(|first| first.name != provider.program())
    {
        let reason = format!("{} is not on PATH there", provider.program());
        found.insert(
            0,
            Candidate {
                name: provider.program().to_owned(),
                health: Health::Missing { reason },
            },
        );
    }
    found
}

fn candidate(line: &str) -> Option<Candidate> {
    let mut fields = line.strip_prefix(MARK)?.strip_prefix('\t')?.splitn(4, '\t');
    let (status, name, file) = (fields.next()?, fields.next()?, fields.next()?);
    let said = fields.next().unwrap_or_default().trim().to_owned();
    let path = PathBuf::from(file);
    let health = if status == "0" {
        Health::Works {
            path,
            version: said,
        }
    } else {
        let how = match status {
            "124" => "did not answer within 10 seconds".to_owned(),
            status => format!("ended with status {status}: {said}"),
        };
        let reason = format!("{file} --version {}", how.trim_end_matches([':', ' ']));
        Health::Broken { path, reason }
    };
    Some(Candidate {
        name: name.to_owned(),
        health,
    })
}

/// Which of these directories of a host can be worked in.
///
/// # Errors
/// What a host can fail with.
pub(super) async fn directories(
    transport: &dyn Transport,
    directories: &[&str],
) -> Result<Vec<bool>, Failure> {
    const LOOK: &str =
        r#"for dir do if [ -d "$dir" ] && [ -x "$dir" ]; then echo yes; else echo no; fi; done"#;
    let words = ["/bin/sh", "-c", LOOK, "sh"].into_iter();
    let invocation = Invocation::new(words.chain(directories.iter().copied()));
    let answer = transport.run(invocation).await?;
    let found: Vec<bool> = answer.text().lines().map(|line| line == "yes").collect();
    if answer.ok() && found.len() == directories.len() {
        return Ok(found);
    }
    Err(Failure::new(
        Kind::StateUnknown,
        format!(
            "cannot look for the directories of the sessions on the host: {}",
            answer.complaint()
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::step::Ended;
    use crate::provider::Providers;

    #[test]
    fn the_answer_of_a_host_is_read_whatever_its_rc_files_say() {
        let text = format!(
            "Welcome!\n{MARK}\t0\tclaude@2.0.9\t/s/claude@2.0.9\t2.0.9 (Claude Code)\n\
             {MARK}\t1\tclaude@2.10.0\t/s/claude@2.10.0\tno such runtime\n{MARK}\t124\tclaude\t/b/claude\t\n"
        );
        let answer = Answer {
            ended: Ended::Code(0),
            stdout: text.into_bytes(),
            stderr: Vec::new(),
            report: Vec::new(),
        };
        let providers = Providers::default();
        let claude = providers.get("claude").unwrap();
        let found = read(&answer, claude);
        let names: Vec<_> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["claude", "claude@2.10.0", "claude@2.0.9"]);
        assert_eq!(
            found[0].health.reason(),
            Some("/b/claude --version did not answer within 10 seconds")
        );
        assert_eq!(
            found[1].health.reason(),
            Some("/s/claude@2.10.0 --version ended with status 1: no such runtime")
        );
        assert!(is_origin("2.0.9", &found[2].health));
        let none = Answer {
            ended: Ended::Code(0),
            stdout: Vec::new(),
            stderr: Vec::new(),
            report: Vec::new(),
        };
        let found = read(&none, claude);
        assert!(matches!(found[0].health, Health::Missing { .. }));
        assert_eq!(found.len(), 1);
    }
}
