//! The handshake of a WebSocket.

use std::sync::PoisonError;

use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::{Reply, Site, refusal};
use crate::proto::{Failure, Kind};

/// Whether a request asks to become a WebSocket.
pub(super) fn is_asked(request: &Request<Incoming>) -> bool {
    names(request, &header::UPGRADE, "websocket")
}

/// Whether a header lists a word.
fn names(request: &Request<Incoming>, header: &HeaderName, word: &str) -> bool {
    request
        .headers()
        .get_all(header)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|named| named.trim().eq_ignore_ascii_case(word))
}

impl Site {
    /// Answers the handshake; the connection becomes a WebSocket when that answer is on its way.
    pub(super) fn upgrade(&self, mut request: Request<Incoming>) -> Reply {
        if self.mode.is_refused() {
            let failure = Failure::new(Kind::Busy, "no more connections are taken")
                .hint("close connections that are not needed, or raise limits.connections");
            return refusal(StatusCode::SERVICE_UNAVAILABLE, &failure);
        }
        let version = request.headers().get(header::SEC_WEBSOCKET_VERSION);
        let version_fits = version.is_some_and(|version| version == "13");
        let key = request.headers().get(header::SEC_WEBSOCKET_KEY).cloned();
        let (Some(key), true) = (
            key,
            version_fits
                && request.method() == Method::GET
                && names(&request, &header::CONNECTION, "upgrade"),
        ) else {
            let failure = Failure::new(
                Kind::InvalidRequest,
                "the handshake is not one of WebSocket version 13",
            );
            let status = if version_fits {
                StatusCode::BAD_REQUEST
            } else {
                StatusCode::UPGRADE_REQUIRED
            };
            let mut reply = refusal(status, &failure);
            let thirteen = HeaderValue::from_static("13");
            reply
                .headers_mut()
                .insert(header::SEC_WEBSOCKET_VERSION, thirteen);
            return reply;
        };
        let mut reply = Response::new(Full::default());
        *reply.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let accept = HeaderValue::from_str(&derive_accept_key(key.as_bytes()))
            .unwrap_or_else(|_| HeaderValue::from_static(""));
        for (name, value) in [
            (header::UPGRADE, HeaderValue::from_static("websocket")),
            (header::CONNECTION, HeaderValue::from_static("Upgrade")),
            (header::SEC_WEBSOCKET_ACCEPT, accept),
        ] {
            reply.headers_mut().insert(name, value);
        }
        *self.upgrade.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(hyper::upgrade::on(&mut request));
        reply
    }
}
