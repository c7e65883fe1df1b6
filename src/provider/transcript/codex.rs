//! Codex: `sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`. The first line is `session_meta` with `id`, `cwd`, `timestamp` and
//! `cli_version`; before that form it was the bare object. The name is no source: the time in front of the id is not part of it.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::{lines, millis, prompt, said};
use super::{Format, Reading, Sample, Transcript, directory, file_name, is_kind};

/// The rollouts of Codex.
pub(in crate::provider) struct Codex;

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

/// `payload` of `session_meta`.
#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(default)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(default)]
    cli_version: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    source: Option<&'a RawValue>,
}

/// What a person said: a `message` of an event, or the `content` of an item with their role.
#[derive(Deserialize)]
struct Said<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

impl Format for Codex {
    fn roots(&self, home: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let named = directory(variable, "CODEX_HOME");
        let dirs = named.into_iter().chain([format!("{home}/.codex")]);
        dirs.map(|dir| format!("{dir}/sessions")).collect()
    }

    fn depth(&self) -> usize {
        3
    }

    fn holds(&self, path: &str) -> bool {
        let name = file_name(path);
        name.starts_with("rollout-") && is_kind(name, ".jsonl")
    }

    fn read(&self, sample: Sample<'_>) -> Reading {
        let mut lines = lines(sample.head, sample.whole);
        let Some(first) = lines.next() else {
            return if sample.whole {
                Reading::Nothing
            } else if sample.last {
                Reading::Damaged("its first line has no end".to_owned())
            } else {
                Reading::More
            };
        };
        let Some(meta) = meta(first) else {
            return Reading::Damaged("its first line is not session_meta".to_owned());
        };
        // Helpers of a conversation have files of their own, which nobody takes up.
        if meta
            .source
            .is_some_and(|source| source.get().contains("\"subagent\""))
        {
            return Reading::Nothing;
        }
        let mut found = Transcript {
            id: meta.id.into_owned(),
            cwd: meta.cwd.map(Cow::into_owned),
            started_ms: meta.timestamp.and_then(|time| millis(&time)),
            version: meta.cli_version.map(Cow::into_owned),
            ..Transcript::default()
        };
        for line in lines {
            let text = said_in(line);
            if let Some(text) = &text
                && found.cwd.is_none()
            {
                found.cwd = environment(text);
            }
            found.title = text.and_then(|text| prompt(&text));
            if found.title.is_some() {
                break;
            }
        }
        if found.title.is_none() && !sample.whole && !sample.last {
            return Reading::More;
        }
        Reading::Conversation(found)
    }
}

fn meta(line: &[u8]) -> Option<Meta<'_>> {
    let outer: Line<'_> = serde_json::from_slice(line).ok()?;
    match (&*outer.kind, outer.payload) {
        ("session_meta", Some(payload)) => serde_json::from_str(payload.get()).ok(),
        ("", None) => serde_json::from_slice(line).ok(),
        _ => None,
    }
}

fn said_in(line: &[u8]) -> Option<String> {
    let outer: Line<'_> = serde_json::from_slice(line).ok()?;
    let inner: Said<'_> = match (&*outer.kind, outer.payload) {
        ("event_msg" | "response_item", Some(payload)) => {
            serde_json::from_str(payload.get()).ok()?
        }
        ("message", None) => serde_json::from_slice(line).ok()?,
        _ => return None,
    };
    if inner.kind == "user_message" {
        return said(inner.message?);
    }
    (inner.role.as_deref() == Some("user"))
        .then(|| said(inner.content?))
        .flatten()
}

/// The directory in what the program tells the model of its surroundings.
fn environment(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("<cwd>")?;
    let (cwd, _) = rest.split_once("</cwd>")?;
    cwd.starts_with('/').then(|| cwd.to_owned())
}
