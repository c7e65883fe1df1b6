//! A host as a place where commands run.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use rand::Rng;

use super::errors;
use super::link::{Job, Reply, Stop, Unsent};
use super::pool::{Connection, Host};
use super::probe::{self, Probe};
use super::script::{self, File};
use super::settings::Source;
use super::start_up;
use crate::launch::script::FILE;
use crate::launch::step::{Answer, Ended, Invocation};
use crate::proto::{Failure, HostAlias, Kind};
use crate::transport::Transport;

/// Programs that surfaces on hosts are made with.
pub const TOOLS: &[&str] = &[
    "tmux",
    "zsh",
    "osascript",
    "codium",
    "cursor",
    "code",
    "kitty",
    "kitten",
    "wezterm",
    "zellij",
    "konsole",
    "gnome-terminal",
    "screen",
];

/// The program that every application of macOS is driven with, and that no other system has.
const MAC_ONLY: &str = "osascript";

/// How often a host may say that it takes no session although none of ours is there, and how long to wait in between.
const FULL: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// How much longer than its command a session may take to begin and end.
const GRACE: Duration = Duration::from_secs(1);

/// How many files wait for their command at most.
const WAITING: usize = 256;

/// A host. Cheap to clone; all clones share one connection.
#[derive(Clone)]
pub struct Remote {
    alias: HostAlias,
    host: Host,
    source: Source,
    files: Arc<Mutex<Vec<File>>>,
    last: Arc<Mutex<Option<Arc<Probe>>>>,
}

impl Remote {
    /// The host of this name.
    #[must_use]
    pub(super) fn new(alias: HostAlias, host: Host, source: Source) -> Self {
        Self {
            alias,
            host,
            source,
            files: Arc::default(),
            last: Arc::default(),
        }
    }

    /// Its name.
    #[must_use]
    pub const fn alias(&self) -> &HostAlias {
        &self.alias
    }

