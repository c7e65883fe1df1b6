//! `surface.*`.

use crate::proto::surfaces::{Capture, Close, Focus, Inject, Keys, List, Wait};
use crate::rpc::Registry;
use crate::service::surfaces::Surfaces;

/// Adds a verb on a surface, after a note of who asks.
macro_rules! verb {
    ($registry:ident.$kind:ident, $surfaces:ident, $method:ty, $verb:ident) => {
        let service = $surfaces.clone();
        $registry.$kind::<$method, _>(move |caller, params| {
            let service = service.clone();
            async move {
                service.called(caller.peer, &params.surface).await;
                service.$verb(params).await
            }
        });
    };
}

pub(super) fn add(registry: &mut Registry, surfaces: &Surfaces) {
    let service = surfaces.clone();
    registry.method::<List, _>(move |caller, params| {
        let service = service.clone();
        async move { service.list(params, Some(caller.peer)).await }
    });
    verb!(registry.method, surfaces, Inject, inject);
    verb!(registry.method, surfaces, Keys, keys);
    verb!(registry.method, surfaces, Capture, capture);
    verb!(registry.method, surfaces, Focus, focus);
    verb!(registry.method, surfaces, Close, close);
    verb!(registry.wait, surfaces, Wait, wait);
}
