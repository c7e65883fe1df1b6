//! Collecting what the decision depends on: the configuration, known hosts, keys and agents, as OpenSSH's own programs see them.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::aliases;
use super::config::Config;
use super::decide::{Choice, Facts, decide};
use super::errors::{Target, Trouble};
use super::identity::{
    Agent, Identity, Private, PublicKey, expand, judge, public_half, with_suffix,
};
use super::known_hosts::{self, Known};
use super::program::look;
use super::settings::Settings;
use crate::launch::step::Ended;
use crate::os::environment;
use crate::os::person::{self, Person};
use crate::proto::{Failure, HostAlias, Kind};

/// How long `ssh -G` may take; it runs the commands of `Match exec`.
const RESOLVE: Duration = Duration::from_secs(5);

/// How long the small look-ups may take.
const LOOK: Duration = Duration::from_secs(3);

/// What was found out about a host, and what follows from it.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The host as messages name it.
    pub target: Target,
    /// Its configuration.
    pub config: Config,
    /// The agent's socket, where one is to be used.
    pub agent: Option<PathBuf>,
    /// Whether that agent was asked and said nothing.
    pub agent_is_silent: bool,
    /// `SSH_AUTH_SOCK` for ssh, which hands it to its proxies too: the socket in the configuration of this host is not theirs.
    pub variable: Option<PathBuf>,
    /// The socket of the person's own control master, where that answers.
    pub own_master: Option<PathBuf>,
    /// Under what name the library looks for the host's key.
    pub key_name: String,
    /// Where a key of the host is marked as revoked: a file and a line.
    pub revoked: Option<String>,
    /// Why a login may be refused, as far as that is seen before.
    pub suspicion: Option<Trouble>,
    /// The way to it.
    pub choice: Choice,
}

/// Looks at a host. Connects to nothing.
///
/// # Errors
/// OpenSSH is missing, or cannot read the configuration, or the configuration leads to something that is no host.
pub async fn survey(
    alias: &HostAlias,
    settings: &Settings,
    sticky: impl FnOnce(&Config) -> Option<String>,
) -> Result<Survey, Failure> {
    let bare = vec!["ssh".to_owned(), "-F".into(), "/dev/null".into()];
    let (config, baseline) = tokio::join!(
        resolve(alias, settings.ssh().words(), settings),
        resolve(alias, bare, settings)
    );
    let (config, baseline) = (config?, baseline?);
    if !config.is_sound() {
        return Err(Failure::new(
            Kind::HostInvalid,
            format!("the ssh configuration leads from {alias} to a host or user name that may not be handed on"),
        )
        .hint(format!(
            "correct HostName and User in {}",
            settings.ssh().file()
        )));
    }
    // ssh reads the password database and not `$HOME`.
    let person = Person::current();
    let home = person
        .as_ref()
        .map_or_else(|| "/".into(), |person| person.home.to_string_lossy());
    let local_user = person.as_ref().map_or("", |person| person.name.as_str());
    let variable = variable(settings).await;
    let agent_path = agent_path(&config, variable.as_deref(), &home);
    let reachable = settings.agent_is_link || agent_path == settings.env_agent;
    let (known, identities, agent, own_master) = tokio::join!(
        known(&config, settings),
        identities(&config, &home, local_user),
        agent(agent_path.as_deref(), reachable, settings),
        own_master(alias, &config, settings),
    );
    let (identities, odd_identity) = identities;
    let own_master_path = own_path(&config).filter(|_| own_master);
    let facts = Facts {
        preference: settings.config.backend_for(alias),
        sticky: sticky(&config),
        baseline,
        own_master,
        known,
        identities,
        odd_identity,
        agent,
        agent_path,
        config,
    };
    let choice = decide(&facts);
    let agent_is_silent = facts.agent == Agent::Silent;
    Ok(Survey {
        target: Target {
            alias: alias.clone(),
            hostname: facts.config.hostname().to_owned(),
            port: facts.config.port(),
            key_name: names(&facts.config).swap_remove(0),
            ssh: settings.ssh(),
        },
        key_name: facts.config.get("hostkeyalias").map_or_else(
            || facts.config.hostname().to_ascii_lowercase(),
            str::to_owned,
        ),
        suspicion: suspicion(&facts),
        variable: variable
            .filter(|path| !agent_is_silent || facts.agent_path.as_ref() != Some(path)),
        agent_is_silent,
        agent: facts.agent_path,
        own_master: own_master_path,
        revoked: match &facts.known {
            Known::Revoked(place) => Some(place.clone()),
            _ => None,
        },
        choice,
        config: facts.config,
    })
}

