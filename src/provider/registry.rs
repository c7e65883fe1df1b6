//! The providers in force: the built-in ones as the configuration changes them, then those that it adds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::aider::Aider;
use super::amp::Amp;
use super::claude::Claude;
use super::cli::{Cli, Piece};
use super::codex::Codex;
use super::copilot::Copilot;
use super::cursor_agent::CursorAgent;
use super::described::{Described, fill};
use super::droid::Droid;
use super::gemini::Gemini;
use super::goose::Goose;
use super::opencode::Opencode;
use super::process;
use super::transcript::Format;
use super::version::Version;
use crate::config::{Config, Hole, ProviderConfig, Template};
use crate::proto::provider::{AgentConfig, Handle, ProviderCapabilities, TerminalCommand};
use crate::proto::text::shown;
use crate::proto::{Env, Failure, Kind};
use crate::resolve::Program;

const BUILT_IN: &[&'static dyn Cli] = &[
    &Claude,
    &Codex,
    &Opencode,
    &Gemini,
    &Aider,
    &Goose,
    &CursorAgent,
    &Droid,
    &Amp,
    &Copilot,
];

/// All providers of a configuration. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Providers(Arc<[Provider]>);

impl Providers {
    /// The providers of this configuration: built-in ones first, then its own by name.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let built_in = BUILT_IN.iter().map(|cli| {
            let own = config.providers.get(cli.id()).cloned();
            Provider::new(cli.id(), *cli, own.unwrap_or_default())
        });
        let added = config
            .providers
            .iter()
            .filter(|(id, _)| BUILT_IN.iter().all(|cli| cli.id() != *id))
            .map(|(id, own)| Provider::new(id, &Described, own.clone()));
        Self(built_in.chain(added).collect())
    }

    /// The provider of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Provider> {
        self.0.iter().find(|provider| provider.id() == id)
    }

    /// The provider of this id.
    ///
    /// # Errors
    /// `not-found`, with the ids that there are.
    pub fn find(&self, id: &str) -> Result<&Provider, Failure> {
        self.get(id).ok_or_else(|| {
            let ids: Vec<&str> = self.iter().map(Provider::id).collect();
            Failure::new(
                Kind::NotFound,
                format!("no provider is called {id}", id = shown(id)),
            )
            .hint(format!("there are {}", ids.join(", ")))
        })
    }

    /// All of them, built-in ones first.
    pub fn iter(&self) -> impl Iterator<Item = &Provider> {
        self.0.iter()
    }

    /// The provider whose agent this process is: by its own name, or by the script that its interpreter runs. A version behind
    /// `@`, as in `claude@2.1.187`, and a suffix such as `.js` do not matter. `None` too where it serves another program
    /// instead of a person.
    #[must_use]
    pub fn of_process(&self, program: &Program) -> Option<&Provider> {
        process::find(self, program)
    }

    /// Whether a process of this name is worth a closer look: an agent's name, an interpreter's, or a version's.
    #[must_use]
    pub fn may_be_agent(&self, name: &str) -> bool {
        process::may_be(self, name)
    }
}

impl Default for Providers {
    fn default() -> Self {
        Self::new(&Config::default())
    }
}

/// One provider. Cheap to clone; two are equal where their ids are.
#[derive(Clone)]
pub struct Provider(Arc<Inner>);

struct Inner {
    id: String,
    cli: &'static dyn Cli,
    config: ProviderConfig,
    /// The program and its leading words.
    command: Vec<String>,
    processes: Vec<String>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Provider").field(&self.0.id).finish()
    }
}

impl PartialEq for Provider {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Provider {
    fn new(id: &str, cli: &'static dyn Cli, config: ProviderConfig) -> Self {
        let command: Vec<String> = match &config.command {
            Some(argv) => argv.words().iter().map(ToString::to_string).collect(),
            None => vec![id.to_owned()],
        };
        let processes = config.processes.clone().unwrap_or_else(|| {
            let known = (!cli.id().is_empty()).then(|| cli.id().to_owned());
            let mut names: Vec<String> = known.into_iter().collect();
            let own = process::name_of(&command[0]);
            if !process::runs_others(own) && !names.iter().any(|name| name == own) {
                names.push(own.to_owned());
            }
            names
        });
        Self(Arc::new(Inner {
            id: id.to_owned(),
            cli,
            config,
            command,
            processes,
        }))
    }

