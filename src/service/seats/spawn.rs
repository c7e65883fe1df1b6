//! Spawning: everything up to the moment in which the seat's own program runs.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::book::Record;
use super::confirm::Prompt;
use super::names::{Space, check_seat};
use super::panes::{Reference, Seen};
use super::{Inner, attach_line};
use crate::launch::seat::{SeatLaunch, text};
use crate::os::clock;
use crate::os::process_table::ProcessTable;
use crate::os::tree::Root;
use crate::proto::seat::{SpawnParams, Spawned};
use crate::proto::{Argv, Env, Failure, Kind, Word};
use crate::service::scripts::{Report, Script};
use crate::tmux::open::{NewPane, NewSession, NewWindow, Start};
use crate::tmux::seat::{KillWindow, ListSeats, MarkSpace, Occupy, Place, SeatRow};
use crate::tmux::{Outcome, Server};

/// Columns and rows of a session that nobody looks at yet.
const SIZE: (u16, u16) = (200, 50);

/// How long the launch script has to report: it runs no shell of the person's.
const REPORT: Duration = Duration::from_secs(10);

/// The exit phrase of a seat that names none.
const EXIT_PHRASE: &str = "/exit";

/// How often a window is asked for when the answer was that the server or session has just appeared or gone.
const TRIES: usize = 3;

/// What a pane runs until it is a seat. It ends by itself, should the daemon end in between.
const PLACEHOLDER: [&str; 3] = ["/bin/sh", "-c", "exec sleep 60"];

/// A spawn whose parameters were checked.
pub(super) struct Wanted {
    space: Space,
    name: String,
    argv: Argv,
    cwd: String,
    env: Env,
    exit_phrase: String,
    prompt: Option<Prompt>,
}

impl Wanted {
    /// Checks everything that can be checked before tmux is asked.
    pub(super) fn parse(params: SpawnParams, base: &Env) -> Result<Self, Failure> {
        if params.host.is_some() {
            return Err(
                Failure::new(Kind::NotSupported, "seats on hosts are not supported")
                    .hint("run the daemon on that host and ask it"),
            );
        }
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
        let cwd = params.cwd.as_str().to_owned();
        if !Path::new(&cwd).is_dir() {
            return Err(refused(format!("the working directory {cwd} is not there"))
                .hint("create it or name another one in cwd"));
        }
        let mut env = if params.exact_env.unwrap_or(false) {
            Env::new()
        } else {
            base.clone()
        };
        env.extend(params.env.into_iter().flatten());
        let program = argv.program();
        if program.contains('/') && !Path::new(&cwd).join(program).is_file() {
            return Err(refused(format!("the program {program} is not there"))
                .hint("install it or name another one in command"));
        }
        let exit_phrase = params
            .exit_phrase
            .map_or_else(|| EXIT_PHRASE.to_owned(), String::from);
        Ok(Self {
            space,
            name: params.name.into(),
            argv,
            cwd,
            env,
            exit_phrase,
            prompt,
        })
    }
}

/// Nothing was started.
fn refused(message: impl Into<String>) -> Failure {
    Failure::new(Kind::SeatRefused, message)
}

/// A window that the seat's program was started in.
pub(super) struct Made {
    pane: NewPane,
    script: Script,
}

impl Made {
    fn reference(&self) -> Reference {
        Reference {
            server: self.pane.server,
            socket: self.pane.socket.clone(),
            window: self.pane.window,
            pane: self.pane.pane,
        }
    }
}

impl Inner {
    /// Makes the window and starts the program in it. Only one of these runs at a time: names are looked up and taken here.
    pub(super) async fn make(&self, wanted: &Wanted) -> Result<Made, Failure> {
        let mut last = String::new();
        for _ in 0..TRIES {
            let session = self.session(wanted).await?;
            match self.window(wanted, session).await {
                Outcome::Done(pane) => return self.occupy(wanted, pane).await,
                // The session or server went in between, or somebody else made it: look again.
                Outcome::Absent(_) => "it ended while the window was made".clone_into(&mut last),
                Outcome::Unknown(why)
                    if why.starts_with("duplicate session") || why.starts_with("server exited") =>
                {
                    last = why;
                }
                Outcome::Unknown(why) => {
                    return Err(refused(format!("tmux made no window for the seat: {why}")));
                }
            }
        }
        Err(refused(format!("tmux made no window for the seat: {last}")))
    }

