//! Collecting what the decision depends on: the configuration, known hosts, keys and agents, as OpenSSH's own programs see them.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::config::Config;
use super::decide::{Choice, Facts, decide};
use super::errors::{Target, Trouble};
use super::identity::{Agent, Identity, Private, PublicKey, expand, judge, with_suffix};
use super::known_hosts::{self, Known};
use super::program::look;
use super::settings::Settings;
use crate::launch::step::Ended;
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
        resolve(alias, settings.ssh(), settings),
        resolve(alias, bare, settings)
    );
    let (config, baseline) = (config?, baseline?);
    if !config.is_sound() {
        return Err(Failure::new(
            Kind::HostInvalid,
            format!("the ssh configuration leads from {alias} to a host or user name that may not be handed on"),
        )
        .hint("correct HostName and User in ~/.ssh/config"));
    }
    // ssh reads the password database and not `$HOME`.
    let person = Person::current();
    let home = person
        .as_ref()
        .map_or_else(|| "/".into(), |person| person.home.to_string_lossy());
    let local_user = person.as_ref().map_or("", |person| person.name.as_str());
    let (agent_path, reachable) = agent_path(&config, settings, &home).await;
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
        config,
    };
    let choice = decide(&facts);
    Ok(Survey {
        target: Target {
            alias: alias.clone(),
            hostname: facts.config.hostname().to_owned(),
            port: facts.config.port(),
        },
        key_name: facts.config.get("hostkeyalias").map_or_else(
            || facts.config.hostname().to_ascii_lowercase(),
            str::to_owned,
        ),
        suspicion: suspicion(&facts, agent_path.as_deref()),
        agent: agent_path,
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
fn suspicion(facts: &Facts, agent: Option<&Path>) -> Option<Trouble> {
    let in_agent = |identity: &Identity| match (&facts.agent, &identity.public) {
        (Agent::Keys(keys), Some(public)) => keys.contains(public),
        _ => false,
    };
    let mut identities = facts.identities.iter();
    if let Some(locked) = identities.find(|one| one.private == Private::Locked && !in_agent(one)) {
        return Some(Trouble::KeyLocked(locked.path.display().to_string()));
    }
    let empty = match &facts.agent {
        Agent::Gone => true,
        Agent::Keys(keys) => keys.is_empty(),
        Agent::None | Agent::OutOfReach => false,
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
        .hint("a command of `Match exec` in ~/.ssh/config takes too long"));
    }
    let complaint = answer.complaint();
    let said = complaint
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("ssh -G said nothing");
    let target = Target {
        alias: alias.clone(),
        hostname: alias.to_string(),
        port: 22,
    };
    Err(Trouble::Config(super::answer::printable(said)).failure(&target))
}

async fn known(config: &Config, settings: &Settings) -> Known {
    let names = known_hosts::names(config.hostname(), config.port(), config.get("hostkeyalias"));
    for name in names {
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
    let public = read(".pub")
        .await
        .ok()
        .and_then(|text| PublicKey::parse(&text));
    let private = match fs_err::tokio::metadata(&path).await {
        Err(_) => Private::Missing,
        Ok(data) if data.mode() & 0o077 != 0 => Private::Exposed,
        Ok(_) => read("").await.map_or(Private::Odd, |text| judge(&text)),
    };
    let certificate = with_suffix(&path, "-cert.pub").exists();
    (private != Private::Missing || public.is_some()).then_some(Identity {
        path,
        private,
        public,
        certificate,
    })
}

/// The agent's socket, and whether the library can be made to use it.
async fn agent_path(config: &Config, settings: &Settings, home: &str) -> (Option<PathBuf>, bool) {
    let path = match config.get("identityagent") {
        None | Some("SSH_AUTH_SOCK" | "$SSH_AUTH_SOCK") => match settings.agent() {
            None if cfg!(target_os = "macos") => launchd_agent(settings).await,
            agent => agent,
        },
        Some("none") => None,
        Some(path) => path
            .strip_prefix("~/")
            .map_or_else(|| PathBuf::from(path), |rest| Path::new(home).join(rest))
            .into(),
    };
    let reachable = settings.agent_is_link || path == settings.env_agent;
    (path, reachable)
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
                Agent::OutOfReach
            }
        }
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
    let mut words = settings.ssh();
    words.extend(["-O", "check", "--", alias].map(str::to_owned));
    look(&words, None, settings, LOOK)
        .await
        .is_ok_and(|answer| answer.ok())
}
