//! The JSON-RPC 2.0 envelope: one text becomes requests, ids kept as they were written.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::reply::NO_ID;
use crate::proto::text::shown;
use crate::proto::{Failure, Kind};

/// A well-formed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The id as JSON text, digit for digit; `None` for a notification.
    pub(super) id: Option<String>,
    pub(super) method: String,
    /// The parameters as JSON text, an object or an array; `None` where they are absent or `null`.
    pub(super) params: Option<String>,
}

/// JSON, but no request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Invalid {
    /// The id as JSON text where it could be read, else `null`.
    pub(super) id: String,
    pub(super) failure: Failure,
}

/// One request, or why it is none.
pub(super) type Entry = Result<Request, Invalid>;

/// What one text holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Message {
    One(Entry),
    Batch(Vec<Entry>),
}

/// Reads one message.
///
/// # Errors
/// `parse-error` for what is no JSON text, `invalid-request` for an empty batch, `batch-too-large` for one of more than
/// `batch` entries: each is answered once, with id null.
pub(super) fn read(text: &[u8], batch: usize) -> Result<Message, Failure> {
    let text = std::str::from_utf8(text)
        .map_err(|_| parse_error("the message is not UTF-8"))?
        .trim_matches([' ', '\t', '\r', '\n']);
    if !text.starts_with('[') {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| not_json(&error))?;
        return Ok(Message::One(entry(raw)));
    }
    let entries: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| not_json(&error))?;
    if entries.is_empty() {
        return Err(invalid("a batch holds at least one request"));
    }
    if entries.len() > batch {
        return Err(Failure::new(
            Kind::BatchTooLarge,
            format!(
                "a batch of {} requests is over the limit of {batch}",
                entries.len()
            ),
        )
        .hint("send several smaller batches"));
    }
    Ok(Message::Batch(entries.into_iter().map(entry).collect()))
}

/// What is answered to a text that is no JSON.
pub(super) fn parse_error(message: &str) -> Failure {
    Failure::new(Kind::ParseError, message)
}

fn not_json(error: &serde_json::Error) -> Failure {
    parse_error(if error.is_eof() {
        "the message ends before its JSON does"
    } else {
        "the message is not JSON"
    })
}

/// What is answered to JSON that is no request.
pub(super) fn invalid(message: impl Into<String>) -> Failure {
    Failure::new(Kind::InvalidRequest, message)
}

fn entry(raw: &RawValue) -> Entry {
    let refused = |message: &str| Invalid {
        id: NO_ID.to_owned(),
        failure: invalid(message),
    };
    match raw.get().as_bytes().first() {
        Some(b'{') => {}
        Some(b'[') => return Err(refused("a request is an object, not a list")),
        _ => return Err(refused("a request is an object")),
    }
    let members: Members<'_> =
        serde_json::from_str(raw.get()).map_err(|_| refused("a request is an object"))?;
    members.request()
}

/// The members of a request object, as they were written.
#[derive(Default)]
struct Members<'a> {
    jsonrpc: Option<&'a str>,
    id: Option<&'a str>,
    method: Option<&'a str>,
    params: Option<&'a str>,
    /// A name that stands there twice.
    twice: Option<String>,
    others: Vec<Cow<'a, str>>,
}

impl<'a> Members<'a> {
    fn add(&mut self, name: Cow<'a, str>, value: &'a str) {
        let place = match &*name {
            "jsonrpc" => &mut self.jsonrpc,
            "id" => &mut self.id,
            "method" => &mut self.method,
            "params" => &mut self.params,
            _ => {
                if self.others.contains(&name) {
                    self.twice = Some(name.into_owned());
                } else if self.others.len() < 32 {
                    self.others.push(name);
                }
                return;
            }
        };
        if place.replace(value).is_some() {
            self.twice = Some(name.into_owned());
        }
    }

