//! Claude Code: `projects/DIRECTORY/ID.jsonl`, a message a line, each with `sessionId`, `cwd`, `version` and `timestamp`. Files of
//! its helpers are called `agent-…` or lie deeper; their lines carry the id of the conversation that they belong to.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::text::{last_lines, lines, millis, prompt, said, title};
use super::{Format, Reading, Sample, Transcript, directory, file_name, is_kind};

/// The transcripts of Claude Code.
pub(in crate::provider) struct Claude;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    session_id: Option<Cow<'a, str>>,
    #[serde(default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(default)]
    version: Option<Cow<'a, str>>,
    #[serde(default)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(default)]
    summary: Option<Cow<'a, str>>,
    #[serde(default)]
    custom_title: Option<Cow<'a, str>>,
    #[serde(default)]
    ai_title: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

impl Format for Claude {
    fn roots(&self, home: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let named = directory(variable, "CLAUDE_CONFIG_DIR");
        let usual = [format!("{home}/.claude"), format!("{home}/.config/claude")];
        let dirs = named.into_iter().chain(usual);
        dirs.map(|dir| format!("{dir}/projects")).collect()
    }

    fn depth(&self) -> usize {
        1
    }

    fn holds(&self, path: &str) -> bool {
        let name = file_name(path);
        is_kind(name, ".jsonl") && !name.starts_with("agent-")
    }

    fn read(&self, sample: Sample<'_>) -> Reading {
        let stem = file_name(sample.path).trim_end_matches(".jsonl");
        let mut found = Transcript::default();
        let mut summary = None;
        let (mut read, mut wrong) = (0, 0);
        for line in lines(sample.head, sample.whole) {
            let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else {
                wrong += 1;
                continue;
            };
            read += 1;
            summary = line.own_title().or(summary);
            let Some(id) = line.session_id.as_deref().filter(|_| !line.is_sidechain) else {
                continue;
            };
            if line.cwd.is_none() {
                // A note of the program's; it names the conversation and says nothing of where it was begun.
                continue;
            }
            // A conversation that was forked begins with the lines of another one.
            if found.id.is_empty() || (id == stem && found.id != stem) {
                id.clone_into(&mut found.id);
            }
            found.cwd = found.cwd.or_else(|| line.cwd.as_deref().map(str::to_owned));
            let time = || millis(line.timestamp.as_deref()?);
            found.started_ms = found.started_ms.or_else(time);
            if let Some(version) = &line.version {
                found.version = Some(version.clone().into_owned());
            }
            if found.title.is_none() && line.kind == "user" && !line.is_meta {
                found.title = line.prompt();
            }
        }
        let is_known = !found.id.is_empty() && found.title.is_some();
        if !is_known && !sample.whole && !sample.last {
            return Reading::More;
        }
        if found.id.is_empty() {
            return if read == 0 && wrong > 0 {
                Reading::Damaged("no line of it is JSON".to_owned())
            } else if !sample.whole && read == 0 {
                Reading::Damaged("its first line has no end".to_owned())
            } else {
                Reading::Nothing
            };
        }
        for line in last_lines(sample.tail) {
            let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else {
                continue;
            };
            if line.session_id.as_deref() == Some(stem) {
                stem.clone_into(&mut found.id);
            }
            if let Some(version) = &line.version {
                found.version = Some(version.clone().into_owned());
                break;
            }
        }
        let given = last_lines(sample.tail)
            .filter_map(|line| serde_json::from_slice::<Line<'_>>(line).ok())
            .find_map(|line| line.own_title());
        found.title = given.or(summary).or(found.title);
        Reading::Conversation(found)
    }
}

impl Line<'_> {
    /// The title that the person or the program gave.
    fn own_title(&self) -> Option<String> {
        let given = match &*self.kind {
            "custom-title" => self.custom_title.as_deref(),
            "ai-title" => self.ai_title.as_deref(),
            "summary" => self.summary.as_deref(),
            _ => None,
        };
        title(given?)
    }

    fn prompt(&self) -> Option<String> {
        let message: Message<'_> = serde_json::from_str(self.message?.get()).ok()?;
        prompt(&said(message.content)?)
    }
}
