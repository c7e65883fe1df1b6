//! Reads parameters and says what is wrong with them in the protocol's words.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_path_to_error::{Path, Segment};

use super::objects::Objects;
use super::registry::nearest;
use crate::proto::text::{plain, shown};
use crate::proto::{Failure, Kind, Method};

/// More bytes of parameters than this are read off the runtime.
const LONG: usize = 32 << 10;

/// Reads and checks the parameters of a method.
///
/// # Errors
/// `invalid-params` with the path of what is wrong.
pub(super) fn read<M: Method>(params: Option<&str>) -> Result<M::Params, Failure> {
    let params = parse(params)?;
    M::check(&params)?;
    Ok(params)
}

/// Reads and checks the parameters of a method as the daemon does, for those who want its words for what is wrong with them.
///
/// # Errors
/// `invalid-params` with the path of what is wrong.
pub fn read_params<M: Method>(params: &str) -> Result<M::Params, Failure> {
    read::<M>(Some(params))
}

/// The same off the runtime where they are long: reading the longest takes as long as hundreds of other requests.
///
/// # Errors
/// As [`read`].
pub(super) async fn read_apart<M: Method>(params: Option<&str>) -> Result<M::Params, Failure> {
    let Some(long) = params.filter(|params| params.len() > LONG) else {
        return read::<M>(params);
    };
    let long = long.to_owned();
    match tokio::task::spawn_blocking(move || read::<M>(Some(&long))).await {
        Ok(read) => read,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Failure::new(Kind::ShuttingDown, "the daemon ends")),
        },
    }
}

/// Reads parameters: an object; absent ones and `[]` are `{}`, and a list of exactly one object is that object.
///
/// # Errors
/// `invalid-params` with the path of what is wrong.
pub(super) fn parse<T: DeserializeOwned>(params: Option<&str>) -> Result<T, Failure> {
    let object = by_name(params.unwrap_or("{}"))?;
    let mut deserializer = serde_json::Deserializer::from_str(object);
    serde_path_to_error::deserialize(Objects(&mut deserializer))
        .map_err(|error| explain(error.path(), &error.inner().to_string()))
}

fn by_name(params: &str) -> Result<&str, Failure> {
    if !params.starts_with('[') {
        return Ok(params);
    }
    let refused = || {
        Failure::params("", "parameters are given by name, in an object")
            .hint("a list may hold that object and nothing else")
    };
    let list: Vec<&RawValue> = serde_json::from_str(params).map_err(|_| refused())?;
    match list.as_slice() {
        [] => Ok("{}"),
        [one] if one.get().starts_with('{') => Ok(one.get()),
        _ => Err(refused()),
    }
}

/// Says what serde means, at which parameter, in words that know nothing of this program's types.
fn explain(path: &Path, error: &str) -> Failure {
    let at = dotted(path);
    let error = without_position(error);
    if let Some((field, expected)) = after(error, "unknown field `") {
        return unknown_field(&at, field, expected);
    }
    if let Some((field, _)) = after(error, "missing field `") {
        let path = join(&at, field);
        let message = format!("{path} is missing");
        return Failure::params(path, message);
    }
    if let Some((field, _)) = after(error, "duplicate field `") {
        let path = join(&at, field);
        let message = format!("{path} is given twice");
        return Failure::params(path, message);
    }
    let name = if at.is_empty() { "params" } else { &at };
    let message = if let Some((word, expected)) = after(error, "unknown variant `") {
        return one_of(&at, name, word, expected);
    } else if let Some(rest) = error.strip_prefix("invalid type: ") {
        mismatch(name, rest)
    } else if let Some(rest) = error.strip_prefix("invalid value: ") {
        mismatch(name, rest)
    } else if error.contains("surrogate") || error.contains("escape") {
        format!("{name} holds half of a surrogate pair, which is no text")
    } else if error.contains("number out of range") {
        format!("{name} is a number out of range")
    } else if error.contains("recursion limit") {
        format!("{name} is nested too deeply")
    } else if error == "expected value" {
        // The text is JSON, so this is serde_json's answer to what is no word where a word is meant.
        format!("{name} must be a string")
    } else if error.starts_with("invalid length") || error.starts_with("expected ") {
        format!("{name} has the wrong form")
    } else if error.starts_with('"') {
        // Types of the protocol that check themselves say what is wrong: in a sentence of their own,
        format!("{name}: {error}")
    } else {
        // or in the rest of one.
        format!("{name} {error}")
    };
    Failure::params(at, message)
}

