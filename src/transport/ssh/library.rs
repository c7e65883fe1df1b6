//! Hosts through the SSH library: one connection, a session for each command, one session started in advance.
//!
//! The library's own `execute` is not used: it has no end of time, no limit of memory, drops signals, and leaves the command running
//! when its caller goes away. The loop over a channel is ours.

use std::borrow::Cow;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_ssh2_tokio::{AuthMethod, Client, Error, ServerCheckMethod, ToSocketAddrsWithHostname};
use rand::RngCore;
use russh::Preferred;
use russh::client::Config;
use russh::keys::{Algorithm, EcdsaCurve, HashAlg};
use tokio::sync::OwnedSemaphorePermit;

use super::ahead::Ahead;
use super::changed::Changed;
use super::channel::{Session, Waiting, refill};
use super::decide::Login;
use super::errors::Trouble;
use super::known_hosts::{self, HostKey};
use super::link::{Job, Reply, Unsent};
use super::openssh::connect_timeout;
use super::script::SHELL;
use super::settings::Settings;
use super::survey::Survey;
use crate::os::supervise::Supervisor;

/// How long a name may take to resolve.
const RESOLVE: Duration = Duration::from_secs(5);

/// How long all addresses together may take.
const ALL: Duration = Duration::from_secs(15);

/// How long the end of a connection may take.
const TAIL: Duration = Duration::from_secs(2);

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoLink {
    /// The network or the host says so; OpenSSH would hear the same.
    Final(Trouble),
    /// OpenSSH may do better; why.
    TryOpenSsh(Trouble),
}

/// A connection.
pub struct Library {
    client: Client,
    ahead: Arc<Ahead<Waiting>>,
    env: Arc<Vec<(String, String)>>,
    supervisor: Supervisor,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").finish_non_exhaustive()
    }
}

/// One address, under the name that known hosts are looked up by.
struct Address {
    name: String,
    address: SocketAddr,
}

impl ToSocketAddrsWithHostname for Address {
    fn to_socket_addrs(&self) -> std::io::Result<Vec<SocketAddr>> {
        Ok(vec![self.address])
    }

    fn hostname(&self) -> String {
        self.name.clone()
    }
}

impl Library {
    /// Connects and logs in. The agent, where one is used, has to stand at this process's `SSH_AUTH_SOCK` already.
    ///
    /// # Errors
    /// See [`NoLink`].
    pub async fn connect(
        survey: &Survey,
        login: &Login,
        keys: &[HostKey],
        settings: &Settings,
        supervisor: &Supervisor,
    ) -> Result<Self, NoLink> {
        let file = known_hosts_file(survey, keys, settings).map_err(|error| {
            NoLink::TryOpenSsh(Trouble::Other(format!("cannot write known hosts: {error}")))
        })?;
        let started = tokio::time::Instant::now();
        let mut last = NoLink::Final(Trouble::Name);
        for address in addresses(survey).await? {
            let limit = connect_timeout(&survey.config, settings)
                .min(ALL.saturating_sub(started.elapsed()));
            match connect_to(address, survey, login, keys, &file.0, limit, supervisor).await {
                Ok(client) => {
                    let library = Self {
                        client,
                        ahead: Arc::default(),
                        env: Arc::new(set_env(survey)),
                        supervisor: supervisor.clone(),
                    };
                    refill(&library.client, &library.env, &library.ahead, supervisor);
                    return Ok(library);
                }
                // Another address of the same host may answer.
                Err(NoLink::Final(trouble)) => last = NoLink::Final(trouble),
                Err(other) => return Err(other),
            }
        }
        Err(last)
    }

