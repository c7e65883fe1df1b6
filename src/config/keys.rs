//! The key that leaves an attached terminal.

use std::fmt;

/// A control key such as `C-\`, as the byte that a terminal sends for it; or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetachKey(Option<u8>);

impl DetachKey {
    /// Reads `C-` and one of `@ A…Z [ \ ] ^ _`, letters in either case, or `none`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == "none" {
            return Some(Self(None));
        }
        let key = text.strip_prefix("C-").or(text.strip_prefix("c-"))?;
        match key.as_bytes() {
            [byte] if (b'@'..=b'_').contains(&byte.to_ascii_uppercase()) => {
                Some(Self(Some(byte.to_ascii_uppercase() & 0x1f)))
            }
            _ => None,
        }
    }

    /// The byte that the key sends; `None`: nothing detaches.
    #[must_use]
    pub const fn byte(self) -> Option<u8> {
        self.0
    }
}

impl Default for DetachKey {
    /// `C-\`, which few programs use.
    fn default() -> Self {
        Self(Some(0x1c))
    }
}

impl fmt::Display for DetachKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(byte) => write!(f, "C-{}", char::from(byte | 0x40).to_ascii_lowercase()),
            None => f.write_str("none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_keys_are_their_bytes() {
        for (text, byte, shown) in [
            ("C-\\", Some(0x1c), "C-\\"),
            ("C-a", Some(1), "C-a"),
            ("C-A", Some(1), "C-a"),
            ("C-]", Some(0x1d), "C-]"),
            ("C-@", Some(0), "C-@"),
            ("none", None, "none"),
        ] {
            let key = DetachKey::parse(text).unwrap();
            assert_eq!(key.byte(), byte, "{text}");
            assert_eq!(key.to_string(), shown);
        }
        for text in ["", "a", "C-", "C-1", "C-aa", "M-a", "C-ä"] {
            assert_eq!(DetachKey::parse(text), None, "{text}");
        }
        assert_eq!(DetachKey::default().to_string(), "C-\\");
    }
}
