//! The caller's socket, shared by those who read, those who write, and those who ask whether anyone is left.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use interprocess::os::unix::uds_local_socket::tokio::Stream;
use rustix::net::{SendFlags, Shutdown, send, shutdown};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::UnixStream;

/// A connected socket; clones share it.
#[derive(Clone, Debug)]
pub(in super::super) struct Socket(Arc<Stream>);

impl From<UnixStream> for Socket {
    fn from(stream: UnixStream) -> Self {
        Self(Arc::new(Stream::from(stream)))
    }
}

impl Socket {
    /// Whether the other end is closed in both directions, which reading alone cannot tell from a closed write half.
    ///
    /// Writing nothing fails exactly then, on Linux and on macOS.
    pub(in super::super) fn is_gone(&self) -> bool {
        // SIGPIPE, which macOS has no flag against, is ignored in every Rust program.
        matches!(
            send(&*self.0, &[], SendFlags::DONTWAIT),
            Err(rustix::io::Errno::PIPE
                | rustix::io::Errno::CONNRESET
                | rustix::io::Errno::NOTCONN)
        )
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut &*self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut &*self.0).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(shutdown(&*self.0, Shutdown::Write).map_err(Into::into))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_closed_write_half_is_not_a_closed_connection() {
        let (mut caller, stream) = UnixStream::pair().unwrap();
        let mut socket = Socket::from(stream);
        assert!(!socket.is_gone());
        caller.shutdown().await.unwrap();
        assert_eq!(socket.read(&mut [0]).await.unwrap(), 0);
        assert!(!socket.is_gone());
        socket.write_all(b"x").await.unwrap();
        drop(caller);
        assert!(socket.is_gone());
    }
}
