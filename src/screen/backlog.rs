//! Plain text that the emulator has not read yet.
//!
//! A program that pours out text (a build, `cat` of a large file) writes many screens between two looks at one. Lines that
//! have left the screen and the scrollback again before anybody looked need not be emulated at all; that is most of them,
//! and what makes such a program run at the speed of the pipe.

/// How much text waits. Larger means that more of a flood is never emulated, and more memory for each terminal.
const MOST: usize = 1 << 20;

/// How much memory stays when all is read.
const KEPT: usize = 64 << 10;

/// The waiting text.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    bytes: Vec<u8>,
}

impl Backlog {
    /// Keeps text that holds no escape sequence. Answers whether it is time to emulate.
    pub(super) fn push(&mut self, text: &[u8]) -> bool {
        self.bytes.extend_from_slice(text);
        self.bytes.len() >= MOST
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes the text out, so that it can be emulated.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Takes the memory back for more text, unless it is much.
    pub(super) fn give_back(&mut self, mut bytes: Vec<u8>) {
        if bytes.capacity() <= KEPT {
            bytes.clear();
            self.bytes = bytes;
        }
    }
}

/// The end of the text that makes the same screen and scrollback as all of it, where both hold `lines` lines together and
/// the whole screen scrolls: it begins behind a line end after which so many more follow.
pub(super) fn tail(text: &[u8], lines: usize) -> &[u8] {
    // One more on each side: the line that the cursor is on, and the line end to begin behind.
    let Some(cut) = memchr::memrchr_iter(b'\n', text).nth(lines + 2) else {
        return text;
    };
    // Only where the cursor is in the first column for certain.
    if text[..cut].ends_with(b"\r") {
        &text[cut + 1..]
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_has_the_lines_that_count() {
        let text: Vec<u8> = (0..50)
            .flat_map(|n| format!("{n}\r\n").into_bytes())
            .collect();
        let kept = tail(&text, 5);
        assert_eq!(kept, b"43\r\n44\r\n45\r\n46\r\n47\r\n48\r\n49\r\n");
        assert_eq!(tail(&text, 49), text);
        let raw: Vec<u8> = (0..50)
            .flat_map(|n| format!("{n}\n").into_bytes())
            .collect();
        assert_eq!(tail(&raw, 5), raw, "the column is not known");
    }
}
