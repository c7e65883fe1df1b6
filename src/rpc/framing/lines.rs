//! A message a line, or spread over lines.
//!
//! A value is served as soon as it is whole. A text that turns out to be broken is one error: it ends with its line when
//! it began there, and else where its brackets say, or before a line that is a message by itself, or before a line that
//! begins a value in the first column.

use std::collections::VecDeque;

use bytes::BytesMut;

use super::super::envelope::{is_message, parse_error, peek_id};
use super::scan::{Loose, Scan, Step};
use super::{Decoder, Event, too_large};
use crate::proto::Failure;
use crate::proto::daemon::Limits;

/// The decoder.
#[derive(Debug, Default)]
pub(in super::super) struct Lines {
    /// The text so far, without its newest line.
    text: Vec<u8>,
    /// The newest line so far; of a value that began in its middle, what belongs to it.
    line: Vec<u8>,
    /// The newest line was longer than a message may be, and was dropped.
    line_lost: bool,
    /// The text began on an earlier line.
    earlier: bool,
    mode: Mode,
    scan: Scan,
    found: VecDeque<Event>,
}

#[derive(Debug, Default)]
enum Mode {
    /// Collecting a text that may become a message.
    #[default]
    Collect,
    /// Following a text that is over the limit, and answered, to its end.
    Oversize,
    /// In the rest of the line on which the text turned out to be broken.
    Broken { loose: Loose, answered: bool },
    /// Behind a broken text of several lines, which is answered, before its end.
    Skip(Loose),
}

impl Decoder for Lines {
    fn next(&mut self, bytes: &mut BytesMut, limits: &Limits) -> Option<Event> {
        while self.found.is_empty() && !bytes.is_empty() {
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let taken = self.take(&bytes[..end.map_or(bytes.len(), |end| end + 1)], limits);
            bytes::Buf::advance(bytes, taken);
        }
        self.found.pop_front()
    }

    fn end(&mut self, bytes: &mut BytesMut, limits: &Limits) -> Option<Event> {
        if let Some(event) = self.next(bytes, limits) {
            return Some(event);
        }
        self.take(b"\n", limits);
        if matches!(self.mode, Mode::Collect) && !self.scan.is_blank() {
            self.found
                .push_back(refused(parse_error("the stream ends inside of a message")));
        }
        self.restart();
        self.found.pop_front()
    }

    fn is_half(&self) -> bool {
        !matches!(self.mode, Mode::Collect) || !self.scan.is_blank()
    }
}

fn refused(failure: Failure) -> Event {
    Event::Refused {
        id: super::super::reply::NO_ID.to_owned(),
        failure,
    }
}

impl Lines {
    /// Takes bytes of one line, its end included where it is at hand, and says how many.
    fn take(&mut self, piece: &[u8], limits: &Limits) -> usize {
        let ends = piece.last() == Some(&b'\n');
        match &mut self.mode {
            Mode::Collect | Mode::Oversize => self.follow(piece, limits),
            Mode::Broken { loose, .. } => {
                loose.feed(piece);
                self.keep(piece, limits);
                if ends {
                    self.judge(limits);
                }
                piece.len()
            }
            Mode::Skip(loose) => {
                loose.feed(piece);
                self.keep(piece, limits);
                if ends {
                    self.resume(limits);
                }
                piece.len()
            }
        }
    }

    /// Remembers a piece of the newest line, up to the size of a message.
    fn keep(&mut self, piece: &[u8], limits: &Limits) {
        if self.line_lost || self.line.len() + piece.len() > limits.message_bytes {
            self.line_lost = true;
            self.line = Vec::new();
        } else {
            self.line.extend_from_slice(piece);
        }
    }

    fn follow(&mut self, piece: &[u8], limits: &Limits) -> usize {
        // White space before a message belongs to nothing, however much there is.
        if self.scan.is_blank() {
            let blank = piece
                .iter()
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
                .count();
            if blank > 0 {
                return blank;
            }
        }
        let (length, step) = self.scan.feed(piece);
        let piece = &piece[..length];
        let collecting = matches!(self.mode, Mode::Collect);
        let size = self.text.len() + self.line.len() + length;
        if collecting && size > limits.message_bytes {
            self.oversize(piece, limits);
        } else {
            self.keep(piece, limits);
        }
        match step {
            Step::Whole => self.whole(),
            Step::Broken => {
                let answered = matches!(self.mode, Mode::Oversize);
                let mut loose = Loose::after(&self.scan);
                loose.feed(&piece[length - 1..]);
                self.mode = Mode::Broken { loose, answered };
                if piece.last() == Some(&b'\n') {
                    self.judge(limits);
                }
            }
            Step::More if piece.last() == Some(&b'\n') => {
                self.earlier = true;
                if matches!(self.mode, Mode::Collect) {
                    self.text.append(&mut self.line);
                }
                self.line.clear();
                self.line_lost = false;
            }
            Step::More => {}
        }
        length
    }

