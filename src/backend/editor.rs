//! Editors of the Visual Studio Code family, through an extension: a URL that the running editor is handed.
//!
//! Two extensions take the same URLs, swarmify's and the one in `clients/vscode`; the configuration may name another. Where
//! the caller's machine was looked at, the URL goes to the one that is there.
//!
//! All data travels in one parameter as base64url of JSON, since the editor percent-decodes the query before the extension
//! splits it. The command is typed into an editor terminal, which is an interactive login shell already: no wrapper.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};

use super::job::SCRIPT;
use super::{
    Act, Availability, Backend, Done, Draft, Facts, Found, Job, Need, Opened, not_supported,
};
use crate::launch::shell::Program;
use crate::launch::step::{Answer, BoxedConversation, Conversation, Invocation, Once, Step};
use crate::proto::launch::OnExit;
use crate::proto::resolve::Capabilities;
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{Argv, Failure, Kind, Layout, SurfaceRef, Word};

/// One editor of the family.
#[derive(Clone, Debug)]
pub struct Editor {
    id: &'static str,
    label: &'static str,
    cli: &'static str,
    scheme: &'static str,
    /// Where its extensions are, below home.
    extensions: &'static str,
    /// The extension that the configuration names.
    extension: Option<String>,
}

/// `VSCodium`.
pub const VSCODIUM: Editor = Editor {
    id: "vscodium-agent",
    label: "VSCodium",
    cli: "codium",
    scheme: "vscodium",
    extensions: ".vscode-oss/extensions",
    extension: None,
};

/// Cursor.
pub const CURSOR: Editor = Editor {
    id: "cursor-agent",
    label: "Cursor",
    cli: "cursor",
    scheme: "cursor",
    extensions: ".cursor/extensions",
    extension: None,
};

/// Visual Studio Code.
pub const VSCODE: Editor = Editor {
    id: "vscode-agent",
    label: "VS Code",
    cli: "code",
    scheme: "vscode",
    extensions: ".vscode/extensions",
    extension: None,
};

/// The extensions that are looked for where the configuration names none, the preferred one first.
const EXTENSIONS: [&str; 2] = ["swarmify.swarm-ext", "surfaced.surfaced"];

/// Prints the first of its words that begins the path of something in the home directory.
const LOOK: &str = r#"for entry do
  set -- "$HOME/$entry"*
  if [ -e "$1" ]; then printf '%s\n' "$entry"; exit 0; fi
done"#;

/// What stands for the encoded JSON while a part of it is not known.
const PAYLOAD: &str = "{payload}";

const NO_WAY_BACK: &str = "the extension opens terminals and tells nothing of them";

impl Editor {
    /// The editor driven through this extension and no other. It goes into URLs as it is.
    #[must_use]
    pub fn with(self, extension: Option<String>) -> Self {
        Self { extension, ..self }
    }

    /// The extensions that would do.
    fn candidates(&self) -> Vec<&str> {
        match &self.extension {
            Some(extension) => vec![extension],
            None => EXTENSIONS.to_vec(),
        }
    }

    /// How the name of an extension's directory begins: editors write ids in small letters, and older ones wrote them as
    /// they are.
    fn prefixes(extension: &str) -> BTreeSet<String> {
        [extension.to_lowercase(), extension.to_owned()]
            .map(|id| format!("{id}-"))
            .into()
    }

    fn entries(&self, extension: &str) -> impl Iterator<Item = Need> {
        let dir = self.extensions;
        Self::prefixes(extension)
            .into_iter()
            .map(move |prefix| Need::HomeEntry {
                dir: dir.into(),
                prefix,
            })
    }

    /// The extension that a job's URL is for.
    fn extension<'a>(&'a self, job: &'a Job) -> &'a str {
        let known = job.extension.as_deref().or(self.extension.as_deref());
        known.unwrap_or(EXTENSIONS[0])
    }