/// A key that nobody can use without its passphrase, or an agent that has none.
fn suspicion(facts: &Facts) -> Option<Trouble> {
    let agent = facts.agent_path.as_ref();
    if facts.agent == Agent::Silent {
        return agent.map(|path| Trouble::AgentSilent(path.display().to_string()));
    }
    let is_locked = |one: &&Identity| one.private == Private::Locked && !facts.agent.holds(one);
    if let Some(locked) = facts.identities.iter().find(is_locked) {
        return Some(Trouble::KeyLocked(locked.path.display().to_string()));
    }
    let empty = match &facts.agent {
        Agent::Gone => true,
        Agent::Keys(keys) | Agent::OutOfReach(keys) => keys.is_empty(),
        Agent::None | Agent::Silent => false,
    };
    let has_file = facts
        .identities
        .iter()
        .any(|one| one.private == Private::Open);
    agent
        .filter(|_| empty && !has_file)
        .map(|path| Trouble::AgentGone(path.display().to_string()))
}

async fn resolve(
    alias: &HostAlias,
    mut words: Vec<String>,
    settings: &Settings,
) -> Result<Config, Failure> {
    words.extend(["-G".into(), "--".into(), alias.to_string()]);
    let answer = look(&words, settings.agent().as_deref(), settings, RESOLVE)
        .await
        .map_err(|failure| {
            failure.hint("install the OpenSSH client here; surfaced reads hosts through it")
        })?;
    if answer.ok() {
        return Ok(Config::parse(&answer.text()));
    }
    if answer.ended == Ended::TimedOut {
        return Err(Failure::new(
            Kind::Timeout,
            format!(
                "reading the ssh configuration for {alias} took over {} s",
                RESOLVE.as_secs()
            ),
        )
        .hint(aliases::troubles(settings).pop().unwrap_or_else(|| {
            let file = settings.ssh().file();
            format!("a command of `Match exec` in {file} takes too long")
        })));
    }
    let complaint = answer.complaint();
    let said = complaint
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("ssh -G said nothing");
    let target = Target::unresolved(alias, settings.ssh());
    Err(Trouble::Config(super::answer::printable(said)).failure(&target))
}

/// The names that the host's key may be recorded under, most telling first.
fn names(config: &Config) -> Vec<String> {
    known_hosts::names(config.hostname(), config.port(), config.get("hostkeyalias"))
}

/// The key of the host that is recorded at a line of a file: its kind and its fingerprint.
pub async fn recorded(
    config: &Config,
    file: &str,
    line: &str,
    settings: &Settings,
) -> Option<String> {
    for name in names(config) {
        let words = ["ssh-keygen", "-F", &name, "-f", file];
        let answer = look(&words, None, settings, LOOK).await.ok()?;
        if let Some(found) = known_hosts::fingerprint_at(&answer.text(), line) {
            return Some(found);
        }
    }
    None
}

async fn known(config: &Config, settings: &Settings) -> Known {
    for name in names(config) {
        let mut found = Vec::new();
        for file in config.known_hosts_files() {
            if !file.exists() {
                continue;
            }
            let file = file.to_string_lossy().into_owned();
            let words = ["ssh-keygen", "-F", &name, "-f", &file];
            match look(&words, None, settings, LOOK).await {
                Ok(answer) if answer.ended == Ended::TimedOut => {
                    return Known::Special(format!("{file} could not be read in time"));
                }
                Ok(answer) => found.push((file, answer.text())),
                Err(failure) => return Known::Special(failure.message),
            }
        }
        match known_hosts::read(&found) {
            Known::Nothing => {}
            known => return known,
        }
    }
    Known::Nothing
}

async fn identities(config: &Config, home: &str, local_user: &str) -> (Vec<Identity>, bool) {
    let mut identities = Vec::new();
    let mut odd = false;
    for name in config.all("identityfile") {
        match expand(name, home, local_user, config.hostname(), config.user()) {
            Some(path) => identities.extend(identity(path).await),
            None if name == "none" => {}
            None => odd = true,
        }
    }
    (identities, odd)
}