    /// What is there. The first call on a connection asks, the others remember.
    ///
    /// # Errors
    /// The host cannot be reached, or is none that commands can run on.
    pub async fn probe(&self) -> Result<Arc<Probe>, Failure> {
        let connection = self.host.connection(None).await?;
        let probe = connection.probe.get_or_try_init(async || {
            let answer = self.send(probe::question(TOOLS)).await;
            let answer = answer.map_err(errors::nothing_was_done)?;
            probe::read(&self.alias, &answer).map(Arc::new)
        });
        let probe = probe.await.cloned()?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Arc::clone(&probe));
        Ok(probe)
    }

    /// What was there when it was asked last; `None`: it never was.
    #[must_use]
    pub fn last_probe(&self) -> Option<Arc<Probe>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }

    async fn promise(&self, text: String) -> Result<String, Failure> {
        // Whose directory it will be has to be known.
        let root = format!("/tmp/surfaced-{}", self.probe().await?.uid);
        let dir = format!("{root}/launch-{}", nonce());
        let path = format!("{dir}/{FILE}");
        let mut files = self.files();
        if files.len() >= WAITING {
            files.remove(0);
        }
        files.push(File {
            root,
            dir,
            path: path.clone(),
            text,
        });
        Ok(path)
    }

    async fn take_back(&self, path: &str) {
        let promised = {
            let mut files = self.files();
            let before = files.len();
            files.retain(|file| file.path != path);
            files.len() < before
        };
        if let (false, Some((dir, _))) = (promised, path.rsplit_once('/')) {
            let _ = self.send(Invocation::new(["rm", "-rf", "--", dir])).await;
        }
    }

    /// A new connection, whatever there is.
    ///
    /// # Errors
    /// Why there is none.
    pub async fn reconnect(&self) -> Result<Arc<Connection>, Failure> {
        self.host.fresh().await
    }

    fn files(&self) -> MutexGuard<'_, Vec<File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files that this command names.
    fn named_files(&self, invocation: &Invocation) -> Vec<File> {
        let is_named = |file: &&File| invocation.argv.iter().any(|word| word.contains(&file.path));
        self.files().iter().filter(is_named).cloned().collect()
    }

    async fn send(&self, invocation: Invocation) -> Result<Answer, Failure> {
        let files = self.named_files(&invocation);
        let nonce = nonce();
        let script = script::write(&invocation, &files, &nonce)?;
        let holds_no_secret =
            files.is_empty() && invocation.env.is_empty() && invocation.stdin.is_none();
        let job = Job {
            line: holds_no_secret.then(|| script::line(&script)).flatten(),
            script,
            nonce,
            limit: invocation.timeout.unwrap_or((self.source)().command)
                + script::reports(&invocation).map_or(Duration::ZERO, |reports| reports.limit),
        };
        let (mut not, mut full) = (None, 0);
        loop {
            let connection = self.host.connection(not).await?;
            match self.attempt(&connection, &job).await {
                Ok(reply) => {
                    connection.touch();
                    if reply.stop == Stop::TimedOut {
                        connection.suspect();
                    }
                    let mut answer = self.read(&invocation, &job, reply);
                    if let Err(failure) = &mut answer
                        && failure.kind() == Kind::HostToolMissing
                        && invocation.argv.first().is_some_and(|word| word == MAC_ONLY)
                        && let Ok(probe) = Box::pin(self.probe()).await
                        && !probe.is_mac()
                    {
                        *failure = errors::no_mac(&self.alias, &probe.system);
                    }
                    let is_unbegun = answer.as_ref().is_err_and(|failure| {
                        matches!(failure.kind(), Kind::CwdMissing | Kind::ProgramMissing)
                    });
                    if !is_unbegun {
                        // They were written, or may have been; a second command that names them finds them there.
                        self.files().retain(|file| !files.contains(file));
                    }
                    return answer;
                }
                // Nothing was sent, so that a second attempt does nothing twice; more than one would be a loop.
                Err(Unsent::Gone) if not.is_none() => not = Some(connection.generation),
                Err(Unsent::Gone) => {
                    return Err(Failure::new(
                        Kind::HostUnreachable,
                        format!(
                            "the connection to {} broke twice before a command could be sent",
                            self.alias
                        ),
                    )
                    .hint(format!(
                        "`surfaced hosts check {}` connects anew",
                        self.alias
                    )));
                }
                Err(Unsent::Full) => {
                    full += u32::from(!connection.shrink().await);
                    if full > FULL {
                        return Err(Failure::new(
                            Kind::Busy,
                            format!("{} takes no further session", self.alias),
                        )
                        .hint("its MaxSessions is used up by others"));
                    }
                    // A session that just ended over here takes a moment to end over there.
                    tokio::time::sleep(PAUSE).await;
                }
                Err(Unsent::Refused(why)) => {
                    return Err(Failure::new(
                        Kind::HostUnreachable,
                        format!("{} runs no commands: {why}", self.alias),
                    )
                    .hint(format!(
                        "`{}` has to work",
                        (self.source)().ssh().line(&[], &self.alias, Some("true"))
                    )));
                }
            }
        }
    }

    async fn attempt(&self, connection: &Connection, job: &Job) -> Result<Reply, Unsent> {
        let permit = Arc::clone(&connection.slots)
            .acquire_owned()
            .await
            .map_err(|_| Unsent::Gone)?;
        // On a link that is frozen not even a session begins.
        tokio::time::timeout(job.limit + GRACE, connection.link.run(job, permit))
            .await
            .unwrap_or_else(|_| {
                Ok(Reply {
                    stop: Stop::TimedOut,
                    ..Reply::new(&job.nonce)
                })
            })
    }

    fn read(&self, invocation: &Invocation, job: &Job, reply: Reply) -> Result<Answer, Failure> {
        let began = reply.stdout.began();
        let words = reply.stdout.ended().map(str::to_owned);
        let ended = match words {
            Some(words) => {
                let mut words = words.splitn(3, ' ');
                let code = words.next().and_then(|code| code.parse().ok());
                match (code, words.next(), words.next()) {
                    (_, Some("missing"), path) => {
                        let path = path.unwrap_or_default();
                        return Err(errors::missing(&self.alias, invocation.program(), path));
                    }
                    (_, Some(what @ ("cwd" | "program")), index) => {
                        let need = index
                            .and_then(|index| index.parse().ok())
                            .and_then(|index: usize| invocation.needs.get(index));
                        return Err(errors::lacking(&self.alias, what, need));
                    }
                    (_, Some("deaf"), _) => {
                        return Err(start_up::no_input(&self.alias));
                    }
                    (_, Some("file"), root) => {
                        return Err(errors::no_file(&self.alias, root.unwrap_or_default()));
                    }
                    (Some(code), ..) => Ended::Code(code),
                    (None, ..) => Ended::Lost,
                }
            }
            None => match reply.stop {
                Stop::TimedOut if began => Ended::TimedOut,
                Stop::TimedOut => return Err(errors::silent(&self.alias, job.limit)),
                Stop::Signal(signal) if began => Ended::Signal(signal),
                Stop::Lost => Ended::Lost,
                Stop::Closed | Stop::Signal(_) if began => Ended::Lost,
                Stop::Closed | Stop::Signal(_) => {
                    let said = [reply.stderr.noise(), reply.stdout.noise()].join(" ");
                    return Err(start_up::noise(&self.alias, said.trim()));
                }
            },
        };
        let (stdout, report) = parted(reply.stdout.into_output(), &job.nonce);
        let answer = Answer {
            // What came after it was only the wait.
            ended: if report.is_some() {
                Ended::Code(0)
            } else {
                ended
            },
            stdout,
            stderr: reply.stderr.into_output(),
            report: report.unwrap_or_default(),
        };
        // What it said before may tell what was done; without that nobody knows.
        if answer.ended == Ended::Lost && answer.stdout.is_empty() {
            return Err(if began {
                errors::lost(&self.alias, invocation.program())
            } else {
                errors::dropped(&self.alias, &(self.source)().ssh())
            });
        }
        Ok(answer)
    }
}

