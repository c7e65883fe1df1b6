//! Sessions on a master connection of OpenSSH: a process of `ssh` each, that only speaks to the master.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::OwnedSemaphorePermit;

use super::ahead::Ahead;
use super::link::{Job, Reply, Stop, Unsent};
use super::program::Started;
use super::settings::Settings;
use crate::os::supervise::Supervisor;

/// How long a session may take to end after its command did.
const TAIL: Duration = Duration::from_secs(2);

/// A session that was given a command line. When it is dropped its process ends, and with it what the far side runs.
#[derive(Debug)]
pub(super) struct Session {
    process: Started,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

impl Session {
    /// Starts one: `words` and then the command line.
    pub(super) fn start(words: &[String], line: &str, settings: &Settings) -> Result<Self, Unsent> {
        let refused = |why: String| Unsent::Refused(format!("cannot start ssh: {why}"));
        let mut words = words.to_vec();
        words.push(line.to_owned());
        let mut process =
            Started::new(&words, None, settings).map_err(|error| refused(error.to_string()))?;
        let (stdin, stdout, stderr) = process
            .pipes()
            .ok_or_else(|| refused("it has no pipes".into()))?;
        Ok(Self {
            process,
            stdin,
            stdout,
            stderr,
        })
    }

    /// Itself, if its process still runs.
    pub(super) fn living(mut self) -> Option<Self> {
        self.process.lives().then_some(self)
    }

    /// Ends it, and waits until it has ended.
    pub(super) async fn close(self) {
        let Self {
            mut process, stdin, ..
        } = self;
        drop(stdin);
        let _ = tokio::time::timeout(TAIL, process.wait()).await;
    }

    /// Reads the answer to a job; `script` is sent first, where the command line was not the whole of it.
    pub(super) async fn run(
        self,
        job: &Job,
        script: Option<&str>,
        permit: OwnedSemaphorePermit,
        supervisor: &Supervisor,
    ) -> Result<Reply, Unsent> {
        let Self {
            mut process,
            mut stdin,
            stdout,
            stderr,
        } = self;
        let mut reply = Reply::new(&job.nonce);
        let driving = drive(&mut stdin, stdout, stderr, script, &mut reply);
        if tokio::time::timeout(job.limit, driving).await.is_err() {
            // With its session the far side loses its standard input, and ends the command.
            process.end();
            reply.stop = Stop::TimedOut;
        }
        drop(stdin);
        if reply.complete() || reply.stop == Stop::TimedOut {
            // Its place at the host is free once it has ended.
            supervisor.spawn(async move {
                let _ = tokio::time::timeout(TAIL, process.wait()).await;
                drop(permit);
            });
            return Ok(reply);
        }
        if process.wait().await != Some(255) {
            return Ok(reply);
        }
        let said = reply.stderr.noise();
        if !reply.stderr.began() && !reply.stdout.began() {
            if said.contains("Session open refused") {
                return Err(Unsent::Full);
            }
            if said.contains("UNKNOWN port 65535") || said.contains("Control socket connect") {
                return Err(Unsent::Gone);
            }
        }
        reply.stop = Stop::Lost;
        Ok(reply)
    }
}

/// Starts a session in advance, where one is wanted.
pub(super) fn refill(words: &[String], settings: &Settings, place: &Ahead<Session>) {
    if place.wants_one()
        && let Ok(session) = Session::start(words, super::script::SHELL, settings)
    {
        drop(place.put(session));
    }
}

/// Writes the script and reads until the answer is whole or nothing more comes. Standard input stays open all the while.
async fn drive(
    stdin: &mut ChildStdin,
    mut stdout: ChildStdout,
    mut stderr: ChildStderr,
    script: Option<&str>,
    reply: &mut Reply,
) {
    let writing = stdin.write_all(script.unwrap_or_default().as_bytes());
    tokio::pin!(writing);
    let (mut written, mut out_open, mut err_open) = (false, true, true);
    let (mut out, mut err) = (vec![0; 16 << 10], vec![0; 4 << 10]);
    while (out_open || err_open) && !reply.complete() {
        tokio::select! {
            _ = &mut writing, if !written => written = true,
            read = stdout.read(&mut out), if out_open => match read {
                Ok(0) | Err(_) => out_open = false,
                Ok(length) => reply.stdout.feed(&out[..length]),
            },
            read = stderr.read(&mut err), if err_open => match read {
                Ok(0) | Err(_) => err_open = false,
                Ok(length) => reply.stderr.feed(&err[..length]),
            },
        }
    }
}
