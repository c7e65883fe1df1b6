//! Editors of the Visual Studio Code family, through the swarmify extension: a URL that the running editor is handed.
//!
//! All data travels in one parameter as base64url of JSON, since the editor percent-decodes the query before the extension
//! splits it. The command is typed into an editor terminal, which is an interactive login shell already: no wrapper.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};

use super::job::SCRIPT;
use super::{Act, Availability, Backend, Done, Draft, Facts, Job, Need, Opened, not_supported};
use crate::launch::shell::Program;
use crate::launch::step::{Answer, BoxedConversation, Invocation, Once};
use crate::proto::launch::OnExit;
use crate::proto::resolve::Capabilities;
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{Argv, Failure, Kind, Layout, SurfaceRef};

/// One editor of the family.
#[derive(Clone, Copy, Debug)]
pub struct Editor {
    id: &'static str,
    label: &'static str,
    cli: &'static str,
    scheme: &'static str,
    /// Where its extensions are, below home.
    extensions: &'static str,
}

/// `VSCodium`.
pub const VSCODIUM: Editor = Editor {
    id: "vscodium-agent",
    label: "VSCodium",
    cli: "codium",
    scheme: "vscodium",
    extensions: ".vscode-oss/extensions",
};

/// Cursor.
pub const CURSOR: Editor = Editor {
    id: "cursor-agent",
    label: "Cursor",
    cli: "cursor",
    scheme: "cursor",
    extensions: ".cursor/extensions",
};

/// Visual Studio Code.
pub const VSCODE: Editor = Editor {
    id: "vscode-agent",
    label: "VS Code",
    cli: "code",
    scheme: "vscode",
    extensions: ".vscode/extensions",
};

const EXTENSION: &str = "swarmify.swarm-ext";

/// What stands for the encoded JSON while a part of it is not known.
const PAYLOAD: &str = "{payload}";

const NO_WAY_BACK: &str = "the extension opens terminals and tells nothing of them";

impl Backend for Editor {
    fn id(&self) -> &str {
        self.id
    }

    fn label(&self) -> &str {
        self.label
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            tab: true,
            split_right: true,
            split_down: true,
            remote: true,
            ..Capabilities::default()
        }
    }

    fn needs(&self) -> Vec<Need> {
        vec![
            Need::Program(self.cli.into()),
            Need::HomeEntry {
                dir: self.extensions.into(),
                prefix: format!("{EXTENSION}-"),
            },
        ]
    }

    fn availability(&self, facts: &Facts) -> Availability {
        match facts.missing(self.id, &self.needs()) {
            Some(missing) => Availability::no(
                missing.reason(self.label),
                Some(format!(
                    "install {} and its extension {EXTENSION}",
                    self.label
                )),
            ),
            None => Availability::yes(format!("{} and its extension are installed", self.label)),
        }
    }

    /// The extension splits beside the terminal that it opened before.
    fn knows_caller(&self, _job: &Job) -> bool {
        false
    }

    fn build(&self, job: &Job) -> Result<Draft, Failure> {
        let request = &job.request;
        let scripted = request.env.as_ref().is_some_and(|env| !env.is_empty())
            || request.on_exit == Some(OnExit::Hold)
            || job.handles && request.command.as_ref().is_some_and(|argv| !typed(argv));
        let command = match Program::from(request) {
            _ if scripted => Some(format!("/bin/sh {}", job.script_path())),
            Program::Argv(argv) => Some(job.typed(argv)),
            Program::Line(line) => Some(line.to_owned()),
            Program::Shell => None,
        };
        let split = match job.layout {
            Layout::SplitRight => Some("right"),
            Layout::SplitDown => Some("down"),
            Layout::Tab | Layout::Window => None,
        };
        let members = [
            ("command", command.as_deref()),
            ("cwd", job.cwd()),
            ("split", split),
            ("agent", request.agent.as_deref()),
            ("sessionId", request.session_id.as_deref()),
            ("title", request.title.as_deref()),
        ];
        let payload: Map<String, Value> = members
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), json!(value?))))
            .collect();
        let payload = Value::Object(payload);
        let waits = scripted && job.script.is_none();
        let encoded = if waits {
            PAYLOAD.to_owned()
        } else {
            encode(&payload)
        };
        let url = format!("{}://{EXTENSION}/spawn?p={encoded}", self.scheme);
        let argv = [self.cli.to_owned(), "--open-url".to_owned(), url];
        let mut draft = Draft::new(argv.into());
        if scripted {
            draft.script = Some(job.script_text());
        }
        if waits {
            draft = draft.slot(2, PAYLOAD);
            draft.payload = Some(payload);
        }
        Ok(if job.layout == Layout::Window {
            draft.warn(format!(
                "the extension opens no windows of {}, so a tab is opened",
                self.label
            ))
        } else {
            draft
        })
    }

    fn open(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
        let cli = self.cli;
        let invocation = self.build(job)?.invocation();
        Ok(Box::new(Once::new(invocation, move |answer: Answer| {
            if answer.ok() {
                return Ok(Opened::default());
            }
            let message = format!("{cli} did not take the URL: {}", answer.complaint());
            Err(Failure::new(Kind::SpawnFailed, message).hint("look whether the editor runs"))
        })))
    }

    fn steps(&self, _surface: &SurfaceRef, act: &Act) -> Result<Vec<Invocation>, Failure> {
        Err(not_supported(self.label, act, NO_WAY_BACK))
    }

    fn act(&self, _surface: &SurfaceRef, act: &Act) -> Result<BoxedConversation<Done>, Failure> {
        Err(not_supported(self.label, act, NO_WAY_BACK))
    }

    fn list(&self) -> Result<BoxedConversation<Vec<SurfaceInfo>>, Failure> {
        let message = format!("{} cannot list its surfaces: {NO_WAY_BACK}", self.label);
        Err(Failure::new(Kind::NotSupported, message))
    }
}

/// Whether every shell that a person may use reads these words back when they are typed: no control characters, which a
/// line editor takes for its own keys, no backslashes, which fish reads in quotes, and not more than a terminal's line takes.
fn typed(argv: &Argv) -> bool {
    let words = argv.words();
    words.iter().map(|word| word.len() + 3).sum::<usize>() <= 1000
        && !words
            .iter()
            .any(|word| word.contains(|c: char| c.is_control() || c == '\\'))
}

/// The JSON as it stands in the URL; how `{payload}` is filled once the path of the script stands in its `command`.
#[must_use]
pub fn encode(payload: &Value) -> String {
    URL_SAFE_NO_PAD.encode(payload.to_string())
}

/// The payload with the path of the launch script in the place of its slot.
#[must_use]
pub fn with_script(payload: &Value, path: &str) -> Value {
    let mut payload = payload.clone();
    if let Some(Value::String(command)) = payload.get_mut("command") {
        *command = command.replace(SCRIPT, path);
    }
    payload
}
