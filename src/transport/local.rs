//! Commands on this machine.

use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use process_wrap::tokio::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::time::{Instant, timeout};

use super::Transport;
use crate::launch::script;
use crate::launch::step::{Answer, Ended, Invocation, Stays};
use crate::os::shortage;
use crate::proto::{Failure, Kind};

/// How long a command may take that says nothing of it.
pub const LIMIT: Duration = Duration::from_secs(10);

/// How long a command has to end after it was asked to.
const GRACE: Duration = Duration::from_millis(500);

/// How often a command that may stay is looked after.
const LOOK: Duration = Duration::from_millis(20);

/// The most that is kept of what a command writes, in bytes; the rest is read and dropped.
const OUTPUT: usize = 8 << 20;

/// The same of its complaints.
const COMPLAINTS: usize = 64 << 10;

/// Runs commands on this machine, each in a session of its own: without a terminal to ask on, and endable as a group.
#[derive(Clone, Debug)]
pub struct Local {
    path: String,
}

impl Local {
    /// Runs commands with this PATH, on which their programs are also looked for.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }

    /// The PATH.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    fn spawn(&self, invocation: &Invocation) -> Result<Running, Failure> {
        let [program, words @ ..] = invocation.argv.as_slice() else {
            return Err(Failure::new(
                Kind::Internal,
                "a command without words was to be run",
            ));
        };
        let input = if invocation.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let mut command = CommandWrap::with_new(program, |command| {
            command
                .args(words)
                .env("PATH", &self.path)
                // The daemon's own is a link that ends with it.
                .env_remove("SSH_AUTH_SOCK")
                .envs(&invocation.env)
                .stdin(input)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .kill_on_drop(true);
        });
        command.wrap(ProcessSession);
        let child = command
            .spawn()
            .map_err(|error| self.refused(program, &error))?;
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        Ok(Running { child, group })
    }

    /// Runs a command that may stay. It writes into files that have no name any more, so that it can do so when the daemon has
    /// ended; nothing ends it, and the runtime reaps it.
    async fn stay(
        &self,
        invocation: &Invocation,
        stays: &Stays,
        limit: Duration,
    ) -> Result<Answer, Failure> {
        let [program, words @ ..] = invocation.argv.as_slice() else {
            return Err(Failure::new(
                Kind::Internal,
                "a command without words was to be run",
            ));
        };
        let unwritten = |error: std::io::Error| {
            Failure::new(
                Kind::SpawnFailed,
                format!("cannot run {program}: nothing can be kept of what it writes: {error}"),
            )
        };
        let (output, complaints) = (
            nameless().map_err(unwritten)?,
            nameless().map_err(unwritten)?,
        );
        let stdout = output.try_clone().map_err(unwritten)?;
        let stderr = complaints.try_clone().map_err(unwritten)?;
        let mut command = CommandWrap::with_new(program, |command| {
            command
                .args(words)
                .env("PATH", &self.path)
                .env_remove("SSH_AUTH_SOCK")
                .envs(&invocation.env)
                .stdin(Stdio::null())
                .stdout(stdout)
                .stderr(stderr);
        });
        command.wrap(ProcessSession);
        let mut child = command
            .spawn()
            .map_err(|error| self.refused(program, &error))?;
        let end = Instant::now() + limit;
        let ended = loop {
            let left = end.saturating_duration_since(Instant::now());
            if let Ok(status) = timeout(LOOK.min(left), child.inner_mut().wait()).await {
                break how(status.map_err(unwritten)?);
            }
            let started = stays.script.as_deref().is_some_and(was_run);
            let has_answered =
                !stays.answers || output.metadata().is_ok_and(|written| written.len() > 0);
            if (started && has_answered) || left.is_zero() {
                break Ended::Stays { started };
            }
        };
        Ok(Answer {
            ended,
            stdout: kept(&output, OUTPUT),
            stderr: kept(&complaints, COMPLAINTS),
            report: Vec::new(),
        })
    }

    fn refused(&self, program: &str, error: &std::io::Error) -> Failure {
        match Errno::from_io_error(error) {
            Some(Errno::NOENT) if program.contains('/') => Failure::new(
                Kind::HostToolMissing,
                format!("cannot run {program}: no such file"),
            ),
            Some(Errno::NOENT) if program == "osascript" && cfg!(not(target_os = "macos")) => {
                Failure::new(
                    Kind::HostToolMissing,
                    "cannot run osascript: it is part of macOS",
                )
                .hint("that terminal is one of a Mac; surfaced backends lists those that can be driven here")
            }
            Some(Errno::NOENT) => Failure::new(
                Kind::HostToolMissing,
                format!("cannot run {program}: it was not found on PATH"),
            )
            .hint(format!(
                "install {program}, or start the daemon with its directory on PATH; PATH is {}",
                self.path
            )),
            Some(Errno::TOOBIG) => Failure::new(
                Kind::SpawnFailed,
                format!(
                    "cannot run {program}: its words and variables are longer than the system takes"
                ),
            ),
            _ => {
                let failure =
                    Failure::new(Kind::SpawnFailed, format!("cannot run {program}: {error}"));
                match shortage::advice(error) {
                    Some(advice) => failure.hint(advice),
                    None => failure,
                }
            }
        }
    }
}

