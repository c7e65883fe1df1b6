//! Opening agents: a live one is shown, one that ended is taken up again.

use std::time::{Instant, SystemTime};

use super::book::Tell;
use super::create::{handle, new_run, new_session, remote, usable, workable};
use super::left::mark;
use super::place::{Sight, Start, name};
use super::record::{Record, Stage};
use super::service::Agents;
use crate::host::wire::Size;
use crate::os::peer::Peer;
use crate::proto::agent::{Agent, Lifecycle, Place};
use crate::proto::provider::{AgentConfig, TerminalCommand};
use crate::proto::terminal::Terminal;
use crate::proto::{AbsolutePath, Context, Env, EnvName, Failure, Kind, Word};
use crate::provider::Provider;
use crate::service::starts::{self, Asked, Key, Opened};

/// Said where a conversation is begun a second time.
const UNPROMPTED: &str =
    "it was not given the first prompt, which is not written down: say it again";

/// A program that somebody wants started.
pub(super) struct Wanted {
    pub(super) provider: Provider,
    pub(super) command: TerminalCommand,
    /// The words after the program without the prompt, which may be a secret.
    pub(super) shown: Vec<String>,
    pub(super) env: Env,
    pub(super) size: Option<Size>,
    pub(super) caller: Option<Peer>,
    pub(super) context: Option<Context>,
}

/// How an agent is to be opened.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// Where; absent: as before.
    pub place: Option<Place>,
    /// The size of a new terminal.
    pub size: Option<Size>,
    /// Who asks, which is where a surface opens.
    pub caller: Option<Peer>,
    /// Where they say that they are, which wins over what is seen of their process.
    pub context: Option<Context>,
}

impl Agents {
    /// Returns a live agent and opens nothing; takes up the conversation of one that ended, in its own directory and with what
    /// it was created with. Where its conversation is not known, a new one is begun, without a prompt, and `reason` says so.
    ///
    /// # Errors
    /// `not-found`; `conflict` for an archived one; `cwd-missing` where its directory is gone; `state-unknown` where nobody can
    /// say whether it lives; what its place fails with. Nothing was opened then.
    pub async fn open(&self, id: &str, opening: Opening) -> Result<Agent, Failure> {
        opening.place.as_ref().map_or(Ok(()), Place::check_host)?;
        let (agents, id) = (self.clone(), id.to_owned());
        self.finish(async move { agents.open_now(&id, opening).await })
            .await
    }

    /// The hosted terminal of an agent: the one that it lives in, or a new one that it is opened in.
    ///
    /// # Errors
    /// As of [`Self::open`]; `conflict` where it lives elsewhere; `invalid-params` of `cwd` for another directory than its own.
    pub async fn terminal(
        &self,
        id: &str,
        cwd: Option<&AbsolutePath>,
        size: Option<Size>,
    ) -> Result<Terminal, Failure> {
        let record = self.book().get(id).await?;
        if let Some(cwd) = cwd
            && cwd.as_str() != record.cwd
        {
            return Err(Failure::params(
                "cwd",
                format!("agent {id} works in {} and nowhere else", record.cwd),
            )
            .hint("leave cwd out"));
        }
        let opening = Opening {
            place: Some(Place::Terminal {}),
            size,
            caller: None,
            context: None,
        };
        let agent = self.open(id, opening).await?;
        let Some(terminal) = agent.terminal_id else {
            let failure = Failure::new(
                Kind::Conflict,
                format!("agent {id} lives elsewhere and not in a hosted terminal"),
            );
            return Err(match agent.attach {
                Some(attach) => failure.hint(format!("go to it with `{attach}`")),
                None => failure.hint("close it first"),
            });
        };
        self.parts().places.terminals.get(&terminal).await
    }

