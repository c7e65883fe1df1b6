//! The backend `builtin`: hosted terminals as surfaces.

use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::create::Plan;
use super::handle::Terminals;
use crate::backend::{Act, Done, Job, Opened, not_supported, target_gone};
use crate::host::wire::Operation;
use crate::launch::quote::Style;
use crate::launch::shell::Program;
use crate::proto::surfaces::{Exit, SurfaceInfo};
use crate::proto::terminal::TerminalState;
use crate::proto::text::shown;
use crate::proto::{BackendId, Failure, Kind, SurfaceRef};
use crate::screen::key;
use crate::service::hosted::Hosted;

/// What the terminals are called in a sentence.
const LABEL: &str = "the daemon's own terminal";

impl Hosted for Terminals {
    fn create<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<Opened, Failure>> {
        async move {
            let terminal = Self::create(self, plan(job)).await?;
            Ok(Opened {
                surface: Some(SurfaceRef::Builtin(terminal.id)),
                pid: terminal.pid,
                attach: Some(terminal.attach),
                session: None,
                warnings: Vec::new(),
            })
        }
        .boxed()
    }

    fn act<'a>(&'a self, id: &'a str, act: &'a Act) -> BoxFuture<'a, Result<Done, Failure>> {
        async move {
            let did = match act {
                Act::Inject {
                    text,
                    enter,
                    combined,
                } => self.inject(id, text, *enter, *combined).await,
                Act::Keys(keys) => self.press(id, keys).await,
                Act::Capture(lines) => self.text(id, *lines).await,
                Act::Focus => self.focus(id, act).await,
                Act::Close => self.remove(id).await.map(|()| Done::Nothing),
            };
            did.map_err(|failure| gone(id, failure))
        }
        .boxed()
    }

    fn wait<'a>(
        &'a self,
        id: &'a str,
        limit: Option<Duration>,
    ) -> BoxFuture<'a, Result<Exit, Failure>> {
        async move {
            Self::wait(self, id, limit)
                .await
                .map_err(|failure| gone(id, failure))
        }
        .boxed()
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<SurfaceInfo>, Failure>> {
        async move {
            let terminals = Self::list(self, None).await?;
            Ok(terminals
                .into_iter()
                .filter(|terminal| terminal.state == TerminalState::Running)
                .map(|terminal| SurfaceInfo {
                    surface: SurfaceRef::Builtin(terminal.id),
                    backend: BackendId("builtin".to_owned()),
                    title: Some(terminal.title),
                    cwd: Some(terminal.cwd),
                    command: Some(terminal.command.join(" ")),
                    active: None,
                    exit: None,
                })
                .collect())
        }
        .boxed()
    }
}

/// What a job asks for. Its command runs in the wrapping shell as everywhere, by its launch script where it has one; what it
/// leaves stays to be read in any case, so that there is nothing to hold.
fn plan(job: &Job) -> Plan {
    let request = &job.request;
    let program = Program::from(request);
    let argv = match program {
        Program::Shell => None,
        Program::Argv(argv) => Some(match job.shell.line(None, program, Style::Quoted) {
            Some(line) => job.shell.wrap(line).into(),
            None => argv.texts(),
        }),
        Program::Line(line) => Some(match job.shell.line(None, program, Style::Quoted) {
            Some(line) => job.shell.wrap(line).into(),
            None => vec![
                job.shell.program().to_owned(),
                "-c".to_owned(),
                line.to_owned(),
            ],
        }),
    };
    let name = match program {
        Program::Argv(argv) => argv.program().rsplit('/').next().map(str::to_owned),
        Program::Line(_) | Program::Shell => None,
    };
    let script = job
        .script
        .as_ref()
        .map(|path| vec!["/bin/sh".to_owned(), path.clone()]);
    Plan {
        cwd: job.cwd().map(str::to_owned),
        shown: script.as_ref().and(argv.clone()),
        argv: script.or(argv),
        env: request.env.clone(),
        title: request
            .title
            .as_ref()
            .map(|title| title.as_str().to_owned()),
        name,
        ..Plan::default()
    }
}

impl Terminals {
    /// Text and Enter go as two writes: programs with a text field take an Enter that comes with a paste as part of it.
    async fn inject(
        &self,
        id: &str,
        text: &str,
        enter: bool,
        combined: bool,
    ) -> Result<Done, Failure> {
        let writes = match (enter, combined) {
            (false, _) => vec![text.to_owned()],
            (true, true) => vec![format!("{text}\r")],
            (true, false) => vec![text.to_owned(), "\r".to_owned()],
        };
        let mut made = 0;
        let turn = self.turn(id).await;
        for write in writes.iter().filter(|write| !write.is_empty()) {
            self.write(&turn, id, write.as_bytes()).await?;
            made += 1;
        }
        Ok(Done::Writes(made))
    }

    /// Presses keys by their names.
    async fn press(&self, id: &str, keys: &[String]) -> Result<Done, Failure> {
        if keys.is_empty() {
            return Err(Failure::params("keys", "keys must hold at least one key"));
        }
        for (index, name) in keys.iter().enumerate() {
            if key(name, false).is_none() {
                return Err(Failure::params(
                    format!("keys[{index}]"),
                    format!("no key is called {name}", name = shown(name)),
                ));
            }
        }
        let keys = Operation::Keys {
            keys: keys.to_vec(),
        };
        let _turn = self.turn(id).await;
        self.order(id, keys, "they were pressed").await?;
        Ok(Done::Nothing)
    }

    /// The last `lines` lines as text, or what is on the screen. Each ends in a newline.
    async fn text(&self, id: &str, lines: Option<u32>) -> Result<Done, Failure> {
        let mut kept = self.lines(id, false, lines.is_none()).await?;
        if let Some(lines) = lines {
            let lines = usize::try_from(lines).unwrap_or(usize::MAX);
            kept.drain(..kept.len().saturating_sub(lines));
        }
        let mut text = kept.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        Ok(Done::Text(text))
    }

    /// A hosted terminal has no window.
    async fn focus(&self, id: &str, act: &Act) -> Result<Done, Failure> {
        let terminal = self.get(id).await?;
        let failure = not_supported(LABEL, act, "it has no window");
        Err(failure.hint(format!("see it with `{}`", terminal.attach)))
    }
}

/// A surface that is not there any more is gone, whatever the reason.
fn gone(id: &str, failure: Failure) -> Failure {
    match failure.kind() {
        Kind::NotFound => target_gone(&SurfaceRef::Builtin(id.to_owned())),
        Kind::Conflict => Failure::new(Kind::TargetGone, failure.message),
        _ => failure,
    }
}
