//! `seat.*` and `layout.*`.

use crate::proto::Empty;
use crate::proto::seat::{
    LayoutClose, LayoutOpen, LayoutRefsOf, SeatCapture, SeatInterrupt, SeatList, SeatReap,
    SeatSpawn, SeatStatusOf, SeatStop, SeatWait,
};
use crate::rpc::Registry;
use crate::service::layouts::Layouts;
use crate::service::seats::Seats;

pub(super) fn add(registry: &mut Registry, seats: &Seats, layouts: &Layouts) {
    let service = seats.clone();
    registry.method::<SeatSpawn, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service.called(caller.peer, params.host.is_some()).await;
            service.spawn(params).await
        }
    });
    let service = seats.clone();
    registry.method::<SeatStatusOf, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service
                .called(caller.peer, params.reference.host().is_some())
                .await;
            service.status(&params.reference).await
        }
    });
    let service = seats.clone();
    registry.wait::<SeatStop, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service
                .called(caller.peer, params.reference.host().is_some())
                .await;
            service.stop(params).await
        }
    });
    let service = seats.clone();
    registry.method::<SeatInterrupt, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service
                .called(caller.peer, params.reference.host().is_some())
                .await;
            service
                .interrupt(&params.reference)
                .await
                .map(|()| Empty {})
        }
    });
    let service = seats.clone();
    registry.method::<SeatCapture, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service
                .called(caller.peer, params.reference.host().is_some())
                .await;
            service.capture(&params).await
        }
    });
    let service = seats.clone();
    registry.method::<SeatList, _>(move |_, params| {
        let service = service.clone();
        async move { service.list(params.space.as_deref()).await }
    });
    let service = seats.clone();
    registry.wait::<SeatWait, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service
                .called(caller.peer, params.reference.host().is_some())
                .await;
            service.wait(&params).await
        }
    });
    let service = seats.clone();
    registry.wait::<SeatReap, _>(move |caller, params| {
        let service = service.clone();
        async move {
            service
                .called(caller.peer, params.reference.host().is_some())
                .await;
            service.reap(params.reference).await
        }
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
