//! In a surface of the person's terminal, on this machine.
//!
//! Most terminals do not say when a program ends, nor how. So a program is started by a few lines of shell
//! that report in a directory of this start: first they take the permit that lies there, then they write down their process,
//! and at the end the status. A daemon that takes the permit away itself knows that nothing will be started any more.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::{PAUSE, Places, Sight, Start};
use crate::os::tree::{Tree, ended_by};
use crate::os::{private_dir, signal_name};
use crate::proto::open::{OpenAnswer, OpenParams, OpenResult};
use crate::proto::surfaces::{Exit, Or, SurfaceParams, WaitParams};
use crate::proto::{AbsolutePath, Argv, BackendId, Failure, Item, Kind, Layout, SurfaceRef, Word};
use crate::service::agents::record::{Process, Run};
use crate::service::agents::verdict::End;

/// Starts a program and reports. `$1` is the directory of the start, the rest is the command.
const REPORTER: &str = r#"d=$1
shift
command -p mv "$d/permit" "$d/begun" 2>/dev/null || { echo "surfaced: this start was given up" >&2; exit 75; }
"#;

/// The rest of it, which hosts do as well; `$d` is the directory. What the program leaves on a screen that closes with it, and
/// that can be read, is kept: its last words may say why it ended. A pane is its own only where its terminal is.
pub(super) const AFTER: &str = r#"echo "$$" >"$d/pid.new" && command -p mv "$d/pid.new" "$d/pid"
export SURFACED_AGENT_RUN="${d##*/}"
trap : INT QUIT
"$@"
s=$?
if [ "$TMUX_PANE" ] && [ "$(tmux display-message -p -t "$TMUX_PANE" '#{pane_tty}' 2>/dev/null)" = "$(tty)" ]; then
  tmux capture-pane -p -J -t "$TMUX_PANE" 2>/dev/null | command -p sed '/^[[:space:]]*$/d' | command -p tail -n 20 >"$d/words"
fi
echo "$s" >"$d/status.new" && command -p mv "$d/status.new" "$d/status"
exit "$s"
"#;

/// How long a surface may take to run its program: the person's rc files come first.
const REPORT: Duration = Duration::from_secs(10);

/// How long a program may take to end after its surface was closed, and then after a kill.
const PATIENCE: Duration = Duration::from_secs(2);

/// The statuses above this are signals, as shells count.
const SIGNALS: i32 = 128;

/// Ctrl-C, as shells count: the person's own word.
const INTERRUPTED: i32 = 130;

type Wish = (Option<BackendId>, Option<Word>, Option<Layout>);

impl Places {
    pub(super) async fn start_surface(
        &self,
        start: Start,
        (backend, host, layout): Wish,
        run: &mut Run,
    ) -> Result<Option<String>, Failure> {
        if let Some(host) = host {
            return self.start_there(start, host, (backend, layout), run).await;
        }
        let dir = self.dir(run, &start.agent);
        permit(&dir).map_err(|error| {
            Failure::new(
                Kind::SpawnFailed,
                format!("cannot make the directory {}: {error}", dir.display()),
            )
        })?;
        let command = reporting(&dir, &start.argv)?;
        let (agent, caller) = (start.agent.clone(), start.caller);
        let params = params(start, command, (backend, None, layout), run);
        let opened = self
            .opener
            .open(params, caller, &CancellationToken::new())
            .await
            .and_then(only);
        match opened {
            Ok(result) => {
                run.surface.clone_from(&result.surface);
                run.attach.clone_from(&result.attach);
                self.wait_for_report(run, &dir).await;
                Ok(result.warnings.map(|warnings| warnings.join("; ")))
            }
            Err(failure) => {
                self.forget_surface(run, &agent);
                Err(failure)
            }
        }
    }

    async fn wait_for_report(&self, run: &mut Run, dir: &Path) {
        let end = Instant::now() + REPORT;
        while run.process.is_none() && Instant::now() < end {
            run.process = process(dir);
            if run.process.is_none() {
                sleep(PAUSE).await;
            }
        }
    }

    /// Without the permit nothing is started any more; what has taken it will say so.
    pub(super) async fn discover_surface(&self, run: &mut Run, agent: &str) -> bool {
        let dir = self.dir(run, agent);
        if fs::remove_file(dir.join("permit")).is_ok() {
            self.forget_surface(run, agent);
            return false;
        }
        if !dir.join("begun").exists() {
            return false;
        }
        self.wait_for_report(run, &dir).await;
        run.process.is_some()
    }

