//! Keys for terminals that can only be typed into: the bytes that a keyboard would send.

use crate::proto::{Failure, Kind};
use crate::tmux::{Key, NoKey};

/// The texts that are typed one after the other: Enter is one of its own, since a program swallows it where it is fused to
/// pasted text, unless `combined`.
pub(super) fn writes(text: &str, enter: bool, combined: bool) -> Vec<String> {
    let mut writes = Vec::new();
    if combined && enter {
        writes.push(format!("{text}\r"));
    } else {
        writes.extend(Some(text.to_owned()).filter(|text| !text.is_empty()));
        writes.extend(enter.then(|| "\r".to_owned()));
    }
    writes
}

/// What these keys send, by tmux's names.
///
/// # Errors
/// `invalid-params` for what is no key; `not-supported` for one without bytes of its own that can be typed.
pub(super) fn bytes(names: &[String]) -> Result<String, Failure> {
    if names.is_empty() {
        return Err(Failure::params("keys", "keys must hold at least one key"));
    }
    names
        .iter()
        .enumerate()
        .map(|(index, name)| key(index, name))
        .collect()
}

fn key(index: usize, name: &str) -> Result<String, Failure> {
    if let Err(why @ NoKey::Unknown) = Key::parse(name) {
        return Err(why.failure(&format!("keys[{index}]"), name));
    }
    sent(name).ok_or_else(|| {
        let message = format!("the key {name} has no text that can be typed into this terminal");
        Failure::new(Kind::NotSupported, message)
    })
}

fn sent(name: &str) -> Option<String> {
    if let Some(rest) = name.strip_prefix("M-") {
        return sent(rest).map(|rest| format!("\u{1b}{rest}"));
    }
    let control = name
        .strip_prefix("C-")
        .or_else(|| name.strip_prefix('^'))
        .filter(|rest| !rest.is_empty());
    if let Some(rest) = control {
        let mut letters = rest.chars();
        let letter = letters
            .next()
            .filter(|_| letters.next().is_none())?
            .to_ascii_uppercase();
        // NUL, which C-Space and C-@ send, cannot stand in an argv.
        return ('A'..='_')
            .contains(&letter)
            .then(|| char::from(letter as u8 & 0x1f).to_string());
    }
    let text = match name.to_ascii_lowercase().as_str() {
        "enter" | "kpenter" => "\r",
        "escape" => "\u{1b}",
        "tab" => "\t",
        "btab" => "\u{1b}[Z",
        "space" => " ",
        "bspace" => "\u{7f}",
        "up" => "\u{1b}[A",
        "down" => "\u{1b}[B",
        "right" => "\u{1b}[C",
        "left" => "\u{1b}[D",
        "home" => "\u{1b}[H",
        "end" => "\u{1b}[F",
        "ic" | "insert" => "\u{1b}[2~",
        "dc" | "delete" => "\u{1b}[3~",
        "ppage" | "pageup" | "pgup" => "\u{1b}[5~",
        "npage" | "pagedown" | "pgdn" => "\u{1b}[6~",
        "f1" => "\u{1b}OP",
        "f2" => "\u{1b}OQ",
        "f3" => "\u{1b}OR",
        "f4" => "\u{1b}OS",
        "f5" => "\u{1b}[15~",
        "f6" => "\u{1b}[17~",
        "f7" => "\u{1b}[18~",
        "f8" => "\u{1b}[19~",
        "f9" => "\u{1b}[20~",
        "f10" => "\u{1b}[21~",
        "f11" => "\u{1b}[23~",
        "f12" => "\u{1b}[24~",
        _ if name.chars().count() == 1 => name,
        _ => return None,
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_send_what_a_keyboard_sends() {
        for (name, expected) in [
            ("Enter", "\r"),
            ("C-c", "\u{3}"),
            ("^C", "\u{3}"),
            ("C-[", "\u{1b}"),
            ("M-x", "\u{1b}x"),
            ("C-M-x", ""),
            ("Up", "\u{1b}[A"),
            ("^", "^"),
            ("é", "é"),
            ("F12", "\u{1b}[24~"),
        ] {
            assert_eq!(sent(name).unwrap_or_default(), expected, "{name}");
        }
        assert_eq!(bytes(&["a".into(), "Enter".into()]).unwrap(), "a\r");
        assert_eq!(
            bytes(&["C-Space".into()]).unwrap_err().kind(),
            Kind::NotSupported
        );
        assert_eq!(
            bytes(&["Entr".into()]).unwrap_err().kind(),
            Kind::InvalidParams
        );
        assert_eq!(bytes(&[]).unwrap_err().kind(), Kind::InvalidParams);
    }

    #[test]
    fn enter_is_a_write_of_its_own() {
        assert_eq!(writes("hi", true, false), ["hi", "\r"]);
        assert_eq!(writes("hi", true, true), ["hi\r"]);
        assert_eq!(writes("", true, false), ["\r"]);
        assert!(writes("", false, false).is_empty());
    }
}
