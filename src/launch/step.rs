//! Conversations with programs, without I/O: a verb says what to run next and reads the answer itself.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::proto::Failure;

/// A command to run as it is: no shell in between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// The words; the first names the program, looked for on PATH where it has no slash.
    pub argv: Vec<String>,
    /// Variables over those of the daemon.
    pub env: BTreeMap<String, String>,
    /// Bytes for its standard input; absent: it reads the null device.
    pub stdin: Option<Vec<u8>>,
    /// How long it may take; absent: the transport's own bound.
    pub timeout: Option<Duration>,
    /// Present: it may be the terminal itself and stay, and is then left running instead of ended. Only this machine can.
    pub stays: Option<Stays>,
    /// What has to be on the host for which it is; a host that lacks any of it does not begin the command. Not looked at on this
    /// machine, where things are checked before.
    pub needs: Vec<Need>,
    /// The program that the command is about, where its first word is only the shell of a few lines; absent: that word.
    pub tool: Option<String>,
    /// A launch script that is waited for on a host once the command has run it, so that no other command has to ask.
    pub reports: Option<Reports>,
}

/// A wait for a launch script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reports {
    /// Its directory. A command that does not name it does not run it either.
    pub dir: String,
    /// How long it is waited for.
    pub limit: Duration,
}

/// A command that may stay for as long as what it opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stays {
    /// The directory of the launch script, whose end or report shows that it has done its work.
    pub script: Option<String>,
    /// Whether a line of its output is needed as well.
    pub answers: bool,
}

/// What a surface needs on its host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// A directory that can be entered.
    pub cwd: Option<String>,
    /// A program: a path, from `cwd` where it is relative, or a name on PATH.
    pub program: Option<String>,
    /// The PATH on which a name is looked for; absent: that of commands there.
    pub path: Option<String>,
}

impl Invocation {
    /// A command of these words.
    pub fn new<S: Into<String>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// What runs, for messages.
    #[must_use]
    pub fn program(&self) -> &str {
        let first = || self.argv.first().map_or("", String::as_str);
        self.tool.as_deref().unwrap_or_else(first)
    }
}

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit status.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It was still running at the end of its time and was ended.
    TimedOut,
    /// It runs on ([`Invocation::stays`]).
    Stays {
        /// Whether its launch script was run; if not, its time is up.
        started: bool,
    },
    /// The link to the host broke while it ran: it may have done its work or not.
    Lost,
}

/// What a command answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// How it ended.
    pub ended: Ended,
    /// What it wrote, capped by the transport.
    pub stdout: Vec<u8>,
    /// What it complained about, capped by the transport.
    pub stderr: Vec<u8>,
    /// What became of its launch script ([`Invocation::reports`]), as [`super::report::read`] reads it.
    pub report: Vec<u8>,
}

impl Answer {
    /// Whether it ended with status 0.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.ended == Ended::Code(0)
    }

    /// Its output as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// Its complaint as text that is fit to be shown: without control characters other than the ends of lines and tabs, and
    /// without blanks at its ends.
    #[must_use]
    pub fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        let shown = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
        text.chars()
            .filter(shown)
            .collect::<String>()
            .trim()
            .to_owned()
    }
}

/// What a conversation wants next.
#[derive(Debug)]
pub enum Step<T> {
    /// Run this and give the answer to the next call.
    Run(Invocation),
    /// It is over, with this result.
    Done(T),
    /// It is over without one.
    Failed(Failure),
}

/// A verb of a terminal as a state machine.
pub trait Conversation: Send {
    /// What it results in.
    type Output;

    /// The next step. The first call gets `None`, each later one the answer to the command that was asked for.
    /// It is not called again after `Done` or `Failed`.
    fn next(&mut self, answer: Option<Answer>) -> Step<Self::Output>;
}

/// A conversation that its owner does not name by type.
pub type BoxedConversation<T> = Box<dyn Conversation<Output = T>>;

/// A conversation of one command and the reading of its answer.
pub struct Once<F> {
    invocation: Option<Invocation>,
    read: F,
}

impl<F> Once<F> {
    /// Runs `invocation` and gives its answer to `read`.
    pub const fn new(invocation: Invocation, read: F) -> Self {
        Self {
            invocation: Some(invocation),
            read,
        }
    }
}

impl<T, F: FnMut(Answer) -> Result<T, Failure> + Send> Conversation for Once<F> {
    type Output = T;

    fn next(&mut self, answer: Option<Answer>) -> Step<T> {
        match (self.invocation.take(), answer) {
            (Some(invocation), _) => Step::Run(invocation),
            (None, Some(answer)) => match (self.read)(answer) {
                Ok(output) => Step::Done(output),
                Err(failure) => Step::Failed(failure),
            },
            (None, None) => Step::Failed(Failure::new(
                crate::proto::Kind::Internal,
                "a conversation was continued without an answer",
            )),
        }
    }
}
