//! `resume`: conversations with agents are taken up again, each in a surface.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::Failure;
use super::few::few;
use super::launch::{BackendId, Context};
use super::method::{Example, Method};
use super::open::OpenAnswer;
use super::text::Word;

/// Parameters of `resume`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct ResumeParams {
    /// Ids of sessions, or beginnings of them that mean one session only, or ids of agents. At least one.
    #[serde(deserialize_with = "few")]
    #[schemars(length(max = 1000))]
    pub ids: Vec<Word>,
    /// Absent: as `resolveBackend` with `headless`; with a host: `tmux`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<BackendId>,
    /// The host that the sessions are on; absent: this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Word>,
    /// True: two to a tab; absent: a tab each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits: Option<bool>,
    /// Where the caller is; absent: what the daemon sees of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Context>,
    /// Run every check and answer `{ specs }`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// `resume`: takes up conversations where they were begun, and answers as `open`.
pub enum Resume {}

impl Method for Resume {
    const NAME: &'static str = "resume";
    const SUMMARY: &'static str =
        "Takes up sessions again, each in its own directory in a surface; answers as open.";
    type Params = ResumeParams;
    type Result = OpenAnswer;

    fn check(params: &ResumeParams) -> Result<(), Failure> {
        if params.ids.is_empty() {
            return Err(
                Failure::params("ids", "ids must name at least one session to resume")
                    .hint("sessions with includeFiles lists them"),
            );
        }
        if let Some(at) = params.ids.iter().position(|id| id.trim().is_empty()) {
            return Err(Failure::params(
                format!("ids[{at}]"),
                format!("ids[{at}] must not be empty"),
            ));
        }
        Ok(())
    }

    fn examples() -> Vec<Example> {
        let id = "0193b5a4-6c1f-7e52-9d0a-3f2b8c4d5e6f";
        vec![Example {
            name: "a session by the beginning of its id",
            params: json!({ "ids": [&id[..8]], "backend": "tmux" }),
            result: None,
        }]
    }
}