impl Transport for Remote {
    fn run(&self, invocation: Invocation) -> BoxFuture<'_, Result<Answer, Failure>> {
        self.send(invocation).boxed()
    }

    fn probe(&self) -> BoxFuture<'_, Result<Option<Arc<Probe>>, Failure>> {
        Self::probe(self).map_ok(Some).boxed()
    }

    fn promise_script(&self, text: String) -> BoxFuture<'_, Result<Option<String>, Failure>> {
        self.promise(text).map_ok(Some).boxed()
    }

    fn drop_script<'a>(&'a self, path: &'a str) -> BoxFuture<'a, ()> {
        self.take_back(path).boxed()
    }
}

/// The output of a command, and what is behind the mark of the wait for its launch script. `None`: it did not come to that.
fn parted(mut output: Vec<u8>, nonce: &str) -> (Vec<u8>, Option<Vec<u8>>) {
    let mark = format!("\n{}", script::report_mark(nonce));
    let at = output
        .windows(mark.len())
        .position(|window| window == mark.as_bytes());
    let Some(at) = at else {
        return (output, None);
    };
    let mut report = output.split_off(at).split_off(mark.len());
    if report.starts_with(b"\r") && output.ends_with(b"\r") {
        output.pop();
    }
    let line = report.iter().position(|byte| *byte == b'\n');
    report.drain(..line.map_or(0, |line| line + 1));
    (output, Some(report))
}

/// A number that nobody can guess, in letters and digits.
pub(super) fn nonce() -> String {
    format!("{:032x}", rand::rng().random::<u128>())
}
