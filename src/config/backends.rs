//! `[backends.NAME]`: terminals that are described instead of coded.

use super::reader::{Section, Value};
use super::template::{self, Hole, Template, TemplateWord};
use super::{Config, extension};
use crate::proto::{BackendId, EnvName, Layout};

/// Names that a configuration file cannot take.
const BUILT_IN: &[&str] = &[
    "iterm",
    "ghostty",
    "tmux",
    "vscodium-agent",
    "cursor-agent",
    "vscode-agent",
    "kitty",
    "wezterm",
    "zellij",
    "konsole",
    "gnome-terminal",
    "terminal",
    "builtin",
];

/// The built-in ones that are driven through an extension, which the file may name.
const EDITORS: &[&str] = &["vscodium-agent", "cursor-agent", "vscode-agent"];

/// When a backend can be driven here: all that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// A program that must be on PATH. Absent: the first word of the first template.
    pub program: Option<String>,
    /// A variable that must be set and not empty.
    pub env: Option<EnvName>,
}

/// How a layout is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutForm {
    /// By this command.
    Argv(Template),
    /// Like that other layout, with a warning. Never leads back to itself.
    Like(Layout),
}

/// How Terminal.app makes tabs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TerminalTabs {
    /// It opens windows instead.
    #[default]
    Never,
    /// By a key stroke through System Events, which needs the person's permission.
    SystemEvents,
}

/// A backend of the configuration file. At least one layout has a command of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendTemplate {
    /// Its name, which is no built-in one's.
    pub id: BackendId,
    /// The name for people; the id where the file gives none.
    pub label: String,
    /// When it can be driven.
    pub available: Availability,
    /// How a tab is made.
    pub tab: Option<LayoutForm>,
    /// How a window is made.
    pub window: Option<LayoutForm>,
    /// How a pane to the right is made.
    pub split_right: Option<LayoutForm>,
    /// How a pane below is made.
    pub split_down: Option<LayoutForm>,
    /// Whether the commands of layouts print what `{target}` later means.
    pub handle_stdout: bool,
    /// Brings `{target}` to the front.
    pub focus: Option<Template>,
    /// Closes `{target}`.
    pub close: Option<Template>,
    /// Types `{text}` into `{target}`.
    pub inject: Option<Template>,
    /// Prints the text of `{target}`.
    pub capture: Option<Template>,
}

impl BackendTemplate {
    /// What the file says about a layout.
    #[must_use]
    pub const fn layout(&self, layout: Layout) -> Option<&LayoutForm> {
        match layout {
            Layout::Tab => self.tab.as_ref(),
            Layout::Window => self.window.as_ref(),
            Layout::SplitRight => self.split_right.as_ref(),
            Layout::SplitDown => self.split_down.as_ref(),
        }
    }

    fn layouts(&self) -> [Option<&LayoutForm>; 4] {
        [
            self.tab.as_ref(),
            self.window.as_ref(),
            self.split_right.as_ref(),
            self.split_down.as_ref(),
        ]
    }

    /// The command of a layout, through `Like`.
    #[must_use]
    pub fn command_for(&self, layout: Layout) -> Option<&Template> {
        let mut layout = layout;
        for _ in 0..self.layouts().len() {
            match self.layout(layout)? {
                LayoutForm::Argv(template) => return Some(template),
                LayoutForm::Like(other) => layout = *other,
            }
        }
        None
    }
}

