//! Layouts: windows of several panes in the tmux session that the caller is in.

use std::path::Path;
use std::sync::Arc;

use super::context::Contexts;
use super::open::Links;
use super::scripts::{Report, Script, Scripts};
use super::seats::confirm::Prompt;
use super::seats::panes::{Panes, Reference};
use super::turns::Turns;
use crate::launch::length;
use crate::launch::script::{Launch, text};
use crate::launch::shell::{Program, Shell};
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::proto::launch::OnExit;
use crate::proto::seat::{
    Direction, LayoutCloseParams, LayoutOpenParams, LayoutOpened, LayoutRefs, LayoutRefsParams,
    PaneItem,
};
use crate::proto::text::plain;
use crate::proto::{AbsolutePath, Argv, Context, Failure, Kind, SurfaceRef, TmuxPane, Word};
use crate::resolve::{InTmux, TmuxFact};
use crate::tmux::layout::{Arrange, CloseParts, Even, ListLabels, ListParts, NewLayout};
use crate::tmux::open::{NewPane, Side, SplitPane, Start};
use crate::tmux::seat::Place;
use crate::tmux::{Absent, OnServer, Outcome, Server, SessionId, WindowId};

/// How long a pane's launch script has to report; the person's shell starts in it.
const REPORT: std::time::Duration = std::time::Duration::from_secs(10);

/// What closing a layout is called in an error.
const CLOSING: &str = "close the window";

/// The use cases of layouts.
#[derive(Clone)]
pub struct Layouts {
    panes: Panes,
    scripts: Scripts,
    contexts: Contexts,
    /// The person's shell, whose rc files put version shims on PATH.
    shell: Shell,
    /// Where panes start whose caller has no directory.
    home: AbsolutePath,
    supervisor: Supervisor,
}

/// The session that a caller is in.
struct Session {
    server: u32,
    socket: String,
    id: SessionId,
    cwd: Option<AbsolutePath>,
}

/// A pane that was asked for, once it was checked.
struct Wanted {
    prompt: Option<Prompt>,
    script: Script,
}

impl Layouts {
    /// Layouts of this machine.
    #[must_use]
    pub fn new(
        links: Arc<dyn Links>,
        scripts: Scripts,
        contexts: Contexts,
        shell: Shell,
        home: AbsolutePath,
        supervisor: Supervisor,
        turns: Turns,
    ) -> Self {
        Self {
            panes: Panes::new(links, turns),
            scripts,
            contexts,
            shell,
            home,
            supervisor,
        }
    }

    /// Opens a window with these panes. All of it opens, or nothing stays.
    ///
    /// # Errors
    /// `backend-unavailable`: the caller is not inside tmux. `cwd-missing`, `program-missing`, `spawn-failed`,
    /// `state-unknown`.
    pub async fn open(
        &self,
        peer: &Peer,
        params: LayoutOpenParams,
    ) -> Result<LayoutOpened, Failure> {
        labelled(&params.label)?;
        let session = self
            .session("layout.open", peer, params.context.as_ref())
            .await?;
        let mut wanted = Vec::new();
        for (index, pane) in params.tab.panes.into_iter().enumerate() {
            match self.prepare(index, pane, session.cwd.as_ref()).await {
                Ok(pane) => wanted.push(pane),
                Err(failure) => {
                    discard(&wanted).await;
                    return Err(failure);
                }
            }
        }
        let side = match params.tab.split.as_ref().map(|split| split.direction) {
            Some(Direction::Horizontal) => Side::Below,
            Some(Direction::Vertical) | None => Side::Right,
        };
        let ratio = params.tab.split.as_ref().and_then(|split| split.ratio);
        let mut made: Vec<NewPane> = Vec::new();
        let opened = self
            .fill(
                &session,
                params.label.as_str(),
                &wanted,
                side,
                ratio,
                params.focus.unwrap_or(false),
                &mut made,
            )
            .await;
        if let Err(failure) = opened {
            if let Some(first) = made.first() {
                let close = CloseParts {
                    window: first.window,
                    panes: made.iter().map(|pane| pane.pane).collect(),
                };
                let _ = self.on(&session, close).await;
            }
            discard(&wanted).await;
            return Err(failure);
        }
        let reference = |pane: &NewPane, whole: bool| {
            SurfaceRef::Tmux(TmuxPane {
                server: pane.server,
                window: pane.window.0,
                pane: (!whole).then_some(pane.pane.0),
                socket: session.socket.clone(),
                host: None,
            })
        };
        for (pane, wanted) in made.iter().zip(wanted) {
            let (script, pid) = (wanted.script, pane.pid);
            if script.path().exists() {
                // A shell that ends later without having come to it leaves its secrets to nobody.
                self.supervisor.spawn(async move { script.end(pid).await });
            }
            if let Some(prompt) = wanted.prompt {
                let seat = Reference {
                    server: pane.server,
                    socket: session.socket.clone(),
                    window: pane.window,
                    pane: pane.pane,
                    host: None,
                };
                let place = Place {
                    session: pane.session,
                    window: pane.window,
                    pane: pane.pane,
                };
                self.supervisor
                    .spawn(prompt.answer(self.panes.clone(), seat, place));
            }
        }
        Ok(LayoutOpened {
            window: reference(&made[0], true),
            panes: made.iter().map(|pane| reference(pane, false)).collect(),
        })
    }

