//! Opening a window or pane, step by step: which session, then the surface, then what is left to say.

use super::build::{build, is_default, place, server};
use super::lookout::{Look, Lookout};
use super::{Caller, SESSION, there};
use crate::backend::{Anchor, Job, Opened, target_gone};
use crate::launch::quote;
use crate::launch::step::{Answer, Conversation, Ended, Invocation, Step};
use crate::proto::host::HostAlias;
use crate::proto::{Failure, Kind, Layout, SurfaceRef, TmuxPane};
use crate::tmux::list::{ListSessions, SessionRow, Show, most_recently_attached};
use crate::tmux::open::{NewPane, NewWindow, SetTitle, Start};
use crate::tmux::{Absent, Command, Outcome, PaneId, Server};

/// Sessions of other parts of this program begin like this; nobody looks at them.
pub(super) const OWN_SESSIONS: &str = "surfaced-";

/// How often a surface that vanished meanwhile, or a server that was starting, is worked around.
const RETRIES: u8 = 3;

#[derive(Clone, Debug)]
enum State {
    Begin,
    /// The target was asked whether it is still the one that was meant.
    Verifying,
    /// The sessions were asked for.
    Choosing,
    /// The session of the caller's pane was asked for.
    Following,
    /// The surface is being made.
    Opening,
    /// A session is being made for it.
    Founding,
    /// Its title is being set.
    Titling(NewPane),
    /// It is looked at again.
    Looking(NewPane, Lookout),
}

/// One surface on its way.
pub(super) struct Opening {
    job: Job,
    state: State,
    retries: u8,
    warnings: Vec<String>,
}

impl Opening {
    pub(super) const fn new(job: Job) -> Self {
        Self {
            job,
            state: State::Begin,
            retries: 0,
            warnings: Vec::new(),
        }
    }

    fn run(&mut self, state: State, server: &Server, command: &impl Command) -> Step<Opened> {
        self.state = state;
        Step::Run(self.there(server, server.invocation(command)))
    }

    /// The default server is the caller's.
    fn there(&self, server: &Server, mut invocation: Invocation) -> Invocation {
        if *server == Server::Default {
            invocation.env.extend(place(&self.job));
        }
        invocation
    }

    /// The next thing to find out before the surface can be made.
    fn begin(&mut self) -> Step<Opened> {
        match &self.job.anchor {
            Anchor::Target(SurfaceRef::Tmux(TmuxPane {
                pane: Some(pane), ..
            })) => {
                let identity = identity(PaneId(*pane));
                self.run(State::Verifying, &server(&self.job), &identity)
            }
            _ if self.asks_for_session() => self.choose(),
            _ => self.open(),
        }
    }

    /// Asks for the sessions; on a host, with the command that opens the surface in one of them.
    fn choose(&mut self) -> Step<Opened> {
        let there = self.job.request.host.as_ref();
        match there.and_then(|_| there::open(&self.job)) {
            Some(invocation) => {
                self.state = State::Founding;
                Step::Run(invocation)
            }
            None => self.run(State::Choosing, &Server::Default, &ListSessions),
        }
    }

    fn asks_for_session(&self) -> bool {
        self.job.handles
            && !self.job.layout.is_split()
            && self.job.session.is_none()
            && Caller::of(&self.job).is_none()
    }

    fn open(&mut self) -> Step<Opened> {
        self.state = State::Opening;
        Step::Run(build(&self.job).invocation())
    }

    fn verified(&mut self, answer: &Answer) -> Step<Opened> {
        let Anchor::Target(surface @ SurfaceRef::Tmux(place)) = &self.job.anchor else {
            return self.open();
        };
        let pane = PaneId(place.pane.unwrap_or_default());
        let expected = format!("{} {pane}", place.server);
        match Outcome::of(&identity(pane), answer) {
            Outcome::Done(found) if found == expected => self.open(),
            Outcome::Done(_) | Outcome::Absent(_) => Step::Failed(target_gone(surface)),
            Outcome::Unknown(why) => Step::Failed(unknown(
                &self.job,
                format!(
                    "cannot open a surface in tmux: it is not known whether {surface} is there: {why}"
                ),
            )),
        }
    }

    fn chosen(&mut self, answer: &Answer) -> Step<Opened> {
        match Outcome::of(&ListSessions, answer) {
            Outcome::Done(sessions) => {
                let seen: Vec<SessionRow> = sessions
                    .into_iter()
                    .filter(|session| {
                        session.attached > 0 || !session.name.starts_with(OWN_SESSIONS)
                    })
                    .collect();
                match most_recently_attached(&seen) {
                    Some(session) => {
                        self.job.session = Some(session.id.to_string());
                        self.open()
                    }
                    None => self.found(),
                }
            }
            Outcome::Absent(_) => self.found(),
            Outcome::Unknown(why) => Step::Failed(unknown(
                &self.job,
                format!("cannot open a surface in tmux: its sessions cannot be listed: {why}"),
            )),
        }
    }