    pub(super) async fn look_surface(&self, run: &Run, agent: &str) -> Sight {
        let dir = self.dir(run, agent);
        let Some(process) = run.process.or_else(|| process(&dir)) else {
            if run.boot == crate::os::boot::id() {
                return self.look_at_surface(run).await;
            }
            return Sight::Ended(End::default());
        };
        if process.root().alive() {
            return Sight::Lives;
        }
        // It was written down before the process ended.
        let exit = status(&dir).map_or_else(Exit::default, exit);
        let words = match &run.surface {
            Some(SurfaceRef::Builtin(id)) => self.last_lines(id).await,
            _ => fs::read_to_string(dir.join("words")).unwrap_or_default(),
        };
        Sight::Ended(End {
            exit,
            words,
            place_gone: false,
        })
    }

    /// What an ended program left on the screen of a hosted terminal.
    async fn last_lines(&self, terminal: &str) -> String {
        // Its host may notice the end a little later.
        let _ = self.terminals.wait(terminal, Some(PATIENCE)).await;
        let terminal = self.terminals.get(terminal).await.ok();
        let lines = terminal.and_then(|terminal| terminal.last_output_lines);
        lines.unwrap_or_default().join("\n")
    }

    /// Asks the terminal, which may not know.
    async fn look_at_surface(&self, run: &Run) -> Sight {
        let Some(surface) = run.surface.clone() else {
            return Sight::Unknown("its terminal does not tell what became of it".to_owned());
        };
        let wait = WaitParams {
            surface,
            timeout_ms: Some(0),
            dry_run: None,
        };
        match self.surfaces.wait(wait).await {
            Ok(Or::Done(exit)) if exit.exited => Sight::Ended(End {
                exit,
                ..End::default()
            }),
            Ok(_) => Sight::Lives,
            Err(failure) if failure.kind() == Kind::TargetGone => Sight::Ended(End {
                place_gone: true,
                ..End::default()
            }),
            Err(failure) => Sight::Unknown(failure.message),
        }
    }

    /// Waits until a look may see something else than before.
    pub(in crate::service::agents) async fn wait_surface(&self, run: &Run, agent: &str) {
        if run.host().is_some() {
            return Self::wait_there(run).await;
        }
        let dir = self.dir(run, agent);
        match run.process.or_else(|| process(&dir)) {
            Some(process) => crate::os::exit_watch::ended(process.root()).await,
            None => sleep(PATIENCE).await,
        }
    }

    pub(super) async fn end_surface(&self, run: &Run, agent: &str) -> Result<(), Failure> {
        let dir = self.dir(run, agent);
        let process = run.process.or_else(|| process(&dir));
        if let Some(process) = process {
            return self.end_process(run, process).await;
        }
        let surface = run.surface.clone().ok_or_else(|| {
            Failure::new(
                Kind::StateUnknown,
                "the agent cannot be ended: its terminal does not tell which surface it is in",
            )
            .hint("leave it there by hand")
        })?;
        match self.close(&surface).await {
            Err(failure) if failure.kind() == Kind::TargetGone => Ok(()),
            closed => closed,
        }
    }

    pub(super) async fn close(&self, surface: &SurfaceRef) -> Result<(), Failure> {
        let close = SurfaceParams {
            surface: surface.clone(),
            dry_run: None,
        };
        self.surfaces.close(close).await.map(|_| ())
    }

    async fn end_process(&self, run: &Run, process: Process) -> Result<(), Failure> {
        let root = process.root();
        if !root.alive() {
            return Ok(());
        }
        // What came of it, and nothing else that the person may have in that terminal.
        let mut tree = Tree::of(root, None);
        if let Some(surface) = &run.surface {
            // A surface that cannot be closed stays.
            if self.close(surface).await.is_ok() {
                ended_by(root, Instant::now() + PATIENCE).await;
            }
        }
        if tree.kill(Instant::now() + PATIENCE).await {
            return Ok(());
        }
        Err(Failure::new(
            Kind::Timeout,
            format!(
                "the program of the agent, process {}, still runs after a kill",
                process.pid
            ),
        ))
    }

    pub(super) fn forget_surface(&self, run: &Run, agent: &str) {
        let _ = fs::remove_dir_all(self.dir(run, agent));
    }

    fn dir(&self, run: &Run, agent: &str) -> PathBuf {
        self.runs.join(format!("{agent}-{}", run.number))
    }
}

