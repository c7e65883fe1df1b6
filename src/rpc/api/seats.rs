//! `seat.*` and `layout.*`.

use crate::proto::Empty;
use crate::proto::seat::{
    LayoutClose, LayoutOpen, LayoutRefsOf, SeatCapture, SeatInterrupt, SeatList, SeatReap,
    SeatSpawn, SeatStatusOf, SeatStop, SeatWait,
};
use crate::rpc::Registry;
use crate::service::layouts::Layouts;
use crate::service::seats::Seats;

/// Adds a method on a seat, after a note of who asks.
macro_rules! of_seat {
    ($registry:ident.$kind:ident, $seats:ident, $method:ty, |$service:ident, $params:ident| $answer:expr) => {
        let service = $seats.clone();
        $registry.$kind::<$method, _>(move |caller, $params| {
            let $service = service.clone();
            async move {
                let is_remote = $params.reference.host().is_some();
                $service.called(caller.peer, is_remote).await;
                $answer
            }
        });
    };
}

pub(super) fn add(registry: &mut Registry, seats: &Seats, layouts: &Layouts) {
    let service = seats.clone();
    registry.method::<SeatSpawn, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service.called(caller.peer, params.host.is_some()).await;
            service.spawn(params).await
        }
    });
    of_seat!(registry.method, seats, SeatStatusOf, |service, params| {
        service.status(&params.reference).await
    });
    of_seat!(registry.wait, seats, SeatStop, |service, params| {
        service.stop(params).await
    });
    of_seat!(registry.method, seats, SeatInterrupt, |service, params| {
        service
            .interrupt(&params.reference)
            .await
            .map(|()| Empty {})
    });
    of_seat!(registry.method, seats, SeatCapture, |service, params| {
        service.capture(&params).await
    });
    let service = seats.clone();
    registry.method::<SeatList, _>(move |_, params| {
        let service = service.clone();
        async move { service.list(params.space.as_deref()).await }
    });
    of_seat!(registry.wait, seats, SeatWait, |service, params| {
        service.wait(&params).await
    });
    of_seat!(registry.wait, seats, SeatReap, |service, params| {
        service.reap(params.reference).await
    });
    let service = layouts.clone();
    registry.method::<LayoutOpen, _>(move |caller, params| {
        let service = service.clone();
        async move { service.open(&caller.peer, params).await }
    });
    let service = layouts.clone();
    registry.method::<LayoutClose, _>(move |_, params| {
        let service = service.clone();
        async move { service.close(&params).await.map(|()| Empty {}) }
    });
    let service = layouts.clone();
    registry.method::<LayoutRefsOf, _>(move |caller, params| {
        let service = service.clone();
        async move { service.refs(&caller.peer, &params).await }
    });
}
