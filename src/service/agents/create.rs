//! Creating agents.

use std::path::Path;
use std::time::SystemTime;

use uuid::Uuid;

use super::book::Tell;
use super::open::Wanted;
use super::record::{Record, Run, Stage};
use super::service::Agents;
use crate::os::peer::Peer;
use crate::os::{boot, clock};
use crate::proto::agent::{Agent, AgentCreateParams, Lifecycle, Place};
use crate::proto::provider::{AgentConfig, Handle};
use crate::proto::{Failure, Kind, Word};

impl Agents {
    /// Creates an agent and starts its program.
    ///
    /// # Errors
    /// `not-supported` for an agent that is not to live in a terminal, and for what its provider cannot do; `not-found` for the
    /// provider; `cwd-missing`, `program-missing` and what its place fails with. Nothing is left then: no terminal, no record.
    pub async fn create(
        &self,
        params: AgentCreateParams,
        caller: Option<Peer>,
    ) -> Result<Agent, Failure> {
        if params.terminal == Some(false) {
            let mut failure = Failure::new(
                Kind::NotSupported,
                "this service runs the terminal programs of agents, where a person works with them; it does not drive \
                 agents itself",
            )
            .hint("leave `terminal` out, or drive a structured session with the provider's own SDK");
            failure.data.path = Some("terminal".to_owned());
            return Err(failure);
        }
        params.place.as_ref().map_or(Ok(()), Place::check_host)?;
        let agents = self.clone();
        self.finish(async move { agents.create_now(params, caller).await })
            .await
    }

    async fn create_now(
        &self,
        params: AgentCreateParams,
        caller: Option<Peer>,
    ) -> Result<Agent, Failure> {
        let provider = self.programs().provider(&params.provider)?;
        let place = params.place.unwrap_or(Place::Terminal {});
        let env = params.env.unwrap_or_default();
        if !remote(&place) {
            workable(&params.cwd)?;
        }
        let version = self.sound(&provider, &place, &env).await?;
        let version = version.as_ref();
        let preset = provider.capabilities(version).supports_session_id;
        let session = preset.then(new_session);
        // Nothing in them is nothing said.
        let model = params.model.filter(|model| !model.is_empty());
        let mode_id = params.mode_id.filter(|mode| !mode.is_empty());
        let config = AgentConfig {
            cwd: Some(params.cwd.clone()),
            model: model.clone(),
            mode_id: mode_id.clone(),
            prompt: params.prompt,
            session_id: session.clone(),
        };
        let prompted = config.prompt.is_some();
        let command = provider.create(&config, version)?;
        let unspoken = AgentConfig {
            prompt: None,
            ..config
        };
        let shown = provider.create(&unspoken, version)?.args;
        let now = SystemTime::now();
        let id = Uuid::now_v7().to_string();
        let title = params.title.filter(|title| !title.is_empty());
        let mut record = Record {
            provider: provider.id().to_owned(),
            cwd: params.cwd.into(),
            model: model.map(String::from),
            mode_id: mode_id.map(String::from),
            title: title.map_or_else(|| provider.label().to_owned(), String::from),
            labels: params.labels.unwrap_or_default(),
            prompted,
            variables: env.keys().map(|name| name.as_str().to_owned()).collect(),
            lifecycle: Lifecycle::Idle,
            reason: None,
            left: None,
            session: session.map(handle),
            unspoken: None,
            lost_session: None,
            asked_again: false,
            run: new_run(1, place, now),
            created_at: clock::rfc3339(now),
            updated_at: clock::rfc3339(now),
            archived_at: None,
            id,
        };
        record.run.preset = record.session.is_some();
        let id = record.id.clone();
        if !env.is_empty() {
            self.book().keep(&id, env.clone()).await;
        }
        let _turn = self.book().turn(&id).await?;
        let wanted = Wanted {
            provider,
            command,
            shown,
            env,
            size: None,
            caller,
            context: None,
        };
        match self.begin(&mut record, wanted).await {
            Ok(note) => {
                record.reason = note;
                self.begun(record, Tell::Created).await
            }
            Err(failure) => {
                let _ = self.book().remove(&id, Tell::Nobody).await;
                Err(failure)
            }
        }
    }
}

/// A start that is about to be made.
pub(super) fn new_run(number: u32, place: Place, now: SystemTime) -> Run {
    Run {
        number,
        stage: Stage::Starting,
        resumes: false,
        preset: false,
        roots: None,
        place,
        began_ms: clock::millis(now),
        boot: boot::id(),
        terminal: None,
        seat_name: None,
        seat: None,
        surface: None,
        process: None,
        there: None,
        attach: None,
        doubt: None,
    }
}

/// Whether a place is on another machine.
pub(super) const fn remote(place: &Place) -> bool {
    matches!(place, Place::Surface { host: Some(_), .. })
}

/// An id for a new conversation.
pub(super) fn new_session() -> Word {
    // Its letters are hexadecimal digits.
    Word::parse(Uuid::new_v4().to_string()).expect("a UUID holds no NUL")
}

/// A conversation by its id alone.
pub(super) fn handle(session_id: Word) -> Handle {
    Handle {
        session_id,
        native_handle: None,
    }
}

/// Whether a new agent can work in a directory.
///
/// # Errors
/// `cwd-missing`.
pub(super) fn workable(cwd: &str) -> Result<(), Failure> {
    usable(cwd).map_err(|failure| failure.hint("create the directory or name another one in cwd"))
}

/// Whether a directory can be worked in.
///
/// # Errors
/// `cwd-missing`.
pub(super) fn usable(cwd: &str) -> Result<(), Failure> {
    let why = match Path::new(cwd).metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => "is not there".to_owned(),
        Err(error) => format!("cannot be used: {error}"),
        Ok(meta) if !meta.is_dir() => "is not a directory".to_owned(),
        Ok(_) => match rustix::fs::access(cwd, rustix::fs::Access::EXEC_OK) {
            Ok(()) => return Ok(()),
            Err(error) => format!("cannot be entered: {}", std::io::Error::from(error)),
        },
    };
    Err(Failure::new(
        Kind::CwdMissing,
        format!("the working directory {cwd} {why}"),
    ))
}