    /// Makes a session for the surface.
    fn found(&mut self) -> Step<Opened> {
        // With a slot left in it, the draft also holds what to do where no server runs.
        self.job.session = None;
        self.state = State::Founding;
        match build(&self.job).otherwise {
            Some(mut argv) => {
                argv.extend(kept());
                Step::Run(self.there(&Server::Default, Invocation::new(argv)))
            }
            None => self.open(),
        }
    }

    fn followed(&mut self, answer: &Answer) -> Step<Opened> {
        let session = answer.text().trim().to_owned();
        if answer.ok() && session.parse::<crate::tmux::SessionId>().is_ok() {
            self.job.session = Some(session);
            self.open()
        } else if unanswered(answer) {
            Step::Failed(unknown(
                &self.job,
                format!(
                    "cannot open a surface in tmux: it is not known whether the session of the caller is there: {}",
                    why(answer)
                ),
            ))
        } else {
            Step::Failed(gone("the tmux session of the caller has ended"))
        }
    }

    fn opened(&mut self, answer: &Answer) -> Step<Opened> {
        if !self.job.handles {
            return if answer.ok() {
                self.finish(Opened::default())
            } else {
                Step::Failed(spawn_failed("open a surface in tmux", &why(answer)))
            };
        }
        if unanswered(answer) {
            return Step::Failed(unknown(
                &self.job,
                format!(
                    "it is not known whether tmux opened a surface: {}",
                    why(answer)
                ),
            ));
        }
        // Windows, panes and sessions answer in one form.
        match Outcome::of(&reader(), answer) {
            Outcome::Done(pane) => self.titled(pane),
            Outcome::Absent(absent) => self.absent(absent),
            Outcome::Unknown(why) if !complained(answer) => Step::Failed(unknown(
                &self.job,
                format!("it is not known whether tmux opened a surface: {why}"),
            )),
            Outcome::Unknown(why) => self.unknown(&why),
        }
    }

    /// A pane gets its title when it is there; a window was made with it.
    fn titled(&mut self, pane: NewPane) -> Step<Opened> {
        match &self.job.request.title {
            Some(title) if self.job.layout.is_split() => {
                let title = SetTitle {
                    pane: pane.pane,
                    title: title.to_string(),
                };
                let server = Server::Socket(pane.socket.clone());
                self.run(State::Titling(pane), &server, &title)
            }
            _ => self.done(&pane),
        }
    }

    fn absent(&mut self, absent: Absent) -> Step<Opened> {
        self.retries += 1;
        if self.retries > RETRIES {
            return Step::Failed(gone(
                "the place for the new surface vanished again and again",
            ));
        }
        let caller = Caller::of(&self.job);
        match (&self.job.anchor, absent) {
            (Anchor::Target(surface), _) => Step::Failed(target_gone(surface)),
            (Anchor::None, Absent::Server) if caller.is_none() => self.found(),
            (_, Absent::Server) => Step::Failed(gone("the tmux server of the caller has ended")),
            (Anchor::None, _) => match caller.and_then(|caller| caller.pane) {
                // The pane was moved to another session since.
                Some(pane) if self.job.session.is_none() => {
                    let show = Show {
                        target: pane,
                        format: "#{session_id}".to_owned(),
                    };
                    self.run(State::Following, &server(&self.job), &show)
                }
                _ => {
                    self.job.session = None;
                    self.begin()
                }
            },
            _ => self
                .as_tab("the surface beside which it was to be opened is gone, so it is in a tab"),
        }
    }

    fn unknown(&mut self, why: &str) -> Step<Opened> {
        self.retries += 1;
        if self.retries > RETRIES {
            let failure = spawn_failed("open a surface in tmux", why);
            return Step::Failed(if matches!(self.state, State::Founding) {
                failure.hint("look at exit-unattached and exit-empty in your tmux configuration: a server with nobody attached ends by them")
            } else {
                failure
            });
        }
        if why.contains("no space for new pane") && self.job.layout.is_split() {
            return self.as_tab("there is no space for another pane, so it is in a tab");
        }
        // Two clients that start one server race each other; nothing was done.
        if why.starts_with("server exited unexpectedly") || why.starts_with("lost server") {
            return self.begin();
        }
        // Another client made the session in the meantime.
        if matches!(self.state, State::Founding) && why.starts_with("duplicate session") {
            return self.begin();
        }
        Step::Failed(spawn_failed("open a surface in tmux", why))
    }

    fn as_tab(&mut self, warning: &str) -> Step<Opened> {
        self.warnings.push(warning.to_owned());
        self.job.anchor = Anchor::None;
        self.job.layout = Layout::Tab;
        self.begin()
    }

    /// It is open; whether it stayed so is looked at.
    fn done(&mut self, pane: &NewPane) -> Step<Opened> {
        let on_host = self.job.request.host.is_some();
        match Lookout::begin(vec![pane.clone()], on_host) {
            Some((lookout, question)) => {
                self.state = State::Looking(pane.clone(), lookout);
                Step::Run(question)
            }
            None => self.stays(pane),
        }
    }

    fn stays(&mut self, pane: &NewPane) -> Step<Opened> {
        let opened = opened(&self.job, pane);
        self.finish(opened)
    }

