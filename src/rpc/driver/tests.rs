//! The driver without a wire.

use serde_json::{Value, json};
use tokio::time::timeout;

use super::super::outbox::Wire;
use super::super::testing::{Fixture, peer};
use super::*;
use crate::proto::daemon::Limits;

/// A connection without a wire.
struct Bench {
    driver: Driver,
    outbox: Outbox,
}

impl Bench {
    fn new(fixture: &Fixture) -> Self {
        Self::with(fixture, Mode::Full)
    }

    fn with(fixture: &Fixture, mode: Mode) -> Self {
        let outbox = Outbox::new(Wire::Messages);
        let driver = Driver::new(fixture.server.clone(), peer(), outbox.clone(), mode);
        Self { driver, outbox }
    }

    fn send(&mut self, message: &Value) {
        self.driver.receive(message.to_string().as_bytes());
    }

    /// The next message that goes out.
    async fn read(&mut self) -> Value {
        let read = async {
            loop {
                if let Some(message) = self.outbox.try_pop() {
                    return serde_json::from_slice(&message).unwrap();
                }
                let finished = self.driver.next().await;
                self.driver.settle(finished);
            }
        };
        timeout(Duration::from_secs(30), read)
            .await
            .expect("a message")
    }

    /// Runs what there is, and says what was sent.
    async fn all(&mut self) -> Vec<Value> {
        while !self.driver.is_idle() {
            let finished = self.driver.next().await;
            self.driver.settle(finished);
        }
        std::iter::from_fn(|| self.outbox.try_pop())
            .map(|message| serde_json::from_slice(&message).unwrap())
            .collect()
    }
}

fn call(id: &Value, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn kind(reply: &Value) -> &str {
    reply["error"]["data"]["kind"].as_str().unwrap_or("none")
}

#[tokio::test]
async fn a_request_is_answered_with_its_own_id() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    for id in ["18446744073709551616", "1.50", "\"\\u0041\"", "null", "-0"] {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"echo","params":{{"value":[1]}}}}"#);
        bench.driver.receive(text.as_bytes());
        let finished = bench.driver.next().await;
        bench.driver.settle(finished);
        let reply = bench.outbox.try_pop().unwrap();
        assert_eq!(
            String::from_utf8(reply).unwrap(),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":[1]}}"#)
        );
    }
}

#[tokio::test]
async fn a_notification_is_carried_out_and_never_answered() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    for method in [
        "echo",
        "fails",
        "broken",
        "nothing",
        "ticks.unsubscribe",
        "$/cancelRequest",
    ] {
        bench.send(&json!({ "jsonrpc": "2.0", "method": method }));
    }
    bench.send(&json!({ "jsonrpc": "2.0", "method": "echo", "params": { "x": 1 } }));
    assert_eq!(bench.all().await, Vec::<Value>::new());
}

#[tokio::test]
async fn failures_bugs_and_unknown_names_are_answered_with_their_kind() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    for (method, code, wanted, hint) in [
        ("fails", -32020, "target-gone", "open another"),
        (
            "broken",
            -32603,
            "internal",
            "the daemon's log says more; daemon.status names it",
        ),
        ("ecko", -32601, "method-not-found", "did you mean echo?"),
        (
            "zzzzzz",
            -32601,
            "method-not-found",
            "rpc.discover lists the methods",
        ),
    ] {
        bench.send(&call(&json!(1), method, &json!({})));
        let reply = bench.read().await;
        assert_eq!(reply["error"]["code"], code, "{reply}");
        assert_eq!(kind(&reply), wanted);
        assert_eq!(reply["error"]["data"]["hint"], hint);
    }
    bench.send(&call(&json!(1), "echo", &json!({ "valeu": 1 })));
    let reply = bench.read().await;
    assert_eq!(reply["error"]["data"]["path"], "valeu");
    assert_eq!(reply["error"]["data"]["hint"], "did you mean value?");
}

#[tokio::test]
async fn a_slow_request_holds_up_no_other() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    bench.send(&call(&json!(1), "slow", &json!({})));
    bench.send(&call(&json!(2), "echo", &json!({})));
    assert_eq!(bench.read().await["id"], 2);
    fixture.gate.add_permits(1);
    assert_eq!(bench.read().await["id"], 1);
}

