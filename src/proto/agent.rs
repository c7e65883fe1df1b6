//! `agent.*`: terminal agents, which have a name, a place and a history.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::error::Failure;
use super::host::HostAlias;
use super::launch::{BackendId, Layout};
use super::method::{Empty, Example, Method, methods};
use super::provider::Handle;
use super::surface::SurfaceRef;
use super::terminal::{MAX_TITLE, label};
use super::text::{AbsolutePath, Env, Word};

/// Where an agent lives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "lowercase",
    rename_all_fields = "camelCase",
    deny_unknown_fields,
    expecting = "a place, which is an object with a kind"
)]
pub enum Place {
    /// In a terminal that the daemon hosts.
    Terminal {},
    /// In a surface of the person's terminal.
    Surface {
        /// Absent: as `open` chooses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        backend: Option<BackendId>,
        /// Absent: this machine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        host: Option<Word>,
        /// Absent: a tab.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layout: Option<Layout>,
    },
    /// In a seat.
    Seat {
        /// The space.
        space: Word,
    },
}

impl Place {
    /// Refuses a host that may not be handed to ssh.
    ///
    /// # Errors
    /// `host-invalid`, as wrong parameters.
    pub fn check_host(&self) -> Result<(), Failure> {
        match self {
            Self::Surface {
                host: Some(host), ..
            } => HostAlias::parse(host.as_str())
                .map(|_| ())
                .map_err(|error| Failure::bad_host("place.host", error.to_string())),
            _ => Ok(()),
        }
    }
}

/// What an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Lifecycle {
    /// Its place lives.
    Idle,
    /// Reserved for when activity is known.
    Running,
    /// It ended, and the provider said goodbye or the person closed it.
    Closed,
    /// Its place ended without a goodbye.
    Interrupted,
    /// It could not be started.
    Failed,
}

/// A terminal agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// A `UUIDv7`.
    pub id: String,
    /// Its provider.
    pub provider: String,
    /// Where it works.
    pub cwd: String,
    /// Its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_id: Option<String>,
    /// Its name for people.
    pub title: String,
    /// Whatever callers mark it with.
    pub labels: BTreeMap<String, String>,
    /// Always true.
    pub terminal: bool,
    /// What it does.
    pub lifecycle: Lifecycle,
    /// Why it is in that state, one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The hosted terminal that it lives in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal_id: Option<String>,
    /// The surface that it lives in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<SurfaceRef>,
    /// The seat that it lives in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SurfaceRef>,
    /// The line that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attach: Option<String>,
    /// What its conversation is called, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persistence: Option<Handle>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// RFC 3339; absent: it is not archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<String>,
}

/// Parameters of `agent.create`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct AgentCreateParams {
    /// The provider.
    pub provider: Word,
    /// Where it works.
    pub cwd: AbsolutePath,
    /// The model, in the provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Word>,
    /// The mode, one of the provider's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_id: Option<Word>,
    /// The first prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Word>,
    /// Its name for people; absent: the provider's label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Word>,
    /// Whatever the caller marks it with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// Variables for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<Env>,
    /// Absent: true. False is refused: this service runs terminal agents only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminal: Option<bool>,
    /// Where it lives; absent: in a hosted terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// Parameters of `agent.open`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct AgentOpenParams {
    /// The agent.
    pub id: Word,
    /// Where it shall live now; absent: as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// Parameters of `agent.list`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct AgentListParams {
    /// True: the archived ones too; absent: false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
}

/// Result of `agent.list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentListResult {
    /// In the order in which they were made.
    pub agents: Vec<Agent>,
}

/// Parameters of methods that name an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct AgentIdParams {
    /// The agent.
    pub id: Word,
}

/// Parameters of `agent.update`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct AgentUpdateParams {
    /// The agent.
    pub id: Word,
    /// Its new name; absent: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Word>,
    /// Its new labels, all of them; absent: unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
}

/// Parameters of `agent.send`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "parameters by name"
)]
pub struct AgentSendParams {
    /// The agent.
    pub id: Word,
    /// The message.
    pub text: Word,
}

/// Refuses a title that would spoil every list; an empty one is the provider's label.
fn titled(title: Option<&Word>) -> Result<(), Failure> {
    title.map_or(Ok(()), |title| label("title", title, MAX_TITLE))
}

methods! {
    /// `agent.create`.
    AgentCreate "agent.create" "Starts a terminal agent." AgentCreateParams => Agent, |p| titled(p.title.as_ref());
    /// `agent.open`.
    AgentOpen "agent.open" "Returns a live agent, or resumes one that ended." AgentOpenParams => Agent;
    /// `agent.get`.
    AgentGet "agent.get" "One agent." AgentIdParams => Agent;
    /// `agent.update`.
    AgentUpdate "agent.update" "Renames or marks an agent." AgentUpdateParams => Agent, |p| titled(p.title.as_ref());
    /// `agent.close`.
    AgentClose "agent.close" "Ends an agent's program." AgentIdParams => Agent;
    /// `agent.archive`.
    AgentArchive "agent.archive" "Closes an agent and puts it away." AgentIdParams => Agent;
    /// `agent.unarchive`.
    AgentUnarchive "agent.unarchive" "Takes an agent back." AgentIdParams => Agent;
    /// `agent.delete`.
    AgentDelete "agent.delete" "Closes an agent and forgets it." AgentIdParams => Empty;
    /// `agent.send`.
    AgentSend "agent.send" "Refused: terminal agents take no messages." AgentSendParams => Empty;
}

/// `agent.list`.
pub enum AgentList {}

impl Method for AgentList {
    const NAME: &'static str = "agent.list";
    const SUMMARY: &'static str = "The agents.";
    type Params = AgentListParams;
    type Result = AgentListResult;

    fn examples() -> Vec<Example> {
        vec![Example {
            name: "all of them, archived ones too",
            params: json!({ "archived": true }),
            result: Some(json!({ "agents": [] })),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_short_line() {
        let long = "é".repeat(MAX_TITLE);
        for (title, ok) in [
            ("", true),
            ("fix the é: ✻", true),
            (&*long, true),
            (&*format!("{long}n"), false),
            ("a\nb", false),
            ("a\u{1b}]0;b\u{7}", false),
        ] {
            let created = json!({ "provider": "claude", "cwd": "/x", "title": title });
            let renamed = json!({ "id": "a", "title": title });
            let created = AgentCreate::check(&serde_json::from_value(created).unwrap());
            let renamed = AgentUpdate::check(&serde_json::from_value(renamed).unwrap());
            for checked in [created, renamed] {
                assert_eq!(checked.is_ok(), ok, "{title:?}");
                if let Err(failure) = checked {
                    assert_eq!(failure.data.path.as_deref(), Some("title"));
                    assert!(failure.message.len() < 200, "{failure}");
                }
            }
        }
    }
}
