//! A WebSocket: a message of it, text or binary, is a message of ours.

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::super::connection::{Arrived, Half, Progress, Setting, Source, Written};
use super::super::driver::Driver;
use super::super::framing::{Event, too_large};
use super::super::outbox::{Outbox, Wire};
use super::super::reply::NO_ID;
use super::super::server::Server;
use super::sieve::Sieve;
use super::{LAST_WORDS, Site};

/// Serves a WebSocket whose handshake is done.
pub(super) async fn run<S>(site: &Site, io: S)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let limit = site.server.limits().message_bytes;
    let io = Sieve::new(io, limit);
    let secret = io.secret();
    let config = WebSocketConfig::default()
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit));
    let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let (mut sink, stream) = socket.split();
    let setting = Setting {
        server: site.server.clone(),
        outbox: Outbox::sharing(Wire::Messages, site.server.unread()),
        socket: site.socket.clone(),
        half: site.half.clone(),
        mode: site.mode,
    };
    let driver = Driver::new(
        site.server.clone(),
        site.peer,
        setting.outbox.clone(),
        site.mode,
    );
    let writing = write(&site.server, &setting.outbox, &mut sink);
    let mut source = Messages {
        server: site.server.clone(),
        stream,
        half: site.half.clone(),
        secret,
        cut: false,
    };
    setting.converse(driver, &mut source, writing).await;
}

/// The messages that come in.
struct Messages<S> {
    server: Server,
    stream: SplitStream<WebSocketStream<Sieve<S>>>,
    half: Half,
    /// Marks a message over the limit.
    secret: [u8; 16],
    /// The next message is the beginning of one over the limit.
    cut: bool,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Source for Messages<S> {
    async fn next(&mut self) -> Arrived {
        loop {
            let message = self.stream.next().await;
            self.half.set(false);
            return match message {
                Some(Ok(Message::Binary(_) | Message::Text(_))) if self.cut => {
                    self.cut = false;
                    continue;
                }
                Some(Ok(Message::Text(text))) => {
                    Arrived::Event(Event::Message(text.as_bytes().to_vec()))
                }
                Some(Ok(Message::Binary(bytes))) => Arrived::Event(Event::Message(bytes.to_vec())),
                Some(Ok(Message::Pong(payload))) if payload.starts_with(&self.secret) => {
                    self.cut = payload.last() == Some(&1);
                    Arrived::Event(Event::Refused {
                        id: NO_ID.to_owned(),
                        failure: too_large(&self.server.limits()),
                    })
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Ok(Message::Close(_))) => {
                    self.part().await;
                    Arrived::Gone
                }
                None | Some(Err(_)) => Arrived::Gone,
            };
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Messages<S> {
    /// Answers a close; after one the protocol allows no replies.
    async fn part(&mut self) {
        // The library sends its answer while it is read on; a caller that does not take it loses nothing.
        let sent = async { while let Some(Ok(_)) = self.stream.next().await {} };
        let _ = timeout(LAST_WORDS, sent).await;
    }
}

/// Sends what is in the outbox until it is finished or nobody reads it.
async fn write<S>(
    server: &Server,
    outbox: &Outbox,
    sink: &mut SplitSink<WebSocketStream<Sieve<S>>, Message>,
) -> Written
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    while let Some(message) = outbox.pop().await {
        let length = message.len();
        let mut progress = Progress::new(server, outbox);
        let text = String::from_utf8(message).unwrap_or_default();
        let mut sending = sink.send(Message::text(text));
        loop {
            match timeout(progress.tick(), &mut sending).await {
                Ok(Ok(())) => break,
                Ok(Err(_)) => return Written::Gone,
                Err(_) if progress.is_stalled() => return Written::Stalled,
                Err(_) => {}
            }
        }
        progress.made(length);
    }
    match sink.close().await {
        Ok(()) => Written::All,
        Err(_) => Written::Gone,
    }
}