#[tokio::test]
async fn a_batch_is_one_reply_in_its_order() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    bench.send(&json!([
        call(&json!(1), "slow", &json!({})),
        { "jsonrpc": "2.0", "method": "echo" },
        { "foo": "boo" },
        call(&json!("x"), "echo", &json!({ "value": 5 })),
        1,
        call(&json!(3), "nothing", &json!({})),
    ]));
    fixture.gate.add_permits(1);
    let reply = bench.read().await;
    let ids: Vec<_> = reply
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["id"])
        .collect();
    assert_eq!(
        ids,
        [
            &json!(1),
            &json!(null),
            &json!("x"),
            &json!(null),
            &json!(3)
        ]
    );
    assert_eq!(reply[2]["result"], 5);
    assert_eq!(reply[1]["error"]["code"], -32600);
    bench.send(
        &json!([{ "jsonrpc": "2.0", "method": "echo" }, { "jsonrpc": "2.0", "method": "fails" }]),
    );
    assert_eq!(bench.all().await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_batch_runs_more_requests_than_may_be_in_flight() {
    let fixture = Fixture::with(Limits {
        in_flight: 3,
        ..Limits::default()
    });
    let mut bench = Bench::new(&fixture);
    let batch: Vec<_> = (0..10)
        .map(|id| call(&json!(id), "slow", &json!({})))
        .collect();
    bench.send(&json!(batch));
    assert!(!bench.driver.has_room());
    assert_eq!(bench.driver.in_flight, 3);
    bench.send(&json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 9 } }));
    fixture.gate.add_permits(9);
    let reply = bench.read().await;
    assert_eq!(reply.as_array().unwrap().len(), 10);
    assert_eq!(reply[8]["result"], json!({}));
    assert_eq!(
        reply[9]["error"]["data"]["detail"],
        json!({ "outcome": "not-started" })
    );
    assert!(bench.driver.has_room());
}

#[tokio::test]
async fn a_cancelled_request_says_what_was_done() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    for (method, detail) in [
        ("slow", json!({ "outcome": "stopped" })),
        ("polite", json!({ "opened": 2 })),
        ("late", json!({ "outcome": "finished", "result": {} })),
    ] {
        bench.send(&call(&json!("a"), method, &json!({})));
        bench.send(&call(
            &json!(2),
            "$/cancelRequest",
            &json!({ "id": "\u{61}" }),
        ));
        assert_eq!(
            bench.read().await,
            json!({ "jsonrpc": "2.0", "id": 2, "result": {} })
        );
        let reply = bench.read().await;
        assert_eq!(reply["id"], "a");
        assert_eq!(reply["error"]["code"], -32800, "{reply}");
        assert_eq!(reply["error"]["data"]["detail"], detail);
    }
    bench.send(&call(&json!(2), "$/cancelRequest", &json!({ "id": 77 })));
    assert_eq!(kind(&bench.read().await), "not-found");
}

#[tokio::test]
async fn waits_and_subscriptions_have_a_limit_of_their_own() {
    let fixture = Fixture::with(Limits {
        in_flight: 1,
        subscriptions: 3,
        ..Limits::default()
    });
    let mut bench = Bench::new(&fixture);
    bench.send(&call(&json!(1), "waits", &json!({})));
    bench.send(&call(&json!(2), "watch.subscribe", &json!({})));
    bench.send(&call(&json!(3), "waits", &json!({})));
    bench.send(&call(&json!(4), "waits", &json!({})));
    let busy = bench.read().await;
    assert_eq!((&busy["id"], kind(&busy)), (&json!(4), "busy"));
    assert!(bench.driver.has_room());
    let subscription = bench.read().await["result"]["subscription"].clone();
    bench.send(&call(
        &json!(5),
        "watch.unsubscribe",
        &json!([subscription]),
    ));
    let end = bench.read().await;
    assert_eq!(
        end["params"]["result"],
        json!({ "type": "end", "reason": "unsubscribed" })
    );
    assert_eq!(
        bench.read().await,
        json!({ "jsonrpc": "2.0", "id": 5, "result": {} })
    );
    let finished = bench.driver.next().await;
    bench.driver.settle(finished);
    bench.send(&call(&json!(6), "waits", &json!({})));
    fixture.gate.add_permits(3);
    let replies = bench.all().await;
    assert_eq!(replies.len(), 3, "{replies:?}");
}