    async fn open_now(&self, id: &str, mut opening: Opening) -> Result<Agent, Failure> {
        let _turn = self.book().turn(id).await?;
        let mut record = self.book().get(id).await?;
        if record.archived_at.is_some() {
            return Err(
                Failure::new(Kind::Conflict, format!("agent {id} is archived")).hint(format!(
                    "take it back first: agent.unarchive, or `surfaced agent unarchive {id}`"
                )),
            );
        }
        if record.run.is_live() {
            match self.seen(&mut record).await? {
                Sight::Lives => return Ok(record.shown()),
                Sight::Ended(end) => record = self.ended(record, end).await?,
                Sight::Never => record = self.never_begun(record).await?,
                Sight::Unknown(why) => {
                    return Err(Failure::new(
                        Kind::StateUnknown,
                        format!("agent {id} may still run, so nothing was opened: {why}"),
                    )
                    .hint("ask again, or close it first"));
                }
            }
        }
        let place = opening.place.take();
        let place = place.unwrap_or_else(|| record.run.place.clone());
        if remote(&place) != record.run.host().is_some() {
            return Err(Failure::params(
                "place",
                format!("the conversation of agent {id} is on another machine"),
            )
            .hint("open it where it was"));
        }
        if !remote(&place) {
            usable(&record.cwd).map_err(|failure| {
                failure.hint(
                    "its conversation belongs to that directory: put it back, or create a new agent elsewhere",
                )
            })?;
        }
        self.again(record, place, opening).await
    }

    /// Starts the program of an agent that ended.
    async fn again(
        &self,
        mut record: Record,
        place: Place,
        opening: Opening,
    ) -> Result<Agent, Failure> {
        let before = record.clone();
        let provider = self.programs().provider(&record.provider)?;
        let env = self.book().kept(&record.id).await?.unwrap_or_default();
        let version = match self.sound(&provider, &place, &env).await {
            Ok(version) => version,
            Err(failure) => return self.not_opened(record, failure).await,
        };
        let version = version.as_ref();
        let can = provider.capabilities(version);
        let text = |text: &Option<String>| text.clone().and_then(|text| Word::parse(text).ok());
        let mut config = AgentConfig {
            cwd: AbsolutePath::parse(record.cwd.clone()).ok(),
            model: text(&record.model),
            mode_id: text(&record.mode_id),
            prompt: None,
            session_id: None,
        };
        let mut run = new_run(record.run.number + 1, place, SystemTime::now());
        let mut notes = Vec::new();
        if can.supports_resume && self.is_back(&before, &provider, &env).await {
            record.session = record.lost_session.take();
            record.asked_again = true;
        }
        let earlier = record.session.clone().filter(|_| can.supports_resume);
        let conversations = &self.parts().conversations;
        let unspoken = match (&earlier, record.unspoken.take()) {
            (Some(session), Some(roots)) if can.supports_session_id => {
                let id = &session.session_id;
                !conversations.is_there(&provider, roots, id).await
            }
            (Some(session), None) if can.supports_session_id && before.run.host().is_some() => {
                self.unspoken_there(&before, session).await
            }
            _ => false,
        };
        let command = if let (Some(session), true) = (&earlier, unspoken) {
            // There is nothing to take up yet.
            config.session_id = Some(session.session_id.clone());
            run.preset = true;
            provider.create(&config, version)?
        } else if let Some(session) = earlier {
            run.resumes = true;
            provider.resume(&session, &config, version)?
        } else {
            notes.push(anew(&record, &provider));
            config.session_id = can.supports_session_id.then(new_session);
            run.preset = config.session_id.is_some();
            record.session = config.session_id.clone().map(handle);
            provider.create(&config, version)?
        };
        if record.prompted && !run.resumes {
            notes.push(UNPROMPTED.to_owned());
        }
        let lost: Vec<&str> = record
            .variables
            .iter()
            .filter(|name| EnvName::parse(name.as_str()).is_ok_and(|name| !env.contains_key(&name)))
            .map(String::as_str)
            .collect();
        if !lost.is_empty() {
            notes.push(format!(
                "it runs without the variables {}, whose values are not written down",
                lost.join(", ")
            ));
        }
        record.run = run;
        let wanted = Wanted {
            provider,
            shown: command.args.clone(),
            command,
            env,
            size: opening.size,
            caller: opening.caller,
            context: opening.context,
        };
        let start = self.owned(&record).await?;
        match self.begin(&mut record, wanted).await {
            Ok(note) => {
                notes.extend(note);
                record.lifecycle = Lifecycle::Idle;
                record.left = None;
                record.reason = Some(notes.join("; ")).filter(|reason| !reason.is_empty());
                let agent = self.begun(record, Tell::Updated).await?;
                if let Some(start) = start.filter(|_| agent.lifecycle == Lifecycle::Idle) {
                    start.opened(Opened {
                        surface: agent.surface.clone().or_else(|| agent.seat.clone()),
                        attach: agent.attach.clone(),
                    });
                }
                Ok(agent)
            }
            Err(failure) => self.not_opened(before, failure).await,
        }
    }

