//! The programs of providers on this machine: whether they are there, and which versions.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use futures_util::{StreamExt, stream};
use tokio::sync::watch;
use tokio::time::Instant;

use super::path_capture::{self, PathCapture};
use crate::launch::step::{Answer, Ended, Invocation};
use crate::proto::provider::{Action, TerminalCommand};
use crate::proto::provider::{CommandParams, Provider as Listed, ProviderListResult};
use crate::proto::text::shown;
use crate::proto::{Failure, Kind};
use crate::provider::{Provider, Providers, Version};
use crate::transport::Transport;

/// How long a program may take to tell its version. Some start a whole runtime for it.
const LIMIT: Duration = Duration::from_secs(10);

/// How long the PATH of the person's shell is waited for.
const SHELL: Duration = Duration::from_secs(5);

/// How long it is believed that a program does not answer: it may be repaired without a change of its file.
const BROKEN: Duration = Duration::from_secs(30);

/// How many programs are asked at once.
const AT_ONCE: usize = 4;

/// The most characters of what a program says of itself.
const LONGEST: usize = 200;

/// What is known of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// It answers.
    Works {
        /// The file.
        path: PathBuf,
        /// Its version, in its own words; empty where it says nothing.
        version: String,
    },
    /// It is there and does not answer.
    Broken {
        /// The file.
        path: PathBuf,
        /// What happened, one sentence.
        reason: String,
    },
    /// It is not there.
    Missing {
        /// Where it was looked for, one sentence.
        reason: String,
    },
}

impl Health {
    /// The version as numbers, where it works and says one.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        match self {
            Self::Works { version, .. } => Version::read(version),
            Self::Broken { .. } | Self::Missing { .. } => None,
        }
    }

    /// Why it cannot be used.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Works { .. } => None,
            Self::Broken { reason, .. } | Self::Missing { reason } => Some(reason),
        }
    }
}

/// What was asked, as long as an answer to it holds. Many programs may be links to one file that tells them apart by the name
/// that it is called by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Identity {
    /// The file that its program really is.
    real: PathBuf,
    /// When that was written.
    written: SystemTime,
    /// The command that asks.
    argv: Vec<String>,
}

/// What a program said, and when.
type Told = (Health, Instant);

/// Looks for programs where a launched command finds them, and asks each version once.
#[derive(Clone)]
pub struct Installed {
    providers: watch::Receiver<Providers>,
    paths: PathCapture,
    transport: Arc<dyn Transport>,
    /// The interactive shell that commands are launched in.
    shell: Arc<str>,
    /// The PATH of the daemon, for when the shell does not tell its own.
    path: Arc<str>,
    known: Arc<Mutex<HashMap<Identity, Told>>>,
}

impl Installed {
    /// Looks on the PATH of this interactive shell, and on `path` while that is not known.
    #[must_use]
    pub fn new(
        providers: watch::Receiver<Providers>,
        paths: PathCapture,
        transport: Arc<dyn Transport>,
        shell: &str,
        path: &str,
    ) -> Self {
        Self {
            providers,
            paths,
            transport,
            shell: shell.into(),
            path: path.into(),
            known: Arc::default(),
        }
    }

    /// The providers in force.
    #[must_use]
    pub fn providers(&self) -> Providers {
        self.providers.borrow().clone()
    }

    /// All providers with what is known of their programs, built-in ones first.
    pub async fn list(&self) -> ProviderListResult {
        let all: Vec<Provider> = self.providers().iter().cloned().collect();
        let listed = stream::iter(all).map(|provider| async move {
            let health = self.health(&provider, None).await;
            let version = health.version();
            Listed {
                id: provider.id().to_owned(),
                label: provider.label().to_owned(),
                command: provider.program().to_owned(),
                available: matches!(health, Health::Works { .. }),
                reason: health.reason().map(str::to_owned),
                capabilities: provider.capabilities(version.as_ref()),
                modes: provider.modes(version.as_ref()),
                version: match health {
                    Health::Works { version, .. } if !version.is_empty() => Some(version),
                    _ => None,
                },
            }
        });
        ProviderListResult {
            providers: listed.buffered(AT_ONCE).collect().await,
        }
    }

