//! What a backend builds: a command with slots, before it becomes the `Spec` of the protocol.

use std::collections::BTreeMap;

use super::job::{Job, SCRIPT};
use crate::launch::quote;
use crate::launch::ssh_line::SshLine;
use crate::launch::step::Invocation;
use crate::proto::launch::{Slot, SlotAt, Transport};
use crate::proto::{HostAlias, Request, Spec, Word};

/// A command that opens a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The words; empty: the daemon hosts the surface itself.
    pub argv: Vec<String>,
    /// Variables of the command itself.
    pub env: BTreeMap<String, String>,
    /// The text of the launch script, where the command runs one.
    pub script: Option<String>,
    /// What is not known yet.
    pub slots: Vec<Slot>,
    /// The argv where no server runs. It ends as `argv` does, and a slot in that end stands in it too, at the same
    /// distance from the end.
    pub otherwise: Option<Vec<String>>,
    /// An editor's JSON.
    pub payload: Option<serde_json::Value>,
    /// Lesser things that it does.
    pub warnings: Vec<String>,
}

impl Draft {
    /// A draft of these words.
    #[must_use]
    pub fn new(argv: Vec<String>) -> Self {
        Self {
            argv,
            ..Self::default()
        }
    }

    /// Notes that the last word, or what it contains, is the path of the job's launch script.
    #[must_use]
    pub fn with_script(mut self, job: &Job) -> Self {
        self.script = Some(job.script_text());
        if job.script.is_none() {
            let last = self.argv.len().saturating_sub(1);
            self = self.slot(last, SCRIPT);
        }
        self
    }

    /// Notes that the word at this index holds `text`, which is not known yet.
    #[must_use]
    pub fn slot(mut self, at: usize, text: &str) -> Self {
        self.slots.push(Slot {
            at: SlotAt::Argv(at),
            text: text.to_owned(),
        });
        self
    }

    /// The text of a slot that its word holds more than once: once for us, and once for the caller.
    #[must_use]
    pub fn ambiguous(&self) -> Option<&str> {
        self.slots.iter().find_map(|slot| {
            let SlotAt::Argv(at) = &slot.at else {
                return None;
            };
            let word = self.argv.get(*at)?;
            (word.matches(&slot.text).count() > 1).then_some(slot.text.as_str())
        })
    }

    /// The same command with something lesser to tell.
    #[must_use]
    pub fn warn(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }

    /// What is run. The slots have to be filled.
    #[must_use]
    pub fn invocation(&self) -> Invocation {
        Invocation {
            argv: self.argv.clone(),
            env: self.env.clone(),
            ..Invocation::default()
        }
    }

    /// The draft as the protocol shows it; `ssh` is what people call on a host.
    #[must_use]
    pub fn into_spec(self, request: Request, ssh: &SshLine) -> Spec {
        let display = if self.argv.is_empty() {
            hosted(&request)
        } else {
            quote::line(&self.argv)
        };
        let transport = if self.argv.is_empty() {
            Transport::Builtin
        } else if let Some(host) = &request.host {
            Transport::Ssh {
                host: host.to_string(),
                command: display.clone(),
            }
        } else {
            Transport::Local
        };
        let host = request.host.as_ref().filter(|_| !self.argv.is_empty());
        // The host of a draft was checked before there was one.
        let display = match host.map(|host| HostAlias::parse(host.as_str())) {
            Some(Ok(host)) => ssh.line(&[], &host, Some(&display)),
            _ => display,
        };
        Spec {
            argv: self.argv,
            env: Some(self.env).filter(|env| !env.is_empty()),
            stdin: None,
            script: self.script,
            slots: Some(self.slots).filter(|slots| !slots.is_empty()),
            payload: self.payload,
            before: None,
            otherwise: self.otherwise,
            request,
            transport,
            display,
        }
    }
}

/// The line that has the daemon host the surface: no terminal's command does that.
fn hosted(request: &Request) -> String {
    let mut words = vec!["surfaced", "open", "-b", "builtin"];
    words.extend(request.cwd.iter().flat_map(|cwd| ["-C", cwd.as_str()]));
    match (&request.command, &request.shell_command) {
        (Some(argv), _) => {
            words.push("--");
            words.extend(argv.words().iter().map(Word::as_str));
        }
        (None, Some(line)) => words.extend(["--", "sh", "-c", line.as_str()]),
        (None, None) => {}
    }
    quote::line(words)
}
