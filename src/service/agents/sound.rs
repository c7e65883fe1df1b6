//! Whether the program of a provider answers, before anything is made for it.

use super::service::Agents;
use crate::proto::agent::Place;
use crate::proto::{Env, Failure, HostAlias, Kind, Word};
use crate::provider::{Provider, Version};
use crate::service::providers::Health;
use crate::service::resume;

impl Agents {
    /// The version of a provider's program where it is to run, which decides the form of its words. `None`, which is today's:
    /// nobody knows.
    ///
    /// # Errors
    /// `program-missing` where it is there and does not answer, as it is at this moment; on a host also where it is not there,
    /// and what a host can fail with. Of a program that only the configuration knows, nothing but its absence is held against
    /// it: it may know no `--version`.
    pub(super) async fn sound(
        &self,
        provider: &Provider,
        place: &Place,
        env: &Env,
    ) -> Result<Option<Version>, Failure> {
        let host = match place {
            Place::Surface { host, .. } => host.as_ref(),
            Place::Terminal {} | Place::Seat { .. } => None,
        };
        // Another PATH than the person's may find another program.
        let own_path = env.keys().any(|name| name.as_str() == "PATH");
        let health = match host {
            None if own_path => return Ok(self.programs().version(provider).await),
            None => self.programs().health(provider).await,
            Some(host) => Some(self.health_on(provider, host).await?),
        };
        let (reason, place) = match (&health, host) {
            (Some(Health::Broken { reason, .. }), host) if provider.is_built_in() => {
                (reason, host.map_or("here", Word::as_str))
            }
            (Some(Health::Missing { reason }), Some(host)) if !own_path => (reason, host.as_str()),
            _ => return Ok(health.and_then(|health| health.version())),
        };
        let program = provider.program();
        Err(Failure::new(
            Kind::ProgramMissing,
            format!("{} cannot be started: {reason}", provider.label()),
        )
        .hint(match host {
            None => format!(
                "install or repair {program}; `surfaced call provider.list` says what is seen of it"
            ),
            Some(_) => format!("install or repair {program} on {place}"),
        }))
    }

    async fn health_on(&self, provider: &Provider, host: &Word) -> Result<Health, Failure> {
        let places = &self.parts().places;
        let alias = HostAlias::parse(host.as_str()).map_err(|error| {
            Failure::new(Kind::HostInvalid, error.to_string()).about("place.host")
        })?;
        let shell = places.opener.shell_on(host).await?;
        let link = places.links.to(Some(&alias)).await?;
        let found =
            resume::programs_on(link.as_ref(), &shell, provider, resume::Asked::Plain).await?;
        let plain = found.into_iter().next().map(|candidate| candidate.health);
        Ok(plain.unwrap_or_else(|| Health::Missing {
            reason: format!("{} is not on PATH there", provider.program()),
        }))
    }
}
