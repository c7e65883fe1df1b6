//! `plan`, `build`, `open`, `resolveBackend`, `backends`, `sessions`.

use std::future::ready;
use std::sync::Arc;

use crate::launch::plan::{self, Defaults};
use crate::proto::daemon::EndReason;
use crate::proto::launch::{Build, Plan, PlanParams, PlanResult};
use crate::proto::open::{Open, OpenItem, OpenSubscribe};
use crate::proto::resolve::{Backends, BackendsResult, ResolveBackend};
use crate::proto::sessions::Sessions;
use crate::proto::{Failure, HostAlias};
use crate::rpc::{Caller, Lifetime, Pending, Registry};
use crate::service::conversations::Pool;
use crate::service::in_force::InForce;
use crate::service::open::{Links, Opener};
use crate::service::resolve::Resolver;
use crate::service::sessions::Sessions as LiveSessions;

/// The services behind these methods.
#[derive(Clone)]
pub struct Launch {
    /// The backends in force.
    pub in_force: InForce,
    /// Opens surfaces.
    pub opener: Opener,
    /// Chooses terminals.
    pub resolver: Resolver,
    /// The ways to hosts.
    pub links: Arc<dyn Links>,
    /// Sees live agents.
    pub sessions: LiveSessions,
    /// The conversations on disk.
    pub pool: Pool,
}

impl Launch {
    /// The services, with the backends of the configuration as it is now.
    fn now(&self) -> Self {
        self.in_force.refresh();
        self.clone()
    }
}

pub(super) fn add(registry: &mut Registry, launch: &Launch) {
    registry.method::<Plan, _>(|_, params| ready(Ok(planned(&params))));
    let own = launch.clone();
    registry.method::<Build, _>(move |caller, params| {
        let own = own.now();
        async move { own.opener.build(params, Some(caller.peer)).await }
    });
    let own = launch.clone();
    registry.method::<Open, _>(move |caller, params| {
        let own = own.now();
        async move {
            own.opener
                .open(params, Some(caller.peer), &caller.cancel)
                .await
        }
    });
    let own = launch.clone();
    registry.subscription::<OpenSubscribe, _>(Lifetime::Work, move |caller, params, pending| {
        follow(own.now().opener, caller, params, pending)
    });
    let own = launch.clone();
    registry.method::<ResolveBackend, _>(move |caller, params| {
        let own = own.now();
        async move { own.resolver.resolve(&caller.peer, params).await }
    });
    let own = launch.clone();
    registry.method::<Backends, _>(move |caller, params| {
        let own = own.now();
        async move {
            if let Some(host) = &params.host {
                let host = HostAlias::parse(host.as_str())
                    .map_err(|error| Failure::bad_host("host", error.to_string()))?;
                own.links
                    .called(Some(caller.peer), params.context.as_ref())
                    .await;
                let link = own.links.to(Some(&host)).await?;
                let backends = own.resolver.backends_on(link.as_ref()).await?;
                return Ok(BackendsResult { backends });
            }
            Ok(BackendsResult {
                backends: own
                    .resolver
                    .backends(&caller.peer, params.context.as_ref())
                    .await,
            })
        }
    });
    let own = launch.clone();
    registry.method::<Sessions, _>(move |caller, params| {
        let own = own.now();
        let sessions = own.sessions.clone();
        async move {
            let files = params.include_files == Some(true);
            if let Some(host) = &params.on {
                let host = HostAlias::parse(host.as_str())
                    .map_err(|error| Failure::bad_host("on", error.to_string()))?;
                own.links.called(Some(caller.peer), None).await;
                let link = own.links.to(Some(&host)).await?;
                return sessions.on(&host, &*link, files).await;
            }
            Ok(sessions.told(&own.pool, files).await)
        }
    });
}

/// The layouts of a batch, and the requests where every item's backend is known.
fn planned(params: &PlanParams) -> PlanResult {
    let packing = params.packing.unwrap_or_default();
    let defaults = Defaults {
        backend: params.backend.as_ref(),
        host: params.host.as_ref(),
        packing,
    };
    match (&params.items, params.count) {
        (Some(items), _) => PlanResult {
            layouts: plan::item_layouts(items, &defaults),
            requests: plan::requests(items, &defaults),
        },
        (None, count) => {
            let count = usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX);
            PlanResult {
                layouts: plan::layouts(count, packing),
                requests: None,
            }
        }
    }
}

/// Sends each result when it is known.
async fn follow(
    opener: Opener,
    caller: Caller,
    params: crate::proto::open::OpenParams,
    pending: Pending<OpenItem>,
) -> Result<EndReason, Failure> {
    let mut running = opener.begin(params, Some(caller.peer))?;
    running.prepared().await?;
    let Ok(sink) = pending.accept().await else {
        return Ok(EndReason::Unsubscribed);
    };
    while let Some((index, result)) = running.next().await {
        if sink
            .send(&OpenItem::Result { index, result })
            .await
            .is_err()
        {
            return Ok(EndReason::Unsubscribed);
        }
    }
    Ok(EndReason::Done)
}
