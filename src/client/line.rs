//! The messages of a client: one a line.

use serde_json::{Value, json};

use crate::proto::{Failure, Kind};

/// A request as a line.
pub(super) fn request(id: u64, method: &str, params: &Value) -> String {
    let mut line =
        json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
    line.push('\n');
    line
}

/// A notification as a line.
pub(super) fn notification(method: &str, params: &Value) -> String {
    let mut line = json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string();
    line.push('\n');
    line
}

/// What a daemon sent.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// The answer to a request.
    Reply(u64, Result<Value, Failure>),
    /// An item of a subscription.
    Item(u64, Value),
    /// An error about something that was not a request of ours.
    Stray,
}

/// Reads a line; `None` where it is no JSON-RPC message.
pub(super) fn read(line: &[u8]) -> Option<Incoming> {
    let mut message: Value = serde_json::from_slice(line).ok()?;
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return None;
    }
    if message.get("method").is_some() {
        let params = message.get_mut("params")?;
        let id = params.get("subscription")?.as_u64()?;
        return Some(Incoming::Item(id, params.get_mut("result")?.take()));
    }
    let Some(id) = message.get("id").and_then(Value::as_u64) else {
        return Some(Incoming::Stray);
    };
    let outcome = match message.get_mut("error") {
        Some(error) => Err(failure(error.take())),
        None => Ok(message.get_mut("result")?.take()),
    };
    Some(Incoming::Reply(id, outcome))
}

/// An error object as a failure. A kind that this client does not know is `internal` with the data as detail.
fn failure(mut error: Value) -> Failure {
    let message = error["message"]
        .as_str()
        .unwrap_or("no reason given")
        .to_owned();
    let data = error["data"].take();
    let mut failure = Failure::new(Kind::Internal, message);
    if let Ok(data) = serde_json::from_value(data.clone()) {
        *failure.data = data;
    } else {
        failure.data.hint = data["hint"].as_str().map(str::to_owned);
        failure.data.detail = Some(data);
    }
    if let Some(code) = error["code"]
        .as_i64()
        .and_then(|code| i32::try_from(code).ok())
    {
        failure.code = code;
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        assert_eq!(
            read(br#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#),
            Some(Incoming::Reply(7, Ok(json!({ "a": 1 }))))
        );
        assert_eq!(
            read(br#"{"jsonrpc":"2.0","method":"events.subscribe","params":{"subscription":3,"result":{"type":"event"}}}"#),
            Some(Incoming::Item(3, json!({ "type": "event" })))
        );
        assert_eq!(
            read(br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#),
            Some(Incoming::Stray)
        );
        for line in ["", "HTTP/1.1 400 Bad Request", "{}", "[]", "{\"id\":1}"] {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn errors_keep_what_the_daemon_says() {
        let failure = |text: &str| match read(text.as_bytes()) {
            Some(Incoming::Reply(1, Err(failure))) => failure,
            other => panic!("{other:?}"),
        };
        let known = failure(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"gone","data":{"kind":"target-gone","hint":"h"}}}"#,
        );
        assert_eq!(known.kind(), Kind::TargetGone);
        assert_eq!(known.data.hint.as_deref(), Some("h"));
        let newer = failure(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32099,"message":"new","data":{"kind":"newer-kind","hint":"h"}}}"#,
        );
        assert_eq!(newer.code, -32099);
        assert_eq!(newer.data.hint.as_deref(), Some("h"));
        assert_eq!(newer.data.detail.unwrap()["kind"], "newer-kind");
    }
}