impl Transport for Local {
    fn run(&self, invocation: Invocation) -> BoxFuture<'_, Result<Answer, Failure>> {
        async move {
            if let Some(stays) = &invocation.stays {
                let limit = invocation.timeout.unwrap_or(LIMIT);
                return self.stay(&invocation, stays, limit).await;
            }
            let mut running = self.spawn(&invocation)?;
            let limit = invocation.timeout.unwrap_or(LIMIT);
            let input = invocation.stdin.unwrap_or_default();
            running.finish(input, limit).await
        }
        .boxed()
    }
}

/// A command on its way. Dropped before its end, it is killed with its group; the runtime reaps it.
struct Running {
    child: Box<dyn ChildWrapper>,
    /// Present until it was reaped: the number is somebody else's afterwards.
    group: Option<Pid>,
}

impl Running {
    async fn finish(&mut self, input: Vec<u8>, limit: Duration) -> Result<Answer, Failure> {
        let mut stdout = Kept::new(self.child.stdout().take(), OUTPUT);
        let mut stderr = Kept::new(self.child.stderr().take(), COMPLAINTS);
        let stdin = self.child.stdin().take();
        let ended = {
            let io = async {
                tokio::join!(feed(stdin, &input), stdout.fill(), stderr.fill());
                std::future::pending::<()>().await;
            };
            // The wrapper's own wait would also wait for every other process of the group.
            let child = self.child.inner_mut();
            let group = self.group;
            tokio::select! {
                biased;
                ended = end(child, group, limit) => ended?,
                () = io => Ended::Lost,
            }
        };
        self.group = None;
        // What it wrote before its end is in the pipes by now. Whoever else holds them open is not waited for.
        Ok(Answer {
            ended,
            stdout: stdout.rest(),
            stderr: stderr.rest(),
            report: Vec::new(),
        })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Whether a launch script was run: its directory is gone, or it left a report there.
fn was_run(dir: &str) -> bool {
    let dir = Path::new(dir);
    !dir.exists() || dir.join(script::REPORT).exists()
}

/// A file of the user's own that nobody can open by a name.
fn nameless() -> std::io::Result<File> {
    let path = std::env::temp_dir().join(format!("surfaced-{:032x}", rand::random::<u128>()));
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

/// The beginning of what was written into a file.
fn kept(file: &File, limit: usize) -> Vec<u8> {
    let mut bytes = vec![0; limit.min(64 << 10)];
    let length = file.read_at(&mut bytes, 0).unwrap_or(0);
    bytes.truncate(length);
    bytes
}

/// Waits for the end, and brings it about when the time is up: asked first, then killed, always reaped.
async fn end(
    child: &mut dyn ChildWrapper,
    group: Option<Pid>,
    limit: Duration,
) -> Result<Ended, Failure> {
    let lost = |error: std::io::Error| {
        Failure::new(
            Kind::StateUnknown,
            format!("the end of a command cannot be watched: {error}"),
        )
    };
    if let Ok(status) = timeout(limit, child.wait()).await {
        return Ok(how(status.map_err(lost)?));
    }
    for signal in [Signal::TERM, Signal::KILL] {
        if let Some(group) = group {
            let _ = kill_process_group(group, signal);
        }
        if let Ok(status) = timeout(GRACE, child.wait()).await {
            status.map_err(lost)?;
            break;
        }
    }
    // Its group may have members that ignored the request. A leader that even now has not ended hangs in the system
    // itself; the runtime reaps it once it lets go.
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    Ok(Ended::TimedOut)
}

fn how(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Code(code),
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}

/// Writes the input. A command that does not read it all is not at fault.
async fn feed(stdin: Option<ChildStdin>, input: &[u8]) {
    if let Some(mut stdin) = stdin {
        let _ = stdin.write_all(input).await;
        let _ = stdin.shutdown().await;
    }
}

/// What is read of a pipe, up to a limit.
struct Kept<P> {
    pipe: Option<P>,
    bytes: Vec<u8>,
    limit: usize,
}

impl<P: AsyncRead + Unpin + AsFd> Kept<P> {
    const fn new(pipe: Option<P>, limit: usize) -> Self {
        Self {
            pipe,
            bytes: Vec::new(),
            limit,
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = self.limit.saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Reads until its end.
    async fn fill(&mut self) {
        let mut buffer = vec![0; 16 << 10];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut buffer).await {
                Ok(0) | Err(_) => self.pipe = None,
                Ok(count) => self.keep(&buffer[..count]),
            }
        }
    }

    /// Reads what is there now (tokio's pipes do not block) and gives all of it.
    fn rest(mut self) -> Vec<u8> {
        let mut buffer = [0; 16 << 10];
        // A process that goes on writing would keep this going: it ends with the limit.
        while let Some(pipe) = &self.pipe
            && self.bytes.len() < self.limit
        {
            match rustix::io::read(pipe, &mut buffer) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => break,
                Ok(count) => self.keep(&buffer[..count]),
            }
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local() -> Local {
        Local::new("/usr/local/bin:/usr/bin:/bin")
    }

    async fn run(script: &str) -> Answer {
        local()
            .run(Invocation::new(["sh", "-c", script]))
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn the_answer_is_what_it_wrote_and_how_it_ended() {
        let answer = run("echo out; echo err >&2; exit 3").await;
        assert_eq!(answer.ended, Ended::Code(3));
        assert_eq!(
            (answer.text().as_str(), answer.complaint().as_str()),
            ("out\n", "err")
        );
        assert_eq!(run("kill -9 $$").await.ended, Ended::Signal(9));
    }

    #[tokio::test]
    async fn input_and_variables_arrive() {
        let text = "x".repeat(300_000);
        let mut invocation = Invocation::new(["sh", "-c", "printf %s \"$A\"; cat"]);
        invocation.env.insert("A".into(), "1;".into());
        invocation.stdin = Some(text.clone().into_bytes());
        let answer = local().run(invocation).await.unwrap();
        assert_eq!(answer.text(), format!("1;{text}"));
    }

    #[tokio::test]
    async fn a_command_that_reads_nothing_is_no_failure() {
        let mut invocation = Invocation::new(["true"]);
        invocation.stdin = Some(vec![b'x'; 1 << 20]);
        assert!(local().run(invocation).await.unwrap().ok());
    }

    #[tokio::test]
    async fn a_child_that_holds_the_pipes_open_is_not_waited_for() {
        let answer = run("sleep 600 & echo $!").await;
        assert!(answer.ok());
        let pid: i32 = answer.text().trim().parse().unwrap();
        rustix::process::kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    }

    #[tokio::test]
    async fn a_command_that_takes_too_long_is_ended_with_its_group() {
        for stubborn in [
            "trap '' TERM; ",
            "(trap '' TERM; exec sleep 600) & echo $!; exec ",
            "",
        ] {
            let mut invocation = Invocation::new([
                "sh",
                "-c",
                &format!("{stubborn}sleep 600 & echo $!; wait; sleep 600"),
            ]);
            invocation.timeout = Some(Duration::from_millis(300));
            let answer = local().run(invocation).await.unwrap();
            assert_eq!(answer.ended, Ended::TimedOut);
            for pid in answer.text().lines() {
                let running = || {
                    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
                    (!stat.contains(") Z")).then_some(stat)
                };
                let gone = async {
                    while running().is_some() {
                        tokio::task::yield_now().await;
                    }
                };
                timeout(Duration::from_secs(30), gone)
                    .await
                    .expect("the process ends");
            }
        }
    }

    #[tokio::test]
    async fn output_is_bounded_and_the_command_does_not_notice() {
        let answer = run("head -c 20000000 /dev/zero; head -c 200000 /dev/zero >&2; exit 4").await;
        assert_eq!(answer.ended, Ended::Code(4));
        assert_eq!(
            (answer.stdout.len(), answer.stderr.len()),
            (OUTPUT, COMPLAINTS)
        );
    }

    #[tokio::test]
    async fn what_cannot_be_started_says_why() {
        for (argv, kind, words) in [
            (
                vec!["no-such-program".to_owned()],
                Kind::HostToolMissing,
                "not found on PATH",
            ),
            (
                vec!["/no/such".to_owned()],
                Kind::HostToolMissing,
                "no such file",
            ),
            (vec!["/etc/passwd".to_owned()], Kind::SpawnFailed, "denied"),
            (
                vec!["true".to_owned(), "x".repeat(4 << 20)],
                Kind::SpawnFailed,
                "longer than the system",
            ),
        ] {
            let failure = local().run(Invocation::new(argv)).await.unwrap_err();
            assert_eq!(failure.kind(), kind, "{failure}");
            assert!(failure.message.contains(words), "{failure}");
        }
    }
}
