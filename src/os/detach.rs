//! Starts a daemon that outlives its starter and has nothing of it.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use process_wrap::tokio::{CommandWrap, ProcessSession};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use super::environment;
use super::person::Person;

/// The exit status of a daemon that found another one holding its home.
pub const ANOTHER_RUNS: u8 = 4;

/// How much of what a failed start says is kept.
const COMPLAINT: u64 = 16 << 10;

/// What became of a start.
#[derive(Debug)]
pub enum Start {
    /// It is ready and said this line.
    Ready(String),
    /// It ended before it was ready.
    Ended {
        /// How.
        status: ExitStatus,
        /// What it wrote to standard error.
        complaint: String,
    },
}

/// Starts `program` in a session of its own, in the directory `/`, with the daemon's environment, and waits until it has
/// written a line to standard output, which says that it is ready, or has ended.
///
/// `variables` are set over that environment. Dropping the future leaves the process alone.
///
/// # Errors
/// Where the program cannot be started.
pub async fn start<S: AsRef<OsStr>>(
    program: &Path,
    args: &[S],
    variables: &[(&'static str, PathBuf)],
) -> io::Result<Start> {
    #[expect(
        clippy::disallowed_methods,
        reason = "what is kept of the environment is decided by os::environment"
    )]
    // Its agent it sets itself: the variables may say that it has another home.
    let mut environment =
        environment::for_daemon(std::env::vars_os(), Person::current().as_ref(), None);
    environment.extend(
        variables
            .iter()
            .map(|(name, path)| (name.into(), path.into())),
    );
    let mut child = CommandWrap::with_new(program, |command| {
        command
            .args(args)
            .env_clear()
            .envs(environment)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    })
    .wrap(ProcessSession)
    .spawn()?;
    let stdout = child.stdout().take();
    let stderr = child.stderr().take();
    let mut line = String::new();
    if let Some(stdout) = stdout {
        BufReader::new(stdout).read_line(&mut line).await?;
    }
    if line.ends_with('\n') {
        line.pop();
        return Ok(Start::Ready(line));
    }
    let mut complaint = Vec::new();
    if let Some(stderr) = stderr {
        stderr.take(COMPLAINT).read_to_end(&mut complaint).await?;
    }
    let status = child.wait().await?;
    Ok(Start::Ended {
        status,
        complaint: String::from_utf8_lossy(&complaint).trim().to_owned(),
    })
}

/// Cuts the ties to the starter once its waiting is over: the session, standard input and output. Standard error is the
/// log's ([`super::log_file::LogFile::take_stderr`]).
///
/// # Errors
/// Those of the system.
pub fn cut_ties() -> io::Result<()> {
    // Fails where the process leads its session or group already, which is as good.
    let _ = rustix::process::setsid();
    let null = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    Ok(())
}
