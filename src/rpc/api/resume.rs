//! `resume`.

use crate::proto::resume::Resume;
use crate::rpc::Registry;
use crate::service::in_force::InForce;
use crate::service::resume::Resumer;

pub(super) fn add(registry: &mut Registry, in_force: &InForce, resumer: &Resumer) {
    let (now, own) = (in_force.clone(), resumer.clone());
    registry.method::<Resume, _>(move |caller, params| {
        now.refresh();
        let own = own.clone();
        async move { own.resume(params, Some(caller.peer), &caller.cancel).await }
    });
}