    /// Runs a script in a session of its own: the one that was started in advance, where there is one.
    ///
    /// # Errors
    /// Nothing of it was sent.
    pub async fn run(&self, job: &Job, permit: OwnedSemaphorePermit) -> Result<Reply, Unsent> {
        let waiting = match self.ahead.take() {
            Some(waiting) => waiting.claim().await,
            None => None,
        };
        let (session, script) = match (waiting, &job.line) {
            (Some(session), _) => (session, Some(job.script.as_str())),
            // The host takes no input before it runs a command line, which would cost another round trip.
            (None, Some(line)) => (self.start(line).await?, None),
            (None, None) => (self.start(SHELL).await?, Some(job.script.as_str())),
        };
        let reply = session.run(&self.client, job, script, permit).await;
        // Afterwards, so that the two do not slow each other down.
        refill(&self.client, &self.env, &self.ahead, &self.supervisor);
        reply
    }

    async fn start(&self, line: &str) -> Result<Session, Unsent> {
        Session::start(&self.client, &self.env, line, &self.supervisor).await
    }

    /// Closes the session that was started in advance, and starts none any more.
    pub async fn spare_nothing(&self) {
        if let Some(waiting) = self.ahead.stop() {
            waiting.close().await;
        }
    }

    /// Whether the connection is closed.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.client.is_closed()
    }

    /// Ends the connection.
    pub async fn close(&self) {
        let _ = tokio::time::timeout(TAIL, self.client.disconnect()).await;
    }
}

