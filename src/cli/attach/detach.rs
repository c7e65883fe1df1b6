//! The keys that leave an attached terminal.

use crate::config::DetachKey;

/// Reads what is typed: the key and then `d` leaves; the key twice types it once.
#[derive(Debug)]
pub(super) struct Detach {
    key: Option<u8>,
    /// A program gets nothing of what is typed; then C-c leaves too.
    read_only: bool,
    waiting: bool,
}

/// What was typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typed {
    /// For the program.
    pub(super) bytes: Vec<u8>,
    /// The person wants to leave; what follows is not read.
    pub(super) leave: bool,
}

impl Detach {
    pub(super) const fn new(key: DetachKey, read_only: bool) -> Self {
        Self {
            key: key.byte(),
            read_only,
            waiting: false,
        }
    }

    pub(super) fn read(&mut self, typed: &[u8]) -> Typed {
        let mut bytes = Vec::with_capacity(typed.len());
        for &byte in typed {
            let waiting = std::mem::take(&mut self.waiting);
            let leave = (waiting && byte == b'd') || (self.read_only && byte == 0x03);
            if leave {
                return Typed { bytes, leave };
            }
            match self.key {
                Some(key) if byte == key && !waiting => self.waiting = true,
                Some(key) if waiting && byte != key => bytes.extend([key, byte]),
                _ => bytes.push(byte),
            }
        }
        if self.read_only {
            bytes.clear();
        }
        Typed {
            bytes,
            leave: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_and_d_leaves() {
        let check = |typed: &[&[u8]], bytes: &[u8], leave: bool| {
            let mut detach = Detach::new(DetachKey::default(), false);
            let mut all = Vec::new();
            let mut left = false;
            for part in typed {
                let typed = detach.read(part);
                all.extend(typed.bytes);
                left |= typed.leave;
            }
            assert_eq!((all.as_slice(), left), (bytes, leave), "{typed:?}");
        };
        check(&[b"abc"], b"abc", false);
        check(&[b"ab\x1cdx"], b"ab", true);
        check(&[b"\x1c", b"d"], b"", true);
        check(&[b"\x1c\x1c"], b"\x1c", false);
        check(&[b"\x1c\x1cd"], b"\x1cd", false);
        check(&[b"\x1cx"], b"\x1cx", false);
        check(&[b"\x1c", b"\x03"], b"\x1c\x03", false);
    }

    #[test]
    fn a_reader_types_nothing_and_leaves_with_c_c_too() {
        let mut detach = Detach::new(DetachKey::default(), true);
        assert_eq!(detach.read(b"abc").bytes, b"");
        assert!(detach.read(b"\x03").leave);
        let mut never = Detach::new(DetachKey::parse("none").unwrap(), false);
        assert_eq!(never.read(b"\x1cd").bytes, b"\x1cd");
    }
}
