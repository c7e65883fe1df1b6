//! Gemini CLI: `tmp/PROJECT/chats/session-TIME-ID.jsonl`, whose first line has `sessionId`, `projectHash` and `startTime`; before
//! that one document in `.json`. Only the first eight characters of the id are in the name. The directory is not in the
//! content: `tmp/PROJECT/.project_root` holds it, and `projectHash` is its SHA-256.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::text::{last_lines, lines, millis, prompt, said, title};
use super::{Format, Reading, Sample, Transcript, directory, file_name, is_kind};

/// The chats of Gemini CLI.
pub(in crate::provider) struct Gemini;

/// A line: what is known of the conversation, a change of that, or a message.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Line<'a> {
    #[serde(borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    project_hash: Option<Cow<'a, str>>,
    #[serde(borrow)]
    start_time: Option<Cow<'a, str>>,
    #[serde(borrow)]
    summary: Option<Cow<'a, str>>,
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(rename = "type", borrow)]
    sort: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(rename = "$set", borrow)]
    set: Option<&'a RawValue>,
}

/// What was read of one.
#[derive(Default)]
struct Chat {
    id: Option<String>,
    hash: Option<String>,
    started_ms: Option<u64>,
    summary: Option<String>,
    prompt: Option<String>,
    helper: bool,
}

impl Format for Gemini {
    fn roots(&self, home: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let named = directory(variable, "GEMINI_CLI_HOME");
        let homes = named.into_iter().chain([home.to_owned()]);
        homes.map(|home| format!("{home}/.gemini/tmp")).collect()
    }

    fn depth(&self) -> usize {
        2
    }

    fn holds(&self, path: &str) -> bool {
        let name = file_name(path);
        let within = path
            .strip_suffix(name)
            .is_some_and(|dir| dir.ends_with("/chats/"));
        within
            && name.starts_with("session-")
            && (is_kind(name, ".json") || is_kind(name, ".jsonl"))
    }

    fn beside(&self, path: &str) -> Option<String> {
        let (project, _) = path.split_once('/')?;
        Some(format!("{project}/.project_root"))
    }

    fn is_of(&self, place: &str, cwd: &str) -> bool {
        place == hash(cwd)
    }

    fn read(&self, sample: Sample<'_>) -> Reading {
        let chat = read(sample);
        let is_known = chat.id.is_some() && (chat.prompt.is_some() || chat.summary.is_some());
        if !is_known && !sample.whole && !sample.last {
            return Reading::More;
        }
        if chat.helper {
            return Reading::Nothing;
        }
        let Some(id) = chat.id else {
            return if sample.head.trim_ascii().is_empty() {
                Reading::Nothing
            } else {
                Reading::Damaged("it has no sessionId".to_owned())
            };
        };
        let cwd = sample.beside.map(|text| text.trim().to_owned());
        // Another project may have taken the name of the directory since.
        let cwd = cwd.filter(|cwd| {
            let is_it = |found: &String| *found == hash(cwd);
            cwd.starts_with('/') && chat.hash.as_ref().is_none_or(is_it)
        });
        Reading::Conversation(Transcript {
            id,
            cwd,
            place: chat.hash,
            started_ms: chat.started_ms,
            title: chat.summary.or(chat.prompt),
            ..Transcript::default()
        })
    }
}

/// The id of a directory.
fn hash(cwd: &str) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(cwd.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

fn read(sample: Sample<'_>) -> Chat {
    let mut chat = Chat::default();
    if is_kind(sample.path, ".json") {
        let mut document = serde_json::Deserializer::from_slice(sample.head);
        // What stands before the end of what was read is kept.
        let _ = Document(&mut chat).deserialize(&mut document);
        return chat;
    }
    for line in lines(sample.head, sample.whole) {
        if let Ok(line) = serde_json::from_slice::<Line<'_>>(line) {
            chat.add(&line);
        }
    }
    let summary = last_lines(sample.tail)
        .filter_map(|line| serde_json::from_slice::<Line<'_>>(line).ok())
        .find_map(|line| {
            let set: Line<'_> = serde_json::from_str(line.set?.get()).ok()?;
            title(&set.summary?)
        });
    chat.summary = summary.or(chat.summary);
    chat
}

impl Chat {
    fn add(&mut self, line: &Line<'_>) {
        if let Some(set) = line.set
            && let Ok(set) = serde_json::from_str::<Line<'_>>(set.get())
        {
            self.add(&set);
            return;
        }
        if line.sort.as_deref() == Some("user") && self.prompt.is_none() {
            let text = line.content.and_then(said);
            self.prompt = text.and_then(|text| prompt(&text));
        }
        let own = |text: &Option<Cow<'_, str>>| text.as_deref().map(str::to_owned);
        self.id = self.id.take().or_else(|| own(&line.session_id));
        self.hash = self.hash.take().or_else(|| own(&line.project_hash));
        let started = || millis(line.start_time.as_deref()?);
        self.started_ms = self.started_ms.or_else(started);
        if let Some(summary) = &line.summary {
            self.summary = title(summary);
        }
        self.helper |= line.kind.as_deref() == Some("subagent");
    }
}

/// The one document of a chat, as far as it was read.
struct Document<'c>(&'c mut Chat);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a chat")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            let mut line = Line::default();
            match key.as_str() {
                "sessionId" => line.session_id = Some(map.next_value::<String>()?.into()),
                "projectHash" => line.project_hash = Some(map.next_value::<String>()?.into()),
                "startTime" => line.start_time = Some(map.next_value::<String>()?.into()),
                "summary" => line.summary = map.next_value::<Option<String>>()?.map(Cow::from),
                "kind" => line.kind = map.next_value::<Option<String>>()?.map(Cow::from),
                "messages" => {
                    map.next_value_seed(Messages(self.0))?;
                    continue;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            }
            self.0.add(&line);
        }
        Ok(())
    }
}

/// Its messages.
struct Messages<'c>(&'c mut Chat);

impl<'de> DeserializeSeed<'de> for Messages<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Messages<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(message) = seq.next_element::<Box<RawValue>>()? {
            if let Ok(mut line) = serde_json::from_str::<Line<'_>>(message.get()) {
                line.session_id = None;
                self.0.add(&line);
            }
        }
        Ok(())
    }
}
