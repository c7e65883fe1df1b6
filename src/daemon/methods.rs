//! `daemon.*` and `rpc.discover`: the methods that never change and work while draining.

use serde_json::json;

use super::facts::Facts;
use crate::proto::daemon::{
    Discover, Hello, HelloParams, HelloResult, PROTOCOL, Shutdown, ShutdownMode, Status,
    StatusResult,
};
use crate::proto::{Empty, Failure, Kind, openrpc};
use crate::rpc::Registry;

/// Adds them.
pub(super) fn add(registry: &mut Registry, facts: &Facts) {
    let own = facts.clone();
    registry.method::<Hello, _>(move |_, params| std::future::ready(hello(&own, &params)));
    let own = facts.clone();
    registry.method::<Status, _>(move |_, _| std::future::ready(Ok(status(&own))));
    let own = facts.clone();
    registry.method::<Shutdown, _>(move |_, params| {
        own.shut_down(params.mode.unwrap_or(ShutdownMode::Drain));
        std::future::ready(Ok(Empty {}))
    });
    registry.fixed::<Discover>(openrpc::document);
}

fn hello(facts: &Facts, params: &HelloParams) -> Result<HelloResult, Failure> {
    if let Some(range) = params.protocol
        && !(range.min..=range.max).contains(&PROTOCOL)
    {
        return Err(Failure::new(
            Kind::ProtocolMismatch,
            format!(
                "the daemon speaks protocol {PROTOCOL}, the caller {} to {}",
                range.min, range.max
            ),
        )
        .hint(if range.min > PROTOCOL {
            "replace this daemon: surfaced daemon restart, with the newer program"
        } else {
            "use a newer client"
        })
        .detail(json!({ "protocol": PROTOCOL })));
    }
    if let Some(client) = &params.client {
        tracing::debug!(client = client.as_str(), "hello");
    }
    Ok(HelloResult {
        protocol: PROTOCOL,
        server: format!("surfaced {}", facts.instance.version),
        capabilities: facts.methods.get().cloned().unwrap_or_default(),
        limits: facts.config.current().limits.clone(),
        socket: facts.instance.socket.clone(),
        state: facts.control.state(),
    })
}

fn status(facts: &Facts) -> StatusResult {
    let counts = facts.control.counts();
    let instance = &facts.instance;
    StatusResult {
        version: instance.version.clone(),
        protocol: instance.protocol,
        pid: instance.pid,
        instance_id: instance.instance_id.clone(),
        socket: instance.socket.clone(),
        home: facts.paths.home.display().to_string(),
        log: facts.paths.log().display().to_string(),
        state: facts.control.state(),
        uptime_ms: u64::try_from(facts.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        started_at: instance.started_at.clone(),
        connections: counts.connections,
        in_flight: counts.in_flight,
        subscriptions: counts.subscriptions,
        configuration: facts.config.status(),
    }
}