    fn looked(&mut self, pane: NewPane, mut lookout: Lookout, answer: &Answer) -> Step<Opened> {
        match lookout.next(answer) {
            Look::Next(question) => {
                self.state = State::Looking(pane, lookout);
                Step::Run(question)
            }
            Look::Fine => self.stays(&pane),
            Look::Lost(_, failure) => Step::Failed(failure),
        }
    }

    fn finish(&mut self, opened: Opened) -> Step<Opened> {
        Step::Done(Opened {
            warnings: std::mem::take(&mut self.warnings),
            ..opened
        })
    }
}

impl Conversation for Opening {
    type Output = Opened;

    fn next(&mut self, answer: Option<Answer>) -> Step<Opened> {
        let Some(answer) = answer else {
            return self.begin();
        };
        match self.state.clone() {
            State::Begin => self.begin(),
            State::Verifying => self.verified(&answer),
            State::Choosing => self.chosen(&answer),
            State::Following => self.followed(&answer),
            State::Opening | State::Founding => self.opened(&answer),
            // A title that was not taken is no reason to say that the surface was not opened.
            State::Titling(pane) => self.done(&pane),
            State::Looking(pane, lookout) => self.looked(pane, lookout, &answer),
        }
    }
}

/// What is said behind the command that makes our session: nobody is attached to it yet. The option is set for this session
/// alone, whatever the person has set for others.
pub(super) fn kept() -> [String; 6] {
    let own = format!("={SESSION}:");
    [";", "set-option", "-t", &own, "destroy-unattached", "off"].map(str::to_owned)
}

/// What is said of a new pane.
pub(super) fn opened(job: &Job, pane: &NewPane) -> Opened {
    let host = job.request.host.as_deref();
    let surface = SurfaceRef::Tmux(TmuxPane {
        server: pane.server,
        window: pane.window.0,
        pane: Some(pane.pane.0),
        socket: pane.socket.clone(),
        host: host.and_then(|host| HostAlias::parse(host).ok()),
    });
    Opened {
        surface: Some(surface),
        pid: Some(pane.pid),
        attach: (pane.attached == 0).then(|| attach(&named(job, pane), pane)),
        session: Some(pane.session.to_string()),
        warnings: Vec::new(),
    }
}

/// The server as a person names it: by its socket only where it need not be the default one.
fn named(job: &Job, pane: &NewPane) -> Server {
    let is_named = matches!(job.anchor, Anchor::Target(_)) || Caller::of(job).is_some();
    if !is_named && is_default(job, &pane.socket) {
        Server::Default
    } else {
        Server::Socket(pane.socket.clone())
    }
}

/// The line that shows a session that nobody looks at, on its own machine.
fn attach(server: &Server, pane: &NewPane) -> String {
    let plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let session = if plain(&pane.session_name) {
        pane.session_name.clone()
    } else {
        pane.session.to_string()
    };
    match server {
        Server::Default => quote::line(["tmux", "attach", "-t", &session]),
        Server::Socket(path) => quote::line(["tmux", "-S", path, "attach", "-t", &session]),
    }
}

/// Asks which pane of which server this is.
fn identity(pane: PaneId) -> Show<PaneId> {
    Show {
        target: pane,
        format: "#{pid} #{pane_id}".to_owned(),
    }
}

const fn reader() -> NewWindow {
    NewWindow {
        session: String::new(),
        name: None,
        start: Start {
            cwd: None,
            argv: Vec::new(),
            focus: false,
        },
    }
}

fn why(answer: &Answer) -> String {
    let complaint = answer.complaint();
    match answer.ended {
        Ended::Code(code) if complaint.is_empty() => format!("it ended with status {code}"),
        Ended::Code(_) => complaint,
        Ended::Signal(signal) => format!("it was ended by signal {signal}"),
        Ended::TimedOut | Ended::Stays { .. } => "it did not answer in time".to_owned(),
        Ended::Lost => "the link to the host broke".to_owned(),
    }
}

/// Whether tmux said nothing, so that it may have done what it was told, or do it yet.
const fn unanswered(answer: &Answer) -> bool {
    matches!(answer.ended, Ended::TimedOut | Ended::Lost)
}

/// Whether tmux itself said why it did not do what it was told.
fn complained(answer: &Answer) -> bool {
    matches!(answer.ended, Ended::Code(code) if code != 0) && !answer.complaint().is_empty()
}

/// The failure of what may have been done, with the look that can tell.
pub(super) fn unknown(job: &Job, message: String) -> Failure {
    let hint = match &job.request.host {
        Some(host) => format!(
            "it may be done, or be done yet; look before you repeat it: `surfaced surfaces -H {host}`"
        ),
        None => "look with `surfaced surfaces` when tmux answers again".to_owned(),
    };
    Failure::new(Kind::StateUnknown, message).hint(hint)
}

fn spawn_failed(doing: &str, why: &str) -> Failure {
    Failure::new(Kind::SpawnFailed, format!("cannot {doing}: {why}"))
}

fn gone(message: &str) -> Failure {
    Failure::new(Kind::TargetGone, message)
        .hint("leave `backend` out, or call from where you are now")
}
