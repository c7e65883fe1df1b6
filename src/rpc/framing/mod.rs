//! Framings: how messages are told apart. The first bytes of a connection choose one, for both directions.

mod length;
mod lines;
mod scan;
mod sniff;

use bytes::BytesMut;

pub(super) use length::Length;
pub(super) use lines::Lines;
pub(super) use sniff::{Framing, sniff};

use crate::proto::daemon::Limits;
use crate::proto::{Failure, Kind};

/// What a decoder found.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// The text of one message.
    Message(Vec<u8>),
    /// Something that is answered with an error; reading goes on behind it.
    Refused { id: String, failure: Failure },
    /// The same, and nothing behind it can be understood.
    Fatal(Failure),
}

/// Takes messages out of a stream of bytes. What it finds depends on the bytes, not on the pieces they come in.
pub(super) trait Decoder: Send {
    /// The next thing in the bytes; `None` when more are needed.
    fn next(&mut self, bytes: &mut BytesMut, limits: &Limits) -> Option<Event>;

    /// The next thing when there are no more bytes; `None` when that was all.
    fn end(&mut self, bytes: &mut BytesMut, limits: &Limits) -> Option<Event>;

    /// Whether part of a message was seen.
    fn is_half(&self) -> bool;
}

/// What is answered to a message over the limit.
pub(super) fn too_large(limits: &Limits) -> Failure {
    Failure::new(
        Kind::MessageTooLarge,
        format!(
            "the message is over the limit of {} bytes",
            limits.message_bytes
        ),
    )
    .hint("send less at a time, or raise limits.messageBytes in the configuration")
}

/// The number of levels of a message.
pub(super) fn depth(message: &[u8]) -> usize {
    let mut scan = scan::Scan::default();
    scan.feed(message);
    scan.deepest()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a decoder finds in bytes that come in pieces of this size.
    pub(super) fn decode(
        decoder: &mut dyn Decoder,
        bytes: &[u8],
        size: usize,
        limits: &Limits,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        let mut buffer = BytesMut::new();
        for piece in bytes.chunks(size) {
            buffer.extend_from_slice(piece);
            while let Some(event) = decoder.next(&mut buffer, limits) {
                events.push(event);
            }
        }
        while let Some(event) = decoder.end(&mut buffer, limits) {
            events.push(event);
        }
        events
    }
}
