//! HTTP/1.1 over the socket: `POST /`, a WebSocket on upgrade, `GET /healthz` and `GET /openrpc.json`.

mod post;
mod sieve;
#[cfg(test)]
mod tests;
mod upgrade;
mod websocket;

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;

use super::caller::Caller;
use super::connection::{Half, Socket};
use super::driver::Mode;
use super::reply::{Body, NO_ID};
use super::server::Server;
use crate::os::peer::Peer;
use crate::proto::daemon::{Discover, State};
use crate::proto::{Failure, Kind, Method as _};

type Reply = Response<Full<Bytes>>;

/// How long the last replies may take once the daemon ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// One HTTP connection.
struct Site {
    server: Server,
    peer: Peer,
    socket: Socket,
    half: Half,
    mode: Mode,
    upgrade: Mutex<Option<OnUpgrade>>,
}

/// Serves an HTTP connection to its end, as a WebSocket if it becomes one.
pub(super) async fn run<S>(
    server: &Server,
    io: S,
    peer: Peer,
    socket: Socket,
    half: Half,
    mode: Mode,
) where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let site = Arc::new(Site {
        server: server.clone(),
        peer,
        socket,
        half: half.clone(),
        mode,
        upgrade: Mutex::default(),
    });
    let service = {
        let site = Arc::clone(&site);
        service_fn(move |request| {
            let site = Arc::clone(&site);
            async move { Ok::<_, Infallible>(site.respond(request).await) }
        })
    };
    let io = TokioIo::new(Watched {
        io,
        half: half.clone(),
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .half_close(true)
        .serve_connection(io, service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = &mut connection => if let Err(error) = ended {
            tracing::debug!(%error, "an HTTP connection ended");
        },
        () = half.expired(server) => return,
        () = server.supervisor().token().cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = timeout(LAST_WORDS, connection).await;
            return;
        }
    }
    let upgrade = site
        .upgrade
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(upgrade) = upgrade
        && let Ok(upgraded) = upgrade.await
    {
        websocket::run(&site, TokioIo::new(upgraded)).await;
    }
}

impl Site {
    async fn respond(&self, request: Request<Incoming>) -> Reply {
        if request.headers().contains_key(header::ORIGIN) {
            let failure = Failure::new(
                Kind::Permission,
                "a request with an Origin header is refused: this socket is not for web pages",
            );
            return refusal(StatusCode::FORBIDDEN, &failure);
        }
        let is_websocket = upgrade::is_asked(&request);
        if !is_websocket && request.method() == Method::POST && request.uri().path() == "/" {
            return self.post(request).await;
        }
        self.half.set(false);
        if is_websocket && request.uri().path() == "/" {
            return self.upgrade(request);
        }
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match request.uri().path() {
            "/" => not_allowed("POST"),
            "/healthz" if reads => self.health(),
            "/openrpc.json" if reads => self.document().await,
            "/healthz" | "/openrpc.json" => not_allowed("GET"),
            path => {
                let failure = Failure::new(Kind::NotFound, format!("nothing is at {path}")).hint(
                    "requests and WebSockets go to /; GET /healthz and GET /openrpc.json are there too",
                );
                refusal(StatusCode::NOT_FOUND, &failure)
            }
        }
    }

    fn health(&self) -> Reply {
        match self.server.control().state() {
            State::Ready => json(StatusCode::OK, r#"{"state":"ready"}"#),
            State::Draining => json(StatusCode::SERVICE_UNAVAILABLE, r#"{"state":"draining"}"#),
        }
    }

    async fn document(&self) -> Reply {
        let caller = Caller::new(self.peer);
        let body = self
            .server
            .registry()
            .call(Discover::NAME, None, caller, usize::MAX)
            .await;
        match body.as_result() {
            Some(document) => json(StatusCode::OK, document.to_owned()),
            None => json(StatusCode::INTERNAL_SERVER_ERROR, body.message(NO_ID)),
        }
    }
}

fn json(status: StatusCode, body: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(body.into()));
    *reply.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    reply.headers_mut().insert(header::CONTENT_TYPE, json);
    reply
}

fn refusal(status: StatusCode, failure: &Failure) -> Reply {
    json(status, Body::failure(failure).message(NO_ID))
}

fn not_allowed(allowed: &'static str) -> Reply {
    let failure = Failure::new(
        Kind::NotSupported,
        format!("only {allowed} is supported here"),
    );
    let mut reply = refusal(StatusCode::METHOD_NOT_ALLOWED, &failure);
    let allowed = HeaderValue::from_static(allowed);
    reply.headers_mut().insert(header::ALLOW, allowed);
    reply
}

/// A stream that notes when bytes arrive: they are half a request until they are known to be a whole one.
struct Watched<S> {
    io: S,
    half: Half,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.io).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.half.set(true);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}
