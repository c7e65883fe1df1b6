//! Stands in for the driver until that is here: requests a line each, one after the other. To be removed with it.

use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::watch;

use super::control::{Control, Counted};
use super::reply::Body;
use super::{Caller, Registry, registry};
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::proto::daemon::Limits;

/// What all connections share.
#[derive(Clone, Debug)]
pub struct Server {
    shared: Arc<(Registry, Control, Supervisor)>,
}

impl Server {
    /// A server of these methods.
    #[must_use]
    pub fn new(
        registry: Registry,
        control: Control,
        _limits: watch::Receiver<Limits>,
        supervisor: Supervisor,
    ) -> Self {
        Self {
            shared: Arc::new((registry, control, supervisor)),
        }
    }
}

/// Serves a connection.
pub fn serve(server: &Server, stream: UnixStream, peer: Peer) {
    let shared = Arc::clone(&server.shared);
    server.shared.2.spawn(async move {
        let (registry, control, _) = &*shared;
        let _held = control.hold(Counted::Connection);
        let (reading, mut writing) = stream.into_split();
        let mut lines = BufReader::new(reading).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let mut message = answer(registry, peer, &line).await;
            message.push(b'\n');
            if writing.write_all(&message).await.is_err() {
                return;
            }
        }
    });
}

async fn answer(registry: &Registry, peer: Peer, line: &str) -> Vec<u8> {
    let request: Value = serde_json::from_str(line).unwrap_or_default();
    let name = request["method"].as_str().unwrap_or_default();
    let params = request.get("params").map(Value::to_string);
    let body = match registry.get(name) {
        Some((name, _)) => {
            let caller = Caller::new(peer);
            registry
                .call(name, params.as_deref(), caller, 16 << 20)
                .await
        }
        None => Body::failure(&registry::unknown(name, &registry.names())),
    };
    body.message(&request["id"].to_string())
}