    /// Its id, such as `claude`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Its name for people.
    #[must_use]
    pub fn label(&self) -> &str {
        match &self.0.config.label {
            Some(label) => label,
            None if self.0.cli.label().is_empty() => &self.0.id,
            None => self.0.cli.label(),
        }
    }

    /// Its program: a name or a path.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.0.command[0]
    }

    /// The name of the program of one version, such as `claude@2.1.187`: what installers of several versions call it.
    #[must_use]
    pub fn shim(&self, version: &str) -> String {
        format!("{}@{version}", self.program())
    }

    /// The names of its processes.
    #[must_use]
    pub fn processes(&self) -> &[String] {
        &self.0.processes
    }

    /// Parts of the paths of its program where that has another name.
    pub(super) fn packages(&self) -> &'static [&'static str] {
        self.0.cli.packages()
    }

    /// Whether it is one of ours, which the configuration may have changed; else the configuration describes it.
    #[must_use]
    pub fn is_built_in(&self) -> bool {
        !self.0.cli.id().is_empty()
    }

    /// The ids of its modes.
    #[must_use]
    pub fn modes(&self, version: Option<&Version>) -> Vec<String> {
        if let Some(modes) = &self.0.config.modes {
            return modes.clone();
        }
        let modes = self.0.cli.modes(version).iter();
        modes.map(|mode| (*mode).to_owned()).collect()
    }

    /// What it can do.
    #[must_use]
    pub fn capabilities(&self, version: Option<&Version>) -> ProviderCapabilities {
        let Inner { cli, config, .. } = &*self.0;
        let probe = "00000000-0000-4000-8000-000000000000";
        ProviderCapabilities {
            supports_terminal_mode: true,
            supports_resume: config.resume.is_some() || cli.resume(probe, version).is_some(),
            supports_model: config.model.is_some() || cli.model("m", version).is_some(),
            supports_mode: !self.modes(version).is_empty()
                && (config.mode.is_some() || cli.mode("default", version).is_some()),
            supports_prompt: config.prompt.is_some() || cli.prompt("p", version).is_some(),
            supports_session_id: cli.session_id(probe, version).is_some(),
        }
    }

    /// What the person types to leave it, such as `/exit`.
    #[must_use]
    pub fn exit_phrase(&self) -> &str {
        self.0.cli.exit_phrase()
    }

    /// The command that asks for its version.
    #[must_use]
    pub fn version_command(&self) -> Vec<String> {
        let mut command = self.0.command.clone();
        command.push("--version".to_owned());
        command
    }

    /// The command that begins a conversation. Nothing is said of `config.cwd`: it is where the command is to be run.
    ///
    /// # Errors
    /// `invalid-params` of `modeId`, `sessionId`, …; `not-supported` for what this program has no word for.
    pub fn create(
        &self,
        config: &AgentConfig,
        version: Option<&Version>,
    ) -> Result<TerminalCommand, Failure> {
        let mut session = Piece::default();
        if let Some(id) = &config.session_id {
            if self.0.cli.ids_are_uuids() && !is_uuid(id) {
                return Err(Failure::params(
                    "sessionId",
                    format!(
                        "{id} is not a UUID, which {} needs",
                        self.label(),
                        id = shown(id.as_str())
                    ),
                ));
            }
            session = self
                .0
                .cli
                .session_id(checked_id(id, "sessionId")?, version)
                .ok_or_else(|| self.cannot("give a new conversation an id", "sessionId"))?;
        }
        self.command(config, session, version)
    }

    /// The command that takes up a conversation, in the directory where it was begun. A prompt of `config` is sent to it.
    ///
    /// # Errors
    /// As of [`Provider::create`]; `not-supported` where the program does not resume.
    pub fn resume(
        &self,
        handle: &Handle,
        config: &AgentConfig,
        version: Option<&Version>,
    ) -> Result<TerminalCommand, Failure> {
        if config.session_id.is_some() {
            return Err(Failure::params(
                "sessionId",
                "is for a new conversation; resume takes that of its handle",
            ));
        }
        let (id, path) = match &handle.native_handle {
            Some(native) => (native, "nativeHandle"),
            None => (&handle.session_id, "sessionId"),
        };
        let id = checked_id(id, path)?;
        let resume = match &self.0.config.resume {
            Some(template) => Some(fill(template, Hole::SessionId, id, path)?),
            None => self.0.cli.resume(id, version),
        };
        let resume = resume.ok_or_else(|| {
            Failure::new(
                Kind::NotSupported,
                format!("{} cannot take up an earlier conversation", self.label()),
            )
            .hint("start a new one, or give `resume` words in the configuration of this provider")
        })?;
        self.command(config, resume, version)
    }

    /// The command with which a healthy other version takes up a conversation that its own version cannot: the first prompt
    /// is `/continue ID`.
    ///
    /// # Errors
    /// `not-supported` where the program takes no first prompt.
    pub fn take_over(
        &self,
        session_id: &str,
        config: &AgentConfig,
        version: Option<&Version>,
    ) -> Result<TerminalCommand, Failure> {
        let id = checked_id(session_id, "sessionId")?;
        let prompt = crate::proto::Word::parse(format!("/continue {id}"))
            .map_err(|error| Failure::params("sessionId", error.to_string()))?;
        let config = AgentConfig {
            prompt: Some(prompt),
            session_id: None,
            ..config.clone()
        };
        self.create(&config, version)
    }

    /// How its conversations are kept, where that is known.
    #[must_use]
    pub fn transcripts(&self) -> Option<&'static dyn Format> {
        self.0.cli.transcripts()
    }

    /// The variables with which its program is started, over those of the person.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.0.config.env
    }

    /// The id of the conversation that these words of a running program name, the program's own name among them. `None` where
    /// they name none, or one that is to be forked.
    #[must_use]
    pub fn conversation_in(&self, argv: &[String]) -> Option<String> {
        let words = self.0.cli.id_words();
        let forks = argv
            .iter()
            .any(|word| word == "--fork-session" || word == "--fork");
        let is_id = |id: &str| {
            let whole = !self.0.cli.ids_are_uuids() || is_uuid(id);
            whole && checked_id(id, "").is_ok()
        };
        argv.iter().enumerate().skip(1).find_map(|(at, word)| {
            let (flag, joined) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value)),
                _ => (word.as_str(), None),
            };
            if !words.contains(&flag) || (forks && flag != "--session-id") {
                return None;
            }
            let id = joined.or_else(|| argv.get(at + 1).map(String::as_str))?;
            is_id(id).then(|| id.to_owned())
        })
    }

    /// The conversation that the program names as it is left: the words that take it up again, in its last lines.
    #[must_use]
    pub fn conversation_left(&self, output: &str) -> Option<String> {
        let lines = output.lines().rev().filter(|line| !line.trim().is_empty());
        lines.take(LAST_LINES).find_map(|line| {
            let quoted = |c: char| matches!(c, '`' | '\'' | '"' | ',' | '.' | ':');
            let words: Vec<String> = line
                .split_whitespace()
                .map(|word| word.trim_matches(quoted).to_owned())
                .collect();
            let at = words.iter().position(|word| word == self.program())?;
            self.conversation_in(&words[at..])
        })
    }

    /// The line with which the program says that it has no such conversation, as it wrote it.
    #[must_use]
    pub fn missing_conversation(&self, output: &str) -> Option<String> {
        let line = find_line(output, self.0.cli.missing_words())?;
        Some(line.trim().to_owned())
    }

    /// Whether a program that ended like this was left by the person: it ended by itself with status 0, or with another status
    /// and the words that it says when it is left. `code` absent: a signal ended it, or it is not known.
    #[must_use]
    pub fn said_goodbye(&self, code: Option<i32>, output: &str) -> bool {
        match code {
            Some(0) => true,
            Some(_) => {
                self.missing_conversation(output).is_none()
                    && find_line(output, self.0.cli.goodbye_words()).is_some()
            }
            None => false,
        }
    }

    fn command(
        &self,
        config: &AgentConfig,
        session: Piece,
        version: Option<&Version>,
    ) -> Result<TerminalCommand, Failure> {
        let Inner {
            cli,
            config: own,
            command,
            ..
        } = &*self.0;
        let prompt = config.prompt.as_ref().filter(|prompt| !prompt.is_empty());
        let mut pieces = vec![cli.lead(prompt.is_some())];
        if let Some(model) = config.model.as_ref().filter(|model| !model.is_empty()) {
            let piece = filled(own.model.as_ref(), Hole::Model, model, "model")?
                .or_else(|| cli.model(model, version));
            pieces.push(piece.ok_or_else(|| self.cannot("choose a model", "model"))?);
        }
        if let Some(mode) = &config.mode_id {
            self.check_mode(mode, version)?;
            let piece = filled(own.mode.as_ref(), Hole::Mode, mode, "modeId")?
                .or_else(|| cli.mode(mode, version));
            pieces.push(piece.ok_or_else(|| self.cannot("choose a mode", "modeId"))?);
        }
        pieces.push(session);
        if let Some(prompt) = prompt {
            let piece = filled(own.prompt.as_ref(), Hole::Prompt, prompt, "prompt")?
                .or_else(|| cli.prompt(prompt, version));
            pieces.push(piece.ok_or_else(|| self.cannot("take a first prompt", "prompt"))?);
        }
        let mut env: BTreeMap<String, String> = own
            .env
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect();
        let mut args = command[1..].to_vec();
        for piece in pieces {
            args.extend(piece.args);
            env.extend(piece.env);
        }
        Ok(TerminalCommand {
            command: command[0].clone(),
            args,
            env,
        })
    }

    fn check_mode(&self, mode: &str, version: Option<&Version>) -> Result<(), Failure> {
        let modes = self.modes(version);
        if modes.iter().any(|known| known == mode) {
            return Ok(());
        }
        if modes.is_empty() {
            return Err(self.cannot("choose a mode", "modeId"));
        }
        Err(Failure::params(
            "modeId",
            format!(
                "{} has no mode {mode}; its modes are {}",
                self.label(),
                modes.join(", "),
                mode = shown(mode)
            ),
        ))
    }

    fn cannot(&self, what: &str, path: &str) -> Failure {
        Failure::new(
            Kind::NotSupported,
            format!("the command line of {} has no way to {what}", self.label()),
        )
        .hint(format!("leave {path} out"))
        .about(path)
    }
}

