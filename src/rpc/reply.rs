//! What goes back to a caller, as text: replies are built around the caller's own id, byte for byte.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::proto::{Failure, Kind};

/// What stands where a request has no id that can be read.
pub(super) const NO_ID: &str = "null";

/// A reply without its id: `"result":…` or `"error":…`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) text: String,
    /// The code of an error.
    pub(super) error: Option<i32>,
}

impl Body {
    /// A result that is JSON already.
    pub(super) fn result(json: &str) -> Self {
        Self {
            text: format!("\"result\":{json}"),
            error: None,
        }
    }

    /// An error.
    pub(super) fn failure(failure: &Failure) -> Self {
        let mut text = String::from("\"error\":");
        let error = serde_json::json!({
            "code": failure.code,
            "message": failure.message,
            "data": failure.data,
        });
        // Writing to a string cannot fail.
        let _ = write!(text, "{error}");
        Self {
            text,
            error: Some(failure.code),
        }
    }

    /// The result's JSON, if it is one.
    pub(super) fn as_result(&self) -> Option<&str> {
        self.text.strip_prefix("\"result\":")
    }

    /// The error's JSON, if it is one.
    pub(super) fn as_error(&self) -> Option<&str> {
        self.text.strip_prefix("\"error\":")
    }

    /// The whole message.
    pub(super) fn message(&self, id: &str) -> Vec<u8> {
        const HEAD: &str = "{\"jsonrpc\":\"2.0\",\"id\":";
        let mut message = Vec::with_capacity(HEAD.len() + id.len() + self.text.len() + 3);
        for part in [HEAD, id, ",", &self.text, "}"] {
            message.extend_from_slice(part.as_bytes());
        }
        message
    }
}

/// Writes a result, but not more than the limit.
///
/// # Errors
/// `reply-too-large`, or `internal` for a value without a JSON form.
pub(super) fn encode<T: Serialize>(
    method: &str,
    value: &T,
    limit: usize,
) -> Result<Box<RawValue>, Failure> {
    let mut bounded = Bounded {
        bytes: Vec::with_capacity(256),
        limit,
    };
    match serde_json::to_writer(&mut bounded, value) {
        Ok(()) => String::from_utf8(bounded.bytes)
            .ok()
            .and_then(|text| RawValue::from_string(text).ok())
            .ok_or_else(|| no_json(method)),
        Err(error) if error.is_io() => Err(too_large(method, limit)),
        Err(error) => {
            tracing::error!(method, %error, "a result has no JSON form");
            Err(no_json(method))
        }
    }
}

/// The answer in the place of one that is over the limit.
pub(super) fn too_large(method: &str, limit: usize) -> Failure {
    Failure::new(
        Kind::ReplyTooLarge,
        format!("the reply of {method} is over the limit of {limit} bytes"),
    )
    .hint("ask for less at a time; what the call does was done")
}

fn no_json(method: &str) -> Failure {
    Failure::new(
        Kind::Internal,
        format!("the result of {method} could not be written"),
    )
    .hint("this is a bug of surfaced; its log has more")
}

struct Bounded {
    bytes: Vec<u8>,
    limit: usize,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reply_carries_the_id_as_it_came() {
        let body = Body::result("{}");
        for id in [
            "1",
            "-0",
            "1.50",
            "1e3",
            "18446744073709551616",
            "\"\\u0041\"",
            "null",
        ] {
            assert_eq!(
                String::from_utf8(body.message(id)).unwrap(),
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}")
            );
        }
    }

    #[test]
    fn a_failure_shows_its_kind_and_what_to_do() {
        let failure = Failure::params("items[2].cwd", "items[2].cwd is empty").hint("send one");
        let message = Body::failure(&failure).message(NO_ID);
        let message: serde_json::Value = serde_json::from_slice(&message).unwrap();
        assert_eq!(
            message,
            json!({ "jsonrpc": "2.0", "id": null, "error": {
                "code": -32602, "message": "items[2].cwd is empty",
                "data": { "kind": "invalid-params", "hint": "send one", "path": "items[2].cwd" },
            }})
        );
    }

    #[test]
    fn what_is_over_the_limit_is_refused_and_not_cut() {
        assert_eq!(encode("m", &"12345", 7).unwrap().get(), "\"12345\"");
        let failure = encode("m", &"12345", 6).unwrap_err();
        assert_eq!(failure.kind(), Kind::ReplyTooLarge);
    }
}
