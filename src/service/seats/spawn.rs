//! Spawning: everything up to the moment in which the seat's own program runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::book::Record;
use super::confirm::Prompt;
use super::names::{Space, check_seat};
use super::panes::{Reference, Seen};
use super::processes::Process;
use super::starting::Starting;
use super::{Inner, attach_line, there};
use crate::launch::length;
use crate::launch::seat::{SeatLaunch, text};
use crate::os::clock;
use crate::proto::seat::{SpawnParams, Spawned};
use crate::proto::text::plain;
use crate::proto::{Argv, Env, Failure, HostAlias, Kind, Word};
use crate::service::scripts::Report;
use crate::tmux::open::{NewPane, NewSession, NewWindow, Start};
use crate::tmux::seat::{Guarded, KillWindow, ListSeats, MarkSpace, Occupy, Place, SeatRow};
use crate::tmux::{Outcome, Server};

/// Columns and rows of a session that nobody looks at yet.
const SIZE: (u16, u16) = (200, 50);

/// How long the launch script has to report: it runs no shell of the person's.
const REPORT: Duration = Duration::from_secs(10);

/// The exit phrase of a seat that names none, and of one whose record is lost.
pub(super) const EXIT_PHRASE: &str = "/exit";

/// How often a window is asked for when the answer was that the server or session has just appeared or gone.
const TRIES: usize = 5;

/// The pause after such an answer, longer each time.
const PAUSE: Duration = Duration::from_millis(20);

/// What a pane runs until it is a seat. It ends by itself, should the daemon end in between.
const PLACEHOLDER: [&str; 3] = ["/bin/sh", "-c", "exec sleep 60"];

/// A spawn whose parameters were checked.
pub(super) struct Wanted {
    space: Space,
    name: String,
    argv: Argv,
    /// The command as it is written down and told; absent: `argv`.
    shown: Option<Vec<String>>,
    /// Empty: the home of its host, until that is known.
    cwd: String,
    env: Env,
    exit_phrase: String,
    prompt: Option<Prompt>,
    host: Option<HostAlias>,
    /// Whether the host's own base comes under the variables.
    wants_base: bool,
}

impl Wanted {
    pub(super) fn shown_as(self, shown: Option<Vec<String>>) -> Self {
        Self { shown, ..self }
    }

    fn shown(&self) -> Vec<String> {
        self.shown.clone().unwrap_or_else(|| self.argv.texts())
    }

    /// Checks everything that can be checked before anything is asked.
    pub(super) fn parse(params: SpawnParams, base: &Env) -> Result<Self, Failure> {
        let host = params
            .host
            .map(|host| HostAlias::parse(host.as_str()))
            .transpose()
            .map_err(|error| Failure::bad_host("host", error.to_string()))?;
        let space = Space::parse(&params.space)?;
        check_seat(&params.name)?;
        let prompt = params
            .confirm
            .as_ref()
            .map(|confirm| Prompt::parse("confirm", confirm))
            .transpose()?;
        let words: Vec<Word> = std::iter::once(params.command)
            .chain(params.args.into_iter().flatten())
            .collect();
        let argv =
            Argv::try_from(words).map_err(|error| Failure::params("command", error.to_string()))?;
        let cwd = params.cwd.map(String::from).unwrap_or_default();
        let wants_base = !params.exact_env.unwrap_or(false);
        let mut env = if wants_base && host.is_none() {
            base.clone()
        } else {
            Env::new()
        };
        env.extend(params.env.into_iter().flatten());
        length::check(
            "the command",
            argv.words().iter().map(Word::as_str),
            Some(&env),
        )
        .map_err(because)?;
        let program = argv.program();
        if host.is_none() && !Path::new(&cwd).is_dir() {
            return Err(no_cwd(&cwd));
        }
        if host.is_none() && program.contains('/') && !Path::new(&cwd).join(program).is_file() {
            return Err(no_program(program));
        }
        let exit_phrase = params
            .exit_phrase
            .map_or_else(|| EXIT_PHRASE.to_owned(), String::from);
        Ok(Self {
            space,
            name: params.name.into(),
            argv,
            shown: None,
            cwd,
            env,
            exit_phrase,
            prompt,
            host,
            wants_base,
        })
    }

