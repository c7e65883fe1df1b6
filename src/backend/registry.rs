//! The backends in the order in which they are looked at.

use std::sync::Arc;

use super::Backend;
use super::builtin::Builtin;
use super::editor::{self, Editor};
use super::ghostty::Ghostty;
use super::iterm::Iterm;
use super::template::Described;
use super::terminal_app::TerminalApp;
use super::tmux::Tmux;
use crate::config::Config;
use crate::proto::text::plain;
use crate::proto::{BackendId, Failure, Kind};

/// All backends: the built-in ones, those of the configuration file, and last those that are always there.
#[derive(Clone)]
pub struct Registry {
    backends: Vec<Arc<dyn Backend>>,
}

impl Registry {
    /// The registry with the backends of a configuration. A template whose name a built-in backend has is left out.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let editor = |editor: Editor| {
            let extension = config.extensions.get(editor.id()).cloned();
            editor.with(extension)
        };
        let first: [Arc<dyn Backend>; 6] = [
            Arc::new(Iterm),
            Arc::new(Ghostty),
            Arc::new(Tmux),
            Arc::new(editor(editor::VSCODIUM)),
            Arc::new(editor(editor::CURSOR)),
            Arc::new(editor(editor::VSCODE)),
        ];
        let tabs = config.terminal_tabs;
        let last: [Arc<dyn Backend>; 2] = [Arc::new(TerminalApp { tabs }), Arc::new(Builtin)];
        let taken = |id: &str| first.iter().chain(&last).any(|backend| backend.id() == id);
        let described: Vec<Arc<dyn Backend>> = config
            .backends
            .iter()
            .filter(|template| !taken(template.id.as_str()))
            .map(|template| Arc::new(Described(template.clone())) as Arc<dyn Backend>)
            .collect();
        Self {
            backends: first.into_iter().chain(described).chain(last).collect(),
        }
    }

    /// The backend of this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Arc<dyn Backend>> {
        self.backends.iter().find(|backend| backend.id() == id)
    }

    /// The backend of this id.
    ///
    /// # Errors
    /// `backend-unknown`, with the ids that exist.
    pub fn named(&self, id: &BackendId) -> Result<&Arc<dyn Backend>, Failure> {
        self.get(id.as_str()).ok_or_else(|| {
            Failure::new(
                Kind::BackendUnknown,
                format!("unknown backend: {}", plain(id.as_str())),
            )
            .hint(
                addable(id.as_str())
                    .into_iter()
                    .chain([format!("the backends are {}", self.ids().join(", "))])
                    .collect::<Vec<_>>()
                    .join("; "),
            )
        })
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Backend>> {
        self.backends.iter()
    }

    /// Their ids, in order.
    #[must_use]
    pub fn ids(&self) -> Vec<&str> {
        self.backends.iter().map(|backend| backend.id()).collect()
    }
}

impl Default for Registry {
    fn default() -> Self {
        Self::new(&Config::default())
    }
}

/// Terminals that are known by name and driven once the configuration file says how, with the words that open a window. Their names
/// are kept for drivers to come.
const ADDABLE: [(&str, &str); 5] = [
    ("kitty", r#"["kitty", "--directory", "{cwd}", "{command}"]"#),
    (
        "wezterm",
        r#"["wezterm", "start", "--cwd", "{cwd}", "--", "{command}"]"#,
    ),
    (
        "zellij",
        r#"["zellij", "run", "--cwd", "{cwd}", "--", "{command}"]"#,
    ),
    (
        "konsole",
        r#"["konsole", "--workdir", "{cwd}", "-e", "{command}"]"#,
    ),
    (
        "gnome-terminal",
        r#"["gnome-terminal", "--working-directory={cwd}", "--", "{command}"]"#,
    ),
];

/// How a terminal that is known by name alone is added; `None`: it is not known.
#[must_use]
pub fn addable(id: &str) -> Option<String> {
    let (_, window) = ADDABLE.iter().find(|(name, _)| *name == id)?;
    Some(format!(
        "{id} is known and has no driver; lines of the configuration file make one of another name: [backends.my-{id}] and window = {window}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn described_backends_stand_before_those_that_are_always_there() {
        let text = "[backends.foot]\nwindow = [\"foot\", \"{command}\"]\n";
        let config = config::parse(text).unwrap();
        let registry = Registry::new(&config);
        assert_eq!(
            registry.ids(),
            [
                "iterm",
                "ghostty",
                "tmux",
                "vscodium-agent",
                "cursor-agent",
                "vscode-agent",
                "foot",
                "terminal",
                "builtin"
            ]
        );
        let failure = registry.named(&"nope".into()).err().unwrap();
        assert_eq!(failure.to_string(), "unknown backend: nope");
        assert!(failure.data.hint.unwrap().contains("ghostty"));
    }

    #[test]
    fn terminals_known_by_name_come_with_the_lines_that_add_them() {
        for (id, window) in ADDABLE {
            let none = Registry::new(&config::parse("").unwrap());
            let hint = none.named(&id.into()).err().unwrap();
            let hint = hint.data.hint.unwrap();
            assert!(hint.contains(window), "{hint}");
            let text = format!("[backends.my-{id}]\nwindow = {window}\n");
            let config = config::parse(&text).unwrap();
            assert_eq!(config.backends[0].id.as_str(), format!("my-{id}"));
        }
    }

    #[test]
    fn a_name_that_is_taken_stays_the_built_in_one() {
        let text = "[backends.foot]\nwindow = [\"foot\", \"{command}\"]\n";
        let mut config = config::parse(text).unwrap();
        config.backends[0].id = "tmux".into();
        let registry = Registry::new(&config);
        assert_eq!(registry.get("tmux").unwrap().label(), "tmux");
        assert_eq!(registry.ids().len(), 8);
    }
}