    fn request(self) -> Entry {
        let valid_id = self.id.is_none_or(is_id) && self.twice.as_deref() != Some("id");
        let refused = |message: String| Invalid {
            id: self.id.filter(|_| valid_id).unwrap_or(NO_ID).to_owned(),
            failure: invalid(message),
        };
        if let Some(name) = &self.twice {
            return Err(refused(format!(
                "the request has {name} twice",
                name = shown(name)
            )));
        }
        if !valid_id {
            return Err(refused("id must be a string, a number or null".into()));
        }
        if self.jsonrpc.and_then(string).as_deref() != Some("2.0") {
            return Err(refused("jsonrpc must be \"2.0\"".into()));
        }
        let Some(method) = self.method else {
            return Err(refused("the request names no method".into()));
        };
        let Some(method) = string(method) else {
            return Err(refused("method must be a string".into()));
        };
        let params = match self.params.map(|text| (text, text.as_bytes()[0])) {
            None | Some((_, b'n')) => None,
            Some((text, b'{' | b'[')) => Some(text.to_owned()),
            Some(_) => return Err(refused("params must be an object".into())),
        };
        Ok(Request {
            id: self.id.map(str::to_owned),
            method,
            params,
        })
    }
}

fn string(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok()
}

/// Whether a JSON value may be an id: a string, a number or null.
fn is_id(raw: &str) -> bool {
    matches!(raw.as_bytes()[0], b'"' | b'-' | b'0'..=b'9' | b'n')
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a request object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Members::default();
                while let Some(Name(name)) = map.next_key()? {
                    members.add(name, map.next_value::<&RawValue>()?.get());
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// A member's name, borrowed unless it holds escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The id of a message of which only the beginning is at hand; `null` where it cannot be read there.
pub(super) fn peek_id(beginning: &[u8]) -> String {
    struct Peek<'a> {
        beginning: &'a [u8],
        found: &'a mut Vec<String>,
    }
    impl<'de> Visitor<'de> for Peek<'de> {
        type Value = ();
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a request object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(Name(name)) = map.next_key()? {
                if name != "id" {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
                let raw = map.next_value::<&RawValue>()?.get();
                // A number at the very end may have lost digits.
                let end = raw.as_ptr() as usize + raw.len();
                if end < self.beginning.as_ptr() as usize + self.beginning.len() && is_id(raw) {
                    self.found.push(raw.to_owned());
                } else {
                    self.found.push(NO_ID.to_owned());
                }
            }
            Ok(())
        }
    }
    let mut found = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(beginning);
    // It ends in an error, since the end is missing.
    let _ = deserializer.deserialize_map(Peek {
        beginning,
        found: &mut found,
    });
    match found.as_slice() {
        [id] => id.clone(),
        _ => NO_ID.to_owned(),
    }
}