    /// Answers that the text is over the limit. The answer has the id where the beginning shows it.
    fn oversize(&mut self, piece: &[u8], limits: &Limits) {
        let mut beginning = std::mem::take(&mut self.text);
        let line_start = beginning.len();
        beginning.append(&mut self.line);
        let room = limits.message_bytes - beginning.len().min(limits.message_bytes);
        beginning.extend_from_slice(&piece[..room.min(piece.len())]);
        self.found.push_back(Event::Refused {
            id: peek_id(&beginning),
            failure: too_large(limits),
        });
        self.mode = Mode::Oversize;
        // The newest line may still turn out to be a message by itself.
        self.line = beginning.split_off(line_start);
        self.line.truncate(self.line.len() - room.min(piece.len()));
        self.keep(piece, limits);
    }

    fn whole(&mut self) {
        if matches!(self.mode, Mode::Collect) {
            let mut message = std::mem::take(&mut self.text);
            if message.is_empty() {
                message = std::mem::take(&mut self.line);
            } else {
                message.append(&mut self.line);
            }
            if std::str::from_utf8(&message).is_err() {
                // Said here, so that the rest of the line goes with it.
                self.found
                    .push_back(refused(parse_error("the message is not UTF-8")));
                let line_ended = message.last() == Some(&b'\n');
                self.restart();
                if !line_ended {
                    self.mode = Mode::Broken {
                        loose: Loose::default(),
                        answered: true,
                    };
                }
                return;
            }
            self.found.push_back(Event::Message(message));
        }
        self.restart();
    }

    /// Begins with the next text.
    fn restart(&mut self) {
        let found = std::mem::take(&mut self.found);
        *self = Self {
            found,
            ..Self::default()
        };
    }

    /// Decides at the end of the line on which the text turned out to be broken.
    fn judge(&mut self, limits: &Limits) {
        let Mode::Broken { loose, answered } = std::mem::take(&mut self.mode) else {
            return;
        };
        if !answered {
            self.found
                .push_back(refused(parse_error("the message is not JSON")));
        }
        if self.earlier {
            self.mode = Mode::Skip(loose);
            self.resume(limits);
        } else {
            self.restart();
        }
    }

