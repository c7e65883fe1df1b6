//! Hosts through the system's `ssh`: one master connection of our own, and a multiplexed session for each command.
//!
//! The master reads the person's whole configuration, with everything switched off that a command must not have. The sessions read
//! none of it: they only speak to the master's socket, and where that is gone they fail at once instead of connecting anew.

use std::path::PathBuf;
use std::time::Duration;

use rand::RngCore;
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{Mutex, OwnedSemaphorePermit};

use super::ahead::Ahead;
use super::config::Config;
use super::errors::Trouble;
use super::link::{Job, Reply, Unsent};
use super::program::Started;
use super::script::SHELL;
use super::session::{Session, refill};
use super::settings::Settings;
use super::survey::Survey;
use crate::os::supervise::Supervisor;

/// Stands between the daemon and a master: connects it, says `up`, and ends it when its own standard input ends. Nothing of the
/// daemon's has to run for that, so that a daemon that was killed leaves no connection. A master that does not end when it is asked,
/// as when it is stopped or its socket was removed, is killed, once it is certain that the process is still that one.
const GUARD: &str = "trap '' PIPE
control=$1
shift
\"$@\" </dev/null || exit
printf 'up\\n'
pid=$(ssh -F /dev/null -o ControlPath=\"$control\" -O check -- surfaced 2>&1)
pid=${pid##*pid=} pid=${pid%%)*}
exec >/dev/null 2>&1
while read -r line; do :; done
ssh -F /dev/null -o ControlPath=\"$control\" -O exit -- surfaced &
case $pid in '' | *[!0-9]*) wait; exit ;; esac
round=0
while [ $round -lt 20 ] && kill -0 \"$pid\"; do sleep .05; round=$((round + 1)); done
case $(ps -ww -o args= -p \"$pid\") in *\"$control\"*) kill -9 \"$pid\" ;; esac
kill $!";

/// How long complaints may follow the end of a master that did not come up.
const GRACE: Duration = Duration::from_millis(200);

/// How long a master may take to end.
const EXIT: Duration = Duration::from_secs(2);

/// A master connection.
#[derive(Debug)]
pub struct Master {
    control: PathBuf,
    session: Vec<String>,
    settings: Settings,
    ahead: Ahead<Session>,
    guard: Mutex<Option<(Started, ChildStdin)>>,
    borrowed: bool,
    supervisor: Supervisor,
}

impl Master {
    /// Uses a master of the person's own: whoever needed a second factor for it shall not need it twice. It is never ended.
    #[must_use]
    pub fn borrow(
        control: PathBuf,
        survey: &Survey,
        settings: &Settings,
        supervisor: &Supervisor,
    ) -> Self {
        Self {
            session: session_words(&survey.config, &control.to_string_lossy()),
            control,
            settings: settings.clone(),
            ahead: Ahead::default(),
            guard: Mutex::new(None),
            borrowed: true,
            supervisor: supervisor.clone(),
        }
    }

    /// Connects.
    ///
    /// # Errors
    /// What ssh complains about.
    pub async fn connect(
        survey: &Survey,
        settings: &Settings,
        supervisor: &Supervisor,
    ) -> Result<Self, Trouble> {
        let control = settings
            .runtime
            .join(format!("{:016x}", rand::rng().next_u64()));
        let limit = limit(&survey.config, settings);
        let mut words = ["/bin/sh", "-c", GUARD, "surfaced-ssh"]
            .map(str::to_owned)
            .to_vec();
        words.push(control.to_string_lossy().into_owned());
        words.extend(settings.ssh().words());
        words.extend(master_options(
            &survey.config,
            settings,
            &control.to_string_lossy(),
        ));
        if survey.agent_is_silent {
            // It would wait for it for ever, before it came to the keys in files.
            words.extend(["-o".into(), "IdentityAgent=none".into()]);
        }
        words.extend(["--".into(), survey.target.alias.to_string()]);

        let mut guard = Started::new(&words, survey.variable.as_deref(), settings)
            .map_err(|error| Trouble::Other(format!("cannot start it: {error}")))?;
        let Some((stdin, stdout, stderr)) = guard.pipes() else {
            return Err(Trouble::Other("it has no pipes".into()));
        };
        match tokio::time::timeout(limit, heard(stdout, stderr)).await {
            Ok(Ok(())) => {
                let session = session_words(&survey.config, &control.to_string_lossy());
                let ahead = Ahead::default();
                refill(&session, settings, &ahead);
                Ok(Self {
                    session,
                    control,
                    settings: settings.clone(),
                    ahead,
                    guard: Mutex::new(Some((guard.kept(), stdin))),
                    borrowed: false,
                    supervisor: supervisor.clone(),
                })
            }
            Ok(Err(stderr)) => Err(Trouble::read(
                &stderr,
                connect_timeout(&survey.config, settings),
            )),
            Err(_) => Err(Trouble::Unfinished(limit)),
        }
    }

    /// Runs a script in a session of its own: the one that was started in advance, where there is one.
    ///
    /// # Errors
    /// Nothing of it was sent.
    pub async fn run(&self, job: &Job, permit: OwnedSemaphorePermit) -> Result<Reply, Unsent> {
        let waiting = self.ahead.take().and_then(Session::living);
        let start = |line: &str| Session::start(&self.session, line, &self.settings);
        let (session, script) = match (waiting, &job.line) {
            (Some(session), _) => (session, Some(job.script.as_str())),
            (None, Some(line)) => (start(line)?, None),
            (None, None) => (start(SHELL)?, Some(job.script.as_str())),
        };
        let reply = session.run(job, script, permit, &self.supervisor).await;
        // Afterwards, so that the two do not slow each other down.
        refill(&self.session, &self.settings, &self.ahead);
        reply
    }

    /// Ends the session that was started in advance, and starts none any more.
    pub async fn spare_nothing(&self) {
        if let Some(session) = self.ahead.stop() {
            session.close().await;
        }
    }

    /// Whether its socket is gone.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        !self.control.exists()
    }

    /// Ends it, and waits until it has ended.
    pub async fn close(&self) {
        drop(self.ahead.stop());
        if self.borrowed {
            return;
        }
        let guard = self.guard.lock().await.take();
        if let Some((mut guard, stdin)) = guard {
            drop(stdin);
            if tokio::time::timeout(EXIT, guard.wait()).await.is_err() {
                guard.end();
            }
        }
        let _ = fs_err::remove_file(&self.control);
    }
}

/// Waits until the guard says that the master is up. `Err`: what ssh complained about.
async fn heard(mut stdout: ChildStdout, stderr: ChildStderr) -> Result<(), String> {
    let mut complaints = Vec::new();
    let mut up = [0; 3];
    {
        let reading = stdout.read_exact(&mut up);
        let mut limited = stderr.take(64 << 10);
        let complaining = limited.read_to_end(&mut complaints);
        tokio::pin!(reading, complaining);
        let mut quiet = false;
        let ok = loop {
            tokio::select! {
                biased;
                read = &mut reading => break read.is_ok(),
                _ = &mut complaining, if !quiet => quiet = true,
            }
        };
        if ok {
            return Ok(());
        }
        if !quiet {
            // The guard has ended, and with it the only writer; a proxy that lives on may hold the pipe.
            let _ = tokio::time::timeout(GRACE, complaining).await;
        }
    }
    Err(String::from_utf8_lossy(&complaints).into_owned())
}

/// How long one address may take.
pub(super) fn connect_timeout(config: &Config, settings: &Settings) -> Duration {
    config
        .number("connecttimeout")
        .map_or(settings.connect, |seconds| {
            Duration::from_secs(seconds.into())
        })
}

/// How long the whole connect may take; hosts behind others get the time for both.
fn limit(config: &Config, settings: &Settings) -> Duration {
    let one = connect_timeout(config, settings) + Duration::from_secs(5);
    if is_proxied(config) { one * 2 } else { one }
}

/// Whether the way to the host leads through another program, that may log in to another host first.
pub(super) fn is_proxied(config: &Config) -> bool {
    let set = |key| config.get(key).is_some_and(|value| value != "none");
    set("proxyjump") || set("proxycommand")
}

fn master_options(config: &Config, settings: &Settings, control: &str) -> Vec<String> {
    let strict = match config.get("stricthostkeychecking") {
        // Whoever asked for no check at all gets the weakest one there is: a key that changed is refused even so.
        Some("accept-new" | "no" | "off" | "false") => "accept-new",
        _ => "yes",
    };
    let interval = config.number("serveraliveinterval").unwrap_or(15);
    let count = config.number("serveralivecountmax").unwrap_or(3);
    let mut words = ["-M", "-N", "-f", "-T"].map(str::to_owned).to_vec();
    for option in [
        format!("ControlPath={control}"),
        // Our own idle time is shorter: this is for masters whose guard was killed.
        format!("ControlPersist={}", settings.idle.as_secs() + 60),
        format!(
            "ConnectTimeout={}",
            connect_timeout(config, settings).as_secs().max(1)
        ),
        format!("ServerAliveInterval={interval}"),
        format!("ServerAliveCountMax={count}"),
        format!("StrictHostKeyChecking={strict}"),
        "BatchMode=yes".into(),
        "ClearAllForwardings=yes".into(),
        "ExitOnForwardFailure=no".into(),
        "ForwardAgent=no".into(),
        "ForwardX11=no".into(),
        "LogLevel=INFO".into(),
        "PermitLocalCommand=no".into(),
        "RemoteCommand=none".into(),
        "Tunnel=no".into(),
        "VisualHostKey=no".into(),
    ] {
        words.extend(["-o".into(), option]);
    }
    words
}

/// The command of a session, without its command line. It reads no configuration: the master has done that, and `Match exec` shall not run for every command.
fn session_words(config: &Config, control: &str) -> Vec<String> {
    let mut words = ["ssh", "-F", "/dev/null", "-T"].map(str::to_owned).to_vec();
    for option in [
        format!("ControlPath={control}"),
        "ControlMaster=no".into(),
        "BatchMode=yes".into(),
        // Without the master's socket ssh would connect by itself, with other options than ours.
        "ProxyCommand=false".into(),
    ] {
        words.extend(["-o".into(), option]);
    }
    for (key, option) in [("sendenv", "SendEnv"), ("setenv", "SetEnv")] {
        for value in config.all(key) {
            if !value.contains(['"', '\\']) {
                let value = match value.split_once('=') {
                    Some((name, value)) if value.contains(' ') => format!("{name}=\"{value}\""),
                    _ => value.clone(),
                };
                words.extend(["-o".into(), format!("{option}={value}")]);
            }
        }
    }
    words.extend(["--", "surfaced"].map(str::to_owned));
    words
}
