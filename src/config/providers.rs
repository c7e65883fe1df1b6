//! `[providers.NAME]`: agents that are described instead of coded, and changes to the built-in ones.

use std::collections::BTreeMap;

use super::backends::template;
use super::reader::{Section, Value};
use super::template::{Hole, Template};
use crate::proto::{Argv, Env, EnvName, Word};

/// What the file says about one provider. Absent fields leave a built-in provider as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderConfig {
    /// The name for people.
    pub label: Option<String>,
    /// The program, with leading words if any.
    pub command: Option<Argv>,
    /// Variables for it.
    pub env: Env,
    /// The process names by which its live sessions are known.
    pub processes: Option<Vec<String>>,
    /// The ids of its modes.
    pub modes: Option<Vec<String>>,
    /// Words that choose a model; `{model}`.
    pub model: Option<Template>,
    /// Words that choose a mode; `{mode}`.
    pub mode: Option<Template>,
    /// Words that give the first prompt; `{prompt}`.
    pub prompt: Option<Template>,
    /// Words that resume a session; `{session_id}`. Absent: it cannot resume.
    pub resume: Option<Template>,
}

pub(super) fn read(section: &Section<'_, '_>) -> BTreeMap<String, ProviderConfig> {
    let mut providers = BTreeMap::new();
    for (name, value) in section.entries() {
        if !super::backends::is_id(&name) {
            value.problem("must be named with a-z, 0-9 and -");
        } else if let Some(table) = value.table() {
            providers.insert(name, provider(table));
        }
    }
    providers
}

fn provider(section: Section<'_, '_>) -> ProviderConfig {
    let words = |key, hole| section.get(key).and_then(|value| template(&value, &[hole]));
    let provider = ProviderConfig {
        label: section.get("label").and_then(|value| value.string()),
        command: section.get("command").and_then(|value| argv(&value)),
        env: section
            .get("env")
            .and_then(|value| value.table())
            .map(|table| env(&table))
            .unwrap_or_default(),
        processes: section.get("processes").and_then(|value| names(&value)),
        modes: section.get("modes").and_then(|value| names(&value)),
        model: words("model", Hole::Model),
        mode: words("mode", Hole::Mode),
        prompt: words("prompt", Hole::Prompt),
        resume: words("resume", Hole::SessionId),
    };
    section.finish();
    provider
}

fn names(value: &Value<'_, '_>) -> Option<Vec<String>> {
    Some(value.strings()?.into_iter().map(|(text, _)| text).collect())
}

fn argv(value: &Value<'_, '_>) -> Option<Argv> {
    Argv::parse(names(value)?)
        .map_err(|error| value.problem(error.to_string()))
        .ok()
}

fn env(section: &Section<'_, '_>) -> Env {
    let mut env = Env::new();
    for (name, value) in section.entries() {
        let name = EnvName::parse(name).map_err(|error| value.problem(error.to_string()));
        let text = value.string().map(Word::parse);
        if let (Ok(name), Some(Ok(text))) = (name, text) {
            env.insert(name, text);
        }
    }
    env
}