    /// The command of `provider.command`. Nothing is looked at: the same parameters give the same command.
    ///
    /// # Errors
    /// `not-found` for a provider that there is not; those of [`Provider::create`] and [`Provider::resume`] with the path of the
    /// parameter.
    pub fn command(&self, params: &CommandParams) -> Result<TerminalCommand, Failure> {
        let providers = self.providers();
        let provider = providers.find(&params.provider)?;
        let version = params.version.as_deref().map(version).transpose()?;
        let config = params.config.clone().unwrap_or_default();
        let within = |object: &'static str| {
            move |mut failure: Failure| {
                if let Some(path) = &mut failure.data.path {
                    *path = format!("{object}.{path}");
                }
                failure
            }
        };
        match (params.action, &params.handle) {
            (Action::Resume, Some(handle)) => {
                if config.session_id.is_some() {
                    return Err(Failure::params(
                        "config.sessionId",
                        "is for a new conversation; resume takes that of its handle",
                    ));
                }
                let of_handle = |failure: &Failure| {
                    let path = failure.data.path.as_deref();
                    matches!(path, Some("sessionId" | "nativeHandle"))
                };
                provider
                    .resume(handle, &config, version.as_ref())
                    .map_err(|failure| {
                        let object = if of_handle(&failure) {
                            "handle"
                        } else {
                            "config"
                        };
                        within(object)(failure)
                    })
            }
            _ => provider
                .create(&config, version.as_ref())
                .map_err(within("config")),
        }
    }

    /// What is known of a provider's program; with `version`, of the program of that version, such as `claude@2.1.187`.
    ///
    /// A program that answered is asked again when its file has changed, one that did not after a while.
    pub async fn health(&self, provider: &Provider, version: Option<&str>) -> Health {
        self.ask(provider, version, false).await
    }

    /// The same of the plain program; one that did not answer is asked again, since it may have been repaired meanwhile. One that
    /// takes its time is not asked again by everybody.
    pub async fn health_now(&self, provider: &Provider) -> Health {
        self.ask(provider, None, true).await
    }

    async fn ask(&self, provider: &Provider, version: Option<&str>, now: bool) -> Health {
        let name = match version {
            Some(version) => provider.shim(version),
            None => provider.program().to_owned(),
        };
        let captured = self.paths.path(&self.shell, SHELL).await;
        let path = captured.as_deref().unwrap_or(&self.path).to_owned();
        let Some(file) = self.find(&name, &path).await else {
            let reason = if name.contains('/') {
                format!("there is no program {name}")
            } else if captured.is_some() {
                format!("{name} is not on the PATH of {}", self.shell)
            } else {
                format!(
                    "{name} is not on PATH, and {} does not tell its own",
                    self.shell
                )
            };
            return Health::Missing { reason };
        };
        let mut argv = provider.version_command();
        argv[0] = file.display().to_string();
        let Some(identity) = identity(&file, &argv).await else {
            return Health::Missing {
                reason: format!("{} cannot be looked at", file.display()),
            };
        };
        if let Some(known) = self.remembered(&identity)
            && (!now || matches!(known, Health::Works { .. }))
        {
            return known;
        }
        let mut invocation = Invocation::new(argv);
        invocation.timeout = Some(LIMIT);
        invocation.env.insert("PATH".to_owned(), path);
        let answer = self.transport.run(invocation).await;
        let health = judge(file, answer);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // What it said before its file changed.
        known.retain(|earlier, _| earlier.argv != identity.argv);
        known.insert(identity, (health.clone(), Instant::now()));
        health
    }

    /// The versions of a provider's program that are installed beside it under names of their own, such as `2.1.187` of
    /// `claude@2.1.187`, newest first.
    pub async fn versions(&self, provider: &Provider) -> Vec<String> {
        let captured = self.paths.path(&self.shell, SHELL).await;
        let path = captured.as_deref().unwrap_or(&self.path).to_owned();
        let prefix = provider.shim("");
        let look = move || {
            let (dirs, prefix) = match prefix.rsplit_once('/') {
                Some((dir, name)) => (dir.to_owned(), name.to_owned()),
                None => (path, prefix),
            };
            let files = std::env::split_paths(&dirs)
                .filter_map(|dir| fs_err::read_dir(dir).ok())
                .flat_map(|entries| entries.flatten().map(|entry| entry.path()));
            let mut versions: Vec<String> = files
                .filter(|file| path_capture::executable(file))
                .filter_map(|file| {
                    let name = file.file_name()?.to_str()?;
                    name.strip_prefix(&prefix).map(str::to_owned)
                })
                .filter(|version| !version.is_empty())
                .collect();
            versions.sort_by_key(|version| std::cmp::Reverse(Version::parse(version)));
            versions.dedup();
            versions
        };
        tokio::task::spawn_blocking(look).await.unwrap_or_default()
    }

    async fn find(&self, name: &str, path: &str) -> Option<PathBuf> {
        if name.contains('/') {
            let file = PathBuf::from(name);
            let there = file.is_absolute() && path_capture::executable(&file);
            return there.then_some(file);
        }
        if let path_capture::Lookup::Found(file) = self.paths.find(&self.shell, name).await {
            return Some(file);
        }
        path_capture::search(path, name)
    }

    fn remembered(&self, identity: &Identity) -> Option<Health> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (health, at) = known.get(identity)?;
        let holds = matches!(health, Health::Works { .. }) || at.elapsed() < BROKEN;
        holds.then(|| health.clone())
    }
}