/// An identity of which at least one half is there.
async fn identity(path: PathBuf) -> Option<Identity> {
    // A configuration may name the public half of a key that only the agent has.
    let path = match path.to_str().and_then(|text| text.strip_suffix(".pub")) {
        Some(private) => PathBuf::from(private),
        None => path,
    };
    let read = async |suffix: &str| fs_err::tokio::read_to_string(with_suffix(&path, suffix)).await;
    let mut public = read(".pub")
        .await
        .ok()
        .and_then(|text| PublicKey::parse(&text));
    let named = public.is_some();
    let private = match fs_err::tokio::metadata(&path).await {
        Err(_) => Private::Missing,
        Ok(data) if data.mode() & 0o077 != 0 => Private::Exposed,
        Ok(_) => read("").await.map_or(Private::Odd, |text| {
            public = public.take().or_else(|| public_half(&text));
            judge(&text)
        }),
    };
    let certificate = with_suffix(&path, "-cert.pub").exists();
    (private != Private::Missing || public.is_some()).then_some(Identity {
        path,
        private,
        public,
        named,
        certificate,
    })
}

/// `SSH_AUTH_SOCK` as ssh gets it.
async fn variable(settings: &Settings) -> Option<PathBuf> {
    match settings.agent() {
        None if cfg!(target_os = "macos") => launchd_agent(settings).await,
        agent => agent,
    }
}

/// The agent's socket, as ssh finds it: the variable, or what `IdentityAgent` says (`man ssh_config`): `none`, the word `SSH_AUTH_SOCK`,
/// the name of another variable after a dollar sign, or a path.
fn agent_path(config: &Config, variable: Option<&Path>, home: &str) -> Option<PathBuf> {
    match config.get("identityagent") {
        None | Some("SSH_AUTH_SOCK" | "$SSH_AUTH_SOCK") => variable.map(Path::to_owned),
        Some("none") => None,
        Some(path) => match (path.strip_prefix('$'), path.strip_prefix("~/")) {
            (Some(name), _) => environment::variable(name).map(PathBuf::from),
            (_, Some(rest)) => Some(Path::new(home).join(rest)),
            _ => Some(PathBuf::from(path)),
        },
    }
}

/// An agent that the login may have waited for and that says nothing, as the trouble that it is.
pub async fn silent_agent(survey: &Survey, settings: &Settings) -> Option<Trouble> {
    // One that was not asked for a key may be asked by a proxy.
    for path in survey.agent.iter().chain(&survey.variable) {
        if ask(path, true, settings).await == Agent::Silent {
            return Some(Trouble::AgentSilent(path.display().to_string()));
        }
    }
    None
}

/// The agent of the login, which macOS has for everybody and tells only those that it starts.
async fn launchd_agent(settings: &Settings) -> Option<PathBuf> {
    let words = ["/bin/launchctl", "getenv", "SSH_AUTH_SOCK"];
    let answer = look(&words, None, settings, LOOK).await.ok()?;
    let path = PathBuf::from(answer.text().trim());
    path.is_absolute().then_some(path)
}

async fn agent(path: Option<&Path>, reachable: bool, settings: &Settings) -> Agent {
    let Some(path) = path else { return Agent::None };
    let Some(asked) = &settings.asked else {
        return ask(path, reachable, settings).await;
    };
    let mut asked = asked.lock().await;
    if let Some(agent) = asked.get(path) {
        return agent.clone();
    }
    let agent = ask(path, reachable, settings).await;
    asked.insert(path.to_owned(), agent.clone());
    agent
}

async fn ask(path: &Path, reachable: bool, settings: &Settings) -> Agent {
    let ours = fs_err::tokio::metadata(path)
        .await
        .is_ok_and(|data| data.file_type().is_socket() && data.uid() == person::uid());
    if !ours {
        return Agent::Gone;
    }
    match look(&["ssh-add", "-L"], Some(path), settings, LOOK).await {
        Ok(answer) if matches!(answer.ended, Ended::Code(0 | 1)) => {
            let keys = answer
                .text()
                .lines()
                .filter_map(PublicKey::parse)
                .collect::<Vec<_>>();
            if keys.is_empty() || reachable {
                Agent::Keys(keys)
            } else {
                Agent::OutOfReach(keys)
            }
        }
        Ok(answer) if answer.ended == Ended::TimedOut => Agent::Silent,
        _ => Agent::Gone,
    }
}

/// The control path of the configuration; `ssh -G` has filled in its percent signs.
fn own_path(config: &Config) -> Option<PathBuf> {
    config
        .get("controlpath")
        .filter(|path| *path != "none")
        .map(PathBuf::from)
}

async fn own_master(alias: &HostAlias, config: &Config, settings: &Settings) -> bool {
    if own_path(config).is_none() {
        return false;
    }
    let mut words = settings.ssh().words();
    words.extend(["-O", "check", "--", alias].map(str::to_owned));
    look(&words, None, settings, LOOK)
        .await
        .is_ok_and(|answer| answer.ok())
}
