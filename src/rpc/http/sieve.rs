//! What comes in over a WebSocket, before the library reads it: messages over the limit are left out and the next one is read.
//!
//! The library cannot go on after such a message, so that its frames must not reach it. In their place it gets a pong whose
//! payload nobody else knows. Text arrives as binary: whether it is UTF-8 is asked where JSON is read, and one that is not
//! ends nothing either. Frames are those of RFC 6455, section 5.2.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest head of a frame: two bytes, eight of the length, four of the mask.
const LONGEST_HEAD: usize = 14;

/// Bytes that are read at a time.
const READ: usize = 16 << 10;

const FINAL: u8 = 0x80;
const OPCODE: u8 = 0x0f;
const CONTINUATION: u8 = 0;
const TEXT: u8 = 1;
const BINARY: u8 = 2;
const PONG: u8 = 10;
const MASKED: u8 = 0x80;

/// The payload of the pong that stands for a message over the limit; the last byte says whether the beginning of that
/// message went through, and comes out as a message after it.
pub(super) type Mark = [u8; 17];

/// A stream without the messages that are over the limit.
pub(super) struct Sieve<S> {
    io: S,
    state: State,
}

#[derive(Debug)]
struct State {
    limit: u64,
    secret: [u8; 16],
    head: Vec<u8>,
    /// Bytes of the payload that is being read.
    payload: u64,
    /// Whether they are left out.
    dropped: bool,
    /// Bytes of the message so far.
    message: u64,
    /// The rest of the message is left out.
    over: bool,
    out: BytesMut,
}

impl<S> Sieve<S> {
    /// A stream whose messages have at most `limit` bytes.
    pub(super) fn new(io: S, limit: usize) -> Self {
        Self {
            io,
            state: State {
                limit: limit as u64,
                secret: rand::random(),
                head: Vec::with_capacity(LONGEST_HEAD),
                payload: 0,
                dropped: false,
                message: 0,
                over: false,
                out: BytesMut::new(),
            },
        }
    }

    /// What the payloads of its pongs begin with.
    pub(super) const fn secret(&self) -> [u8; 16] {
        self.state.secret
    }
}

impl State {
    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.payload > 0 {
                let most = usize::try_from(self.payload).unwrap_or(usize::MAX);
                let (part, rest) = bytes.split_at(most.min(bytes.len()));
                if !self.dropped {
                    self.out.extend_from_slice(part);
                }
                self.payload -= part.len() as u64;
                bytes = rest;
                continue;
            }
            self.head.push(bytes[0]);
            bytes = &bytes[1..];
            if let Some(length) = length(&self.head) {
                self.begin(length);
            }
        }
    }

    /// A frame begins whose head is complete.
    fn begin(&mut self, length: u64) {
        let opcode = self.head[0] & OPCODE;
        self.payload = length;
        // Frames that control the connection come between those of a message.
        self.dropped = opcode <= BINARY && self.of_message(opcode, length);
        if !self.dropped {
            if opcode == TEXT {
                self.head[0] = self.head[0] & !OPCODE | BINARY;
            }
            self.out.extend_from_slice(&self.head);
        }
        self.head.clear();
    }

    /// Whether a frame of a message is left out.
    fn of_message(&mut self, opcode: u8, length: u64) -> bool {
        if opcode != CONTINUATION {
            (self.message, self.over) = (0, false);
        }
        let is_final = self.head[0] & FINAL != 0;
        if !self.over {
            self.message = self.message.saturating_add(length);
            if self.message <= self.limit {
                return false;
            }
            self.over = true;
            let begun = opcode == CONTINUATION;
            self.frame(FINAL | PONG, &self.mark(begun));
            if begun {
                // Its beginning is with the library, which waits for an end.
                self.frame(FINAL | CONTINUATION, &[]);
            }
        }
        self.over = !is_final;
        true
    }

    fn mark(&self, begun: bool) -> Mark {
        let mut mark = [u8::from(begun); 17];
        mark[..16].copy_from_slice(&self.secret);
        mark
    }

    /// A frame of our own, masked with zeros.
    fn frame(&mut self, first: u8, payload: &[u8]) {
        let length = u8::try_from(payload.len()).expect("a mark is short");
        self.out
            .extend_from_slice(&[first, MASKED | length, 0, 0, 0, 0]);
        self.out.extend_from_slice(payload);
    }
}

/// The length of the payload, once the head is complete.
fn length(head: &[u8]) -> Option<u64> {
    let second = *head.get(1)?;
    let mask = if second & MASKED == 0 { 0 } else { 4 };
    let extended = match second & !MASKED {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    if head.len() < 2 + extended + mask {
        return None;
    }
    let bytes = &head[2..2 + extended];
    Some(match extended {
        0 => u64::from(second & !MASKED),
        _ => bytes
            .iter()
            .fold(0, |length, byte| length << 8 | u64::from(*byte)),
    })
}

impl<S: AsyncRead + Unpin> AsyncRead for Sieve<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while this.state.out.is_empty() {
            let mut room = [0; READ];
            let mut read = ReadBuf::new(&mut room);
            ready!(Pin::new(&mut this.io).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            this.state.take(read.filled());
        }
        let count = this.state.out.len().min(buffer.remaining());
        buffer.put_slice(&this.state.out[..count]);
        this.state.out.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Sieve<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
        let mut frame = vec![first];
        let length = u16::try_from(payload.len()).unwrap();
        if let Ok(short @ 0..126) = u8::try_from(length) {
            frame.push(MASKED | short);
        } else {
            frame.push(MASKED + 126);
            frame.extend(length.to_be_bytes());
        }
        frame.extend([1, 2, 3, 4]);
        frame.extend(payload);
        frame
    }

    #[test]
    fn only_messages_over_the_limit_are_left_out_however_the_bytes_are_cut() {
        let mut sieve = Sieve::new((), 200);
        let mark = |begun| {
            let mut payload = sieve.secret().to_vec();
            payload.push(begun);
            let mut frame = vec![FINAL | PONG, MASKED + 17, 0, 0, 0, 0];
            frame.extend(payload);
            frame
        };
        let end = vec![FINAL, MASKED, 0, 0, 0, 0];
        let whole = frame(FINAL | BINARY, b"{}");
        let ping = frame(FINAL | 9, b"p");
        let sent = [
            frame(FINAL | TEXT, b"{}"),
            frame(FINAL | TEXT, &[b'x'; 201]),
            whole.clone(),
            // In pieces, the third of which is too much.
            frame(TEXT, &[b'a'; 100]),
            frame(0, &[b'b'; 100]),
            ping.clone(),
            frame(0, b"c"),
            frame(0, &[b'd'; 300]),
            ping.clone(),
            frame(FINAL, b"e"),
            whole.clone(),
            // In pieces from the first on.
            frame(BINARY, &[b'f'; 300]),
            frame(FINAL, b"g"),
            frame(FINAL | BINARY, &[b'h'; 200]),
        ]
        .concat();
        let expected = [
            whole.clone(),
            mark(0),
            whole.clone(),
            frame(BINARY, &[b'a'; 100]),
            frame(0, &[b'b'; 100]),
            ping.clone(),
            mark(1),
            end,
            ping,
            whole,
            mark(0),
            frame(FINAL | BINARY, &[b'h'; 200]),
        ]
        .concat();
        for cut in [1, 3, 7, 1000, sent.len()] {
            for piece in sent.chunks(cut) {
                sieve.state.take(piece);
            }
            assert_eq!(sieve.state.out.split().to_vec(), expected, "{cut}");
        }
    }
}
