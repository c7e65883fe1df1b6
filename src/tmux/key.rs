//! Names of keys. tmux types a name that it does not know, or that has no sequence with these modifiers, letter by letter,
//! and swallows others without a word: so what is sent is decided here.

use std::fmt;
use std::ops::Deref;

use crate::proto::text::shown;
use crate::proto::{Failure, Kind};

/// A key that tmux sends to a program as a sequence of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// As it was written.
    name: String,
    /// As tmux is told.
    sent: String,
}

/// Why a name is no [`Key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoKey {
    /// Nobody knows it.
    Unknown,
    /// It is a key, and there is no sequence for it with these modifiers.
    Unsendable,
}

/// The keys whose modifiers are a number in their sequence, in lower case: they go with any.
const MOVING: [&str; 16] = [
    "up", "down", "left", "right", "home", "end", "npage", "pagedown", "pgdn", "ppage", "pageup",
    "pgup", "ic", "insert", "dc", "delete",
];

/// What is pressed with a key.
#[derive(Clone, Copy, Default)]
pub(crate) struct Modifiers {
    pub(crate) control: bool,
    pub(crate) meta: bool,
    pub(crate) shift: bool,
}

impl Key {
    /// Reads a name of tmux's: a single character or a name, behind any of `C-`, `M-` and `S-`.
    ///
    /// # Errors
    /// Why it is no key that can be sent.
    pub fn parse(name: &str) -> Result<Self, NoKey> {
        let (modifiers, rest) = split(name);
        let sent = sent(rest, modifiers)?;
        Ok(Self {
            name: name.to_owned(),
            sent,
        })
    }

    /// Reads the names of a parameter, at least one.
    ///
    /// # Errors
    /// `invalid-params` for none and for what is no key, `not-supported` for a key that cannot be sent, with its place in the parameter `path`.
    pub fn all<S: Deref<Target = str>>(path: &str, names: &[S]) -> Result<Vec<Self>, Failure> {
        if names.is_empty() {
            return Err(Failure::params(
                path,
                format!("{path} must hold at least one key"),
            ));
        }
        let key = |(index, name): (usize, &S)| {
            let name: &str = name;
            Self::parse(name).map_err(|why| why.failure(&format!("{path}[{index}]"), name))
        };
        names.iter().enumerate().map(key).collect()
    }

    /// Enter.
    #[must_use]
    pub fn enter() -> Self {
        Self::plain("Enter")
    }

    /// What interrupts a program.
    #[must_use]
    pub fn interrupt() -> Self {
        Self::plain("C-c")
    }

    fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            sent: name.to_owned(),
        }
    }

    /// The name by which tmux sends it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.sent
    }
}

impl NoKey {
    /// The failure of a parameter that holds this name.
    #[must_use]
    pub fn failure(self, path: &str, name: &str) -> Failure {
        let failure = match self {
            Self::Unknown => Failure::new(
                Kind::InvalidParams,
                format!("{name} is not the name of a key", name = shown(name)),
            )
            .hint("keys are tmux's names: Enter, Escape, C-c, M-x, Up, F1, single characters"),
            Self::Unsendable => Failure::new(
                Kind::NotSupported,
                format!("the key {name} cannot be pressed: terminals have no sequence for it"),
            )
            .hint("leave out its modifiers, or write the character that it gives"),
        };
        failure.about(path)
    }
}

/// Takes the modifiers off.
pub(crate) fn split(name: &str) -> (Modifiers, &str) {
    let mut modifiers = Modifiers::default();
    let mut rest = name;
    while let Some((modifier, after)) = rest.split_at_checked(2)
        && !after.is_empty()
    {
        match modifier {
            "C-" | "c-" => modifiers.control = true,
            "M-" | "m-" => modifiers.meta = true,
            "S-" | "s-" => modifiers.shift = true,
            _ => break,
        }
        rest = after;
    }
    if let Some(letter) = rest.strip_prefix('^')
        && letter.len() == 1
    {
        modifiers.control = true;
        rest = letter;
    }
    (modifiers, rest)
}