fn filled(
    template: Option<&Template>,
    hole: Hole,
    value: &str,
    what: &str,
) -> Result<Option<Piece>, Failure> {
    template
        .map(|template| fill(template, hole, value, what))
        .transpose()
}

/// What a program says as it is left is in so many lines at the end.
const LAST_LINES: usize = 6;

/// An id of a conversation, which no program could take for something else.
fn checked_id<'a>(id: &'a str, path: &str) -> Result<&'a str, Failure> {
    let wrong = if id.is_empty() {
        "must not be empty"
    } else if id.starts_with('-') {
        "must not begin with -, as options do"
    } else if id.chars().any(|c| c.is_whitespace() || c.is_control()) {
        "must not hold blanks"
    } else if id.contains('/') {
        "must not hold /, as paths do"
    } else {
        return Ok(id);
    };
    let failure = Failure::params(
        path,
        format!("the id {id} of a conversation {wrong}", id = shown(id)),
    );
    Err(failure.hint("`surfaced sessions --files` lists the ids there are"))
}

fn is_uuid(text: &str) -> bool {
    uuid::Uuid::try_parse(text).is_ok() && text.len() == 36
}

fn find_line<'a>(output: &'a str, words: &[&str]) -> Option<&'a str> {
    output.lines().find(|line| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(word))
    })
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