/// The version that a caller names.
fn version(text: &str) -> Result<Version, Failure> {
    Version::parse(text).ok_or_else(|| {
        Failure::params(
            "version",
            format!(
                "{text} is not a version such as 2.1.187",
                text = shown(text)
            ),
        )
    })
}

async fn identity(file: &Path, argv: &[String]) -> Option<Identity> {
    let real = fs_err::tokio::canonicalize(file).await.ok()?;
    let written = fs_err::tokio::metadata(&real).await.ok()?.modified().ok()?;
    Some(Identity {
        real,
        written,
        argv: argv.to_vec(),
    })
}

/// What an answer to `--version` says of a program.
fn judge(path: PathBuf, answer: Result<Answer, Failure>) -> Health {
    let line = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty());
        line.unwrap_or_default()
            .chars()
            .take(LONGEST)
            .collect::<String>()
    };
    let asked = format!("{} --version", path.display());
    let reason = match answer {
        Ok(answer) if answer.ok() => {
            let said = line(&answer.stdout);
            let version = if said.is_empty() {
                line(&answer.stderr)
            } else {
                said
            };
            return Health::Works { path, version };
        }
        Ok(answer) => {
            let how = match answer.ended {
                Ended::Code(code) => format!("ended with status {code}"),
                Ended::Signal(signal) => format!("was ended by signal {signal}"),
                Ended::TimedOut | Ended::Stays { .. } => {
                    format!("did not answer within {} seconds", LIMIT.as_secs())
                }
                Ended::Lost => "was lost".to_owned(),
            };
            let said = line(&answer.stderr);
            let said = if said.is_empty() {
                line(&answer.stdout)
            } else {
                said
            };
            match said.as_str() {
                "" => format!("{asked} {how}"),
                said => format!("{asked} {how}: {said}"),
            }
        }
        Err(failure) if failure.kind() == Kind::HostToolMissing => {
            format!("{asked} cannot be run: its interpreter is missing")
        }
        Err(failure) => failure.message,
    };
    Health::Broken { path, reason }
}
