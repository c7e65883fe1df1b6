//! `provider.*`.

use std::future::ready;

use crate::proto::provider::{ProviderCommand, ProviderList};
use crate::rpc::Registry;
use crate::service::in_force::InForce;
use crate::service::providers::Installed;

pub(super) fn add(registry: &mut Registry, in_force: &InForce, installed: &Installed) {
    let (now, own) = (in_force.clone(), installed.clone());
    registry.method::<ProviderList, _>(move |_, _| {
        now.refresh();
        let own = own.clone();
        async move { Ok(own.list().await) }
    });
    let (now, own) = (in_force.clone(), installed.clone());
    registry.method::<ProviderCommand, _>(move |_, params| {
        now.refresh();
        ready(own.command(&params))
    });
}