    /// The session of the space, if there is one, after a look at whether the names are free.
    async fn session(&self, wanted: &Wanted) -> Result<Option<SeatRow>, Failure> {
        let rows = match self.panes.ask(&Server::Default, &ListSeats).await {
            Outcome::Done(rows) => rows,
            Outcome::Absent(_) => Vec::new(),
            Outcome::Unknown(why) => return Err(refused(format!("tmux cannot be asked: {why}"))),
        };
        let name = wanted.space.session();
        let Some(first) = rows.iter().find(|row| row.session_name == name) else {
            return Ok(None);
        };
        if first.space != wanted.space.as_str() {
            let whose = if first.space.is_empty() {
                format!("a session called {name} exists that is no space of seats")
            } else {
                format!("the space {} has the session {name} already", first.space)
            };
            return Err(
                Failure::new(Kind::Conflict, whose).hint("choose another name for the space")
            );
        }
        let taken = rows
            .iter()
            .filter(|row| row.place.session == first.place.session)
            .any(|row| row.seat == wanted.name || row.window_name == wanted.name);
        if taken {
            return Err(Failure::new(
                Kind::Conflict,
                format!(
                    "the space {} has a seat called {} already",
                    wanted.space.as_str(),
                    wanted.name
                ),
            )
            .hint("stop or reap that seat, or choose another name"));
        }
        Ok(Some(first.clone()))
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
        let made = self.panes.ask(&Server::Default, &session).await;
        if let Outcome::Done(pane) = &made {
            let mark = MarkSpace {
                session: pane.session,
                space: wanted.space.as_str().to_owned(),
            };
            if let Outcome::Unknown(why) = self
                .panes
                .ask(&Server::Socket(pane.socket.clone()), &mark)
                .await
            {
                return Outcome::Unknown(why);
            }
        }
        made
    }

    /// Turns the window into the seat. The placeholder is closed where that fails.
    async fn occupy(&self, wanted: &Wanted, pane: NewPane) -> Result<Made, Failure> {
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
        let script = match self.scripts.write(&launch).await {
            Ok(script) => script,
            Err(failure) => {
                self.discard(&pane, place).await;
                return Err(
                    refused(failure.message.clone()).hint(failure.data.hint.unwrap_or_default())
                );
            }
        };
        let made = Made { pane, script };
        let command = Occupy {
            place,
            name: wanted.name.clone(),
            cwd: "/".to_owned(),
            argv: vec![
                "/bin/sh".to_owned(),
                made.script.path().display().to_string(),
            ],
        };
        match self.panes.on(&made.reference(), command).await {
            Outcome::Done(()) => Ok(made),
            Outcome::Absent(_) => {
                made.script.discard().await;
                Err(refused(
                    "the window was closed before the seat was started in it",
                ))
            }
            Outcome::Unknown(why) => {
                self.discard(&made.pane, place).await;
                made.script.discard().await;
                Err(refused(format!("tmux did not start the seat: {why}")))
            }
        }
    }

    async fn discard(&self, pane: &NewPane, place: Place) {
        let seat = Reference {
            server: pane.server,
            socket: pane.socket.clone(),
            window: pane.window,
            pane: pane.pane,
        };
        // The window may not be marked as a seat yet; nothing but the placeholder can be in it.
        let _ = self
            .panes
            .in_place(&seat, place, KillWindow(pane.window))
            .await;
    }

    /// Waits until the program was started, writes the record and watches the seat from then on.
    pub(super) async fn begin(
        self: &Arc<Self>,
        wanted: Wanted,
        made: Made,
    ) -> Result<Spawned, Failure> {
        let reference = made.reference();
        let place = Place {
            session: made.pane.session,
            window: made.pane.window,
            pane: made.pane.pane,
        };
        let silent = match made.script.report(REPORT).await {
            Report::Started => false,
            Report::Silent => true,
            Report::Refused(failure) => {
                self.discard(&made.pane, place).await;
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
        let started = pid
            .and_then(|pid| ProcessTable::new().get(pid))
            .map(|process| process.started);
        let since = |moment: SystemTime| moment.duration_since(UNIX_EPOCH).ok();
        let record = Record {
            reference: reference.surface(),
            space: wanted.space.as_str().to_owned(),
            name: wanted.name.clone(),
            session: made.pane.session_name.clone(),
            command: wanted
                .argv
                .words()
                .iter()
                .map(|word| word.as_str().to_owned())
                .collect(),
            cwd: wanted.cwd.clone(),
            exit_phrase: wanted.exit_phrase.clone(),
            pid,
            process_started_ms: started
                .and_then(since)
                .and_then(|since| u64::try_from(since.as_millis()).ok()),
            started_at: clock::rfc3339(SystemTime::now()),
            end: None,
        };
        self.book.put(record.clone()).await?;
        self.announce(
            "seat.started",
            &record.seat(Some(crate::proto::seat::SeatState::Running)),
        );
        self.watch(
            record,
            pid.map_or(
                Root {
                    pid: 0,
                    started: None,
                },
                |pid| Root { pid, started },
            ),
        );
        if silent {
            return Err(Failure::new(
                Kind::StateUnknown,
                format!(
                    "the seat {} was handed to tmux and has not started yet",
                    wanted.name
                ),
            )
            .hint("ask seat.status with the reference in detail, or reap it")
            .detail(json!({ "reference": reference.surface() })));
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
            attach: attach_line(&made.pane.session_name, &reference.surface()),
        })
    }
}
