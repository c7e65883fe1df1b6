//! HTTP and WebSocket over real sockets.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::super::server::serve;
use super::super::testing::{Fixture, peer};
use crate::proto::daemon::Limits;

const LONG: Duration = Duration::from_secs(30);

impl Fixture {
    fn caller(&self) -> UnixStream {
        let (caller, stream) = UnixStream::pair().unwrap();
        serve(&self.server, stream, peer());
        caller
    }

    /// Sends a request that asks for the end of the connection, and returns status, headers and body.
    async fn http(&self, head: &str, body: &str) -> (u16, String, String) {
        let mut caller = self.caller();
        let request = format!(
            "{head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        caller.write_all(request.as_bytes()).await.unwrap();
        let mut reply = String::new();
        timeout(LONG, caller.read_to_string(&mut reply))
            .await
            .expect("an end")
            .unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").expect("a blank line");
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), body.to_owned())
    }

    async fn post(&self, message: &Value) -> (u16, Value) {
        let (status, _, body) = self.http("POST /", &message.to_string()).await;
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    async fn websocket(&self) -> WebSocketStream<UnixStream> {
        let (socket, _) = client_async("ws://localhost/", self.caller())
            .await
            .unwrap();
        socket
    }
}

async fn read(socket: &mut WebSocketStream<UnixStream>) -> Value {
    let message = timeout(LONG, socket.next())
        .await
        .expect("a message in time");
    let text = message.expect("a message").unwrap().into_text().unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn a_post_is_answered_and_a_notification_has_no_content() {
    let fixture = Fixture::new();
    let (status, head, body) = fixture
        .http(
            "POST /",
            r#"{"jsonrpc":"2.0","id":1e2,"method":"echo","params":{"value":3}}"#,
        )
        .await;
    assert_eq!(
        (status, body.as_str()),
        (200, r#"{"jsonrpc":"2.0","id":1e2,"result":3}"#)
    );
    assert!(head.contains("content-type: application/json"), "{head}");
    let (status, _) = fixture
        .post(&json!({ "jsonrpc": "2.0", "method": "echo" }))
        .await;
    assert_eq!(status, 204);
    let (status, reply) = fixture
        .post(&json!([{ "jsonrpc": "2.0", "id": 1, "method": "echo" }, { "jsonrpc": "2.0", "method": "echo" }]))
        .await;
    assert_eq!((status, reply.as_array().unwrap().len()), (200, 1));
    let (status, _, body) = fixture.http("POST /", "nul").await;
    assert_eq!(status, 200);
    assert!(body.contains("-32700"), "{body}");
}

#[tokio::test]
async fn web_pages_and_wrong_places_are_refused() {
    let fixture = Fixture::new();
    for (head, status) in [
        ("POST / HTTP/1.1\r\nOrigin: http://localhost", 403),
        ("GET /healthz HTTP/1.1\r\nOrigin: null", 403),
        ("GET /", 405),
        ("DELETE /healthz", 405),
        ("POST /rpc", 404),
        ("GET /healthz", 200),
        ("HEAD /healthz", 200),
    ] {
        // A head with headers of its own brings its version along.
        let head = head.replace(" HTTP/1.1\r\n", "\u{0}");
        let (line, extra) = head.split_once('\0').unwrap_or((&head, ""));
        let mut caller = fixture.caller();
        let extra = if extra.is_empty() {
            String::new()
        } else {
            format!("{extra}\r\n")
        };
        let request = format!("{line} HTTP/1.1\r\nHost: x\r\n{extra}Connection: close\r\n\r\n");
        caller.write_all(request.as_bytes()).await.unwrap();
        let mut reply = String::new();
        caller.read_to_string(&mut reply).await.unwrap();
        assert!(
            reply.starts_with(&format!("HTTP/1.1 {status}")),
            "{line}: {reply}"
        );
    }
    fixture.control.drain();
    let (status, _, body) = fixture.http("GET /healthz", "").await;
    assert_eq!((status, body.as_str()), (503, r#"{"state":"draining"}"#));
}

#[tokio::test]
async fn what_http_cannot_do_is_said() {
    let fixture = Fixture::with(Limits {
        message_bytes: 100,
        ..Limits::default()
    });
    let (status, reply) = fixture
        .post(&json!({ "jsonrpc": "2.0", "id": 1, "method": "watch.subscribe" }))
        .await;
    assert_eq!(
        (status, &reply["error"]["data"]["kind"]),
        (200, &json!("not-supported"))
    );
    let (status, _, body) = fixture.http("POST /", &" ".repeat(200)).await;
    assert_eq!(status, 413);
    assert!(body.contains("-32007"), "{body}");
}

#[tokio::test]
async fn a_post_whose_caller_leaves_is_cancelled() {
    let fixture = Fixture::new();
    let mut caller = fixture.caller();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#;
    let request = format!(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    caller.write_all(request.as_bytes()).await.unwrap();
    let turn = async |count: usize| {
        let reached = async {
            while fixture.control.counts().in_flight != count {
                tokio::task::yield_now().await;
            }
        };
        timeout(LONG, reached).await.expect("the count");
    };
    turn(1).await;
    drop(caller);
    turn(0).await;
}

#[tokio::test]
async fn a_websocket_carries_everything() {
    let fixture = Fixture::new();
    let mut socket = fixture.websocket().await;
    let call = r#"{"jsonrpc":"2.0","id":1.0,"method":"echo","params":{"value":"é"}}"#;
    socket.send(Message::text(call)).await.unwrap();
    let reply = timeout(LONG, socket.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(
        reply.into_text().unwrap(),
        r#"{"jsonrpc":"2.0","id":1.0,"result":"é"}"#
    );
    socket
        .send(Message::binary(call.as_bytes().to_vec()))
        .await
        .unwrap();
    assert_eq!(read(&mut socket).await["result"], "é");
    socket.send(Message::text("{} {}")).await.unwrap();
    assert_eq!(read(&mut socket).await["error"]["code"], -32700);
    let subscribe = r#"{"jsonrpc":"2.0","id":2,"method":"ticks.subscribe","params":{"count":2}}"#;
    socket.send(Message::text(subscribe)).await.unwrap();
    assert!(read(&mut socket).await["result"]["subscription"].is_u64());
    for kind in ["tick", "tick", "end"] {
        assert_eq!(read(&mut socket).await["params"]["result"]["type"], kind);
    }
    socket
        .send(Message::Ping(b"x".to_vec().into()))
        .await
        .unwrap();
    let pong = timeout(LONG, socket.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(pong.is_pong());
    let wait = r#"{"jsonrpc":"2.0","id":3,"method":"waits"}"#;
    socket.send(Message::text(wait)).await.unwrap();
    while fixture.control.counts().in_flight == 0 {
        tokio::task::yield_now().await;
    }
    socket.close(None).await.unwrap();
    drop(socket);
    while fixture.control.counts().connections > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.control.counts().in_flight, 0);
}

#[tokio::test]
async fn a_message_over_the_limit_is_answered_and_the_next_is_served() {
    let fixture = Fixture::with(Limits {
        message_bytes: 100,
        ..Limits::default()
    });
    let mut socket = fixture.websocket().await;
    let pieces = |opcode, last| Frame::message("é".repeat(40), OpCode::Data(opcode), last);
    for _ in 0..2 {
        socket.send(Message::text("x".repeat(200))).await.unwrap();
        assert_eq!(read(&mut socket).await["error"]["code"], -32007);
        for (opcode, last) in [
            (Data::Text, false),
            (Data::Continue, false),
            (Data::Continue, true),
        ] {
            let frame = Message::Frame(pieces(opcode, last));
            socket.send(frame).await.unwrap();
        }
        assert_eq!(read(&mut socket).await["error"]["code"], -32007);
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"value":3}}"#;
        socket.send(Message::text(call)).await.unwrap();
        assert_eq!(read(&mut socket).await["result"], 3);
        let broken = Frame::message(vec![b'"', 0xff, b'"'], OpCode::Data(Data::Text), true);
        socket.send(Message::Frame(broken)).await.unwrap();
        assert_eq!(read(&mut socket).await["error"]["code"], -32700);
    }
}

#[tokio::test]
async fn a_close_is_answered_with_one() {
    let fixture = Fixture::new();
    let mut socket = fixture.websocket().await;
    let bye = CloseFrame {
        code: CloseCode::Normal,
        reason: "bye".into(),
    };
    socket.close(Some(bye.clone())).await.unwrap();
    let close = timeout(LONG, socket.next()).await.expect("an answer");
    assert_eq!(close.unwrap().unwrap(), Message::Close(Some(bye)));
    assert!(timeout(LONG, socket.next()).await.unwrap().is_none());
}

#[tokio::test]
async fn a_websocket_is_where_requests_are() {
    let fixture = Fixture::new();
    let error = client_async("ws://localhost/foo", fixture.caller()).await;
    let Err(Error::Http(reply)) = error else {
        panic!("{error:?}")
    };
    assert_eq!(reply.status(), 404);
}

#[tokio::test]
async fn a_wrong_handshake_is_refused() {
    let fixture = Fixture::new();
    let mut caller = fixture.caller();
    let request = "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\nSec-WebSocket-Key: eA==\r\n\r\n";
    caller.write_all(request.as_bytes()).await.unwrap();
    caller.shutdown().await.unwrap();
    let mut reply = String::new();
    caller.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 426"), "{reply}");
    assert!(
        reply.to_lowercase().contains("sec-websocket-version: 13"),
        "{reply}"
    );
}
