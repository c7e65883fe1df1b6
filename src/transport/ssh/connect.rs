//! Making a connection: one way, and at most one attempt of the other kind.

#[cfg(feature = "ssh")]
use std::time::Duration;

use tokio::time::Instant;

use super::changed::Changed;
use super::config::Config;
use super::decide::Choice;
#[cfg(feature = "ssh")]
use super::decide::Login;
use super::errors::{Target, Trouble};
#[cfg(feature = "ssh")]
use super::library::{Library, NoLink};
use super::link::Link;
use super::openssh::{Master, is_proxied};
use super::settings::Settings;
use super::survey::{Survey, recorded, silent_agent, survey};
#[cfg(feature = "ssh")]
use crate::config::SshBackend;
use crate::os::private_dir;
use crate::os::supervise::Supervisor;
use crate::proto::{Failure, HostAlias, Kind};

/// How long a host stays with OpenSSH after the library failed there.
#[cfg(feature = "ssh")]
const STICKY: Duration = Duration::from_hours(24);

/// A host where the library failed and OpenSSH did not.
#[derive(Clone, Debug)]
pub struct Sticky {
    config: Config,
    reason: String,
    until: Instant,
}

impl Sticky {
    /// Why, while it holds: until the configuration of the host changes, a day at most.
    #[must_use]
    pub fn reason(&self, config: &Config) -> Option<String> {
        (self.config == *config && Instant::now() < self.until).then(|| self.reason.clone())
    }
}

/// A connection that was made.
#[derive(Debug)]
pub struct Made {
    /// The connection.
    pub link: Link,
    /// The host.
    pub target: Target,
    /// Why it goes through OpenSSH; empty for the library.
    pub reasons: Vec<String>,
}

/// None could be made.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// Why.
    pub failure: Failure,
    /// Whether trying again at once could make the host lock this address out.
    pub provokes: bool,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            provokes: false,
        }
    }
}

impl Refusal {
    fn of(trouble: &Trouble, target: &Target) -> Self {
        Self {
            failure: trouble.failure(target),
            provokes: trouble.provokes(),
        }
    }
}

/// Connects.
///
/// # Errors
/// The failure for the caller.
pub async fn connect(
    alias: &HostAlias,
    settings: &Settings,
    sticky: &mut Option<Sticky>,
    supervisor: &Supervisor,
) -> Result<Made, Refusal> {
    private_dir::ensure(&settings.runtime).map_err(|error| {
        Failure::new(
            Kind::Permission,
            format!("cannot keep connections to hosts: {error}"),
        )
    })?;
    let survey = survey(alias, settings, |config| {
        sticky.as_ref().and_then(|sticky| sticky.reason(config))
    })
    .await?;
    match &survey.choice {
        Choice::Library { login, keys } => {
            #[cfg(feature = "ssh")]
            return through_library(&survey, login, keys, settings, sticky, supervisor).await;
            #[cfg(not(feature = "ssh"))]
            {
                let _ = (login, keys);
                let reason = "surfaced was built without the library".to_owned();
                through_openssh(&survey, vec![reason], settings, supervisor).await
            }
        }
        Choice::OpenSsh(reasons) => {
            through_openssh(&survey, reasons.clone(), settings, supervisor).await
        }
        Choice::Refused(reasons) => Err(match &survey.suspicion {
            // OpenSSH would not get further.
            Some(trouble @ Trouble::AgentSilent(_)) => Refusal::of(trouble, &survey.target),
            _ => Failure::new(
                Kind::NotSupported,
                format!("{alias} needs OpenSSH: {}", reasons.join("; ")),
            )
            .hint(format!(
                "set backend = \"auto\" in {} of the configuration of surfaced",
                settings.config.table_for(alias)
            ))
            .into(),
        }),
    }
}

async fn through_openssh(
    survey: &Survey,
    reasons: Vec<String>,
    settings: &Settings,
    supervisor: &Supervisor,
) -> Result<Made, Refusal> {
    if let Some(control) = &survey.own_master {
        let master = Master::borrow(control.clone(), survey, settings, supervisor);
        return Ok(Made {
            link: Link::OpenSsh(Box::new(master)),
            target: survey.target.clone(),
            reasons,
        });
    }
    match Master::connect(survey, settings, supervisor).await {
        Ok(master) => Ok(Made {
            link: Link::OpenSsh(Box::new(master)),
            target: survey.target.clone(),
            reasons,
        }),
        // OpenSSH says no more than that.
        Err(trouble @ Trouble::Denied(_)) => Err(Refusal::of(
            survey.suspicion.as_ref().unwrap_or(&trouble),
            &survey.target,
        )),
        Err(Trouble::HostKeyChanged(changed)) => {
            let changed = with_recorded(changed, survey, settings).await;
            Err(Refusal::of(
                &Trouble::HostKeyChanged(changed),
                &survey.target,
            ))
        }
        // Nor why it, or a jump host's, waits.
        Err(trouble @ (Trouble::Unfinished(_) | Trouble::Timeout(_)))
            if matches!(trouble, Trouble::Unfinished(_)) || is_proxied(&survey.config) =>
        {
            let trouble = silent_agent(survey, settings).await.unwrap_or(trouble);
            Err(Refusal::of(&trouble, &survey.target))
        }
        // Nor where.
        Err(Trouble::HostKeyRevoked(None)) => Err(Refusal::of(
            &Trouble::HostKeyRevoked(survey.revoked.clone()),
            &survey.target,
        )),
        Err(trouble) => Err(Refusal::of(&trouble, &survey.target)),
    }
}

