//! Follows JSON byte by byte: where a value ends, and whether what follows can still belong to it.
//!
//! Each byte is looked at once, whatever pieces it comes in; what is remembered is one bit a level.

/// What the bytes so far are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// White space, or the beginning of a value.
    More,
    /// The value ended with the last byte that was looked at.
    Whole,
    /// No JSON text begins like this; the last byte that was looked at showed it.
    Broken,
}

/// The scanner of one value.
#[derive(Clone, Debug)]
pub(super) struct Scan {
    state: State,
    brackets: Brackets,
    deepest: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a value.
    Value,
    /// After `[`.
    ValueOrEnd,
    /// After `{`.
    NameOrEnd,
    /// After `,` in an object.
    Name,
    Colon,
    /// After a value inside of an array or object.
    After,
    String {
        name: bool,
    },
    Escape {
        name: bool,
    },
    Hex {
        name: bool,
        left: u8,
    },
    /// In `true`, `false` or `null`: what must still come.
    Word(&'static [u8]),
    Number(Number),
    /// After a value that is no array or object, up to the end of its line.
    Scalar,
}

/// Where in a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Whole,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

impl Number {
    /// The place after one more byte; `None` when it does not belong to the number.
    fn after(self, byte: u8) -> Option<Self> {
        use Number as N;
        Some(match (self, byte) {
            (N::Minus, b'0') => N::Zero,
            (N::Minus, b'1'..=b'9') | (N::Whole, b'0'..=b'9') => N::Whole,
            (N::Zero | N::Whole, b'.') => N::Point,
            (N::Point | N::Fraction, b'0'..=b'9') => N::Fraction,
            (N::Zero | N::Whole | N::Fraction, b'e' | b'E') => N::Exponent,
            (N::Exponent, b'+' | b'-') => N::ExponentSign,
            (N::Exponent | N::ExponentSign | N::ExponentDigits, b'0'..=b'9') => N::ExponentDigits,
            _ => return None,
        })
    }

    /// Whether the number may end here.
    fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Whole | Self::Fraction | Self::ExponentDigits
        )
    }
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            state: State::Value,
            brackets: Brackets::default(),
            deepest: 0,
        }
    }
}

impl Scan {
    /// Whether nothing but white space was seen.
    pub(super) fn is_blank(&self) -> bool {
        self.state == State::Value && self.brackets.depth() == 0
    }

    /// The number of levels at the deepest place so far.
    pub(super) fn deepest(&self) -> usize {
        self.deepest
    }

    /// Looks at bytes up to the end of the value, and says how many that were.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> (usize, Step) {
        let mut at = 0;
        while at < bytes.len() {
            if let State::String { .. } = self.state {
                at += plain(&bytes[at..]);
                if at == bytes.len() {
                    break;
                }
            }
            let step = self.step(bytes[at]);
            at += 1;
            if step != Step::More {
                return (at, step);
            }
        }
        (at, Step::More)
    }

    fn step(&mut self, byte: u8) -> Step {
        match self.state {
            State::String { name } => match byte {
                b'"' if name => self.to(State::Colon),
                b'"' => self.ended(),
                b'\\' => self.to(State::Escape { name }),
                _ => Step::Broken,
            },
            State::Escape { name } => match byte {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                    self.to(State::String { name })
                }
                b'u' => self.to(State::Hex { name, left: 4 }),
                _ => Step::Broken,
            },
            State::Hex { name, left } if byte.is_ascii_hexdigit() => self.to(match left {
                1 => State::String { name },
                _ => State::Hex {
                    name,
                    left: left - 1,
                },
            }),
            State::Word(rest) if rest.first() == Some(&byte) => match &rest[1..] {
                [] => self.ended(),
                rest => self.to(State::Word(rest)),
            },
            State::Hex { .. } | State::Word(_) => Step::Broken,
            State::Number(number) => match number.after(byte) {
                Some(number) => self.to(State::Number(number)),
                None if number.is_whole() => {
                    self.ended();
                    self.step(byte)
                }
                None => Step::Broken,
            },
            State::Scalar if byte == b'\n' => Step::Whole,
            _ if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') => Step::More,
            State::ValueOrEnd if byte == b']' => self.close(b'['),
            State::Value | State::ValueOrEnd => self.value(byte),
            State::NameOrEnd if byte == b'}' => self.close(b'{'),
            State::NameOrEnd | State::Name if byte == b'"' => self.to(State::String { name: true }),
            State::Colon if byte == b':' => self.to(State::Value),
            State::Scalar | State::NameOrEnd | State::Name | State::Colon => Step::Broken,
            State::After => match byte {
                b',' if self.brackets.innermost() == Some(b'{') => self.to(State::Name),
                b',' => self.to(State::Value),
                b'}' => self.close(b'{'),
                b']' => self.close(b'['),
                _ => Step::Broken,
            },
        }
    }

    fn to(&mut self, state: State) -> Step {
        self.state = state;
        Step::More
    }

    fn value(&mut self, byte: u8) -> Step {
        match byte {
            b'{' | b'[' => {
                self.brackets.open(byte);
                self.deepest = self.deepest.max(self.brackets.depth());
                self.to(if byte == b'{' {
                    State::NameOrEnd
                } else {
                    State::ValueOrEnd
                })
            }
            b'"' => self.to(State::String { name: false }),
            b't' => self.to(State::Word(b"rue")),
            b'f' => self.to(State::Word(b"alse")),
            b'n' => self.to(State::Word(b"ull")),
            b'-' => self.to(State::Number(Number::Minus)),
            b'0' => self.to(State::Number(Number::Zero)),
            b'1'..=b'9' => self.to(State::Number(Number::Whole)),
            _ => Step::Broken,
        }
    }

    fn close(&mut self, opened: u8) -> Step {
        if !self.brackets.close_exactly(opened) {
            return Step::Broken;
        }
        match self.ended() {
            // An array or object is whole at its last bracket.
            Step::More if self.brackets.depth() == 0 => Step::Whole,
            step => step,
        }
    }

    fn ended(&mut self) -> Step {
        self.to(if self.brackets.depth() == 0 {
            State::Scalar
        } else {
            State::After
        })
    }
}