#[tokio::test]
async fn a_subscription_is_answered_before_its_items_and_ends_once() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    bench.send(&call(&json!(1), "ticks.subscribe", &json!({ "count": 2 })));
    let messages = bench.all().await;
    let id = &messages[0]["result"]["subscription"];
    assert!(id.is_u64());
    let items: Vec<_> = messages[1..]
        .iter()
        .map(|item| {
            assert_eq!(item["method"], "ticks.subscribe");
            assert_eq!(&item["params"]["subscription"], id);
            item["params"]["result"]["type"].as_str().unwrap()
        })
        .collect();
    assert_eq!(items, ["tick", "tick", "end"]);
    assert_eq!(messages[3]["params"]["result"]["reason"], "done");
    assert_eq!(fixture.control.counts().subscriptions, 0);

    bench.send(&call(&json!(2), "ticks.subscribe", &json!({})));
    assert_eq!(kind(&bench.read().await), "invalid-params");
    bench.send(&call(
        &json!(3),
        "ticks.unsubscribe",
        &json!({ "subscription": id }),
    ));
    assert_eq!(kind(&bench.read().await), "not-found");
}

#[tokio::test]
async fn the_items_of_a_batch_follow_its_reply() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    bench.send(&json!([
        call(&json!(1), "ticks.subscribe", &json!({ "count": 1 })),
        call(&json!(2), "late", &json!({})),
    ]));
    bench.send(&json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 2 } }));
    let messages = bench.all().await;
    assert!(messages[0].is_array(), "{messages:?}");
    assert_eq!(messages.len(), 3);
}

#[tokio::test]
async fn a_subscription_ends_only_by_its_own_method() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    bench.send(&call(&json!(1), "watch.subscribe", &json!({})));
    let id = bench.read().await["result"]["subscription"].clone();
    bench.send(&call(
        &json!(2),
        "ticks.unsubscribe",
        &json!({ "subscription": id }),
    ));
    assert_eq!(kind(&bench.read().await), "not-found");
    bench.send(&call(
        &json!(2),
        "watch.unsubscribe",
        &json!([{ "subscription": id }]),
    ));
    assert_eq!(bench.all().await.len(), 2);
}

#[tokio::test]
async fn one_shot_connections_have_no_subscriptions() {
    let fixture = Fixture::new();
    let mut bench = Bench::with(&fixture, Mode::Once);
    bench.send(&call(&json!(1), "ticks.subscribe", &json!({ "count": 1 })));
    assert_eq!(kind(&bench.read().await), "not-supported");
}

#[tokio::test]
async fn a_connection_over_the_limit_is_told_so() {
    let fixture = Fixture::new();
    let mut bench = Bench::with(&fixture, Mode::Refused(Shortage::Connections));
    bench.send(&call(&json!(1), "echo", &json!({})));
    let reply = bench.read().await;
    assert_eq!((reply["id"].as_u64(), kind(&reply)), (Some(1), "busy"));
}

#[tokio::test]
async fn a_draining_daemon_refuses_new_work_and_finishes_what_runs() {
    let fixture = Fixture::new();
    let mut bench = Bench::new(&fixture);
    bench.send(&call(&json!(1), "slow", &json!({})));
    bench.send(&call(&json!(2), "watch.subscribe", &json!({})));
    bench.read().await;
    fixture.control.drain();
    bench.driver.end_watches();
    let end = bench.read().await;
    assert_eq!(end["params"]["result"]["reason"], "shutting-down");
    for method in ["echo", "nothing", "ticks.subscribe"] {
        bench.send(&call(&json!(3), method, &json!({})));
        let reply = bench.read().await;
        assert_eq!(reply["error"]["code"], -32012, "{reply}");
    }
    bench.send(&call(&json!(4), "daemon.hello", &json!({})));
    assert_eq!(kind(&bench.read().await), "internal");
    let mut quiet = std::pin::pin!(fixture.control.quiet());
    assert!(futures_util::poll!(&mut quiet).is_pending());
    fixture.gate.add_permits(1);
    assert_eq!(bench.all().await[0]["result"], json!({}));
    quiet.await;
}

