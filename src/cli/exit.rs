//! How a command ends.

use std::io;
use std::process::ExitCode;

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
}

impl CliError {
    /// What was asked for failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            exit: Exit::Failed,
            quiet: false,
        }
    }

    /// It was asked for in a wrong way.
    pub fn usage(message: impl Into<String>) -> Self {
        Self {
            exit: Exit::Usage,
            ..Self::failed(message)
        }
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
            hint: failure.data.hint,
            exit,
            quiet: false,
        }
    }
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
                message: error.to_string(),
                hint: error.hint(),
                exit,
                quiet: false,
            },
        }
    }
}

impl From<DaemonError> for CliError {
    fn from(error: DaemonError) -> Self {
        Self {
            message: error.to_string(),
            hint: error.hint().map(str::to_owned),
            exit: match error {
                DaemonError::AnotherRuns { .. } => Exit::AnotherRuns,
                _ => Exit::Failed,
            },
            quiet: false,
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
