//! A WebSocket: a message of it, text or binary, is a message of ours.

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::super::connection::{Arrived, Half, Progress, Setting, Source, Written};
use super::super::driver::Driver;
use super::super::envelope::parse_error;
use super::super::framing::{Event, too_large};
use super::super::outbox::{Outbox, Wire};
use super::super::reply::NO_ID;
use super::super::server::Server;
use super::Site;
use crate::proto::Failure;

/// Serves a WebSocket whose handshake is done.
pub(super) async fn run<S>(site: &Site, io: S)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let limit = Some(site.server.limits().message_bytes);
    let config = WebSocketConfig::default()
        .max_message_size(limit)
        .max_frame_size(limit);
    let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
    let (mut sink, stream) = socket.split();
    let setting = Setting {
        server: site.server.clone(),
        outbox: Outbox::new(Wire::Messages),
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
        ended: false,
    };
    setting.converse(driver, &mut source, writing).await;
}

/// The messages that come in.
struct Messages<S> {
    server: Server,
    stream: SplitStream<WebSocketStream<S>>,
    half: Half,
    ended: bool,
}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Source for Messages<S> {
    async fn next(&mut self) -> Arrived {
        while !self.ended {
            let message = self.stream.next().await;
            self.half.set(false);
            return match message {
                Some(Ok(Message::Text(text))) => {
                    Arrived::Event(Event::Message(text.as_bytes().to_vec()))
                }
                Some(Ok(Message::Binary(bytes))) => Arrived::Event(Event::Message(bytes.to_vec())),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Err(Error::Capacity(_))) => self.last(too_large(&self.server.limits())),
                Some(Err(Error::Utf8(_))) => self.last(parse_error("the message is not UTF-8")),
                // After a close the protocol allows no replies either.
                None | Some(Ok(Message::Close(_)) | Err(_)) => Arrived::Gone,
            };
        }
        Arrived::End
    }
}

impl<S> Messages<S> {
    /// The last answer: after this error the stream cannot be read on.
    fn last(&mut self, failure: Failure) -> Arrived {
        self.ended = true;
        Arrived::Event(Event::Refused {
            id: NO_ID.to_owned(),
            failure,
        })
    }
}

/// Sends what is in the outbox until it is finished or nobody reads it.
async fn write<S>(
    server: &Server,
    outbox: &Outbox,
    sink: &mut SplitSink<WebSocketStream<S>, Message>,
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
