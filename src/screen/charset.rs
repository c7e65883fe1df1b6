//! The line-drawing character set of the VT100, which curses programs use for their frames and the emulator lacks.

/// What the bytes `_` to `~` mean in that set (VT100 user guide, table 3-9).
const GRAPHICS: [&str; 32] = [
    " ", "◆", "▒", "␉", "␌", "␍", "␊", "°", "±", "␤", "␋", "┘", "┐", "┌", "└", "┼", "⎺", "⎻", "─",
    "⎼", "⎽", "├", "┤", "┴", "┬", "│", "≤", "≥", "π", "≠", "£", "·",
];

/// The designated sets and which of the two is in use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Charsets {
    g0_graphics: bool,
    g1_graphics: bool,
    shifted: bool,
}

impl Charsets {
    /// `ESC ( set` and `ESC ) set`.
    pub(super) fn designate(&mut self, slot: u8, set: u8) {
        let graphics = set == b'0';
        if slot == b'(' {
            self.g0_graphics = graphics;
        } else {
            self.g1_graphics = graphics;
        }
    }

    /// Whether text has to pass [`Charsets::rewrite`] one byte at a time.
    pub(super) const fn needed(self) -> bool {
        self.g0_graphics || self.g1_graphics
    }

    /// SO (`true`) and SI.
    pub(super) const fn shift(&mut self, shifted: bool) {
        self.shifted = shifted;
    }

    /// The character that a single byte of text stands for; `None`: itself.
    pub(super) fn rewrite(self, text: &[u8]) -> Option<&'static [u8]> {
        let [byte] = *text else { return None };
        let graphics = if self.shifted {
            self.g1_graphics
        } else {
            self.g0_graphics
        };
        let index = usize::from(byte.checked_sub(b'_')?);
        graphics
            .then(|| GRAPHICS.get(index).map(|text| text.as_bytes()))
            .flatten()
    }

    /// Sequences that designate these sets in a fresh terminal.
    pub(super) fn draw(self, out: &mut Vec<u8>) {
        if self.g0_graphics {
            out.extend_from_slice(b"\x1b(0");
        }
        if self.g1_graphics {
            out.extend_from_slice(b"\x1b)0");
        }
        if self.shifted {
            out.push(0x0e);
        }
    }
}