fn unknown_field(at: &str, field: &str, expected: &str) -> Failure {
    // The path may end in the unknown name itself.
    let parent = at
        .strip_suffix(field)
        .map_or(at, |parent| parent.trim_end_matches('.'));
    let path = join(parent, &plain(field));
    let message = format!("there is no parameter {path}");
    let known = quoted(expected);
    let failure = Failure::params(path, message);
    match nearest(field, known.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None if known.is_empty() => failure.hint("it takes no parameters"),
        None => failure.hint(format!("it takes {}", known.join(", "))),
    }
}

fn one_of(at: &str, name: &str, word: &str, expected: &str) -> Failure {
    let known = quoted(expected);
    let failure = Failure::params(
        at,
        format!(
            "{name} must be one of {}, not {word}",
            known.join(", "),
            word = shown(word)
        ),
    );
    match nearest(word, known.into_iter()) {
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None => failure,
    }
}

/// `integer `3`, expected a string` as a sentence.
fn mismatch(name: &str, text: &str) -> String {
    let Some((found, expected)) = text.rsplit_once(", expected ") else {
        return format!("{name} has the wrong type");
    };
    format!(
        "{name} must be {}, not {}",
        wanted(expected),
        found_in_words(found)
    )
}

/// What was found; strings are not repeated, since they may be secret.
fn found_in_words(found: &str) -> Cow<'_, str> {
    let value = found.split('`').nth(1).unwrap_or_default();
    if found.starts_with("string") {
        "a string".into()
    } else if ["integer", "floating point", "number", "boolean"]
        .iter()
        .any(|kind| found.starts_with(kind))
    {
        value.to_owned().into()
    } else if found.starts_with("null") || found.starts_with("unit") {
        "null".into()
    } else if found.starts_with("sequence") {
        "a list".into()
    } else if found.starts_with("map") {
        "an object".into()
    } else {
        "this".into()
    }
}

/// What was expected, in JSON's words.
fn wanted(expected: &str) -> Cow<'_, str> {
    let whole = |from: &str, to: &str| format!("a whole number from {from} to {to}").into();
    match expected {
        "u8" => whole("0", "255"),
        "u16" => whole("0", "65535"),
        "u32" => whole("0", "4294967295"),
        "i32" => whole("-2147483648", "2147483647"),
        "u64" | "usize" => "a whole number, 0 or more".into(),
        "i64" | "isize" => "a whole number".into(),
        "f64" | "f32" => "a number".into(),
        "bool" | "a boolean" => "true or false".into(),
        "string" | "a string" | "a borrowed string" | "string or map" => "a string".into(),
        "a sequence" => "a list".into(),
        "a map" => "an object".into(),
        // Types of the protocol say what they are; whatever the language says is not passed on.
        _ if expected.starts_with("struct ")
            || expected.starts_with("tuple")
            || expected.starts_with("enum ")
            || expected.contains("variant")
            || expected.contains("newtype") =>
        {
            "an object".into()
        }
        _ => expected.into(),
    }
}

fn dotted(path: &Path) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => {
                // Writing to a string cannot fail.
                let _ = write!(text, "[{index}]");
            }
            Segment::Map { key } | Segment::Enum { variant: key } => text = join(&text, key),
            Segment::Unknown => {}
        }
    }
    text
}

fn join(parent: &str, field: &str) -> String {
    if parent.is_empty() {
        field.to_owned()
    } else {
        format!("{parent}.{field}")
    }
}