/// The same with the fingerprint of the key that is recorded at the place that ssh named.
async fn with_recorded(mut changed: Changed, survey: &Survey, settings: &Settings) -> Changed {
    if let Some((file, line)) = changed.file_and_line() {
        changed.recorded = recorded(&survey.config, file, line, settings).await;
    }
    changed
}

/// What OpenSSH has to say of a key that the library refused; a connection that it makes is not used.
#[cfg(feature = "ssh")]
async fn words_of_openssh(
    survey: &Survey,
    settings: &Settings,
    supervisor: &Supervisor,
) -> Option<Refusal> {
    match through_openssh(survey, Vec::new(), settings, supervisor).await {
        Ok(made) => {
            made.link.close().await;
            None
        }
        Err(refusal) => Some(refusal).filter(|refusal| refusal.failure.kind() == Kind::HostKey),
    }
}

/// Points the daemon's own link at the agent of this host, and keeps it there for as long as the returned value lives: the library
/// knows agents only by a variable of the process.
#[cfg(feature = "ssh")]
async fn turn_agent<'a>(
    survey: &Survey,
    login: &Login,
    settings: &'a Settings,
) -> Result<Option<tokio::sync::MutexGuard<'a, ()>>, Failure> {
    let (true, false, Some(agent), Some(link)) = (
        settings.agent_is_link,
        matches!(login, Login::File(_)),
        &survey.agent,
        &settings.env_agent,
    ) else {
        return Ok(None);
    };
    let turn = settings.agent_lock.lock().await;
    let next = super::identity::with_suffix(link, ".next");
    let _ = fs_err::remove_file(&next);
    std::os::unix::fs::symlink(agent, &next)
        .and_then(|()| fs_err::rename(&next, link))
        .map_err(|error| {
            Failure::new(
                Kind::Permission,
                format!("cannot point {} at the agent: {error}", link.display()),
            )
        })?;
    Ok(Some(turn))
}

#[cfg(feature = "ssh")]
async fn through_library(
    survey: &Survey,
    login: &Login,
    keys: &[super::known_hosts::HostKey],
    settings: &Settings,
    sticky: &mut Option<Sticky>,
    supervisor: &Supervisor,
) -> Result<Made, Refusal> {
    let _turn = turn_agent(survey, login, settings).await?;
    let trouble = match Library::connect(survey, login, keys, settings, supervisor).await {
        Ok(library) => {
            return Ok(Made {
                link: Link::Library(library),
                target: survey.target.clone(),
                reasons: Vec::new(),
            });
        }
        Err(NoLink::Final(trouble @ Trouble::Timeout(_))) if !matches!(login, Login::File(_)) => {
            // The time is for the login too.
            let trouble = silent_agent(survey, settings).await.unwrap_or(trouble);
            return Err(Refusal::of(&trouble, &survey.target));
        }
        Err(NoLink::Final(trouble)) => return Err(Refusal::of(&trouble, &survey.target)),
        Err(NoLink::TryOpenSsh(trouble)) => trouble,
    };
    if settings.config.backend_for(&survey.target.alias) == SshBackend::Library {
        if matches!(trouble, Trouble::HostKeyChanged(_))
            && let Some(refusal) = words_of_openssh(survey, settings, supervisor).await
        {
            return Err(refusal);
        }
        return Err(Refusal::of(&trouble, &survey.target));
    }
    let reason = format!(
        "the library failed: {}",
        trouble.failure(&survey.target).message
    );
    tracing::debug!(host = %survey.target.alias, reason, "trying OpenSSH");
    let made = through_openssh(survey, vec![reason.clone()], settings, supervisor).await?;
    *sticky = Some(Sticky {
        config: survey.config.clone(),
        reason,
        until: Instant::now() + STICKY,
    });
    Ok(made)
}
