//! OpenCode: since 1.2 a `SQLite` database, `opencode.db`, with a table `session`; before that a small document a conversation,
//! `storage/session/PROJECT/ses_ID.json`.

use serde::Deserialize;

use super::text::title;
use super::{Format, Reading, Sample, Transcript, directory, file_name, is_kind};

/// The conversations of OpenCode.
pub(in crate::provider) struct Opencode;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    id: String,
    #[serde(default)]
    directory: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    version: Option<String>,
    #[serde(rename = "parentID", default)]
    parent_id: Option<String>,
    #[serde(default)]
    time: Times,
}

#[derive(Default, Deserialize)]
struct Times {
    #[serde(default)]
    created: Option<f64>,
    #[serde(default)]
    updated: Option<f64>,
}

/// The directory of its data: it follows the XDG directories on macOS, too.
fn data(home: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let named = directory(variable, "XDG_DATA_HOME");
    let dirs = named.into_iter().chain([format!("{home}/.local/share")]);
    dirs.map(|dir| format!("{dir}/opencode")).collect()
}

impl Format for Opencode {
    fn roots(&self, home: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let dirs = data(home, variable).into_iter();
        dirs.map(|dir| format!("{dir}/storage/session")).collect()
    }

    fn depth(&self) -> usize {
        1
    }

    fn holds(&self, path: &str) -> bool {
        let name = file_name(path);
        name.starts_with("ses_") && is_kind(name, ".json")
    }

    fn databases(&self, home: &str, variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
        let named = directory(variable, "OPENCODE_DB");
        let usual = data(home, variable).into_iter();
        named
            .into_iter()
            .chain(usual.map(|dir| format!("{dir}/opencode.db")))
            .collect()
    }

    fn read(&self, sample: Sample<'_>) -> Reading {
        if sample.head.trim_ascii().is_empty() {
            return Reading::Nothing;
        }
        if !sample.whole && !sample.last {
            return Reading::More;
        }
        let document: Document = match serde_json::from_slice(sample.head) {
            Ok(document) => document,
            Err(error) => return Reading::Damaged(format!("it is not a session: {error}")),
        };
        if document.parent_id.is_some() {
            return Reading::Nothing;
        }
        Reading::Conversation(Transcript {
            id: document.id,
            cwd: document.directory.filter(|cwd| cwd.starts_with('/')),
            started_ms: document.time.created.map(whole),
            updated_ms: document.time.updated.map(whole),
            version: document.version,
            title: document.title.as_deref().and_then(title),
            place: None,
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a time in milliseconds; a float beyond it saturates"
)]
fn whole(millis: f64) -> u64 {
    millis.max(0.0) as u64
}