/// What is asked of the opener.
pub(super) fn params(
    start: Start,
    command: Argv,
    (backend, host, layout): Wish,
    run: &Run,
) -> OpenParams {
    let word = |text: &str| Word::parse(text).ok();
    OpenParams {
        items: vec![Item {
            cwd: AbsolutePath::parse(start.cwd).ok(),
            command: Some(command),
            env: Some(start.env).filter(|env| !env.is_empty()),
            title: word(&start.title),
            agent: word(&start.provider),
            session_id: start.session.as_deref().and_then(word),
            layout: layout.or(Some(Layout::Tab)),
            ..Item::default()
        }],
        backend,
        host,
        context: start.context,
        // Should the same start be asked for twice, it opens once.
        key: word(&format!("agent {} {}", start.agent, run.number)),
        ..OpenParams::default()
    }
}

/// Makes the directory of a start, and the permit in it.
fn permit(dir: &Path) -> std::io::Result<()> {
    let _ = fs::remove_dir_all(dir);
    private_dir::ensure(dir).map_err(std::io::Error::other)?;
    fs::write(dir.join("permit"), "")
}

/// The command that starts this one and reports.
fn reporting(dir: &Path, argv: &Argv) -> Result<Argv, Failure> {
    let (dir, script) = (dir.display().to_string(), [REPORTER, AFTER].concat());
    let head = ["/bin/sh", "-c", &script, "surfaced-agent", &dir];
    let words = argv.words().iter().map(Word::as_str);
    Argv::parse(head.into_iter().chain(words))
        .map_err(|error| Failure::params("", error.to_string()))
}

/// The one result of an `open`.
pub(super) fn only(answer: OpenAnswer) -> Result<OpenResult, Failure> {
    let result = match answer {
        OpenAnswer::Opened { results, .. } => results.into_iter().next(),
        OpenAnswer::Specs(_) => None,
    };
    let result = result.ok_or_else(|| Failure::new(Kind::Internal, "open answered nothing"))?;
    if result.ok {
        return Ok(result);
    }
    let failure = Failure::new(
        result.kind.unwrap_or(Kind::SpawnFailed),
        result
            .error
            .unwrap_or_else(|| "the surface did not open".to_owned()),
    );
    Err(match result.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}

fn number(path: &Path) -> Option<i64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The process that reported. One that has its number and started after the report is another one, and it has ended.
fn process(dir: &Path) -> Option<Process> {
    let file = dir.join("pid");
    let pid = u32::try_from(number(&file)?).ok()?;
    let reported = fs::metadata(&file).and_then(|file| file.modified()).ok()?;
    Some(Process::of(pid, reported))
}

fn status(dir: &Path) -> Option<i32> {
    i32::try_from(number(&dir.join("status"))?).ok()
}

/// An exit from a status as shells count.
pub(super) fn exit(status: i32) -> Exit {
    let signal = (status > SIGNALS && status != INTERRUPTED).then(|| status - SIGNALS);
    Exit {
        exited: true,
        exit_code: signal.is_none().then_some(status),
        signal: signal.map(signal_name::name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_a_code_or_a_signal() {
        for (number, code, name) in [
            (0, Some(0), None),
            (3, Some(3), None),
            (130, Some(130), None),
            (137, None, Some("SIGKILL")),
        ] {
            let exit = exit(number);
            assert_eq!(exit.exit_code, code, "{number}");
            assert_eq!(exit.signal.as_deref(), name, "{number}");
        }
    }

    #[test]
    fn the_permit_is_taken_once() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("run");
        permit(&run).unwrap();
        let argv = ["sh", "-c", "exit 7"].map(|word| Word::parse(word).unwrap());
        let argv = reporting(&run, &Argv::try_from(argv.to_vec()).unwrap()).unwrap();
        let go = || {
            let words: Vec<&str> = argv.words().iter().map(Word::as_str).collect();
            #[expect(clippy::disallowed_methods, reason = "the test needs a process")]
            let done = std::process::Command::new(words[0])
                .args(&words[1..])
                .stderr(std::process::Stdio::null())
                .status()
                .unwrap();
            done.code()
        };
        assert_eq!(go(), Some(7));
        assert_eq!(status(&run), Some(7));
        assert!(process(&run).is_some());
        assert_eq!(go(), Some(75), "nothing is started twice");
    }

    #[test]
    fn a_process_that_started_after_the_report_is_a_stranger() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pid");
        fs::write(&path, format!("{}\n", std::process::id())).unwrap();
        let own = process(dir.path()).unwrap();
        assert_eq!(own, Process::now(std::process::id()));
        assert!(own.root().alive());
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1))
            .unwrap();
        let earlier = process(dir.path()).unwrap();
        assert_eq!(
            (earlier.pid, earlier.started_ms),
            (std::process::id(), None)
        );
        assert!(!earlier.root().alive(), "it had ended");
    }
}
