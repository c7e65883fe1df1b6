//! Modes that the emulator does not know and that a program still expects to find when a person looks again: focus
//! reports, further mouse encodings, autowrap, the kitty keyboard protocol, and xterm's modified keys.

use std::collections::BTreeMap;
use std::fmt::Write;

/// The private modes that are remembered, each with its state in a fresh terminal.
const KNOWN: [(u16, bool); 8] = [
    (7, true),
    (12, false),
    (1001, false),
    (1004, false),
    (1007, true),
    (1015, false),
    (1016, false),
    (2031, false),
];

/// The deepest stack of keyboard flags; kitty's own limit is of this size.
const DEEPEST: usize = 16;

/// The remembered modes.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    private: BTreeMap<u16, bool>,
    keyboard: Vec<u16>,
    modified_keys: Option<u16>,
}

impl Extra {
    /// Takes note of a `CSI` sequence.
    pub(super) fn csi(&mut self, private: u8, params: &[u16], last: u8) {
        let first = params.first().copied();
        match (private, last) {
            (b'?', b'h' | b'l') => {
                for (mode, fresh) in KNOWN {
                    if params.contains(&mode) {
                        let on = last == b'h';
                        if on == fresh {
                            self.private.remove(&mode);
                        } else {
                            self.private.insert(mode, on);
                        }
                    }
                }
            }
            (b'>', b'u') => {
                if self.keyboard.len() == DEEPEST {
                    self.keyboard.remove(0);
                }
                self.keyboard.push(first.unwrap_or(0));
            }
            (b'<', b'u') => {
                let count = usize::from(first.unwrap_or(1).max(1));
                self.keyboard
                    .truncate(self.keyboard.len().saturating_sub(count));
            }
            (b'=', b'u') => {
                if self.keyboard.is_empty() {
                    self.keyboard.push(0);
                }
                if let Some(top) = self.keyboard.last_mut() {
                    let flags = first.unwrap_or(0);
                    *top = match params.get(1) {
                        Some(2) => *top | flags,
                        Some(3) => *top & !flags,
                        _ => flags,
                    };
                }
            }
            (b'>', b'm') if first == Some(4) => {
                self.modified_keys = params.get(1).copied().filter(|level| *level > 0);
            }
            _ => {}
        }
    }

    /// Sequences that set these modes in a terminal in which they are fresh.
    pub(super) fn draw(&self, out: &mut String) {
        for (mode, on) in &self.private {
            let _ = write!(out, "\x1b[?{mode}{}", if *on { 'h' } else { 'l' });
        }
        for flags in &self.keyboard {
            let _ = write!(out, "\x1b[>{flags}u");
        }
        if let Some(level) = self.modified_keys {
            let _ = write!(out, "\x1b[>4;{level}m");
        }
    }

    /// Sequences that make these modes fresh in any terminal.
    pub(super) fn reset(out: &mut String) {
        for (mode, on) in KNOWN {
            let _ = write!(out, "\x1b[?{mode}{}", if on { 'h' } else { 'l' });
        }
        let _ = write!(out, "\x1b[<{DEEPEST}u\x1b[>4;0m");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_remembered_until_they_are_fresh_again() {
        let mut extra = Extra::default();
        let mut check = |private, params: &[u16], last, drawn: &str| {
            extra.csi(private, params, last);
            let mut out = String::new();
            extra.draw(&mut out);
            assert_eq!(out, drawn);
        };
        check(b'?', &[1004, 25], b'h', "\x1b[?1004h");
        check(b'?', &[7], b'l', "\x1b[?7l\x1b[?1004h");
        check(b'?', &[7], b'h', "\x1b[?1004h");
        check(b'?', &[1004], b'l', "");
        check(b'>', &[1], b'u', "\x1b[>1u");
        check(b'=', &[4, 2], b'u', "\x1b[>5u");
        check(b'>', &[], b'u', "\x1b[>5u\x1b[>0u");
        check(b'<', &[], b'u', "\x1b[>5u");
        check(b'<', &[9], b'u', "");
        check(b'>', &[4, 2], b'm', "\x1b[>4;2m");
        check(b'>', &[4], b'm', "");
    }
}
