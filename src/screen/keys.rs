//! Keys by tmux's names, as the bytes that an xterm sends for them.

use crate::tmux::key::{Modifiers, split};

/// The bytes of a key: a single character or a name, behind any of `C-`, `M-` and `S-`. `application`: the program asked
/// for the other form of the cursor keys (DECCKM). `None`: there is no such key, or it has no form with these modifiers.
#[must_use]
pub fn key(name: &str, application: bool) -> Option<Vec<u8>> {
    let (modifiers, rest) = split(name);
    named(&rest.to_ascii_lowercase(), modifiers, application).or_else(|| single(rest, modifiers))
}

/// The number that xterm puts into the sequences of modified keys; 1: none.
fn number(modifiers: Modifiers) -> u8 {
    let Modifiers {
        control,
        meta,
        shift,
    } = modifiers;
    1 + u8::from(shift) + 2 * u8::from(meta) + 4 * u8::from(control)
}

/// Meta is an escape before the key.
fn prefixed(modifiers: Modifiers, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(1 + bytes.len());
    if modifiers.meta {
        out.push(0x1b);
    }
    out.extend_from_slice(bytes);
    out
}

fn named(name: &str, modifiers: Modifiers, application: bool) -> Option<Vec<u8>> {
    let plain: &[u8] = match name {
        "enter" | "kpenter" => b"\r",
        "escape" => b"\x1b",
        "tab" if modifiers.shift => b"\x1b[Z",
        "tab" => b"\t",
        "btab" => b"\x1b[Z",
        "space" if modifiers.control => b"\0",
        "space" => b" ",
        "bspace" if modifiers.control => b"\x08",
        "bspace" => b"\x7f",
        _ => return moved(name, number(modifiers), application),
    };
    Some(prefixed(modifiers, plain))
}

/// Cursor, editing and function keys, whose modifiers are a number in the sequence.
fn moved(name: &str, modifiers: u8, application: bool) -> Option<Vec<u8>> {
    let letter = match name {
        "up" => 'A',
        "down" => 'B',
        "right" => 'C',
        "left" => 'D',
        "home" => 'H',
        "end" => 'F',
        "f1" => 'P',
        "f2" => 'Q',
        "f3" => 'R',
        "f4" => 'S',
        _ => {
            let number = match name {
                "ic" | "insert" => 2,
                "dc" | "delete" => 3,
                "ppage" | "pageup" | "pgup" => 5,
                "npage" | "pagedown" | "pgdn" => 6,
                "f5" => 15,
                "f6" => 17,
                "f7" => 18,
                "f8" => 19,
                "f9" => 20,
                "f10" => 21,
                "f11" => 23,
                "f12" => 24,
                _ => return None,
            };
            return Some(
                if modifiers == 1 {
                    format!("\x1b[{number}~")
                } else {
                    format!("\x1b[{number};{modifiers}~")
                }
                .into_bytes(),
            );
        }
    };
    let function = ('P'..='S').contains(&letter);
    Some(
        match modifiers {
            1 if function || application => format!("\x1bO{letter}"),
            1 => format!("\x1b[{letter}"),
            _ => format!("\x1b[1;{modifiers}{letter}"),
        }
        .into_bytes(),
    )
}

fn single(text: &str, modifiers: Modifiers) -> Option<Vec<u8>> {
    let mut characters = text.chars();
    let character = characters.next().filter(|c| !c.is_control())?;
    if characters.next().is_some() {
        return None;
    }
    if !modifiers.control {
        return Some(prefixed(modifiers, text.as_bytes()));
    }
    let byte = match character.to_ascii_uppercase() {
        '?' => 0x7f,
        ' ' | '2' => 0,
        '/' => 0x1f,
        upper @ '@'..='_' => u8::try_from(u32::from(upper) & 0x1f).ok()?,
        _ => return None,
    };
    Some(prefixed(modifiers, &[byte]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_their_bytes() {
        for (name, bytes) in [
            ("a", "a"),
            ("é", "é"),
            (";", ";"),
            ("-", "-"),
            ("^", "^"),
            ("Enter", "\r"),
            ("M-Enter", "\x1b\r"),
            ("Escape", "\x1b"),
            ("BTab", "\x1b[Z"),
            ("S-Tab", "\x1b[Z"),
            ("Space", " "),
            ("C-Space", "\0"),
            ("BSpace", "\x7f"),
            ("C-c", "\x03"),
            ("C-C", "\x03"),
            ("^C", "\x03"),
            ("C-\\", "\x1c"),
            ("C-[", "\x1b"),
            ("C-?", "\x7f"),
            ("M-x", "\x1bx"),
            ("C-M-x", "\x1b\x18"),
            ("Up", "\x1b[A"),
            ("C-Right", "\x1b[1;5C"),
            ("S-F1", "\x1b[1;2P"),
            ("F1", "\x1bOP"),
            ("F12", "\x1b[24~"),
            ("PageUp", "\x1b[5~"),
            ("C-DC", "\x1b[3;5~"),
        ] {
            assert_eq!(
                key(name, false).as_deref(),
                Some(bytes.as_bytes()),
                "{name}"
            );
        }
        assert_eq!(key("Up", true).as_deref(), Some(&b"\x1bOA"[..]));
        assert_eq!(key("C-Up", true).as_deref(), Some(&b"\x1b[1;5A"[..]));
        for name in ["", "Entr", "F13", "ab", "C-", "C-é", "\n"] {
            assert_eq!(key(name, false), None, "{name}");
        }
    }
}
