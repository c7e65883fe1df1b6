//! Where escape sequences begin and end, in a stream that is cut anywhere.

/// The longest sequence that is kept whole. A longer one is followed to its end and its content is dropped.
pub(super) const LONGEST: usize = 64 * 1024;

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const SO: u8 = 0x0e;
const SI: u8 = 0x0f;

/// A complete sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `ESC`, a byte in between or 0, and a final byte, such as `ESC c` and `ESC ( 0`.
    Escape { between: u8, last: u8 },
    /// `CSI`: private marker (`?`, `>`, `=`, `<`) or 0, parameters, byte in between or 0, final byte.
    Csi {
        private: u8,
        params: Vec<u16>,
        between: u8,
        last: u8,
    },
    /// `OSC`: its text without the ends.
    Osc(Vec<u8>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    Escape,
    Between,
    Csi,
    Osc,
    Text,
}

/// Follows a stream; remembers an unfinished sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Tokens {
    state: State,
    /// The bytes of the unfinished sequence, its `ESC` included; those of executed control characters left out.
    pending: Vec<u8>,
    overlong: bool,
    /// The last bytes of text where they begin a character and do not finish it.
    character: Vec<u8>,
    shift: Option<bool>,
}

impl Tokens {
    /// Reads up to the end of the next sequence. Answers how many bytes that took, all of them where no sequence ends.
    /// The end of a sequence over [`LONGEST`] ends the reading too, without a token.
    pub(super) fn next(&mut self, bytes: &[u8]) -> (usize, Option<Token>) {
        let mut at = 0;
        while at < bytes.len() {
            if self.state == State::Ground {
                let found = memchr::memchr(ESC, &bytes[at..]);
                let end = found.map_or(bytes.len(), |found| at + found);
                self.text(&bytes[at..end]);
                at = end;
                if at == bytes.len() {
                    break;
                }
            }
            let byte = bytes[at];
            at += 1;
            let dropped = self.overlong;
            let token = self.byte(byte);
            if token.is_some() || (dropped && !self.overlong) {
                return (at, token);
            }
        }
        (at, None)
    }

    /// The bytes that were read and are not complete: the start of a sequence or of a character. Given to another emulator
    /// they leave it waiting for the same rest. Empty as well where a sequence is over [`LONGEST`].
    pub(super) fn unfinished(&self) -> &[u8] {
        match self.state {
            State::Ground => &self.character,
            _ if self.overlong => &[],
            _ => &self.pending,
        }
    }

    /// The last shift between the two character sets (SO: true, SI: false) in text since the last call.
    pub(super) fn shift(&mut self) -> Option<bool> {
        self.shift.take()
    }

    /// Whether the next byte is text or a control character, and not part of a sequence.
    pub(super) fn ground(&self) -> bool {
        self.state == State::Ground
    }

    /// Whether a sequence is over [`LONGEST`]: nobody should keep its bytes.
    pub(super) const fn overlong(&self) -> bool {
        self.overlong
    }

    fn begin(&mut self, state: State) {
        self.state = state;
        self.overlong = false;
    }

    fn keep(&mut self, byte: u8) {
        if self.pending.len() < LONGEST {
            self.pending.push(byte);
        } else {
            self.overlong = true;
        }
    }

    fn end(&mut self) {
        self.begin(State::Ground);
        self.pending.clear();
    }

    fn byte(&mut self, byte: u8) -> Option<Token> {
        if byte == ESC {
            let token = (self.state == State::Osc).then(|| self.osc()).flatten();
            self.begin(State::Escape);
            self.pending.clear();
            self.pending.push(byte);
            self.character.clear();
            return token;
        }
        if byte == CAN || byte == SUB {
            let token = (self.state == State::Osc).then(|| self.osc()).flatten();
            self.end();
            return token;
        }
        match self.state {
            State::Ground => None,
            State::Escape => self.escape(byte),
            State::Between => match byte {
                0x20..=0x2f => {
                    self.keep(byte);
                    None
                }
                0x30..=0x7e => {
                    let between = self.pending[1];
                    self.end();
                    Some(Token::Escape {
                        between,
                        last: byte,
                    })
                }
                _ => None,
            },
            State::Csi => match byte {
                0x20..=0x3f => {
                    self.keep(byte);
                    None
                }
                0x40..=0x7e => {
                    let token = (!self.overlong).then(|| csi(&self.pending[2..], byte));
                    self.end();
                    token
                }
                // Control characters act at once, inside a sequence too: they are not part of it.
                _ => None,
            },
            State::Osc if byte == BEL => {
                let token = self.osc();
                self.end();
                token
            }
            State::Osc | State::Text => {
                self.keep(byte);
                None
            }
        }
    }