/// How many bytes belong to a string without a closer look.
fn plain(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| byte == b'"' || byte == b'\\' || byte < b' ')
        .unwrap_or(bytes.len())
}

/// Open brackets. Beyond a depth that no message may have, only their number is kept: what is refused anyway must not
/// cost memory for as long as it lasts.
#[derive(Clone, Debug, Default)]
pub(super) struct Brackets {
    open: Vec<u8>,
    beyond: u64,
}

const DEEPEST: usize = 4096;

impl Brackets {
    pub(super) fn depth(&self) -> usize {
        self.open.len() + usize::try_from(self.beyond).unwrap_or(usize::MAX / 2)
    }

    fn innermost(&self) -> Option<u8> {
        self.open.last().copied()
    }

    fn open(&mut self, bracket: u8) {
        if self.open.len() < DEEPEST {
            self.open.push(bracket);
        } else {
            self.beyond += 1;
        }
    }

    fn close_exactly(&mut self, opened: u8) -> bool {
        if self.beyond > 0 {
            self.beyond -= 1;
            return true;
        }
        let fits = self.innermost() == Some(opened);
        if fits {
            self.open.pop();
        }
        fits
    }
}

/// Follows the brackets of a text that is broken, to find where it was meant to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Loose {
    brackets: Brackets,
    string: bool,
    escape: bool,
    closed: bool,
}

impl Loose {
    /// Goes on where a scan found the text broken.
    pub(super) fn after(scan: &Scan) -> Self {
        let brackets = scan.brackets.clone();
        Self {
            closed: brackets.depth() == 0,
            brackets,
            ..Self::default()
        }
    }

    /// Whether as much was closed as was opened.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.closed {
                return;
            }
            if byte == b'\n' {
                // No string reaches over the end of a line.
                self.string = false;
                self.escape = false;
            } else if self.escape {
                self.escape = false;
            } else if self.string {
                self.string = byte != b'"';
                self.escape = byte == b'\\';
            } else {
                self.bracket(byte);
            }
        }
    }

    fn bracket(&mut self, byte: u8) {
        let brackets = &mut self.brackets;
        match byte {
            b'"' => self.string = true,
            b'{' | b'[' => brackets.open(byte),
            b'}' | b']' if brackets.beyond > 0 => brackets.beyond -= 1,
            b'}' | b']' => {
                // What was left open inside ends with it.
                let opened = if byte == b'}' { b'{' } else { b'[' };
                if let Some(index) = brackets.open.iter().rposition(|&open| open == opened) {
                    brackets.open.truncate(index);
                }
                self.closed = brackets.open.is_empty();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> (usize, Step) {
        Scan::default().feed(text.as_bytes())
    }

    #[test]
    fn a_value_ends_where_json_says() {
        for text in [
            "{}",
            "[]",
            " {\"a\": [1, -2.5e3, true, null, \"x\\\"\\u00e9\"]}",
            "[[],{}]",
            "{\n\"a\":\n{}\n}",
            "[0,-0.5,10E+2,1e-9,false]",
            "[\"}\",\"]\"]",
        ] {
            assert_eq!(scan(text), (text.len(), Step::Whole), "{text}");
            assert_eq!(
                scan(&format!("{text}x")),
                (text.len(), Step::Whole),
                "{text}"
            );
            for end in 0..text.len() {
                assert_eq!(scan(&text[..end]).1, Step::More, "{}", &text[..end]);
            }
        }
        for text in ["1\n", "\"x\"\n", "null \r\n"] {
            assert_eq!(scan(text), (text.len(), Step::Whole), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_json_is_found_at_its_first_wrong_byte() {
        for (text, at) in [
            ("nul\n", 4),
            ("}", 1),
            ("{{", 2),
            ("{1", 2),
            ("{,", 2),
            ("[,", 2),
            ("[1 2", 4),
            ("{\"a\" 1", 6),
            ("{\"a\":}", 6),
            ("[1,]", 4),
            ("[}", 2),
            ("{\"a\":1]", 7),
            ("\"a\n", 3),
            ("[\"\\x", 4),
            ("[\"\\u12g", 7),
            ("[NaN]", 2),
            ("[01,", 3),
            ("\u{feff}", 1),
            ("[1e,", 4),
            ("[tru]", 5),
            ("1 2", 3),
            ("'a'", 1),
        ] {
            assert_eq!(scan(text), (at, Step::Broken), "{text:?}");
        }
    }

    #[test]
    fn depth_costs_little_memory() {
        let mut scan = Scan::default();
        for _ in 0..100 {
            assert_eq!(scan.feed(&[b'['; 1000]).1, Step::More);
        }
        assert_eq!(scan.deepest(), 100_000);
        assert!(scan.brackets.open.capacity() <= DEEPEST);
        assert_eq!(scan.feed(&b"]".repeat(99_999)), (99_999, Step::More));
        assert_eq!(scan.feed(b"]"), (1, Step::Whole));
    }

    #[test]
    fn the_intended_end_of_a_broken_text_is_found() {
        let mut scan = Scan::default();
        assert_eq!(scan.feed(b"[{\"a\": x,").1, Step::Broken);
        let mut loose = Loose::after(&scan);
        loose.feed(b" \"]\": \"}\n, {");
        assert!(!loose.is_closed());
        loose.feed(b"]");
        assert!(loose.is_closed());
    }
}
