//! Connections over real sockets.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::super::server::serve;
use super::super::testing::{Fixture, peer};
use crate::proto::daemon::Limits;

/// Long enough for a loaded machine, and an end where something hangs.
const LONG: Duration = Duration::from_secs(30);

impl Fixture {
    fn connect(&self) -> UnixStream {
        let (caller, stream) = UnixStream::pair().unwrap();
        serve(&self.server, stream, peer());
        caller
    }

    /// Sends everything, closes the write half, and reads to the end.
    async fn exchange(&self, bytes: &[u8]) -> String {
        let mut caller = self.connect();
        let mut reply = String::new();
        let work = async {
            caller.write_all(bytes).await.unwrap();
            caller.shutdown().await.unwrap();
            caller.read_to_string(&mut reply).await.unwrap();
        };
        timeout(LONG, work).await.expect("an end");
        reply
    }

    /// Waits until no connection is open.
    async fn empty(&self) {
        let none = async {
            while self.control.counts().connections > 0 {
                tokio::task::yield_now().await;
            }
        };
        timeout(LONG, none).await.expect("connections to end");
    }
}

async fn read_line(caller: &mut UnixStream) -> Value {
    let mut line = Vec::new();
    let work = async {
        while line.last() != Some(&b'\n') {
            line.push(caller.read_u8().await.expect("a line"));
        }
    };
    timeout(LONG, work).await.expect("a line in time");
    serde_json::from_slice(&line).unwrap()
}

async fn read_all(caller: &mut UnixStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    timeout(LONG, caller.read_to_end(&mut bytes))
        .await
        .expect("an end")
        .unwrap();
    bytes
}

fn line(id: u64, method: &str, params: &Value) -> String {
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    format!("{message}\n")
}

#[tokio::test]
async fn closing_the_write_half_still_gets_every_reply_and_item() {
    let fixture = Fixture::new();
    fixture.gate.add_permits(1);
    let request = [
        line(1, "slow", &json!({})),
        line(2, "ticks.subscribe", &json!({ "count": 3 })),
        line(3, "echo", &json!({})).trim_end().to_owned(),
    ]
    .concat();
    let reply = fixture.exchange(request.as_bytes()).await;
    assert_eq!(reply.lines().count(), 7, "{reply}");
    fixture.empty().await;
}

#[tokio::test]
async fn a_full_close_ends_what_runs() {
    let fixture = Fixture::with(Limits {
        in_flight: 2,
        ..Limits::default()
    });
    let mut caller = fixture.connect();
    let requests = [
        line(1, "slow", &json!({})),
        line(2, "waits", &json!({})),
        line(3, "watch.subscribe", &json!({})),
        line(4, "late", &json!({})),
        line(5, "slow", &json!({})),
    ]
    .concat();
    caller.write_all(requests.as_bytes()).await.unwrap();
    assert!(read_line(&mut caller).await["result"]["subscription"].is_u64());
    drop(caller);
    fixture.empty().await;
    assert_eq!(fixture.control.counts().in_flight, 0);
    assert_eq!(fixture.control.counts().subscriptions, 0);
}

#[tokio::test]
async fn a_full_close_is_seen_where_nothing_is_read_any_more() {
    let fixture = Fixture::new();
    let mut caller = fixture.connect();
    caller
        .write_all(line(1, "waits", &json!({})).as_bytes())
        .await
        .unwrap();
    caller.shutdown().await.unwrap();
    while fixture.control.counts().in_flight == 0 {
        tokio::task::yield_now().await;
    }
    drop(caller);
    fixture.empty().await;
}

#[tokio::test]
async fn content_length_frames_both_directions() {
    let fixture = Fixture::new();
    let message = r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{"value":"é"}}"#;
    let request = format!("Content-Length: {}\r\n\r\n{message}", message.len());
    let reply = fixture.exchange(request.as_bytes()).await;
    let body = r#"{"jsonrpc":"2.0","id":1,"result":"é"}"#;
    assert_eq!(
        reply,
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    );
}