    /// Makes the panes and waits until their programs were started.
    #[expect(clippy::too_many_arguments, reason = "what one window is made of")]
    async fn fill(
        &self,
        session: &Session,
        label: &str,
        wanted: &[Wanted],
        side: Side,
        ratio: Option<f64>,
        focus: bool,
        made: &mut Vec<NewPane>,
    ) -> Result<(), Failure> {
        const DOING: &str = "open the layout";
        for pane in wanted {
            let start = Start {
                cwd: Some("/".to_owned()),
                argv: vec![
                    "/bin/sh".to_owned(),
                    pane.script.path().display().to_string(),
                ],
                focus: focus && made.is_empty(),
            };
            let new = match made.last() {
                None => {
                    let window = NewLayout {
                        session: session.id,
                        token: format!("surfaced-{:032x}", rand::random::<u128>()),
                        label: label.to_owned(),
                        start,
                    };
                    self.on(session, window).await
                }
                Some(last) => {
                    self.on(
                        session,
                        SplitPane {
                            pane: last.pane.to_string(),
                            side,
                            start,
                        },
                    )
                    .await
                }
            };
            made.push(new.on_surface(DOING)?);
            if made.len() > 1 {
                let window = made[0].window;
                self.on(session, Even { window, side })
                    .await
                    .on_surface(DOING)?;
            }
        }
        let arrange = Arrange {
            window: made[0].window,
            panes: made.iter().map(|pane| pane.pane).collect(),
            side: (made.len() > 1).then_some(side),
            percent: ratio.map(percent),
        };
        self.on(session, arrange).await.on_surface(DOING)?;
        for (pane, made) in wanted.iter().zip(&*made) {
            let report = pane.script.report_of(REPORT, Some(made.pid)).await;
            if let Report::Refused(failure) = report {
                return Err(failure);
            }
        }
        Ok(())
    }

    async fn on<C: crate::tmux::Command>(
        &self,
        session: &Session,
        command: C,
    ) -> Outcome<C::Output> {
        let guarded = OnServer {
            pid: session.server,
            command,
        };
        self.panes
            .ask(None, &Server::Socket(session.socket.clone()), &guarded)
            .await
    }

    async fn prepare(
        &self,
        index: usize,
        pane: PaneItem,
        cwd: Option<&AbsolutePath>,
    ) -> Result<Wanted, Failure> {
        let path = format!("tab.panes[{index}]");
        let prompt = pane
            .confirm
            .as_ref()
            .map(|confirm| Prompt::parse(&format!("{path}.confirm"), confirm))
            .transpose()?;
        let words: Vec<Word> = std::iter::once(pane.command)
            .chain(pane.args.into_iter().flatten())
            .collect();
        let argv =
            Argv::try_from(words).map_err(|error| Failure::params(&*path, error.to_string()))?;
        let words = argv.words().iter().map(Word::as_str);
        length::check(&path, words, pane.env.as_ref()).map_err(|failure| failure.about(path))?;
        let cwd = pane.cwd.as_ref().or(cwd).unwrap_or(&self.home).as_str();
        if !Path::new(cwd).is_dir() {
            return Err(Failure::new(
                Kind::CwdMissing,
                format!("the working directory {} is not there", plain(cwd)),
            )
            .hint("create it or name another one in cwd"));
        }
        let program = argv.program();
        if program.contains('/') && !Path::new(cwd).join(program).is_file() {
            return Err(Failure::new(
                Kind::ProgramMissing,
                format!("the program {} is not there", plain(program)),
            )
            .hint("install it or name another one in command"));
        }
        let launch = text(&Launch {
            program: Program::Argv(&argv),
            cwd: Some(cwd),
            env: pane.env.as_ref(),
            on_exit: OnExit::Close,
            shell: &self.shell,
        });
        let script = self.scripts.write(&launch).await?;
        Ok(Wanted { prompt, script })
    }

