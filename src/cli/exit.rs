//! How a command ends.

use std::io;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::client::ClientError;
use crate::daemon::DaemonError;
use crate::os::detach::ANOTHER_RUNS;
use crate::proto::{Failure, Kind};

/// Exit statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done.
    Done,
    /// 1: what was asked for failed.
    Failed,
    /// 2: it was asked for in a wrong way.
    Usage,
    /// 3: there is no daemon, or it went away.
    NoDaemon,
    /// 128 and its number: a signal ended it.
    Signal(u8),
    /// 130: the person left it with Ctrl-C.
    Interrupted,
    /// 127, of `run` without `--terminal`, as shells have it: the program is not there.
    ProgramMissing,
    /// 126, of `run` without `--terminal`, as shells have it: the program is there and cannot be run.
    NotRunnable,
    /// 4, of `daemon run` only: another daemon has this home.
    AnotherRuns,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::NoDaemon => 3,
            Exit::Signal(number) => 128_u8.saturating_add(number),
            Exit::Interrupted => 130,
            Exit::ProgramMissing => 127,
            Exit::NotRunnable => 126,
            Exit::AnotherRuns => ANOTHER_RUNS,
        })
    }
}

/// Why a command ends otherwise than with 0: one line, and where there is one a hint.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    /// What went wrong: lowercase, without a full stop.
    pub message: String,
    /// What the person can do next.
    pub hint: Option<String>,
    /// The exit status.
    pub exit: Exit,
    /// Nothing is printed: whoever read the output has gone.
    pub quiet: bool,
    /// What programs branch on.
    pub kind: Kind,
    /// The failure as a method told it, where it is one.
    pub failure: Option<Box<Failure>>,
}

impl CliError {
    /// What was asked for failed, in a way that no kind tells better; [`Self::kind`] gives it another one.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            exit: Exit::Failed,
            quiet: false,
            kind: Kind::Internal,
            failure: None,
        }
    }

    /// It was asked for in a wrong way.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            kind: Kind::InvalidParams,
            ..Self::failed(message)
        }
    }

    /// The same, of this kind.
    #[must_use]
    pub const fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The error as programs read it, in the shape of those of the protocol.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let failure = self.failure.as_deref().cloned().unwrap_or_else(|| {
            let failure = Failure::new(self.kind, self.message.clone());
            match &self.hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        });
        json!({ "error": {
            "code": failure.code,
            "message": failure.message,
            "data": failure.data,
        } })
    }

    /// The same, with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        let message = match &failure.data.path {
            Some(path) if !failure.message.contains(path.as_str()) => {
                format!("{path}: {}", failure.message)
            }
            _ => failure.message.clone(),
        };
        let exit = match failure.kind() {
            Kind::InvalidParams | Kind::HostInvalid | Kind::MethodNotFound => Exit::Usage,
            _ => Exit::Failed,
        };
        Self {
            message,
            hint: failure.data.hint.as_deref().map(spoken),
            exit,
            quiet: false,
            kind: failure.kind(),
            failure: Some(Box::new(failure)),
        }
    }
}

/// A hint in the words of the command line: the daemon speaks of methods and parameters.
fn spoken(hint: &str) -> String {
    const WORDS: [(&str, &str); 8] = [
        ("surface.list", "surfaced surfaces"),
        ("terminal.list", "surfaced terminal list"),
        ("seat.list", "surfaced seat list"),
        (
            "agent.list shows those there are, with archived: true the archived ones too",
            "surfaced agent ls shows those there are, with --archived the archived ones too",
        ),
        ("layout.refs", "surfaced call layout.refs"),
        ("rpc.discover", "surfaced call rpc.discover"),
        ("name another one in cwd", "name another one"),
        ("name another one in command", "name another one"),
    ];
    WORDS.iter().fold(hint.to_owned(), |hint, (method, words)| {
        hint.replace(method, words)
    })
}

impl From<ClientError> for CliError {
    fn from(error: ClientError) -> Self {
        let exit = if error.is_no_daemon() {
            Exit::NoDaemon
        } else {
            Exit::Failed
        };
        match error {
            ClientError::Failure(failure) => failure.into(),
            error => Self {
                hint: error.hint(),
                exit,
                kind: kind_of(&error),
                ..Self::failed(error.to_string())
            },
        }
    }
}

/// The kind of an error that no daemon told.
const fn kind_of(error: &ClientError) -> Kind {
    match error {
        ClientError::Failure(_) | ClientError::Answer { .. } => Kind::Internal,
        ClientError::NoDaemon { .. } => Kind::NotFound,
        ClientError::Paths(_) | ClientError::Connect { .. } => Kind::Permission,
        ClientError::Unresponsive { .. } => Kind::Timeout,
        ClientError::NotSurfaced { .. } => Kind::Conflict,
        ClientError::Start { .. } => Kind::SpawnFailed,
        ClientError::Mismatch { .. } => Kind::ProtocolMismatch,
        ClientError::Lost { .. } => Kind::StateUnknown,
        ClientError::Unheard { .. } => Kind::ShuttingDown,
    }
}

impl From<DaemonError> for CliError {
    fn from(error: DaemonError) -> Self {
        Self {
            hint: error.hint().map(str::to_owned),
            exit: match error {
                DaemonError::AnotherRuns { .. } => Exit::AnotherRuns,
                _ => Exit::Failed,
            },
            kind: match error {
                DaemonError::AnotherRuns { .. } => Kind::Conflict,
                _ => Kind::SpawnFailed,
            },
            ..Self::failed(error.to_string())
        }
    }
}

impl From<io::Error> for CliError {
    /// For errors of standard input and output.
    fn from(error: io::Error) -> Self {
        Self {
            quiet: error.kind() == io::ErrorKind::BrokenPipe,
            ..Self::failed(format!("cannot write the output: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_speak_of_commands() {
        for (hint, words) in [
            (
                "list the surfaces that exist with surface.list",
                "list the surfaces that exist with surfaced surfaces",
            ),
            (
                "create the directory or name another one in cwd",
                "create the directory or name another one",
            ),
            (
                "surfaced surfaces lists them",
                "surfaced surfaces lists them",
            ),
        ] {
            assert_eq!(spoken(hint), words);
        }
    }
}