#[tokio::test]
async fn a_bad_header_block_is_answered_and_ends_the_connection() {
    let fixture = Fixture::new();
    let mut caller = fixture.connect();
    caller
        .write_all(b"Content-Length: x\r\n\r\n{}")
        .await
        .unwrap();
    let reply = String::from_utf8(read_all(&mut caller).await).unwrap();
    assert!(reply.contains("-32700"), "{reply}");
}

#[tokio::test]
async fn a_silent_connection_costs_nothing_and_says_nothing() {
    let fixture = Fixture::new();
    assert_eq!(fixture.exchange(b"").await, "");
    assert_eq!(fixture.exchange(b" \r\n\n").await, "");
    fixture.empty().await;
}

#[tokio::test]
async fn connections_over_the_limit_are_answered_in_their_framing() {
    let fixture = Fixture::with(Limits {
        connections: 1,
        ..Limits::default()
    });
    let mut first = fixture.connect();
    first
        .write_all(line(1, "echo", &json!({})).as_bytes())
        .await
        .unwrap();
    read_line(&mut first).await;

    let reply = fixture
        .exchange(line(7, "echo", &json!({})).as_bytes())
        .await;
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(7), &json!(-32009))
    );

    let message = line(8, "echo", &json!({}));
    let request = format!("Content-Length: {}\r\n\r\n{message}", message.len());
    let reply = fixture.exchange(request.as_bytes()).await;
    assert!(
        reply.starts_with("Content-Length: ") && reply.contains("-32009"),
        "{reply}"
    );

    let request = format!(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    );
    let reply = fixture.exchange(request.as_bytes()).await;
    assert!(
        reply.starts_with("HTTP/1.1 503") && reply.contains("-32009"),
        "{reply}"
    );

    // The first one works on, and the place is free again after it.
    first
        .write_all(line(2, "echo", &json!({})).as_bytes())
        .await
        .unwrap();
    assert_eq!(read_line(&mut first).await["id"], 2);
    drop(first);
    fixture.empty().await;
    let reply = fixture
        .exchange(line(9, "echo", &json!({})).as_bytes())
        .await;
    assert!(reply.contains("result"), "{reply}");
}

#[tokio::test]
async fn half_a_message_may_not_wait_for_ever_when_connections_are_short() {
    let fixture = Fixture::with(Limits {
        connections: 4,
        half_sent_ms: 50,
        ..Limits::default()
    });
    let mut half = fixture.connect();
    half.write_all(b"{\"jsonrpc\":").await.unwrap();
    let mut idle = fixture.connect();
    idle.write_all(line(1, "echo", &json!({})).as_bytes())
        .await
        .unwrap();
    read_line(&mut idle).await;
    let mut silent = fixture.connect();
    let reply = String::from_utf8(read_all(&mut half).await).unwrap();
    assert!(reply.contains("-32700"), "{reply}");
    assert_eq!(read_all(&mut silent).await, b"");
    // A connection that only waits for its next request stays.
    idle.write_all(line(2, "echo", &json!({})).as_bytes())
        .await
        .unwrap();
    assert_eq!(read_line(&mut idle).await["id"], 2);
}

#[tokio::test]
async fn a_reader_that_makes_no_progress_is_closed() {
    let fixture = Fixture::with(Limits {
        unread_bytes: 1 << 20,
        stalled_ms: 100,
        ..Limits::default()
    });
    let mut caller = fixture.connect();
    let request = line(1, "big", &json!({ "count": 100_000 }));
    let flood = async {
        // Until nothing more is taken, and then the connection is closed.
        while caller.write_all(request.as_bytes()).await.is_ok() {}
    };
    timeout(LONG, flood)
        .await
        .expect("the connection to be closed");
    fixture.empty().await;
}

