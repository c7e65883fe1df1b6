//! One surface to open, with everything that a backend may look at.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::launch::quote::{self, Style};
use crate::launch::script::{self, Launch};
use crate::launch::shell::{Program, Shell, Syntax};
use crate::proto::launch::OnExit;
use crate::proto::{AbsolutePath, Argv, Layout, Request, SurfaceRef};

/// What stands for the path of the launch script until it is written.
pub const SCRIPT: &str = "{script}";

/// Beside which surface a split goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It is no split, or it became a tab.
    None,
    /// The caller's own pane.
    Caller,
    /// The surface that the item names; it may be gone.
    Target(SurfaceRef),
    /// The surface that this earlier item of the batch will have opened.
    Earlier(usize),
    /// The surface that an earlier item of the batch opened.
    Opened(SurfaceRef),
}

/// One surface to open.
#[derive(Clone, Debug)]
pub struct Job {
    /// What was asked, as planned. Its directory is filled in where the caller's is known.
    pub request: Request,
    /// Where it goes: the planned layout, or a tab where a split has nothing to split.
    pub layout: Layout,
    /// Beside what a split goes.
    pub anchor: Anchor,
    /// The wrapping shell.
    pub shell: Shell,
    /// Whether the terminal is asked for the identity of the surface; if not, the launch engine's bare commands.
    pub handles: bool,
    /// Whether the surface takes the focus.
    pub focus: bool,
    /// Whether a launch script is wanted even where the terminal takes the words, because only it can report.
    pub report: bool,
    /// The caller's variables, by which a terminal knows its pane; empty with a host.
    pub caller: Arc<BTreeMap<String, String>>,
    /// Where an earlier tab of the batch was opened, so that the batch stays together ([`super::Opened::session`]).
    pub session: Option<String>,
    /// The path of the launch script, once it is written.
    pub script: Option<String>,
    /// The extension that an editor was seen to have ([`super::Availability::extension`]).
    pub extension: Option<String>,
}

/// What a terminal is asked to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Nothing: the terminal starts the person's shell by itself.
    Shell,
    /// The wrapper's three words.
    Words([String; 3]),
    /// `/bin/sh` and the path of the launch script.
    Script,
}

impl Job {
    /// The caller's variable, where it is set and not empty.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<&str> {
        self.caller
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }

    /// The directory, where one is known.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.request.cwd.as_ref().map(AbsolutePath::as_str)
    }

    /// How words are quoted: nothing that an rc file defines may change them, unless the launch engine's form is wanted.
    #[must_use]
    pub const fn style(&self) -> Style {
        if self.handles {
            Style::Quoted
        } else {
            Style::Bare
        }
    }

    /// A command as a line to type into a POSIX shell.
    #[must_use]
    pub fn typed(&self, argv: &Argv) -> String {
        let words: Vec<_> = argv
            .words()
            .iter()
            .map(|word| quote::posix(word, self.style()))
            .collect();
        words.join(" ")
    }

    /// What the terminal is asked to run. `cd`: whether the line enters the directory itself; `longest`: how many bytes of
    /// line the terminal takes, zero where only the path of a script survives its parser.
    #[must_use]
    pub fn payload(&self, cd: bool, longest: usize) -> Payload {
        let request = &self.request;
        if request.env.as_ref().is_some_and(|env| !env.is_empty())
            || request.on_exit.unwrap_or_default() != OnExit::Close
            || self.shell.syntax() == Syntax::Other
        {
            return Payload::Script;
        }
        let program = Program::from(request);
        if matches!(program, Program::Shell) && (!cd || self.cwd().is_none()) {
            return Payload::Shell;
        }
        if self.report && !matches!(program, Program::Shell) {
            return Payload::Script;
        }
        match self
            .shell
            .line(self.cwd().filter(|_| cd), program, self.style())
        {
            Some(line) if longest > 0 && line.len() <= longest => {
                Payload::Words(self.shell.wrap(line))
            }
            _ => Payload::Script,
        }
    }

    /// The words of a payload; for a script, `/bin/sh` and its path or the slot for it.
    #[must_use]
    pub fn words(&self, payload: Payload) -> Vec<String> {
        match payload {
            Payload::Shell => Vec::new(),
            Payload::Words(words) => words.into(),
            Payload::Script => vec!["/bin/sh".to_owned(), self.script_path()],
        }
    }

    /// The path of the launch script, or the slot that stands for it.
    #[must_use]
    pub fn script_path(&self) -> String {
        self.script.clone().unwrap_or_else(|| SCRIPT.to_owned())
    }

    /// The text of the launch script.
    #[must_use]
    pub fn script_text(&self) -> String {
        script::text(&Launch {
            program: Program::from(&self.request),
            cwd: self.cwd(),
            env: self.request.env.as_ref(),
            on_exit: self.request.on_exit.unwrap_or_default(),
            shell: &self.shell,
        })
    }
}