/// The name that gives exactly this key. What tmux 3.3 sends for each was tried with a real one.
fn sent(rest: &str, modifiers: Modifiers) -> Result<String, NoKey> {
    let lower = rest.to_ascii_lowercase();
    let is_function = lower
        .strip_prefix('f')
        .is_some_and(|number| (1..=12).any(|n: u8| n.to_string() == number));
    if is_function || MOVING.contains(&lower.as_str()) {
        return Ok(written(rest, modifiers));
    }
    let Modifiers { control, shift, .. } = modifiers;
    let meta = |name: &str| {
        written(
            name,
            Modifiers {
                meta: modifiers.meta,
                ..Modifiers::default()
            },
        )
    };
    match (lower.as_str(), control, shift) {
        ("enter" | "escape" | "bspace" | "tab" | "btab", false, false) => Ok(meta(rest)),
        // tmux sends a line feed for it, where a keyboard sends what Enter does.
        ("kpenter", false, false) => Ok(meta("Enter")),
        ("tab" | "btab", false, true) => Ok(meta("BTab")),
        ("bspace", true, false) => Ok(meta("C-h")),
        ("space", _, false) => Ok(written(rest, modifiers)),
        ("enter" | "escape" | "bspace" | "tab" | "btab" | "kpenter" | "space", ..) => {
            Err(NoKey::Unsendable)
        }
        _ => character(rest, modifiers).map(|name| meta(&name)),
    }
}

/// A single character, Control included.
fn character(rest: &str, modifiers: Modifiers) -> Result<String, NoKey> {
    let mut characters = rest.chars();
    let character = characters
        .next()
        .filter(|c| !c.is_control() && characters.next().is_none())
        .ok_or(NoKey::Unknown)?;
    match (modifiers.control, modifiers.shift) {
        (false, false) => Ok(rest.to_owned()),
        // Shift is in the character itself.
        (_, true) => Err(NoKey::Unsendable),
        (true, false) => match character {
            '@'..='_' | 'a'..='z' | '?' => Ok(format!("C-{rest}")),
            ' ' | '2' => Ok("C-Space".to_owned()),
            '/' | '-' => Ok("C-_".to_owned()),
            _ => Err(NoKey::Unsendable),
        },
    }
}

fn written(name: &str, modifiers: Modifiers) -> String {
    let mut text = String::new();
    for (wanted, prefix) in [
        (modifiers.control, "C-"),
        (modifiers.meta, "M-"),
        (modifiers.shift, "S-"),
    ] {
        text.push_str(if wanted { prefix } else { "" });
    }
    text + name
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_tmux_knows_are_keys() {
        for (name, sent) in [
            ("a", "a"),
            ("Z", "Z"),
            (";", ";"),
            ("-", "-"),
            ("é", "é"),
            ("Enter", "Enter"),
            ("escape", "escape"),
            ("C-c", "C-c"),
            ("C-M-x", "M-C-x"),
            ("M-Enter", "M-Enter"),
            ("S-F1", "S-F1"),
            ("F12", "F12"),
            ("^C", "C-C"),
            ("^", "^"),
            ("C--", "C-_"),
            ("Space", "Space"),
            ("C-M-Space", "C-M-Space"),
            ("S-Tab", "BTab"),
            ("M-S-Tab", "M-BTab"),
            ("C-BSpace", "C-h"),
            ("KPEnter", "Enter"),
        ] {
            let key = Key::parse(name);
            assert_eq!(key.as_ref().map(Key::as_str), Ok(sent), "{name:?}");
        }
    }

    #[test]
    fn other_names_are_none_and_say_why() {
        for name in [
            "", "C-", "Return", "Ctrl-C", "F0", "F13", "F+1", "ab", "\n", "C-cc", "Enterr",
        ] {
            assert_eq!(Key::parse(name), Err(NoKey::Unknown), "{name:?}");
        }
        for name in [
            "S-Enter", "C-Enter", "S-a", "S-;", "C-~", "^~", "C-1", "C-é", "S-Space", "C-Tab",
            "C-Escape", "M-C-S-a", "C-;", "C-!",
        ] {
            assert_eq!(Key::parse(name), Err(NoKey::Unsendable), "{name:?}");
        }
        let failure = Key::all("keys", &["a", "Entr"]).unwrap_err();
        assert_eq!(failure.data.path.as_deref(), Some("keys[1]"));
    }
}