    /// Makes the conversation of an agent its own for the time of a start. Nobody: it has none yet.
    ///
    /// # Errors
    /// `conflict` where somebody else has just taken it up.
    async fn owned(&self, record: &Record) -> Result<Option<starts::Start>, Failure> {
        let Some(session) = &record.session else {
            return Ok(None);
        };
        let key = Key {
            machine: record.run.host().map(str::to_owned),
            provider: record.provider.clone(),
            session: session.session_id.to_string(),
        };
        match self.parts().starts.ask(&key, Instant::now()).await {
            Asked::Own { start, .. } => Ok(Some(start)),
            Asked::Taken(opened) => {
                Err(opened.refused(&format!("session {} of agent {}", key.session, record.id)))
            }
        }
    }

    /// Writes down why a program was not started. What is known of the agent stands.
    async fn not_opened(&self, mut record: Record, failure: Failure) -> Result<Agent, Failure> {
        record.run.number += 1;
        record.run.stage = Stage::Over;
        record.lifecycle = Lifecycle::Failed;
        record.reason = Some(sentence(&failure));
        self.book().put(record, Tell::Updated).await?;
        Err(failure)
    }

    /// Writes down that a program is about to be started, and starts it. A note: what was done otherwise than asked for.
    pub(super) async fn begin(
        &self,
        record: &mut Record,
        wanted: Wanted,
    ) -> Result<Option<String>, Failure> {
        let Wanted {
            provider,
            command,
            shown,
            mut env,
            size,
            caller,
            context,
        } = wanted;
        let places = &self.parts().places;
        let own = command.env.iter().filter_map(|(name, value)| {
            Some((
                EnvName::parse(name.clone()).ok()?,
                Word::parse(value.clone()).ok()?,
            ))
        });
        // What the caller of `create` gave holds.
        for (name, value) in own {
            env.entry(name).or_insert(value);
        }
        let argv = if record.run.host().is_some() {
            super::program::argv(command.command, &command.args)?
        } else {
            workable(&record.cwd)?;
            let programs = self.programs();
            programs
                .find(&provider, &command, &record.cwd, &env)
                .await?
        };
        name(&mut record.run, &record.id, &record.provider);
        // A surface marks its own.
        if !matches!(record.run.place, Place::Surface { .. }) {
            mark(&mut env, &record.id, record.run.number);
        }
        self.book().put(record.clone(), Tell::Nobody).await?;
        let start = Start {
            agent: record.id.clone(),
            provider: record.provider.clone(),
            title: record.title.clone(),
            cwd: record.cwd.clone(),
            shown: std::iter::once(argv.words()[0].as_str().to_owned())
                .chain(shown)
                .collect(),
            argv,
            env,
            phrase: provider.exit_phrase().to_owned(),
            session: record
                .session
                .as_ref()
                .map(|session| session.session_id.as_str().to_owned()),
            size,
            caller,
            context,
        };
        let note = places.start(start, &mut record.run).await?;
        record.run.stage = Stage::Living;
        Ok(note)
    }

    /// Writes down that a program was started, and looks whether it still runs: it may be quicker than the word of its end.
    pub(super) async fn begun(&self, record: Record, tell: Tell) -> Result<Agent, Failure> {
        let (id, number) = (record.id.clone(), record.run.number);
        self.follow(&record);
        let record = self.book().put(record, tell).await?;
        if record.session.is_none() {
            self.seek(&id, number);
        }
        self.note_roots(&record);
        match self.parts().places.look(&record.run, &id).await {
            Sight::Ended(end) => Ok(self.ended(record, end).await?.shown()),
            Sight::Never => Ok(self.never_begun(record).await?.shown()),
            Sight::Lives | Sight::Unknown(_) => Ok(record.shown()),
        }
    }
}

/// Why a new conversation is begun.
fn anew(record: &Record, provider: &Provider) -> String {
    let label = provider.label();
    match (&record.session, &record.lost_session) {
        (Some(_), _) => format!("a new conversation: {label} cannot take up an earlier one"),
        (None, Some(lost)) => format!(
            "a new conversation: {label} does not have the earlier one, {}, any more",
            lost.session_id
        ),
        (None, None) => "a new conversation: which one it had before is not known".to_owned(),
    }
}

/// A failure in one sentence, with what to do.
fn sentence(failure: &Failure) -> String {
    match &failure.data.hint {
        Some(hint) => format!("{}; {hint}", failure.message),
        None => failure.message.clone(),
    }
}