/// The person's `SetEnv`, which the host takes or leaves as its own configuration says.
fn set_env(survey: &Survey) -> Vec<(String, String)> {
    survey
        .config
        .all("setenv")
        .iter()
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

async fn addresses(survey: &Survey) -> Result<Vec<SocketAddr>, NoLink> {
    let place = (survey.target.hostname.as_str(), survey.target.port);
    let found = tokio::time::timeout(RESOLVE, tokio::net::lookup_host(place))
        .await
        .map_err(|_| NoLink::Final(Trouble::Name))?
        .map_err(|_| NoLink::Final(Trouble::Name))?;
    let family = survey.config.get("addressfamily").unwrap_or("any");
    Ok(found
        .filter(|address| match family {
            "inet" => address.is_ipv4(),
            "inet6" => address.is_ipv6(),
            _ => true,
        })
        .collect())
}

/// One attempt, in a task of its own: a panic in the library ends that task and nothing else.
async fn connect_to(
    address: SocketAddr,
    survey: &Survey,
    login: &Login,
    keys: &[HostKey],
    known_hosts: &Path,
    limit: Duration,
    supervisor: &Supervisor,
) -> Result<Client, NoLink> {
    let place = Address {
        name: survey.key_name.clone(),
        address,
    };
    let user = survey.config.user().to_owned();
    let login = match login {
        Login::AgentKey(path) => AuthMethod::with_public_key_file(path),
        Login::Agent => AuthMethod::with_agent(),
        Login::File(path) => AuthMethod::with_key_file(path, None),
    };
    let check = ServerCheckMethod::with_known_hosts_file(&known_hosts.to_string_lossy());
    let config = client_config(survey, keys);
    let task = supervisor.spawn(async move {
        let connecting = Client::connect_with_config(place, &user, login, check, config);
        tokio::time::timeout(limit, connecting).await
    });
    match task.await {
        Ok(Some(Ok(Ok(client)))) => Ok(client),
        Ok(Some(Ok(Err(error)))) => Err(judge(&error)),
        Ok(Some(Err(_))) => Err(NoLink::Final(Trouble::Timeout(limit))),
        Ok(None) => Err(NoLink::Final(Trouble::Other("the daemon is ending".into()))),
        Err(_) => Err(NoLink::TryOpenSsh(Trouble::Other(
            "the library panicked".into(),
        ))),
    }
}

fn judge(error: &Error) -> NoLink {
    match error {
        Error::SshError(russh::Error::IO(io)) => match io.kind() {
            std::io::ErrorKind::ConnectionRefused => NoLink::Final(Trouble::Refused),
            std::io::ErrorKind::TimedOut => NoLink::Final(Trouble::Timeout(ALL)),
            std::io::ErrorKind::HostUnreachable | std::io::ErrorKind::NetworkUnreachable => {
                NoLink::Final(Trouble::NoRoute(io.to_string()))
            }
            _ => NoLink::TryOpenSsh(Trouble::Dropped),
        },
        Error::KeyAuthFailed | Error::AgentAuthenticationFailed => {
            NoLink::TryOpenSsh(Trouble::Denied(None))
        }
        Error::ServerCheckFailed => NoLink::TryOpenSsh(Trouble::HostKeyChanged(Changed::default())),
        Error::SshError(russh::Error::UnknownKey) => NoLink::TryOpenSsh(Trouble::HostKeyUnknown),
        Error::SshError(russh::Error::Disconnect | russh::Error::HUP) => {
            NoLink::TryOpenSsh(Trouble::Dropped)
        }
        Error::SshError(russh::Error::NoCommonAlgo { theirs, .. }) => NoLink::TryOpenSsh(
            Trouble::NoCommonAlgorithm(super::answer::printable(&theirs.join(","))),
        ),
        // The host ends a login in which it was shown too many keys.
        Error::SshError(russh::Error::SendError) => NoLink::TryOpenSsh(Trouble::TooManyKeys),
        error => NoLink::TryOpenSsh(Trouble::Other(super::answer::printable(&error.to_string()))),
    }
}

/// A file of known hosts for one connect, removed with this value.
struct KnownHostsFile(PathBuf);

impl Drop for KnownHostsFile {
    fn drop(&mut self) {
        let _ = fs_err::remove_file(&self.0);
    }
}

fn known_hosts_file(
    survey: &Survey,
    keys: &[HostKey],
    settings: &Settings,
) -> std::io::Result<KnownHostsFile> {
    let name = format!("known-{:016x}", rand::rng().next_u64());
    let path = settings.runtime.join(name);
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    let guard = KnownHostsFile(path);
    let text = known_hosts::file(&survey.key_name, survey.target.port, keys);
    file.write_all(text.as_bytes())?;
    Ok(guard)
}

fn client_config(survey: &Survey, keys: &[HostKey]) -> Config {
    let seconds = survey.config.number("serveraliveinterval").unwrap_or(15);
    let count = survey.config.number("serveralivecountmax").unwrap_or(3);
    let preferred = Preferred::default();
    let kex = preferred
        .kex
        .iter()
        .filter(|name| **name != russh::kex::MLKEM768X25519_SHA256)
        .copied()
        .collect::<Vec<_>>();
    Config {
        nodelay: true,
        keepalive_interval: Some(Duration::from_secs(seconds.into())),
        keepalive_max: usize::try_from(count).unwrap_or(3),
        // A quiet command is no dead one; the pool ends connections without commands.
        inactivity_timeout: None,
        preferred: Preferred {
            kex: Cow::Owned(kex),
            // Only types that are recorded, so that the host shows a key that can be checked.
            key: Cow::Owned(
                keys.iter()
                    .flat_map(|key| algorithms(&key.algorithm))
                    .collect(),
            ),
            compression: Cow::Owned(vec![russh::compression::NONE]),
            ..preferred
        },
        ..Config::default()
    }
}

fn algorithms(name: &str) -> Vec<Algorithm> {
    let ecdsa = |curve| vec![Algorithm::Ecdsa { curve }];
    match name {
        "ssh-ed25519" => vec![Algorithm::Ed25519],
        "ecdsa-sha2-nistp256" => ecdsa(EcdsaCurve::NistP256),
        "ecdsa-sha2-nistp384" => ecdsa(EcdsaCurve::NistP384),
        "ecdsa-sha2-nistp521" => ecdsa(EcdsaCurve::NistP521),
        // Never with SHA-1.
        "ssh-rsa" => [HashAlg::Sha512, HashAlg::Sha256]
            .map(|hash| Algorithm::Rsa { hash: Some(hash) })
            .to_vec(),
        _ => Vec::new(),
    }
}
