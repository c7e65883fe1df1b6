//! Where messages come from: bytes through a decoder.

use std::future::Future;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::yield_now;

use super::super::framing::{Decoder, Event};
use super::super::server::Server;
use super::half::Half;

/// What a connection brings.
#[derive(Debug)]
pub(in super::super) enum Arrived {
    /// A message, or what is no message.
    Event(Event),
    /// The caller sends nothing more, and still reads.
    End,
    /// The caller is gone.
    Gone,
}

/// A source of messages.
pub(in super::super) trait Source: Send {
    /// The next; after [`Arrived::End`] it is not asked again. Dropping the future loses nothing.
    fn next(&mut self) -> impl Future<Output = Arrived> + Send;
}

/// How many bytes are read at a time.
const READ: usize = 16 << 10;

/// Messages in a stream of bytes.
pub(super) struct Bytes<R, D> {
    server: Server,
    io: R,
    decoder: D,
    buffer: BytesMut,
    half: Half,
    ended: bool,
}

impl<R, D> Bytes<R, D> {
    /// A source that begins with bytes that were read already.
    pub(super) fn new(server: Server, io: R, decoder: D, buffer: BytesMut, half: Half) -> Self {
        Self {
            server,
            io,
            decoder,
            buffer,
            half,
            ended: false,
        }
    }
}

impl<R: AsyncRead + Send + Unpin, D: Decoder> Source for Bytes<R, D> {
    async fn next(&mut self) -> Arrived {
        // One message a turn: a caller that sends without end gets its share and not the whole thread. Nothing has been
        // taken from the buffer yet, so nothing is lost where this is dropped here.
        yield_now().await;
        loop {
            let limits = self.server.limits();
            let event = if self.ended {
                self.decoder.end(&mut self.buffer, &limits)
            } else {
                self.decoder.next(&mut self.buffer, &limits)
            };
            self.half.set(self.decoder.is_half());
            match event {
                Some(event) => return Arrived::Event(event),
                None if self.ended => return Arrived::End,
                None => {}
            }
            self.buffer.reserve(READ);
            match self.io.read_buf(&mut self.buffer).await {
                Ok(0) => self.ended = true,
                Ok(_) => {}
                Err(_) => return Arrived::Gone,
            }
        }
    }
}