#[tokio::test]
async fn the_end_of_the_daemon_answers_everything() {
    let fixture = Fixture::with(Limits {
        in_flight: 2,
        ..Limits::default()
    });
    let mut bench = Bench::new(&fixture);
    let batch: Vec<_> = ["slow", "polite", "echo", "waits"]
        .iter()
        .enumerate()
        .map(|(id, method)| call(&json!(id), method, &json!({})))
        .collect();
    bench.send(&json!(batch));
    bench.send(&call(&json!(9), "watch.subscribe", &json!({})));
    bench.read().await;
    bench.driver.shut_down();
    let messages = bench.all().await;
    assert_eq!(messages[0]["params"]["result"]["reason"], "shutting-down");
    let replies = messages[1].as_array().unwrap();
    let kinds: Vec<_> = replies.iter().map(kind).collect();
    // Those that began may have done something; the others ran over the limit of two, and can be sent again.
    assert_eq!(
        kinds,
        [
            "state-unknown",
            "state-unknown",
            "shutting-down",
            "state-unknown"
        ]
    );
    let detail = |at: usize| &replies[at]["error"]["data"]["detail"];
    assert_eq!(*detail(0), json!({ "outcome": "stopped" }));
    assert_eq!(*detail(1), json!({ "opened": 2 }));
}

#[test]
fn only_what_did_nothing_is_said_not_to_have_been_carried_out() {
    let said = |name, body: Body, cause| {
        let body = call::reply(name, Outcome::Answered(body), cause);
        let error: Value = serde_json::from_str(body.as_error().unwrap()).unwrap();
        error["data"]["kind"].as_str().unwrap().to_owned()
    };
    let stopped = |detail: Value| {
        Body::failure(&Failure::new(Kind::Cancelled, "it was cancelled").detail(detail))
    };
    let ending = || Body::failure(&Failure::new(Kind::ShuttingDown, "the daemon is ending"));
    let end = Some(Cause::ShuttingDown);
    for (name, body, cause, kind) in [
        (
            "open",
            stopped(json!({ "outcome": "not-started", "opened": [] })),
            end,
            "shutting-down",
        ),
        (
            "open",
            stopped(json!({ "opened": [{ "index": 0 }] })),
            end,
            "state-unknown",
        ),
        ("seat.spawn", ending(), None, "state-unknown"),
        ("agent.create", ending(), end, "state-unknown"),
        ("terminal.list", ending(), None, "shutting-down"),
        ("open", stopped(json!({})), Some(Cause::Asked), "cancelled"),
    ] {
        assert_eq!(said(name, body, cause), kind, "{name}");
    }
    let looked = call::reply("surface.wait", Outcome::Stopped, end);
    assert_eq!(looked.error, Some(Kind::ShuttingDown.code()));
}

#[tokio::test]
async fn limits_are_refused_with_errors() {
    let fixture = Fixture::with(Limits {
        reply_bytes: 1000,
        nesting: 5,
        batch: 2,
        ..Limits::default()
    });
    let mut bench = Bench::new(&fixture);
    bench.send(&call(&json!(1), "big", &json!({ "count": 1001 })));
    assert_eq!(kind(&bench.read().await), "reply-too-large");
    bench.send(&json!([
        call(&json!(1), "big", &json!({ "count": 800 })),
        call(&json!(2), "big", &json!({ "count": 800 })),
    ]));
    let reply = bench.read().await;
    let kinds: Vec<_> = reply.as_array().unwrap().iter().map(kind).collect();
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| **kind == "reply-too-large")
            .count(),
        1
    );
    bench.send(&json!([1, 2, 3]));
    let reply = bench.read().await;
    assert_eq!(
        (&reply["id"], kind(&reply)),
        (&json!(null), "batch-too-large")
    );
    bench.send(&call(&json!(7), "echo", &json!({ "value": [[[[1]]]] })));
    let reply = bench.read().await;
    assert_eq!((&reply["id"], kind(&reply)), (&json!(7), "invalid-request"));
    // A new value holds from the next message on.
    fixture.limits.send_modify(|limits| limits.nesting = 128);
    bench.send(&call(&json!(7), "echo", &json!({ "value": [[[[1]]]] })));
    assert_eq!(bench.read().await["result"], json!([[[[1]]]]));
}
