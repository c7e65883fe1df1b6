//! A server with methods that do what a test needs.

use std::sync::Arc;
use std::time::SystemTime;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use super::{Control, Lifetime, NotSent, Registry, Server};
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::proto::daemon::{EndReason, Hello, Limits, Subscribed};
use crate::proto::method::{Empty, Stream};
use crate::proto::{Failure, Kind, Method};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "parameters by name")]
pub(super) struct Params {
    /// What `echo` answers.
    value: Option<Value>,
    /// A size or a number of items.
    count: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Item {
    Tick { number: usize, data: String },
}

macro_rules! methods {
    ($($name:ident $wire:literal => $result:ty;)*) => {$(
        pub(super) enum $name {}
        impl Method for $name {
            const NAME: &'static str = $wire;
            const SUMMARY: &'static str = "for tests";
            type Params = Params;
            type Result = $result;
        }
    )*};
}

methods! {
    Echo "echo" => Value;
    Slow "slow" => Empty;
    Polite "polite" => Empty;
    Late "late" => Empty;
    Big "big" => String;
    Broken "broken" => Empty;
    Fails "fails" => Empty;
    Waits "waits" => Empty;
    Ticks "ticks.subscribe" => Subscribed;
    Watch "watch.subscribe" => Subscribed;
    Flood "flood.subscribe" => Subscribed;
}

macro_rules! streams {
    ($($name:ident $end:literal;)*) => {$(
        impl Stream for $name {
            const END: &'static str = $end;
            type Item = Item;
        }
    )*};
}

streams! {
    Ticks "ticks.unsubscribe";
    Watch "watch.unsubscribe";
    Flood "flood.unsubscribe";
}

/// A server, and what a test holds of it.
pub(super) struct Fixture {
    pub(super) server: Server,
    pub(super) control: Control,
    pub(super) supervisor: Supervisor,
    pub(super) limits: watch::Sender<Limits>,
    /// `slow` and `waits` return when this has a permit; `flood.subscribe` adds one when it has sent all.
    pub(super) gate: Arc<Semaphore>,
}

impl Fixture {
    pub(super) fn new() -> Self {
        Self::with(Limits::default())
    }

    pub(super) fn with(limits: Limits) -> Self {
        let gate = Arc::new(Semaphore::new(0));
        let (limits, in_force) = watch::channel(limits);
        let control = Control::new();
        let supervisor = Supervisor::new();
        let server = Server::new(
            registry(&gate),
            control.clone(),
            in_force,
            supervisor.clone(),
        );
        Self {
            server,
            control,
            supervisor,
            limits,
            gate,
        }
    }
}

/// Somebody.
pub(super) fn peer() -> Peer {
    Peer {
        uid: 1,
        pid: None,
        since: SystemTime::UNIX_EPOCH,
    }
}

fn tick(number: usize, size: usize) -> Item {
    Item::Tick {
        number,
        data: "x".repeat(size),
    }
}

fn registry(gate: &Arc<Semaphore>) -> Registry {
    let mut registry = Registry::new();
    let pass = {
        let gate = Arc::clone(gate);
        move || {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire()
                    .await
                    .map(tokio::sync::SemaphorePermit::forget)
            }
        }
    };
    registry.method::<Echo, _>(|_, params| async move { Ok(params.value.unwrap_or(json!({}))) });
    registry.method::<Big, _>(|_, params| async move {
        Ok("x".repeat(params.count.unwrap_or_default()))
    });
    registry.method::<Broken, _>(|_, _| async move { panic!("a bug") });
    registry.method::<Fails, _>(|_, _| async move {
        Err(Failure::new(Kind::TargetGone, "the surface is gone").hint("open another"))
    });
    let slow = pass.clone();
    registry.method::<Slow, _>(move |_, _| {
        let pass = slow();
        async move {
            let _ = pass.await;
            Ok(Empty {})
        }
    });
    let waits = pass.clone();
    registry.wait::<Waits, _>(move |_, _| {
        let pass = waits();
        async move {
            let _ = pass.await;
            Ok(Empty {})
        }
    });
    registry.method::<Polite, _>(|caller, _| async move {
        caller.cancel.cancelled().await;
        Err(Failure::new(Kind::Cancelled, "polite was cancelled").detail(json!({ "opened": 2 })))
    });
    registry.method::<Late, _>(|caller, _| async move {
        caller.cancel.cancelled().await;
        Ok(Empty {})
    });
    registry.method::<Hello, _>(|_, _| async move {
        Err(Failure::new(Kind::Internal, "this stands for daemon.hello"))
    });
    registry.subscription::<Ticks, _>(Lifetime::Work, |_, params, pending| async move {
        let count = params
            .count
            .ok_or_else(|| Failure::params("count", "count is missing"))?;
        let sink = pending.accept().await.map_err(|_| gone())?;
        for number in 0..count {
            sink.send(&tick(number, 0)).await.map_err(|_| gone())?;
        }
        Ok(EndReason::Done)
    });
    registry.subscription::<Watch, _>(Lifetime::Watch, |_, _, pending| async move {
        let sink = pending.accept().await.map_err(|_| gone())?;
        sink.closed().await;
        Ok(EndReason::Done)
    });
    let flooded = Arc::clone(gate);
    registry.subscription::<Flood, _>(Lifetime::Watch, move |_, params, pending| {
        let flooded = Arc::clone(&flooded);
        async move {
            let sink = pending.accept().await.map_err(|_| gone())?;
            for number in 0..params.count.unwrap_or(usize::MAX) {
                match sink.try_send(&tick(number, 10_000)) {
                    Ok(()) | Err(NotSent::Full) => tokio::task::yield_now().await,
                    Err(NotSent::Closed(_)) => break,
                }
            }
            flooded.add_permits(1);
            sink.gap(0).await.map_err(|_| gone())?;
            Ok(EndReason::Done)
        }
    });
    registry
}

fn gone() -> Failure {
    Failure::new(Kind::Cancelled, "the caller is gone")
}
