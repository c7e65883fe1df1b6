//! Where no terminal can be driven: one session after the other in this terminal.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::signal::unix::{SignalKind, signal};

use super::only;
use crate::cli::exit::{CliError, Exit};
use crate::cli::render;
use crate::client::{ClientError, Daemon};
use crate::os::environment::variable;
use crate::os::person::Person;
use crate::os::signal_name;
use crate::os::supervise::Supervisor;
use crate::proto::open::OpenAnswer;
use crate::proto::resume::{Resume, ResumeParams};
use crate::proto::{Argv, BackendId, Kind, Request, Word};
use crate::service::path_capture::{PathCapture, search};
use crate::transport::Local;

/// How long the PATH of the interactive shell is waited for.
const SHELL: Duration = Duration::from_secs(5);

/// SIGINT.
const INTERRUPT: i32 = 2;

/// Runs each in the foreground until it ends, in its own directory. One that cannot be taken up stops no other; one that is
/// ended by Ctrl-C itself is the last.
pub(super) async fn one_after_the_other(
    connection: &Daemon,
    ids: &[Word],
) -> Result<Exit, CliError> {
    render::note("no terminal can be driven here, so they run in this one, one after the other");
    // Ctrl-C is the running program's; this one only must not end by it.
    let _listening = [SignalKind::interrupt(), SignalKind::quit()].map(signal);
    let mut exit = Exit::Done;
    for (at, id) in ids.iter().enumerate() {
        let params = ResumeParams {
            ids: only(id),
            backend: Some(BackendId::from("builtin")),
            dry_run: Some(true),
            ..ResumeParams::default()
        };
        let request = match connection.call::<Resume>(&params).await.map(request) {
            Ok(Some(request)) => request,
            Ok(None) => continue,
            Err(error) => {
                let _ = render::fail(&told(error));
                exit = Exit::Failed;
                continue;
            }
        };
        let words = request.command.iter().flat_map(Argv::words);
        let words: Vec<&str> = words.map(Word::as_str).collect();
        let cwd = request.cwd.as_ref().map_or("/", |cwd| cwd.as_str());
        let count = match ids.len() {
            1 => String::new(),
            all => format!("{} of {all}: ", at + 1),
        };
        render::note(format!("{count}{} in {cwd}", words.join(" ")));
        let status = match foreground(&request, &words, cwd).await {
            Ok(status) => status,
            Err(error) => {
                let _ = render::fail(&error);
                exit = Exit::Failed;
                continue;
            }
        };
        if status.signal() == Some(INTERRUPT) {
            let rest = ids.len() - at - 1;
            if rest > 0 {
                render::note(format!("{rest} more were not opened"));
            }
            return Ok(Exit::Interrupted);
        }
        if !status.success() {
            let _ = render::fail(&CliError::failed(format!(
                "session {id}: {} {}",
                words.first().unwrap_or(&""),
                how(status)
            )));
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// The failure of one session: which parameter named it is no matter.
fn told(error: ClientError) -> CliError {
    match error {
        ClientError::Failure(mut failure) => {
            failure.data.path = None;
            failure.into()
        }
        error => error.into(),
    }
}

fn request(answer: OpenAnswer) -> Option<Request> {
    match answer {
        OpenAnswer::Specs(built) => built.specs.into_iter().next().map(|spec| spec.request),
        OpenAnswer::Opened { .. } => None,
    }
}

fn how(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        (None, Some(signal)) => format!("was ended by {}", signal_name::name(signal)),
        (None, None) => "ended".to_owned(),
    }
}

/// Runs a command in this terminal, and leaves the terminal as it was.
async fn foreground(request: &Request, words: &[&str], cwd: &str) -> Result<ExitStatus, CliError> {
    let Some((name, args)) = words.split_first() else {
        return Err(CliError::failed("there is no command to run"));
    };
    let (program, path) = find(name).await?;
    #[expect(
        clippy::disallowed_methods,
        reason = "it takes over this terminal, as a command of a shell does"
    )]
    let mut command = tokio::process::Command::new(&program);
    command.args(args).current_dir(cwd);
    if let Some(path) = path {
        command.env("PATH", path);
    }
    let variables = request.env.iter().flatten();
    command.envs(variables.map(|(name, value)| (name.as_str(), value.as_str())));
    let before = tcgetattr(io::stdin()).ok();
    let status = command.status().await.map_err(|error| {
        CliError::failed(format!("cannot run {}: {error}", program.display()))
            .kind(Kind::SpawnFailed)
    });
    if let Some(before) = before {
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &before);
    }
    status
}

/// The program, on the PATH of this command line or of the interactive shell, and that PATH where it is another one: versions of
/// agents' programs come on PATH in interactive shells only.
async fn find(name: &str) -> Result<(PathBuf, Option<String>), CliError> {
    if name.contains('/') {
        return Ok((name.into(), None));
    }
    let own = variable("PATH").unwrap_or_default();
    if let Some(program) = search(&own, name) {
        return Ok((program, None));
    }
    let login = || Person::current().map(|person| person.shell.display().to_string());
    let shell = match search(&own, "zsh") {
        Some(_) => Some("zsh".to_owned()),
        None => variable("SHELL").or_else(login),
    };
    let supervisor = Supervisor::new();
    let capture = PathCapture::new(supervisor, Arc::new(Local::new(own)));
    let path = match &shell {
        Some(shell) => capture.path(shell, SHELL).await,
        None => None,
    };
    let found = path.and_then(|path| Some((search(&path, name)?, Some(path.to_string()))));
    found.ok_or_else(|| {
        CliError::failed(format!("the program {name} was not found on PATH"))
            .kind(Kind::ProgramMissing)
            .hint("install it, or put its directory on PATH in the rc file of your shell")
    })
}