    /// The host; absent: this machine.
    pub(super) const fn host(&self) -> Option<&HostAlias> {
        self.host.as_ref()
    }
}

fn no_cwd(cwd: &str) -> Failure {
    refused(format!("the working directory {} is not there", plain(cwd)))
        .hint("create it or name another one in cwd")
}

fn no_program(program: &str) -> Failure {
    refused(format!("the program {} is not there", plain(program)))
        .hint("install it or name another one in command")
}

/// What a host failed with, before anything was started there.
fn because(failure: Failure) -> Failure {
    let refused = refused(failure.message).detail(json!({ "cause": failure.data.kind }));
    match failure.data.hint {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}

/// Nothing was started.
fn refused(message: impl Into<String>) -> Failure {
    Failure::new(Kind::SeatRefused, message)
}

/// A window that the seat's program was started in.
pub(super) struct Made {
    pane: NewPane,
    script: Starting,
}

impl Made {
    fn reference(&self, wanted: &Wanted) -> Reference {
        reference(wanted, &self.pane)
    }
}

fn reference(wanted: &Wanted, pane: &NewPane) -> Reference {
    Reference {
        server: pane.server,
        socket: pane.socket.clone(),
        window: pane.window,
        pane: pane.pane,
        host: wanted.host.clone(),
    }
}

impl Inner {
    /// Asks the host of a seat, where it has one, what the seat begins with, and whether it can begin.
    pub(super) async fn ask_host(&self, wanted: &mut Wanted) -> Result<(), Failure> {
        let Some(host) = &wanted.host else {
            return Ok(());
        };
        let program = wanted.argv.program();
        let question = there::base(&wanted.cwd, program);
        let answer = async { self.panes.links().to(Some(host)).await?.run(question).await };
        let answer = answer.await.map_err(because)?;
        let Some(base) = there::read_base(&answer) else {
            return Err(refused(format!(
                "{host} did not say what a seat begins with there"
            )));
        };
        if base.no_tmux {
            let failure = Failure::new(
                Kind::HostToolMissing,
                format!("tmux is not installed on {host}"),
            );
            return Err(because(failure.hint(format!(
                "seats live in tmux: install it there; `surfaced hosts check {host}` says where it is looked for"
            ))));
        }
        if wanted.cwd.is_empty() {
            let home = base.env.iter().find(|(name, _)| name.as_str() == "HOME");
            wanted.cwd = home.map(|(_, home)| home.to_string()).unwrap_or_default();
        }
        if !wanted.cwd.starts_with('/') {
            return Err(
                refused(format!("{host} does not say where your home is there"))
                    .hint("name a directory of it in cwd"),
            );
        }
        if base.no_cwd {
            return Err(no_cwd(&format!("{} of {host}", wanted.cwd)));
        }
        if base.no_program {
            return Err(no_program(program));
        }
        if wanted.wants_base {
            let given = std::mem::replace(&mut wanted.env, base.env);
            wanted.env.extend(given);
        }
        Ok(())
    }

    /// Makes the window and starts the program in it. Only one of these runs at a time: names are looked up and taken here.
    pub(super) async fn make(self: &Arc<Self>, wanted: &Wanted) -> Result<Made, Failure> {
        let (mut last, mut cleared) = (String::new(), false);
        for pause in (1..).map(|number| PAUSE * number).take(TRIES) {
            let rows = match self
                .panes
                .ask(wanted.host(), &Server::Default, &ListSeats)
                .await
            {
                Outcome::Done(rows) => Ok(rows),
                Outcome::Absent(_) => Ok(Vec::new()),
                Outcome::Unknown(why) => Err(why),
            };
            let made = match rows {
                Ok(rows) if !cleared && self.clear(wanted, &rows).await => {
                    cleared = true;
                    continue;
                }
                Ok(rows) => {
                    let session = session(wanted, &rows)?;
                    self.is_free(wanted, &rows).await?;
                    self.window(wanted, session).await
                }
                Err(why) if !is_passing(&why) => {
                    return Err(refused(format!("tmux cannot be asked: {why}")));
                }
                Err(why) => Outcome::Unknown(why),
            };
            match made {
                Outcome::Done(pane) => return self.occupy(wanted, pane).await,
                // The session or server went in between, or somebody else made it: look again.
                Outcome::Absent(_) => "it ended while the window was made".clone_into(&mut last),
                Outcome::Unknown(why) if is_passing(&why) => last = why,
                Outcome::Unknown(why) => {
                    return Err(refused(format!("tmux made no window for the seat: {why}")));
                }
            }
            tokio::time::sleep(pause).await;
        }
        Err(refused(format!("tmux made no window for the seat: {last}")))
    }

    /// Removes the window of a seat of this name that has ended: once that is known the name is free. Whether there was one.
    async fn clear(&self, wanted: &Wanted, rows: &[SeatRow]) -> bool {
        let over = rows.iter().find(|row| {
            row.dead.is_some()
                && row.space == wanted.space.as_str()
                && row.seat == wanted.name
                && row.home == Some(row.place.session)
        });
        let (Some(row), Ok(records)) = (over, self.book.all().await) else {
            return false;
        };
        let is_it = |record: &&Record| {
            Reference::of(&record.reference).is_ok_and(|seat| {
                (seat.server, seat.window, seat.pane)
                    == (row.server, row.place.window, row.place.pane)
                    && seat.host.as_ref() == wanted.host()
            })
        };
        let Some(record) = records.iter().find(is_it) else {
            return false;
        };
        // One that the person keeps stays, and its name is taken.
        self.conclude(record).await
    }
}

/// Words of a server that has just started or is about to end; nothing was done.
fn is_passing(why: &str) -> bool {
    const WORDS: [&str; 3] = ["duplicate session", "server exited", "lost server"];
    WORDS.iter().any(|words| why.starts_with(words))
}

/// The session of the space, if there is one, after a look at whether the names are free. It is known by its mark: a name
/// is what anybody may change.
fn session(wanted: &Wanted, rows: &[SeatRow]) -> Result<Option<SeatRow>, Failure> {
    let name = wanted.space.session();
    let marked = rows.iter().find(|row| row.space == wanted.space.as_str());
    let Some(first) = marked.or_else(|| rows.iter().find(|row| row.session_name == name)) else {
        return Ok(None);
    };
    if first.space != wanted.space.as_str() {
        let whose = if first.space.is_empty() {
            format!("a session called {name} exists that is no space of seats")
        } else {
            format!("the space {} has the session {name} already", first.space)
        };
        return Err(Failure::new(Kind::Conflict, whose).hint("choose another name for the space"));
    }
    let taken = rows
        .iter()
        .filter(|row| row.place.session == first.place.session)
        .any(|row| row.seat == wanted.name || row.window_name == wanted.name);
    if taken {
        return Err(is_taken(wanted).hint("stop or reap that seat, or choose another name"));
    }
    Ok(Some(first.clone()))
}

fn is_taken(wanted: &Wanted) -> Failure {
    Failure::new(
        Kind::Conflict,
        format!(
            "the space {} has a seat called {} already",
            wanted.space.as_str(),
            wanted.name
        ),
    )
}

impl Inner {
    /// Looks whether a seat of this name lives in another session by now: who moved it did not end it.
    async fn is_free(&self, wanted: &Wanted, rows: &[SeatRow]) -> Result<(), Failure> {
        let lives = |record: &Record| {
            let is_it = |row: &&SeatRow| {
                Reference::of(&record.reference).is_ok_and(|seat| {
                    (seat.server, seat.pane) == (row.server, row.place.pane)
                        && record.pid.is_none_or(|pid| pid == row.pid)
                })
            };
            record.end.is_none()
                && record.space == wanted.space.as_str()
                && record.name == wanted.name
                && record.reference.host() == wanted.host()
                && rows
                    .iter()
                    .find(is_it)
                    .is_some_and(|row| row.dead.is_none())
        };
        if self.book.all().await?.iter().any(lives) {
            return Err(is_taken(wanted)
                .hint("it was moved out of its session: close it there, or choose another name"));
        }
        Ok(())
    }

    async fn window(&self, wanted: &Wanted, session: Option<SeatRow>) -> Outcome<NewPane> {
        let start = Start {
            cwd: Some("/".to_owned()),
            argv: PLACEHOLDER.map(str::to_owned).into(),
            focus: false,
        };
        let name = Some(wanted.name.clone());
        if let Some(row) = session {
            let session = row.place.session.to_string();
            return self
                .panes
                .ask(
                    wanted.host(),
                    &Server::Default,
                    &NewWindow {
                        session,
                        name,
                        start,
                    },
                )
                .await;
        }
        let session = NewSession {
            name: wanted.space.session(),
            window: name,
            size: SIZE,
            start,
        };
        let made = self
            .panes
            .ask(wanted.host(), &Server::Default, &session)
            .await;
        if let Outcome::Done(pane) = &made {
            let mark = MarkSpace {
                session: pane.session,
                space: wanted.space.as_str().to_owned(),
            };
            if let Outcome::Unknown(why) = self
                .panes
                .ask(wanted.host(), &Server::Socket(pane.socket.clone()), &mark)
                .await
            {
                return Outcome::Unknown(why);
            }
        }
        made
    }

    /// Turns the window into the seat. The placeholder is closed where that fails.
    async fn occupy(self: &Arc<Self>, wanted: &Wanted, pane: NewPane) -> Result<Made, Failure> {
        let launch = text(&SeatLaunch {
            argv: &wanted.argv,
            cwd: &wanted.cwd,
            env: &wanted.env,
        });
        let place = Place {
            session: pane.session,
            window: pane.window,
            pane: pane.pane,
        };
        let seat = reference(wanted, &pane);
        let script = match &wanted.host {
            None => Starting::here(&self.scripts, &launch).await,
            Some(host) => Starting::there(self.panes.links(), host, &launch).await,
        };
        let script = match script {
            Ok(script) => script,
            Err(failure) => {
                self.discard(&seat, place).await;
                return Err(because(failure));
            }
        };
        let command = Occupy {
            place,
            name: wanted.name.clone(),
            cwd: "/".to_owned(),
            argv: vec!["/bin/sh".to_owned(), script.path()],
        };
        // Before the program: a seat that nobody wrote down would be nobody's after the next crash.
        if let Err(failure) = self.book.promise(record(wanted, &pane, None, None)).await {
            self.discard(&seat, place).await;
            script.discard().await;
            return Err(failure);
        }
        match self.panes.on(&seat, command).await {
            Outcome::Done(()) => Ok(Made { pane, script }),
            Outcome::Absent(_) => {
                self.book.forget(&seat.surface()).await?;
                script.discard().await;
                Err(refused(
                    "the window was closed before the seat was started in it",
                ))
            }
            Outcome::Unknown(why) => {
                let closed = self.discard(&seat, place).await;
                let silent = script.look().await == Some(Report::Silent);
                // Its script lies where it was, and what might have run it is gone.
                if closed && silent {
                    self.book.forget(&seat.surface()).await?;
                    script.discard().await;
                    return Err(refused(format!("tmux did not start the seat: {why}")));
                }
                // Whoever has the reference can stop what may run there.
                self.keep(wanted, &pane, None, false).await?;
                Err(doubtful(
                    format!(
                        "whether the seat {} was started is not known: {why}",
                        wanted.name
                    ),
                    &seat,
                ))
            }
        }
    }

    /// Closes the window of a seat that is not to be. Whether that is certain.
    async fn discard(&self, seat: &Reference, place: Place) -> bool {
        // The window may not be marked as a seat yet; nothing but the placeholder can be in it.
        let killed = self
            .panes
            .in_place(seat, place, KillWindow(seat.window))
            .await;
        matches!(killed, Outcome::Done(Guarded::Done) | Outcome::Absent(_))
    }

    /// Waits until the program was started, writes the record and watches the seat from then on.
    pub(super) async fn begin(
        self: &Arc<Self>,
        wanted: Wanted,
        made: Made,
    ) -> Result<Spawned, Failure> {
        let reference = made.reference(&wanted);
        let place = Place {
            session: made.pane.session,
            window: made.pane.window,
            pane: made.pane.pane,
        };
        let silent = match made.script.report(REPORT).await {
            Report::Started => false,
            Report::Silent => true,
            Report::Refused(failure) => {
                self.discard(&reference, place).await;
                self.book.forget(&reference.surface()).await?;
                return Err(if failure.kind() == Kind::ProgramMissing {
                    failure.hint("install it, name it by its path, or give the seat a PATH in env")
                } else {
                    failure
                });
            }
        };
        let pid = match self.panes.look(&reference).await {
            Seen::Running(at) | Seen::Dead(at, _) => Some(at.pid),
            _ => None,
        };
        self.keep(&wanted, &made.pane, pid, true).await?;
        if silent {
            return Err(doubtful(
                format!(
                    "the seat {} was handed to tmux and has not started yet",
                    wanted.name
                ),
                &reference,
            ));
        }
        if let Some(prompt) = wanted.prompt {
            let panes = self.panes.clone();
            self.supervisor
                .spawn(prompt.answer(panes, reference.clone(), place));
        }
        Ok(Spawned {
            reference: reference.surface(),
            session: made.pane.session_name.clone(),
            window_id: made.pane.window.to_string(),
            pane_id: made.pane.pane.to_string(),
            attach: attach_line(
                self.panes.links().as_ref(),
                &reference,
                &made.pane.session_name,
                made.pane.window,
                None,
            ),
        })
    }

    /// Writes a seat down, says that it was started where that is so, and watches it from then on.
    async fn keep(
        self: &Arc<Self>,
        wanted: &Wanted,
        pane: &NewPane,
        pid: Option<u32>,
        started: bool,
    ) -> Result<(), Failure> {
        let process = match pid {
            None => None,
            Some(pid) => {
                let now = self.panes.processes().now(wanted.host(), pid).await;
                now.ok()
            }
        };
        let record = record(wanted, pane, pid, process.as_ref());
        self.book.put(record.clone()).await?;
        if started {
            self.announce("seat.started", &self.started(&record));
        }
        self.watch(record);
        Ok(())
    }
}

/// What is written down of a seat.
fn record(wanted: &Wanted, pane: &NewPane, pid: Option<u32>, process: Option<&Process>) -> Record {
    Record {
        reference: reference(wanted, pane).surface(),
        space: wanted.space.as_str().to_owned(),
        name: wanted.name.clone(),
        session: pane.session_name.clone(),
        command: wanted.shown(),
        cwd: wanted.cwd.clone(),
        exit_phrase: wanted.exit_phrase.clone(),
        pid,
        process_started_ms: process.and_then(Process::started_ms),
        process_start: process.and_then(Process::start),
        started_at: clock::rfc3339(SystemTime::now()),
        end: None,
    }
}

/// Something of a seat may run that nobody has seen.
fn doubtful(message: String, seat: &Reference) -> Failure {
    Failure::new(Kind::StateUnknown, message)
        .hint("ask seat.status with the reference in detail, or reap it")
        .detail(json!({ "reference": seat.surface() }))
}
