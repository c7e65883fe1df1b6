//! What is there on a host: its system, the person's number, and the programs that surfaces need. Asked once a connection.

use std::collections::BTreeMap;
use std::time::Duration;

use super::answer::printable;
use super::link::Job;
use super::remote::nonce;
use super::script::{self, MORE_PATH};
use crate::launch::step::{Answer, Invocation};
use crate::proto::{Failure, HostAlias, Kind};

/// What a host said about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// The person's number there.
    pub uid: u32,
    /// `Linux`, `Darwin`, … as `uname -s` says.
    pub system: String,
    /// The home directory there.
    pub home: String,
    /// The login shell there.
    pub shell: String,
    /// Where programs were looked for.
    pub path: String,
    /// Whether the person is logged in at the screen of a Mac; without that no application there can be driven.
    pub screen: bool,
    /// What its tmux says it is, such as `tmux 3.4`.
    pub tmux: Option<String>,
    /// Whether logins do not find tmux by its name: their PATH is shorter than that of our commands.
    pub hides_tmux: bool,
    /// Programs and where they are.
    pub tools: BTreeMap<String, String>,
}

impl Probe {
    /// Whether it is a Mac.
    #[must_use]
    pub fn is_mac(&self) -> bool {
        self.system == "Darwin"
    }
}

const SCRIPT: &str = r#"
printf 'uid=%s\n' "$(id -u)"
printf 'system=%s\n' "$(uname -s)"
printf 'home=%s\n' "$HOME"
printf 'shell=%s\n' "$SHELL"
printf 'path=%s\n' "$PATH"
if [ "$(uname -s)" = Darwin ] && [ "$(stat -f %u /dev/console)" = "$(id -u)" ]; then echo screen=yes; fi
for tool in "$@"; do
  place=$(command -v "$tool") && printf 'tool=%s %s\n' "$tool" "$place"
done
(PATH=${PATH%":$more"}; command -v tmux) >/dev/null 2>&1 || echo hides=tmux
tmux=$(tmux -V 2>/dev/null) && printf 'tmux=%s\n' "$tmux"
exit 0"#;

/// A command that does nothing: whether there is an answer to it within `limit` tells whether the connection lives.
pub(super) fn ping(limit: Duration) -> Option<Job> {
    let nonce = nonce();
    let script = script::write(&Invocation::new(["true"]), &[], &nonce).ok()?;
    Some(Job {
        line: script::line(&script),
        script,
        nonce,
        limit,
    })
}

/// The question, about these programs.
#[must_use]
pub fn question(tools: &[&str]) -> Invocation {
    let script = format!("more=\"{MORE_PATH}\"{SCRIPT}");
    let words = ["/bin/sh", "-c", &script, "surfaced-probe"];
    Invocation::new(words.iter().chain(tools).copied())
}

/// Reads the answer.
///
/// # Errors
/// It does not say who the person is there.
pub fn read(alias: &HostAlias, answer: &Answer) -> Result<Probe, Failure> {
    let mut probe = Probe::default();
    let mut known = false;
    for line in answer.text().lines() {
        let Some((key, value)) = line.split_once('=') else {
            continue;
        };
        match key {
            "uid" => {
                if let Ok(uid) = value.parse() {
                    probe.uid = uid;
                    known = true;
                }
            }
            "system" => value.clone_into(&mut probe.system),
            "home" => value.clone_into(&mut probe.home),
            "shell" => value.clone_into(&mut probe.shell),
            "path" => value.clone_into(&mut probe.path),
            "screen" => probe.screen = value == "yes",
            "hides" => probe.hides_tmux = true,
            "tmux" => probe.tmux = Some(printable(value)),
            "tool" => {
                if let Some((tool, place)) = value.split_once(' ') {
                    probe.tools.insert(tool.to_owned(), place.to_owned());
                }
            }
            _ => {}
        }
    }
    if known {
        Ok(probe)
    } else {
        Err(Failure::new(
            Kind::HostUnreachable,
            format!("{alias} does not answer as a system with a POSIX shell does"),
        )
        .hint("hosts need /bin/sh, id and uname"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::step::Ended;

    #[test]
    fn answers_are_read() {
        let alias = HostAlias::parse("zion").unwrap();
        let answer = |text: &str| Answer {
            ended: Ended::Code(0),
            stdout: text.into(),
            stderr: Vec::new(),
            report: Vec::new(),
        };
        let text = "uid=501\nsystem=Darwin\nhome=/Users/me\nshell=/bin/zsh\npath=/a:/b=c\nscreen=yes\ntool=tmux /opt/home brew/bin/tmux\n";
        let probe = read(&alias, &answer(text)).unwrap();
        assert!(probe.is_mac() && probe.screen);
        assert_eq!((probe.uid, probe.path.as_str()), (501, "/a:/b=c"));
        assert_eq!(probe.tools["tmux"], "/opt/home brew/bin/tmux");
        assert!(read(&alias, &answer("uid=\n")).is_err());
        assert!(read(&alias, &answer("")).is_err());
    }
}