    /// Decides at the end of a line behind a broken text.
    fn resume(&mut self, limits: &Limits) {
        let Mode::Skip(loose) = std::mem::take(&mut self.mode) else {
            return;
        };
        let line = std::mem::take(&mut self.line);
        let begins = matches!(line.first(), Some(b'{' | b'['));
        if is_message(&line) || (begins && Scan::default().feed(&line).1 == Step::More) {
            // It stands for itself, or begins the next text.
            self.restart();
            let mut rest = line.as_slice();
            while !rest.is_empty() {
                let taken = self.take(rest, limits);
                rest = &rest[taken..];
            }
        } else if loose.is_closed() {
            self.restart();
        } else {
            self.line_lost = false;
            self.mode = Mode::Skip(loose);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::decode;
    use super::*;

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;

    /// What was found: messages as their text, errors as their code.
    fn found(bytes: &[u8], size: usize, limits: &Limits) -> Vec<String> {
        decode(&mut Lines::default(), bytes, size, limits)
            .into_iter()
            .map(|event| match event {
                Event::Message(text) => String::from_utf8(text).unwrap(),
                Event::Refused { id, failure } => format!("{} {id}", failure.code),
                Event::Fatal(failure) => format!("fatal {}", failure.code),
            })
            .collect()
    }

    fn check(bytes: impl AsRef<[u8]>, expected: &[&str]) {
        let bytes = bytes.as_ref();
        for size in [1, 2, 7, 100_000] {
            assert_eq!(
                found(bytes, size, &Limits::default()),
                expected,
                "{} by {size}",
                String::from_utf8_lossy(bytes)
            );
        }
    }

    const BROKEN: &str = "-32700 null";

    #[test]
    fn messages_on_lines_and_over_lines() {
        check(format!("{CALL}\n{CALL}\r\n\n{CALL}"), &[CALL, CALL, CALL]);
        check(format!("{CALL}{CALL} {CALL}"), &[CALL, CALL, CALL]);
        let pretty = "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"\u{1f600}\"\n}";
        check(format!("{pretty}\n{CALL}"), &[pretty, CALL]);
        check("1\n\"x\" \n", &["1\n", "\"x\" \n"]);
        check("  \n \t\r\n", &[]);
        check("", &[]);
    }

    #[test]
    fn a_broken_line_is_one_error() {
        for line in [
            "nul",
            "{nul}",
            "NaN",
            "}",
            "{\"a\":1}}",
            "\u{feff}{}",
            "{\"a",
            "{]",
            "x {} y {} z",
            r#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#,
            "GARBAGE { [ \"",
            "\"abc",
            "1 2",
        ] {
            let served = line.starts_with("{\"a\":1}");
            let mut expected = if served { vec!["{\"a\":1}"] } else { vec![] };
            expected.extend([BROKEN, CALL]);
            check(format!("{line}\n{CALL}\n"), &expected);
            expected.pop();
            check(line, &expected);
        }
        check(b"{\"a\":\"\xff\"} junk\n[]", &[BROKEN, "[]"]);
        check(b"\"\xff\"\n[]", &[BROKEN, "[]"]);
    }

    #[test]
    fn a_whole_message_ends_what_it_cannot_continue() {
        check(format!("{{\n{CALL}\n{CALL}\n"), &[BROKEN, CALL, CALL]);
        let cut = &CALL[..CALL.len() - 1];
        check(format!("{cut}\n{CALL}\n"), &[BROKEN, CALL]);
        check(format!("[1,2\n{CALL}\n"), &[BROKEN, CALL]);
        // A list can go on with an object, so this one is broken by what follows.
        check(format!("[\n{CALL}\n{CALL}\n"), &[BROKEN, CALL]);
    }

    #[test]
    fn a_broken_text_of_several_lines_is_one_error() {
        let broken = "{\n  \"jsonrpc\": \"2.0\",\n  \"method\": nope,\n  \"params\": {\n    \"x\": 1\n  }\n}";
        check(format!("{broken}\n{CALL}"), &[BROKEN, CALL]);
        check(format!("{broken}\nnul\n{CALL}"), &[BROKEN, BROKEN, CALL]);
        let batch =
            "[\n  {\"jsonrpc\": \"2.0\", \"id\": \"1\"},\n  {\"jsonrpc\": \"2.0\", \"method\"\n]";
        check(format!("{batch}\n{CALL}"), &[BROKEN, CALL]);
        // Its end is missing, and a value begins in the first column.
        let pretty = "{\n  \"a\": 1\n}";
        check(format!("{{\n \"a\" 1\n{pretty}\n"), &[BROKEN, pretty]);
    }

    #[test]
    fn what_is_over_the_limit_is_skipped() {
        let limits = Limits {
            message_bytes: 100,
            ..Limits::default()
        };
        let long = |text: &str| text.replace('@', &"y".repeat(200));
        for (bytes, expected) in [
            (
                long(r#"{"id":7,"params":"@"}"#) + "\n" + CALL,
                vec!["-32007 7", CALL],
            ),
            (
                long(r#"{"id":7,"params":"@"}"#) + CALL,
                vec!["-32007 7", CALL],
            ),
            (
                long("{\n\"id\":7,\n\"p\":\n\"@\"\n}\n") + CALL,
                vec!["-32007 7", CALL],
            ),
            // A message that was cut, and then one that stands for itself.
            (
                long("{\n\"id\":7,\n\"p\":\"@\"\n") + CALL,
                vec!["-32007 7", CALL],
            ),
            (long("[@"), vec![BROKEN]),
            (long("[\"@"), vec!["-32007 null"]),
            (long("\"@\"\n") + CALL, vec!["-32007 null", CALL]),
            (
                long("{\"id\":7,\"p\":\"@\" x\n") + CALL,
                vec!["-32007 7", CALL],
            ),
            ("[".repeat(1000), vec!["-32007 null"]),
            (" ".repeat(1000) + CALL, vec![CALL]),
        ] {
            for size in [1, 13, 100_000] {
                assert_eq!(
                    found(bytes.as_bytes(), size, &limits),
                    expected,
                    "{bytes} by {size}"
                );
            }
        }
    }

    #[test]
    fn memory_is_bounded_by_the_size_of_a_message() {
        let limits = Limits {
            message_bytes: 256 << 10,
            ..Limits::default()
        };
        for pattern in ["x", "[", "\"", " ", "{\"a\":", "[\n", "{\n\"a\":1,\n"] {
            let mut lines = Lines::default();
            let piece = pattern.repeat((64 << 10) / pattern.len());
            for _ in 0..12 {
                let mut bytes = BytesMut::from(piece.as_bytes());
                while lines.next(&mut bytes, &limits).is_some() {}
                let held = lines.text.capacity() + lines.line.capacity();
                assert!(held <= 3 * limits.message_bytes, "{pattern:?}: {held}");
            }
        }
    }

    #[test]
    fn a_large_message_in_small_pieces_arrives() {
        let limits = Limits {
            message_bytes: 6 << 20,
            ..Limits::default()
        };
        let message = format!("[\"{}\"]", "x\\n\u{e9}".repeat(1 << 20));
        assert_eq!(found(message.as_bytes(), 1000, &limits), [message]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "{", "}", "[", "]", "\"", ":", ",", "\n", " ", "\\", "1", "nul", "true", "\"a\"", "\u{e9}",
                    "\u{1f600}", "{\n\"a\": 1\n}", CALL, "\r\n", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                ]),
                0..24,
            ),
            cut in prop::option::of(0..200usize),
            size in 1..20usize,
        ) {
            let limits = Limits { message_bytes: 120, ..Limits::default() };
            let mut bytes = parts.concat().into_bytes();
            if let Some(cut) = cut {
                bytes.truncate(cut);
            }
            let whole = decode(&mut Lines::default(), &bytes, bytes.len().max(1), &limits);
            let pieces = decode(&mut Lines::default(), &bytes, size, &limits);
            prop_assert_eq!(whole, pieces);
        }
    }
}
