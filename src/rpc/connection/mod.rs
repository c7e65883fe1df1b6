//! A connection: its first bytes choose the framing, then messages come in and replies go out until both sides are done.

mod conversation;
mod half;
mod socket;
mod source;
#[cfg(test)]
mod tests;
mod writer;

use std::time::Duration;

use bytes::BytesMut;
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use self::source::Bytes;
use super::driver::{Driver, Mode};
use super::framing::{Decoder, Framing, Length, Lines, sniff};
use super::http;
use super::outbox::{Outbox, Wire};
use super::server::Server;
use crate::os::peer::Peer;

pub(super) use conversation::{Ended, LOOK, Setting};
pub(super) use half::Half;
pub(super) use socket::Socket;
pub(super) use source::{Arrived, Source};
pub(super) use writer::{Progress, Written};

/// How long a caller may go on sending to a connection that the daemon has ended. Closing at once would make the system
/// drop replies that it has not read yet.
const LINGER: Duration = Duration::from_secs(1);

/// Serves one connection to its end.
pub(super) async fn run(server: &Server, socket: Socket, peer: Peer, mode: Mode) {
    let mut reader = socket.clone();
    let writer = socket.clone();
    let mut begun = BytesMut::new();
    let half = Half::new();
    let framing = tokio::select! {
        framing = choose(&mut reader, &mut begun) => framing,
        () = half.expired(server) => None,
        () = server.supervisor().token().cancelled() => None,
    };
    let wire = match framing {
        Some(Framing::Lines) => Wire::Lines,
        Some(Framing::Length) => Wire::Length,
        Some(Framing::Http) => {
            let io = tokio::io::join(
                AsyncReadExt::chain(std::io::Cursor::new(begun), reader),
                writer,
            );
            http::run(server, io, peer, socket, half, mode).await;
            return;
        }
        None => return,
    };
    let setting = Setting {
        server: server.clone(),
        outbox: Outbox::sharing(wire, server.unread()),
        socket,
        half: half.clone(),
        mode,
    };
    let driver = Driver::new(server.clone(), peer, setting.outbox.clone(), mode);
    let writing = writer::write(server, &setting.outbox, writer);
    let ended = if wire == Wire::Lines {
        let mut source = bytes(server, &mut reader, Lines::default(), begun, half);
        setting.converse(driver, &mut source, writing).await
    } else {
        let mut source = bytes(server, &mut reader, Length::default(), begun, half);
        setting.converse(driver, &mut source, writing).await
    };
    if ended == Ended::Ours && !server.supervisor().token().is_cancelled() {
        // An answer is worth nothing where the caller only sees that it could not send on.
        let _ = timeout(LINGER, tokio::io::copy(&mut reader, &mut tokio::io::sink())).await;
    }
}

fn bytes<R, D: Decoder>(
    server: &Server,
    reader: R,
    decoder: D,
    begun: BytesMut,
    half: Half,
) -> Bytes<R, D> {
    Bytes::new(server.clone(), reader, decoder, begun, half)
}

/// Reads until the first bytes say how the caller frames its messages; `None` when it says nothing.
async fn choose(reader: &mut Socket, begun: &mut BytesMut) -> Option<Framing> {
    loop {
        match reader.read_buf(begun).await {
            Ok(0) if begun.trim_ascii().is_empty() => return None,
            Ok(0) => return sniff(begun, true),
            Ok(_) => {
                if begun.trim_ascii_start().is_empty() {
                    // White space is not the beginning of anything, however much there is.
                    begun.clear();
                } else if let Some(framing) = sniff(begun, false) {
                    return Some(framing);
                }
            }
            Err(_) => return None,
        }
    }
}