    /// Closes what layout.open opened: its panes, and with them the window where nobody has added one of their own. A window that
    /// tmux says is not there is closed.
    ///
    /// # Errors
    /// `invalid-params`, for any other window too; `state-unknown` where tmux did not answer in words that prove anything.
    pub async fn close(&self, params: &LayoutCloseParams) -> Result<(), Failure> {
        let SurfaceRef::Tmux(TmuxPane {
            server,
            window,
            pane: None,
            socket,
            host: None,
        }) = &params.window
        else {
            return Err(Failure::params(
                "window",
                format!("{} is not the reference of a window", params.window),
            )
            .hint("use the window that layout.open or layout.refs answered"));
        };
        let window = WindowId(*window);
        let look = ListParts(window);
        let parts = match self.panes.on_server(None, *server, socket, look).await {
            Outcome::Absent(Absent::Window | Absent::Session | Absent::Server) => return Ok(()),
            outcome => outcome.on_surface(CLOSING)?,
        };
        if !parts.iter().any(|part| part.layout) {
            return Err(Failure::params(
                "window",
                format!(
                    "{} is no layout: layout.open did not open it",
                    params.window
                ),
            )
            .hint("use the window that layout.open or layout.refs answered"));
        }
        let own = parts
            .iter()
            .filter(|part| part.made_for == Some(window))
            .map(|part| part.pane);
        let close = CloseParts {
            window,
            panes: own.collect(),
        };
        match self.panes.on_server(None, *server, socket, close).await {
            Outcome::Done(())
            | Outcome::Absent(Absent::Window | Absent::Session | Absent::Server) => Ok(()),
            outcome => outcome.on_surface(CLOSING),
        }
    }

    /// The windows of the caller's session that have a label.
    ///
    /// # Errors
    /// `backend-unavailable`: the caller is not inside tmux. `state-unknown`: tmux cannot be asked.
    pub async fn refs(
        &self,
        peer: &Peer,
        params: &LayoutRefsParams,
    ) -> Result<LayoutRefs, Failure> {
        labelled(&params.label)?;
        let session = self
            .session("layout.refs", peer, params.context.as_ref())
            .await?;
        let rows = self
            .on(&session, ListLabels(session.id))
            .await
            .on_surface("look for the label")?;
        let label = params.label.as_str();
        let windows = rows
            .into_iter()
            .filter(|row| row.label == label)
            .map(|row| {
                SurfaceRef::Tmux(TmuxPane {
                    server: row.server,
                    window: row.window.0,
                    pane: None,
                    socket: session.socket.clone(),
                    host: None,
                })
            })
            .collect();
        Ok(LayoutRefs { windows })
    }

    async fn session(
        &self,
        verb: &str,
        peer: &Peer,
        context: Option<&Context>,
    ) -> Result<Session, Failure> {
        let caller = self.contexts.see(peer, context).await;
        let place = match self.contexts.confirmed(&caller.facts).await {
            TmuxFact::Inside(place) => Some(place),
            TmuxFact::Silent(why) => {
                return Err(
                    Failure::new(Kind::StateUnknown, format!("cannot do {verb}: {why}"))
                        .hint("nothing was done; try again when tmux answers"),
                );
            }
            TmuxFact::Refused(why) => {
                return Err(outside(format!("{verb} needs a caller inside tmux: {why}")));
            }
            TmuxFact::Outside => None,
        };
        let Some(InTmux {
            socket,
            server,
            session: Some(session),
            ..
        }) = place
        else {
            return Err(outside(format!("{verb} needs a caller inside tmux")));
        };
        Ok(Session {
            server,
            socket,
            id: SessionId(session),
            cwd: caller.cwd,
        })
    }
}

fn outside(message: String) -> Failure {
    Failure::new(Kind::BackendUnavailable, message)
        .hint("call it from a pane of tmux, or send a context whose env has that pane's TMUX and TMUX_PANE")
}

/// An empty label would find every window that has none.
fn labelled(label: &Word) -> Result<(), Failure> {
    if label.as_str().is_empty() {
        return Err(Failure::params("label", "label must not be empty")
            .hint("name the layout by what it is for"));
    }
    Ok(())
}

async fn discard(wanted: &[Wanted]) {
    for pane in wanted {
        pane.script.discard().await;
    }
}

/// A part between 0 and 1 as a percentage that leaves something to both sides.
fn percent(ratio: f64) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 1 to 99 before"
    )]
    let percent = (ratio * 100.0).round().clamp(1.0, 99.0) as u8;
    percent
}
