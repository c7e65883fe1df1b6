//! `surface.*`.

use crate::proto::surfaces::{Capture, Close, Focus, Inject, Keys, List, Wait};
use crate::rpc::Registry;
use crate::service::surfaces::Surfaces;

pub(super) fn add(registry: &mut Registry, surfaces: &Surfaces) {
    let service = surfaces.clone();
    registry.method::<List, _>(move |caller, params| {
        let service = service.clone();
        async move { service.list(params, Some(caller.peer)).await }
    });
    let service = surfaces.clone();
    registry.method::<Inject, _>(move |_, params| {
        let service = service.clone();
        async move { service.inject(params).await }
    });
    let service = surfaces.clone();
    registry.method::<Keys, _>(move |_, params| {
        let service = service.clone();
        async move { service.keys(params).await }
    });
    let service = surfaces.clone();
    registry.method::<Capture, _>(move |_, params| {
        let service = service.clone();
        async move { service.capture(params).await }
    });
    let service = surfaces.clone();
    registry.method::<Focus, _>(move |_, params| {
        let service = service.clone();
        async move { service.focus(params).await }
    });
    let service = surfaces.clone();
    registry.method::<Close, _>(move |_, params| {
        let service = service.clone();
        async move { service.close(params).await }
    });
    let service = surfaces.clone();
    registry.wait::<Wait, _>(move |_, params| {
        let service = service.clone();
        async move { service.wait(params).await }
    });
}
