//! `Content-Length` headers before each message, as language servers write them.

use bytes::{Buf, BytesMut};

use super::super::envelope::{parse_error, peek_id};
use super::{Decoder, Event, too_large};
use crate::proto::Failure;
use crate::proto::daemon::Limits;

/// The most bytes of one header block.
const HEADERS: usize = 8 << 10;

/// The beginning of a message that is too large, kept to find its id.
const PEEK: usize = 4 << 10;

/// The decoder.
#[derive(Debug, Default)]
pub(in super::super) struct Length {
    state: State,
    half: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Headers,
    Body(usize),
    /// This many bytes of a message that was too large are left.
    Skip(usize),
    Broken,
}

impl Decoder for Length {
    fn next(&mut self, bytes: &mut BytesMut, limits: &Limits) -> Option<Event> {
        loop {
            match self.state {
                State::Headers => {
                    let blank = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
                    bytes.advance(blank.count());
                    self.half = !bytes.is_empty();
                    let Some((head, body)) = block_end(bytes) else {
                        if bytes.len() <= HEADERS {
                            return None;
                        }
                        return Some(self.broken("the headers of a message are over 8 KiB"));
                    };
                    if head > HEADERS {
                        return Some(self.broken("the headers of a message are over 8 KiB"));
                    }
                    match content_length(&bytes[..head]) {
                        Ok(length) => {
                            bytes.advance(body);
                            self.state = State::Body(length);
                        }
                        Err(problem) => return Some(self.broken(&problem)),
                    }
                }
                State::Body(length) if length > limits.message_bytes => {
                    let peek = length.min(PEEK);
                    if bytes.len() < peek {
                        return None;
                    }
                    let id = peek_id(&bytes[..peek]);
                    self.state = State::Skip(length);
                    let failure = too_large(limits);
                    return Some(Event::Refused { id, failure });
                }
                State::Body(length) => {
                    if bytes.len() < length {
                        bytes.reserve(length - bytes.len());
                        return None;
                    }
                    self.state = State::Headers;
                    self.half = false;
                    let message = bytes.split_to(length);
                    return Some(Event::Message(message.to_vec()));
                }
                State::Skip(left) => {
                    let skipped = left.min(bytes.len());
                    bytes.advance(skipped);
                    if skipped < left {
                        self.state = State::Skip(left - skipped);
                        return None;
                    }
                    self.state = State::Headers;
                }
                State::Broken => {
                    bytes.clear();
                    return None;
                }
            }
        }
    }

    fn end(&mut self, bytes: &mut BytesMut, limits: &Limits) -> Option<Event> {
        if let Some(event) = self.next(bytes, limits) {
            return Some(event);
        }
        let half = match self.state {
            State::Headers => !bytes.is_empty(),
            State::Body(_) => true,
            // That one was answered.
            State::Skip(_) | State::Broken => false,
        };
        self.state = State::Broken;
        half.then(|| Event::Fatal(parse_error("the stream ends inside of a message")))
    }

    fn is_half(&self) -> bool {
        self.half
    }
}

impl Length {
    fn broken(&mut self, problem: &str) -> Event {
        self.state = State::Broken;
        Event::Fatal(bad_headers(problem))
    }
}

fn bad_headers(problem: &str) -> Failure {
    parse_error(problem)
        .hint("before each message: Content-Length, its number of bytes, and an empty line")
}

/// Where the header block ends and where the message begins.
fn block_end(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut start = 0;
    while let Some(length) = bytes[start..].iter().position(|&byte| byte == b'\n') {
        if bytes[start..start + length].trim_ascii_end().is_empty() {
            return Some((start, start + length + 1));
        }
        start += length + 1;
    }
    None
}

fn content_length(head: &[u8]) -> Result<usize, String> {
    let head = std::str::from_utf8(head).map_err(|_| "a header is not text".to_owned())?;
    let mut length = None;
    for line in head.lines() {
        let Some((name, value)) = line.split_once(':') else {
            return Err("a header has no colon".to_owned());
        };
        if !name.trim().eq_ignore_ascii_case("content-length") {
            continue;
        }
        let value = value.trim();
        let number = value
            .parse::<usize>()
            .ok()
            .filter(|_| value.bytes().all(|byte| byte.is_ascii_digit()));
        let number = number.ok_or_else(|| "Content-Length is not a number of bytes".to_owned())?;
        if length.is_some_and(|other| other != number) {
            return Err("Content-Length is given twice".to_owned());
        }
        length = Some(number);
    }
    length.ok_or_else(|| "a message has no Content-Length".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::decode;
    use super::*;

    fn message(text: &str) -> Event {
        Event::Message(text.as_bytes().to_vec())
    }

    fn check(bytes: &str, events: &[Event]) {
        for size in [1, 3, 7, 64, 100_000] {
            let found = decode(
                &mut Length::default(),
                bytes.as_bytes(),
                size,
                &Limits::default(),
            );
            assert_eq!(found, events, "{bytes:?} by {size}");
        }
    }

    fn code(event: &Event) -> Option<i32> {
        match event {
            Event::Message(_) => None,
            Event::Refused { failure, .. } | Event::Fatal(failure) => Some(failure.code),
        }
    }

    #[test]
    fn headers_are_read_in_any_case_and_with_others_beside() {
        check("Content-Length: 2\r\n\r\n{}", &[message("{}")]);
        check(
            "content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-LENGTH:3\r\n\r\n[1]Content-Length: 4\n\n\"\u{e9}\"",
            &[message("[1]"), message("\"\u{e9}\"")],
        );
        check(
            "Content-Length: 2\r\n\r\n{}\r\n\r\nContent-Length: 0\r\n\r\n",
            &[message("{}"), message("")],
        );
    }

    #[test]
    fn a_bad_header_block_is_one_error_and_the_end() {
        for bytes in [
            "Content-Type: x\r\n\r\n{}",
            "Content-Length: -2\r\n\r\n{}",
            "Content-Length: two\r\n\r\n{}",
            "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
            "Content-Length 2\r\n\r\n{}Content-Length: 2\r\n\r\n{}",
            "Content-Length: 99\r\n\r\n{}",
            "Content-Length: 9",
        ] {
            let events = decode(
                &mut Length::default(),
                bytes.as_bytes(),
                5,
                &Limits::default(),
            );
            let codes: Vec<_> = events.iter().map(code).collect();
            assert_eq!(codes, [Some(-32700)], "{bytes:?}");
            assert!(matches!(events[0], Event::Fatal(_)), "{bytes:?}");
        }
        let endless = format!("Content-Length: 2{}", " ".repeat(HEADERS * 2));
        let events = decode(
            &mut Length::default(),
            endless.as_bytes(),
            1000,
            &Limits::default(),
        );
        assert_eq!(events.iter().map(code).collect::<Vec<_>>(), [Some(-32700)]);
    }

    #[test]
    fn a_message_over_the_limit_is_refused_by_its_id_and_the_next_is_served() {
        let limits = Limits {
            message_bytes: 5000,
            ..Limits::default()
        };
        let large = format!("{{\"id\":5,\"params\":[\"{}\"]}}", "x".repeat(6000));
        let bytes = format!(
            "Content-Length: {}\r\n\r\n{large}Content-Length: 2\r\n\r\n{{}}",
            large.len()
        );
        let events = decode(&mut Length::default(), bytes.as_bytes(), 100, &limits);
        let Event::Refused { id, failure } = &events[0] else {
            panic!("{events:?}");
        };
        assert_eq!((id.as_str(), failure.code), ("5", -32007));
        assert_eq!(events[1..], [message("{}")]);
    }
}