fn without_position(error: &str) -> &str {
    match error.rfind(" at line ") {
        Some(end) => &error[..end],
        None => error,
    }
}

/// What stands between the prefix and the next backquote, and what follows.
fn after<'a>(error: &'a str, prefix: &str) -> Option<(&'a str, &'a str)> {
    let rest = error.strip_prefix(prefix)?;
    // A name may hold backquotes itself; what follows it does not begin with one.
    let end = rest.find("`, expected").or_else(|| rest.rfind('`'))?;
    Some((&rest[..end], &rest[end + 1..]))
}

/// The words in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::proto::daemon::{Hello, Shutdown};
    use crate::proto::launch::{Build, Plan};
    use crate::proto::resolve::ResolveBackend;
    use crate::proto::resume::Resume;
    use crate::proto::terminal::Resize;

    fn check<M: Method>(params: &str, path: Option<&str>, message: &str) {
        let failure = read::<M>(Some(params))
            .err()
            .unwrap_or_else(|| panic!("{params} was read"));
        assert_eq!(failure.message, message, "{params}");
        assert_eq!(failure.data.path.as_deref(), path, "{params}");
        assert_eq!(failure.code, -32602);
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn what_is_wrong_is_said_with_its_path_in_the_protocols_words() {
        check::<Build>(
            r#"{"items":[{},{},{"cwd":"x"}]}"#,
            Some("items[2].cwd"),
            "items[2].cwd must be an absolute path, not \"x\"",
        );
        check::<Build>(
            r#"{"items":[{"cwdd":"/x"}]}"#,
            Some("items[0].cwdd"),
            "there is no parameter items[0].cwdd",
        );
        check::<Build>(
            r#"{"itmes":[]}"#,
            Some("itmes"),
            "there is no parameter itmes",
        );
        check::<Build>("{}", Some("items"), "items is missing");
        check::<Build>(
            r#"{"items":{}}"#,
            Some("items"),
            "items must be a list, not an object",
        );
        check::<Build>(
            r#"{"items":[3]}"#,
            Some("items[0]"),
            "items[0] must be an item, which is an object, not 3",
        );
        check::<Build>(
            r#"{"items":[["x"]]}"#,
            Some("items[0]"),
            "items[0] must be an item, which is an object, not a list",
        );
        check::<Build>(
            r#"{"items":[{"command":"ls -l"}]}"#,
            Some("items[0].command"),
            "items[0].command must be a list, not a string",
        );
        check::<Build>(
            r#"{"items":[{"command":[]}]}"#,
            Some("items[0].command"),
            "items[0].command must hold at least one word, the program",
        );
        check::<Build>(
            r#"{"items":[{"command":["a",1]}]}"#,
            Some("items[0].command[1]"),
            "items[0].command[1] must be a string, not 1",
        );
        check::<Build>(
            r#"{"items":[{"command":["a","b\u0000"]}]}"#,
            Some("items[0].command[1]"),
            "items[0].command[1] must not contain a NUL character",
        );
        check::<Build>(
            r#"{"items":[{"env":{"A":1}}]}"#,
            Some("items[0].env.A"),
            "items[0].env.A must be a string, not 1",
        );
        check::<Build>(
            r#"{"items":[{"env":{"9A":"x"}}]}"#,
            Some("items[0].env.9A"),
            "items[0].env.9A: \"9A\" is not the name of a variable (letters, digits and _, no digit first)",
        );
        check::<Build>(
            r#"{"items":[{"layout":"tabs"}]}"#,
            Some("items[0].layout"),
            "items[0].layout must be one of tab, split-right, split-down, window, not \"tabs\"",
        );
        check::<Build>(
            r#"{"items":[{"layout":1}]}"#,
            Some("items[0].layout"),
            "items[0].layout must be a string",
        );
        check::<Build>(
            r#"{"items":[],"handles":"yes"}"#,
            Some("handles"),
            "handles must be true or false, not a string",
        );
        check::<Build>(
            r#"{"items":[],"items":[]}"#,
            Some("items"),
            "items is given twice",
        );
        check::<Build>(
            r#"{"items":[{"title":"\ud800"}]}"#,
            Some("items[0].title"),
            "items[0].title holds half of a surrogate pair, which is no text",
        );
        check::<Plan>(
            r#"{"count":-1}"#,
            Some("count"),
            "count must be a whole number from 0 to 4294967295, not -1",
        );
        check::<Plan>(
            r#"{"count":1.5}"#,
            Some("count"),
            "count must be a whole number from 0 to 4294967295, not 1.5",
        );
        check::<Plan>(
            r#"{"count":20000}"#,
            Some("count"),
            "count must be at most 10000",
        );
        let many = |key: &str, one: &str| format!(r#"{{"{key}":[{}]}}"#, vec![one; 1001].join(","));
        let message = "items must hold at most 1000: send the rest in another call";
        check::<Plan>(&many("items", "{}"), Some("items"), message);
        check::<Build>(
            &many("items", "3,{}"),
            Some("items[0]"),
            "items[0] must be an item, which is an object, not 3",
        );
        check::<Build>(&many("items", "{}"), Some("items"), message);
        check::<Resume>(
            &many("ids", "\"x\""),
            Some("ids"),
            &message.replace("items", "ids"),
        );
        check::<ResolveBackend>(
            r#"{"context":[]}"#,
            Some("context"),
            "context must be a context, which is an object, not a list",
        );
        check::<Hello>(
            r#"{"protocol":{"min":1}}"#,
            Some("protocol.max"),
            "protocol.max is missing",
        );
        check::<Shutdown>(
            r#"{"mode":"later"}"#,
            Some("mode"),
            "mode must be one of drain, now, not \"later\"",
        );
        check::<Resize>(
            r#"{"id":"t","rows":0,"cols":10}"#,
            Some("rows"),
            "rows must be a whole number from 1 to 1000, not 0",
        );
    }

    #[tokio::test]
    async fn long_parameters_are_read_like_short_ones() {
        for word in ["x".to_owned(), "x".repeat(LONG * 2)] {
            let params = format!(r#"{{"items":[{{"command":["{word}"]}}]}}"#);
            let read = read_apart::<Build>(Some(&params)).await.unwrap();
            let command = serde_json::to_value(&read.items[0].command).unwrap();
            assert_eq!(command, serde_json::json!([word]));
            let params = format!(r#"{{"items":[{{"command":["{word}",1]}}]}}"#);
            let failure = read_apart::<Build>(Some(&params)).await.unwrap_err();
            assert_eq!(failure.data.path.as_deref(), Some("items[0].command[1]"));
        }
    }

    #[test]
    fn a_name_that_was_nearly_right_is_suggested() {
        let hint = |params: &str| read::<Build>(Some(params)).unwrap_err().data.hint.unwrap();
        assert_eq!(hint(r#"{"itmes":[]}"#), "did you mean items?");
        assert_eq!(
            hint(r#"{"items":[{"layout":"splitright"}]}"#),
            "did you mean split-right?"
        );
        assert!(hint(r#"{"zzz":1}"#).starts_with("it takes items, backend"));
    }

    #[test]
    fn parameters_are_an_object_or_a_list_of_one() {
        #[derive(Debug, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct One {
            a: Option<u8>,
        }
        for (params, a) in [
            (None, None),
            (Some("{}"), None),
            (Some("[]"), None),
            (Some("[ ]"), None),
            (Some(r#"{"a":null}"#), None),
            (Some(r#"{"a":1}"#), Some(1)),
            (Some(r#"[{"a":1}]"#), Some(1)),
        ] {
            assert_eq!(parse::<One>(params), Ok(One { a }), "{params:?}");
        }
        for params in ["[1]", "[{},{}]", "[[]]", "[null]"] {
            let failure = parse::<One>(Some(params)).unwrap_err();
            assert_eq!(
                failure.message,
                "parameters are given by name, in an object"
            );
            assert_eq!(failure.data.path, None);
        }
    }
}