#[tokio::test]
async fn a_slow_subscriber_gets_a_gap_and_stays() {
    let fixture = Fixture::with(Limits {
        stalled_ms: 50,
        ..Limits::default()
    });
    let mut caller = fixture.connect();
    caller
        .write_all(line(1, "flood.subscribe", &json!({ "count": 1000 })).as_bytes())
        .await
        .unwrap();
    caller.shutdown().await.unwrap();
    // It reads when everything was sent.
    let flooded = timeout(LONG, fixture.gate.acquire()).await;
    flooded.expect("the flood to end").unwrap().forget();
    let text = String::from_utf8(read_all(&mut caller).await).unwrap();
    let mut ticks = 0;
    let mut missed = 0;
    for line in text.lines().skip(1) {
        let message: Value = serde_json::from_str(line).unwrap();
        let item = &message["params"]["result"];
        match item["type"].as_str() {
            Some("tick") => ticks += 1,
            Some("gap") => missed += item["missed"].as_u64().unwrap(),
            _ => assert_eq!(item, &json!({ "type": "end", "reason": "done" })),
        }
    }
    assert!(missed > 0);
    assert_eq!(ticks + missed, 1000);
}

#[tokio::test]
async fn the_end_of_the_daemon_answers_and_closes() {
    let fixture = Fixture::new();
    let mut caller = fixture.connect();
    let requests = [
        line(1, "slow", &json!({})),
        line(2, "watch.subscribe", &json!({})),
    ]
    .concat();
    caller.write_all(requests.as_bytes()).await.unwrap();
    read_line(&mut caller).await;
    fixture.supervisor.cancel();
    let text = String::from_utf8(read_all(&mut caller).await).unwrap();
    assert!(text.contains("\"reason\":\"shutting-down\""), "{text}");
    assert!(text.contains("state-unknown"), "{text}");
    timeout(LONG, fixture.supervisor.join())
        .await
        .expect("all tasks to end");
}

#[tokio::test]
async fn what_was_sent_before_the_end_is_answered() {
    for _ in 0..50 {
        let fixture = Fixture::new();
        let mut caller = fixture.connect();
        let first = line(1, "echo", &json!({}));
        caller.write_all(first.as_bytes()).await.unwrap();
        read_line(&mut caller).await;
        let second = line(2, "echo", &json!({}));
        caller.write_all(second.as_bytes()).await.unwrap();
        fixture.supervisor.cancel();
        let text = String::from_utf8(read_all(&mut caller).await).unwrap();
        assert!(text.contains("\"id\":2"), "{text:?}");
    }
}

#[tokio::test]
async fn a_drain_ends_watches_at_once() {
    let fixture = Fixture::new();
    let mut caller = fixture.connect();
    caller
        .write_all(line(1, "watch.subscribe", &json!({})).as_bytes())
        .await
        .unwrap();
    read_line(&mut caller).await;
    fixture.control.drain();
    let end = read_line(&mut caller).await;
    assert_eq!(
        end["params"]["result"],
        json!({ "type": "end", "reason": "shutting-down" })
    );
}

/// The replies to a stream of bytes that comes in pieces, in an order that does not depend on time.
async fn replies(fixture: &Fixture, bytes: &[u8], size: usize) -> Vec<String> {
    let mut caller = fixture.connect();
    let mut reply = String::new();
    let work = async {
        for piece in bytes.chunks(size) {
            caller.write_all(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        caller.shutdown().await.unwrap();
        caller.read_to_string(&mut reply).await.unwrap();
    };
    timeout(LONG, work).await.expect("an end");
    let mut lines: Vec<_> = reply.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn any_pieces_give_the_same_replies(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{\"value\":\"\u{1f600}\"}}",
                "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": \"a\",\n  \"method\": \"echo\"\n}",
                "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\"},1]",
                "{\"jsonrpc\":\"2.0\",\"method\":\"echo\"}", "nul", "{", "}", "\n", "\r\n", "\u{feff}", "[]", " ",
            ]),
            1..12,
        ),
        size in 1..30usize,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let fixture = Fixture::new();
            let bytes = parts.concat().into_bytes();
            let whole = replies(&fixture, &bytes, bytes.len()).await;
            let pieces = replies(&fixture, &bytes, size).await;
            prop_assert_eq!(whole, pieces);
            Ok(())
        })?;
    }
}
