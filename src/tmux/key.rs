//! Names of keys. tmux types a name that it does not know letter by letter, so names are checked before.

use std::fmt;

/// A key as tmux names it: a single character or a name, behind any of `C-`, `M-` and `S-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

/// The names of tmux's key table that a program can be sent, in lower case: tmux takes them in any.
const NAMES: [&str; 23] = [
    "enter", "escape", "tab", "btab", "space", "bspace", "up", "down", "left", "right", "home",
    "end", "npage", "pagedown", "pgdn", "ppage", "pageup", "pgup", "ic", "insert", "dc", "delete",
    "kpenter",
];

impl Key {
    /// Reads a name. `None`: tmux does not know it.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut rest = name;
        while let Some((modifier, after)) = rest.split_at_checked(2) {
            if after.is_empty() || !matches!(modifier, "C-" | "M-" | "S-" | "c-" | "m-" | "s-") {
                break;
            }
            rest = after;
        }
        let mut characters = rest.chars();
        let single =
            characters.next().is_some_and(|c| !c.is_control()) && characters.next().is_none();
        let lower = rest.to_ascii_lowercase();
        let function = lower
            .strip_prefix('f')
            .is_some_and(|number| (1..=12).any(|n: u8| n.to_string() == number));
        let caret = rest.len() == 2 && rest.starts_with('^') && rest.is_ascii();
        (single || function || caret || NAMES.contains(&lower.as_str()))
            .then(|| Self(name.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_tmux_knows_are_keys() {
        for name in [
            "a", "Z", ";", "-", "é", "Enter", "escape", "C-c", "C-M-x", "M-Enter", "S-F1", "F12",
            "^C", "C--", "Space",
        ] {
            assert!(Key::parse(name).is_some(), "{name:?}");
        }
        for name in [
            "", "C-", "Return", "Ctrl-C", "F0", "F13", "F+1", "ab", "\n", "C-cc", "Enterr",
        ] {
            assert!(Key::parse(name).is_none(), "{name:?}");
        }
    }
}