    fn escape(&mut self, byte: u8) -> Option<Token> {
        let state = match byte {
            b'[' => State::Csi,
            b']' => State::Osc,
            b'P' | b'X' | b'^' | b'_' => State::Text,
            0x20..=0x2f => State::Between,
            0x30..=0x7e => {
                self.end();
                return Some(Token::Escape {
                    between: 0,
                    last: byte,
                });
            }
            _ => return None,
        };
        self.begin(state);
        self.keep(byte);
        None
    }

    fn osc(&self) -> Option<Token> {
        (!self.overlong).then(|| Token::Osc(self.pending[2..].to_vec()))
    }

    /// Remembers a character that is cut by the end of `bytes`.
    fn text(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        let shift = memchr::memrchr2(SO, SI, bytes);
        self.shift = shift.map(|at| bytes[at] == SO).or(self.shift);
        if last.is_ascii() {
            self.character.clear();
            return;
        }
        let mut tail = std::mem::take(&mut self.character);
        tail.extend_from_slice(&bytes[bytes.len().saturating_sub(4)..]);
        let start = tail.iter().rposition(|byte| byte & 0xc0 != 0x80);
        if let Some(start) = start
            && tail.len() - start < length(tail[start])
        {
            self.character = tail.split_off(start);
        }
    }
}

/// How many bytes a character has that begins with this one.
const fn length(first: u8) -> usize {
    match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => 1,
    }
}

fn csi(text: &[u8], last: u8) -> Token {
    let (private, text) = match text.first() {
        Some(&marker @ b'<'..=b'?') => (marker, &text[1..]),
        _ => (0, text),
    };
    let split = text
        .iter()
        .position(|byte| *byte < 0x30)
        .unwrap_or(text.len());
    let (params, between) = text.split_at(split);
    let params = if params.is_empty() {
        Vec::new()
    } else {
        params
            .split(|byte| *byte == b';')
            .map(|param| {
                let digits = param.split(|byte| *byte == b':').next().unwrap_or_default();
                digits
                    .iter()
                    .filter(|byte| byte.is_ascii_digit())
                    .fold(0u16, |sum, digit| {
                        sum.saturating_mul(10)
                            .saturating_add(u16::from(digit - b'0'))
                    })
            })
            .collect()
    };
    Token::Csi {
        private,
        params,
        between: between.first().copied().unwrap_or(0),
        last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pieces: &[&[u8]]) -> (Vec<Token>, Vec<u8>) {
        let mut tokens = Tokens::default();
        let mut found = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while !rest.is_empty() {
                let (used, token) = tokens.next(rest);
                rest = &rest[used..];
                found.extend(token);
            }
        }
        (found, tokens.unfinished().to_vec())
    }

    #[test]
    fn sequences_are_found_wherever_the_stream_is_cut() {
        let text = "a\x1b[?1049hb\x1b]0;t\u{e9}\x07\x1b]7;file:///x\x1b\\\x1b7\x1bPq\x07x\x1b\\é\x1b[31;1m\x1b c"
            .as_bytes();
        let whole = all(&[text]);
        assert_eq!(whole.0.len(), 8, "{:?}", whole.0);
        for cut in 1..text.len() {
            assert_eq!(all(&[&text[..cut], &text[cut..]]), whole, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(all(&bytes), whole);
    }

    #[test]
    fn what_is_unfinished_is_known() {
        for (text, rest) in [
            (&b"abc"[..], &b""[..]),
            (b"abc\x1b", b"\x1b"),
            (b"abc\x1b[3", b"\x1b[3"),
            (b"abc\x1b[3\n1", b"\x1b[31"),
            (b"\x1b]0;ti", b"\x1b]0;ti"),
            ("x😀".as_bytes(), b""),
            (&"x😀".as_bytes()[..4], &"😀".as_bytes()[..3]),
            (b"\xff\xc3", b"\xc3"),
            (b"\xc3\x1b[m", b""),
        ] {
            assert_eq!(all(&[text]).1, rest, "{text:?}");
            let bytes: Vec<&[u8]> = text.chunks(1).collect();
            assert_eq!(all(&bytes).1, rest, "{text:?} byte by byte");
        }
    }

    #[test]
    fn a_sequence_without_end_keeps_no_more_than_the_limit() {
        let mut tokens = Tokens::default();
        tokens.next(b"\x1b]0;");
        for _ in 0..40 {
            tokens.next(&[b'x'; 4096]);
        }
        assert!(tokens.overlong());
        assert!(tokens.pending.len() <= LONGEST);
        assert_eq!(tokens.next(b"\x07rest").1, None);
        assert_eq!(tokens.next(b"\x1b[m").1.map(|_| ()), Some(()));
        assert!(!tokens.overlong());
    }
}