/// Whether a line is a message by itself: a request object, or an array that begins with one.
pub(super) fn is_message(line: &[u8]) -> bool {
    let Ok(line) = std::str::from_utf8(line) else {
        return false;
    };
    let line = line.trim_matches([' ', '\t', '\r', '\n']);
    let object = |text: &str| {
        serde_json::from_str::<Members<'_>>(text).is_ok_and(|members| members.jsonrpc.is_some())
    };
    if line.starts_with('[') {
        serde_json::from_str::<Vec<&RawValue>>(line)
            .is_ok_and(|entries| entries.first().is_some_and(|entry| object(entry.get())))
    } else {
        line.starts_with('{') && object(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Entry {
        match read(text.as_bytes(), 100) {
            Ok(Message::One(entry)) => entry,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn ids_are_kept_digit_for_digit() {
        for id in [
            "0",
            "-1",
            "1.5",
            "1e3",
            "4294967296",
            "9007199254740993",
            "18446744073709551616",
            "123456789012345678901234567890",
            "\"\"",
            "\"a\\u0062\"",
            "null",
        ] {
            let request = one(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#)).unwrap();
            assert_eq!(request.id.as_deref(), Some(id));
        }
        assert_eq!(one(r#"{"jsonrpc":"2.0","method":"m"}"#).unwrap().id, None);
    }

    #[test]
    fn a_wrong_envelope_is_answered_with_its_id_where_that_can_be_read() {
        for (text, id) in [
            ("1", "null"),
            ("\"x\"", "null"),
            ("{}", "null"),
            (r#"{"jsonrpc":"1.0","id":7,"method":"m"}"#, "7"),
            (r#"{"id":7,"method":"m"}"#, "7"),
            (r#"{"jsonrpc":2.0,"id":7,"method":"m"}"#, "7"),
            (r#"{"jsonrpc":"2.0","id":"a","method":1}"#, "\"a\""),
            (r#"{"jsonrpc":"2.0","id":7}"#, "7"),
            (r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, "7"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":3}"#, "7"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","params":"x"}"#, "7"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#, "null"),
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","method":"n"}"#, "7"),
            (
                r#"{"jsonrpc":"2.0","id":7,"m\u0065thod":"m","method":"n"}"#,
                "7",
            ),
            (r#"{"jsonrpc":"2.0","id":7,"method":"m","x":1,"x":2}"#, "7"),
            (r#"{"jsonrpc":"2.0","method":1,"params":"bar"}"#, "null"),
        ] {
            let invalid = one(text).unwrap_err();
            assert_eq!(invalid.id, id, "{text}");
            assert_eq!(invalid.failure.code, -32600, "{text}");
        }
    }

    #[test]
    fn null_params_are_absent_ones() {
        let params = |text: &str| {
            one(&format!(
                r#"{{"jsonrpc":"2.0","method":"m","params":{text}}}"#
            ))
            .unwrap()
            .params
        };
        assert_eq!(params("null"), None);
        assert_eq!(params("{ }").as_deref(), Some("{ }"));
        assert_eq!(params("[]").as_deref(), Some("[]"));
    }

    #[test]
    fn a_text_that_is_no_message_is_one_error() {
        for (text, code) in [
            (&b"nul"[..], -32700),
            (b"{", -32700),
            (b"{} {}", -32700),
            (b"[1,", -32700),
            (b"NaN", -32700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":NaN,\"method\":\"m\"}", -32700),
            (b"\xef\xbb\xbf{}", -32700),
            (b"{\"a\":\"\xff\"}", -32700),
            (b"", -32700),
            (b"[]", -32600),
            (b" [ ] ", -32600),
            (b"[1,1,1]", -32010),
        ] {
            assert_eq!(read(text, 2).unwrap_err().code, code, "{text:?}");
        }
    }

    #[test]
    fn broken_entries_of_a_batch_are_refused_in_their_place() {
        let text = br#"[{"jsonrpc":"2.0","method":"m"},1,[],{"foo":"boo"}]"#;
        let Ok(Message::Batch(entries)) = read(text, 100) else {
            panic!("a batch");
        };
        let valid: Vec<bool> = entries.iter().map(Result::is_ok).collect();
        assert_eq!(valid, [true, false, false, false]);
    }

    #[test]
    fn the_id_is_found_at_the_beginning_of_a_message() {
        for (text, id) in [
            (
                r#"{"jsonrpc":"2.0","id":12,"method":"m","params":{"a":"xxx"#,
                "12",
            ),
            (r#"{"method":"m","id":"a b","params":[[["#, "\"a b\""),
            (r#"{"method":"m","params":[[["#, "null"),
            (r#"{"id":12"#, "null"),
            (r#"{"id":1,"id":2,"x":"#, "null"),
            (r#"{"id":{},"x":"#, "null"),
            (r#"[{"id":1},"#, "null"),
        ] {
            assert_eq!(peek_id(text.as_bytes()), id, "{text}");
        }
    }

    #[test]
    fn a_message_is_told_from_a_piece_of_one() {
        for (line, whole) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, true),
            (" [{\"jsonrpc\":\"2.0\"}]\r\n", true),
            (r#"{"cwd":"/x"}"#, false),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m"},"#, false),
            (r#""jsonrpc":"2.0","#, false),
            ("[]", false),
            ("}", false),
        ] {
            assert_eq!(is_message(line.as_bytes()), whole, "{line}");
        }
    }
}
