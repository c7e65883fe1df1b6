//! Starting a host, from the daemon.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use process_wrap::tokio::{CommandWrap, ProcessSession};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::order::{Order, Started};
use crate::os::settle;
use crate::os::shortage;
use crate::proto::{Failure, Kind};
use crate::resolve::TERMINAL_HOST;

/// How long a host may take to start its program.
const PATIENCE: Duration = Duration::from_secs(20);

/// The program that becomes a host: this one by its real path, or where that file is gone, as after an upgrade that is
/// under way, the image that runs now.
///
/// # Errors
/// Where the system does not tell it.
pub fn program() -> io::Result<PathBuf> {
    Ok(current(&settle::program()?))
}

/// A program by its path, while it is there. An upgrade can take its file away at any time; the image that runs stays.
#[must_use]
pub fn current(path: &Path) -> PathBuf {
    let image = Path::new("/proc/self/exe");
    if !path.exists() && image.exists() {
        image.to_owned()
    } else {
        path.to_owned()
    }
}

/// Starts a host and waits until its program runs. Answers the program's process.
///
/// The host is in a session of its own and goes on without us.
///
/// # Errors
/// `program-missing`, `cwd-missing` and `spawn-failed`; nothing is left then.
pub async fn start(program: &Path, order: &Order) -> Result<u32, Failure> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        Failure::new(
            Kind::SpawnFailed,
            format!("cannot start the host of a terminal: {what}{error}"),
        )
    };
    let mut child = CommandWrap::with_new(program, |command| {
        command
            .args([TERMINAL_HOST, &order.record.id])
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
    })
    .wrap(ProcessSession)
    .spawn()
    .map_err(|error| {
        let failure = failed("", &error);
        match shortage::advice(&error) {
            Some(advice) => failure.hint(advice),
            None => failure,
        }
    })?;
    let (stdin, stdout) = (child.stdin().take(), child.stdout().take());
    let talk = async {
        let mut text = serde_json::to_vec(order)?;
        text.push(b'\n');
        if let Some(mut stdin) = stdin {
            stdin.write_all(&text).await?;
            stdin.shutdown().await?;
        }
        let mut line = String::new();
        if let Some(stdout) = stdout {
            BufReader::new(stdout).read_line(&mut line).await?;
        }
        io::Result::Ok(serde_json::from_str::<Started>(&line)?)
    };
    match tokio::time::timeout(PATIENCE, talk).await {
        Ok(Ok(Started::Ok { pid })) => Ok(pid),
        Ok(Ok(Started::Failed {
            kind,
            message,
            hint,
        })) => {
            // It ends by itself; waiting leaves no trace of it.
            let _ = child.wait().await;
            let failure = Failure::new(kind, message);
            Err(match hint {
                Some(hint) => failure.hint(hint),
                None => failure,
            })
        }
        Ok(Err(error)) => {
            let _ = child.start_kill();
            let _ = child.wait().await;
            Err(failed("it did not answer: ", &error))
        }
        Err(_) => {
            let _ = child.start_kill();
            let _ = child.wait().await;
            Err(failed("it did not answer in ", &format!("{PATIENCE:?}")))
        }
    }
}