/// Whether a text can name a backend or provider.
pub(super) fn is_id(text: &str) -> bool {
    text.bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

pub(super) fn read(section: &Section<'_, '_>, config: &mut Config) {
    for (name, value) in section.entries() {
        if name == "terminal" {
            if let Some(table) = value.table() {
                config.terminal_tabs = terminal(table);
            }
        } else if EDITORS.contains(&name.as_str()) {
            if let Some(extension) = value.table().and_then(extension::read) {
                config.extensions.insert(name, extension);
            }
        } else if BUILT_IN.contains(&name.as_str()) {
            value.problem("is the name of a built-in backend; choose another name");
        } else if !is_id(&name) {
            value.problem("must be named with a-z, 0-9 and -");
        } else if let Some(table) = value.table() {
            let before = value.notes.count();
            let backend = backend(BackendId(name), &table);
            table.finish();
            // What is broken in itself is not judged as a whole: one mistake, one problem.
            if value.notes.count() == before {
                check(&backend, &value);
            }
            config.backends.push(backend);
        }
    }
}

fn terminal(section: Section<'_, '_>) -> TerminalTabs {
    let mut tabs = TerminalTabs::default();
    if let Some(value) = section.get("tabs") {
        match value.string().as_deref() {
            Some("system-events") => tabs = TerminalTabs::SystemEvents,
            Some("never") | None => {}
            Some(other) => value.problem(format!(
                "must be \"never\" or \"system-events\", not {other:?}"
            )),
        }
    }
    section.finish();
    tabs
}

fn backend(id: BackendId, section: &Section<'_, '_>) -> BackendTemplate {
    let layout = |key| section.get(key).and_then(|value| layout(&value));
    let act = |key, holes: &[Hole]| section.get(key).and_then(|value| template(&value, holes));
    BackendTemplate {
        label: section
            .get("label")
            .and_then(|value| value.string())
            .unwrap_or_else(|| id.0.clone()),
        id,
        available: section
            .get("available")
            .and_then(|value| value.table())
            .map(available)
            .unwrap_or_default(),
        tab: layout("tab"),
        window: layout("window"),
        split_right: layout("split-right"),
        split_down: layout("split-down"),
        handle_stdout: section
            .get("handle")
            .and_then(|value| value.table())
            .is_some_and(handle),
        focus: act("focus", &[Hole::Target]),
        close: act("close", &[Hole::Target]),
        inject: act("inject", &[Hole::Target, Hole::Text]),
        capture: act("capture", &[Hole::Target]),
    }
}

fn available(section: Section<'_, '_>) -> Availability {
    let program = section.get("program").and_then(|value| {
        let text = value.string()?;
        if text.is_empty() {
            value.problem("must name a program");
        }
        Some(text)
    });
    let env = section.get("env").and_then(|value| {
        EnvName::parse(value.string()?)
            .map_err(|error| value.problem(error.to_string()))
            .ok()
    });
    section.finish();
    Availability { program, env }
}

fn handle(section: Section<'_, '_>) -> bool {
    let stdout = section
        .get("stdout")
        .and_then(|value| value.boolean())
        .unwrap_or_default();
    section.finish();
    stdout
}

fn layout(value: &Value<'_, '_>) -> Option<LayoutForm> {
    const HOLES: &[Hole] = &[
        Hole::Cwd,
        Hole::Command,
        Hole::ShellLine,
        Hole::Script,
        Hole::Title,
        Hole::Target,
    ];
    if let Some(name) = value.item.as_str() {
        let other = match name {
            "tab" => Layout::Tab,
            "window" => Layout::Window,
            "split-right" => Layout::SplitRight,
            "split-down" => Layout::SplitDown,
            _ => {
                value.problem(format!(
                    "must be a list of words or the name of another layout (tab, window, split-right, split-down), not {name:?}"
                ));
                return None;
            }
        };
        return Some(LayoutForm::Like(other));
    }
    let template = template(value, HOLES)?;
    if ![Hole::Command, Hole::ShellLine, Hole::Script]
        .iter()
        .any(|hole| template.has(*hole))
    {
        value.problem("runs no command; give it {command}, {shell_line} or {script}");
    }
    Some(LayoutForm::Argv(template))
}

/// A command line of the file with these holes.
pub(super) fn template(value: &Value<'_, '_>, holes: &[Hole]) -> Option<Template> {
    let words: Option<Vec<TemplateWord>> = value
        .strings()?
        .into_iter()
        .map(|(text, place)| {
            template::word(&text, holes)
                .map_err(|message| place.problem(message))
                .ok()
        })
        .collect();
    let words = words?;
    if words.first().is_none_or(|word| word.0.is_empty()) {
        value.problem("must be a list of words, the first one not empty");
        return None;
    }
    Some(Template(words))
}

fn check(backend: &BackendTemplate, value: &Value<'_, '_>) {
    let known = backend.layouts();
    if !known
        .iter()
        .flatten()
        .any(|form| matches!(form, LayoutForm::Argv(_)))
    {
        value.problem("opens nothing; give it a command for `tab` or `window`");
        return;
    }
    for layout in [
        Layout::Tab,
        Layout::Window,
        Layout::SplitRight,
        Layout::SplitDown,
    ] {
        if backend.layout(layout).is_some() && backend.command_for(layout).is_none() {
            value.problem("has a layout that refers to one without a command");
            return;
        }
    }
    let acts = [
        &backend.focus,
        &backend.close,
        &backend.inject,
        &backend.capture,
    ];
    if !backend.handle_stdout && acts.iter().any(|act| act.is_some()) {
        value.problem("uses {target} and never learns it; add handle = { stdout = true }");
    }
}