    fn hand_over(&self, job: &Job) -> Result<BoxedConversation<Opened>, Failure> {
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
}

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
        let candidates = self.candidates().into_iter();
        let entries = candidates.flat_map(|extension| self.entries(extension));
        [Need::Program(self.cli.into())]
            .into_iter()
            .chain(entries)
            .collect()
    }

    fn availability(&self, facts: &Facts) -> Availability {
        let label = self.label;
        let names = self.candidates().join(" or ");
        let no = |reason: String| {
            let remedy = format!("install {label} and its extension {names}");
            Availability::no(reason, Some(remedy))
        };
        if let Some(missing) = facts.missing(self.id, &[Need::Program(self.cli.into())]) {
            return no(missing.reason(label));
        }
        let Found::Seen(seen) = &facts.found else {
            return Availability::yes(format!("{label} and its extension are installed"));
        };
        let there = |extension: &&str| self.entries(extension).any(|entry| seen.contains(&entry));
        match self.candidates().into_iter().find(there) {
            Some(extension) => Availability::through(
                extension,
                format!("{label} and its extension {extension} are installed"),
            ),
            None => no(format!(
                "no extension {names} was found in ~/{}",
                self.extensions
            )),
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
        let extension = self.extension(job);
        let url = format!("{}://{extension}/spawn?p={encoded}", self.scheme);
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
        if job.request.host.is_some() {
            return Ok(Box::new(OnHost {
                editor: self.clone(),
                job: job.clone(),
                open: None,
            }));
        }
        self.hand_over(job)
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

/// Hands the URL to the extension that a host has, which nobody has looked for before. Where there is none, the editor's program
/// would take the URL and nothing would open.
struct OnHost {
    editor: Editor,
    job: Job,
    open: Option<BoxedConversation<Opened>>,
}

impl OnHost {
    /// How the paths of extensions begin, below home, and which one each is.
    fn places(&self) -> Vec<(String, String)> {
        let dir = self.editor.extensions;
        let candidates = self.editor.candidates().into_iter();
        candidates
            .flat_map(|extension| {
                Editor::prefixes(extension)
                    .into_iter()
                    .map(move |prefix| (format!("{dir}/{prefix}"), extension.to_owned()))
            })
            .collect()
    }

    fn refused(&self, answer: &Answer) -> Failure {
        let label = self.editor.label;
        let host = self.job.request.host.as_ref();
        let host = host.map_or("the host", Word::as_str);
        if !answer.ok() {
            let complaint = answer.complaint();
            let message =
                format!("cannot look for the extension of {label} on {host}: {complaint}");
            return Failure::new(Kind::StateUnknown, message).hint("nothing was opened; try again");
        }
        let names = self.editor.candidates().join(" or ");
        Failure::new(
            Kind::BackendUnavailable,
            format!(
                "{label} cannot open anything on {host}: no extension {names} was found in ~/{} there",
                self.editor.extensions
            ),
        )
        .hint(format!(
            "install {label} and its extension {names} on {host}"
        ))
    }
}

impl Conversation for OnHost {
    type Output = Opened;

    fn next(&mut self, answer: Option<Answer>) -> Step<Opened> {
        if let Some(open) = &mut self.open {
            return open.next(answer);
        }
        let Some(answer) = answer else {
            let look = ["/bin/sh", "-c", LOOK, "sh"].map(str::to_owned);
            let places = self.places().into_iter().map(|(place, _)| place);
            return Step::Run(Invocation::new(look.into_iter().chain(places)));
        };
        let text = answer.text();
        let mut places = self.places().into_iter();
        let found = places.find(|(place, _)| answer.ok() && place == text.trim_end());
        let Some((_, extension)) = found else {
            return Step::Failed(self.refused(&answer));
        };
        self.job.extension = Some(extension);
        match self.editor.hand_over(&self.job) {
            Ok(mut open) => {
                let first = open.next(None);
                self.open = Some(open);
                first
            }
            Err(failure) => Step::Failed(failure),
        }
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

#[cfg(test)]
#[path = "editor_tests.rs"]
mod tests;
