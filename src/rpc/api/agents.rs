//! `agent.*`.

use crate::proto::Empty;
use crate::proto::agent::{
    AgentArchive, AgentClose, AgentCreate, AgentDelete, AgentGet, AgentList, AgentListResult,
    AgentOpen, AgentSend, AgentUnarchive, AgentUpdate,
};
use crate::rpc::Registry;
use crate::service::agents::{Agents, Opening};

pub(super) fn add(registry: &mut Registry, agents: &Agents) {
    let service = agents.clone();
    registry.method::<AgentCreate, _>(move |caller, params| {
        let service = service.clone();
        async move { service.create(params, Some(caller.peer)).await }
    });
    let service = agents.clone();
    registry.method::<AgentOpen, _>(move |caller, params| {
        let service = service.clone();
        async move {
            let opening = Opening {
                place: params.place,
                size: None,
                caller: Some(caller.peer),
                context: None,
            };
            service.open(&params.id, opening).await
        }
    });
    let service = agents.clone();
    registry.method::<AgentList, _>(move |_, params| {
        let service = service.clone();
        async move {
            let agents = service.list(params.archived.unwrap_or(false)).await?;
            Ok(AgentListResult { agents })
        }
    });
    let service = agents.clone();
    registry.method::<AgentGet, _>(move |_, params| {
        let service = service.clone();
        async move { service.get(&params.id).await }
    });
    let service = agents.clone();
    registry.method::<AgentUpdate, _>(move |_, params| {
        let service = service.clone();
        async move { service.update(params).await }
    });
    let service = agents.clone();
    registry.method::<AgentSend, _>(move |_, params| {
        let service = service.clone();
        async move { service.send(&params.id).await.map(|()| Empty {}) }
    });
    end(registry, agents);
}

/// The methods that end an agent or undo that.
fn end(registry: &mut Registry, agents: &Agents) {
    let service = agents.clone();
    registry.wait::<AgentClose, _>(move |_, params| {
        let service = service.clone();
        async move { service.close(&params.id).await }
    });
    let service = agents.clone();
    registry.wait::<AgentArchive, _>(move |_, params| {
        let service = service.clone();
        async move { service.archive(&params.id).await }
    });
    let service = agents.clone();
    registry.method::<AgentUnarchive, _>(move |_, params| {
        let service = service.clone();
        async move { service.unarchive(&params.id).await }
    });
    let service = agents.clone();
    registry.wait::<AgentDelete, _>(move |_, params| {
        let service = service.clone();
        async move { service.delete(&params.id).await.map(|()| Empty {}) }
    });
}
