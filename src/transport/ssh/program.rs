//! OpenSSH's own programs on this machine, without a terminal and with nobody to ask.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::settings::Settings;
use crate::launch::step::{Answer, Invocation};
use crate::proto::Failure;
use crate::transport::{Local, Transport};

/// Runs a short command.
///
/// # Errors
/// As those of [`Local`].
pub async fn look(
    words: &[impl AsRef<str>],
    agent: Option<&Path>,
    settings: &Settings,
    limit: Duration,
) -> Result<Answer, Failure> {
    let mut invocation = Invocation::new(words.iter().map(AsRef::as_ref));
    invocation.env = environment(agent);
    invocation.timeout = Some(limit);
    Local::new(settings.path.as_str()).run(invocation).await
}

/// A program that is spoken to over pipes, in a session of its own.
#[derive(Debug)]
pub struct Started {
    child: Box<dyn ChildWrapper>,
    kept: bool,
}

impl Started {
    /// Starts one.
    ///
    /// # Errors
    /// Where it cannot be started, as when the program is missing.
    pub fn new(
        words: &[String],
        agent: Option<&Path>,
        settings: &Settings,
    ) -> std::io::Result<Self> {
        let (program, words) = words
            .split_first()
            .ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut command = CommandWrap::with_new(program, |command| {
            command
                .args(words)
                .current_dir("/")
                .env("PATH", &settings.path)
                .envs(environment(agent))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
        });
        let child = command.wrap(ProcessSession).spawn()?;
        Ok(Self { child, kept: false })
    }

    /// The same program, that goes on when this value is dropped: the end of its standard input tells it to end.
    #[must_use]
    pub fn kept(mut self) -> Self {
        self.kept = true;
        self
    }

    /// Its pipes, once.
    pub fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        Some((
            self.child.stdin().take()?,
            self.child.stdout().take()?,
            self.child.stderr().take()?,
        ))
    }

    /// Waits for its end, not for that of anything it started. `None`: a signal ended it.
    pub async fn wait(&mut self) -> Option<i32> {
        // The wrapper's own wait would also wait for the rest of the group.
        let status = self.child.inner_mut().wait().await;
        status.ok().and_then(|status| status.code())
    }

    /// Whether it still runs.
    pub fn lives(&mut self) -> bool {
        matches!(self.child.inner_mut().try_wait(), Ok(None))
    }

    /// Ends it and everything in its session's first group.
    pub fn end(&self) {
        // The number of a process that was not waited for yet is still its own.
        if let Some(pid) = self
            .child
            .id()
            .and_then(|pid| Pid::from_raw(pid.cast_signed()))
        {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if !self.kept {
            self.end();
        }
    }
}

/// An agent is named, or it is said that there is none; nothing may open a window to ask for a passphrase.
fn environment(agent: Option<&Path>) -> BTreeMap<String, String> {
    let agent = agent.map(|path| path.to_string_lossy().into_owned());
    BTreeMap::from([
        ("SSH_AUTH_SOCK".into(), agent.unwrap_or_default()),
        ("SSH_ASKPASS_REQUIRE".into(), "never".into()),
    ])
}
