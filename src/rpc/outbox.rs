//! What a caller has not read yet.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How messages are told apart on their way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire {
    /// A line each.
    Lines,
    /// Behind a `Content-Length` header.
    Length,
    /// One by one: WebSocket and HTTP do it themselves.
    Messages,
}

/// Small messages share chunks of this size: a queue of very many small replies then costs little more than their bytes.
const CHUNK: usize = 64 << 10;

/// Bytes that wait in all queues together. Clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Total(Arc<AtomicUsize>);

impl Total {
    /// How many there are.
    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// One queue had `before` bytes and has `now`.
    fn changed(&self, before: usize, now: usize) {
        if now > before {
            self.0.fetch_add(now - before, Ordering::Relaxed);
        } else {
            self.0.fetch_sub(before - now, Ordering::Relaxed);
        }
    }
}

/// The queue between those who answer and the one who writes. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    wire: Wire,
    queue: Mutex<Queue>,
    filled: Notify,
    drained: Notify,
    total: Total,
    closed: CancellationToken,
}

#[derive(Debug, Default)]
struct Queue {
    chunks: VecDeque<Vec<u8>>,
    /// Bytes that were pushed and not yet reported as written.
    unread: usize,
    finished: bool,
}

impl Outbox {
    /// A queue whose bytes count by themselves.
    #[cfg(test)]
    pub(super) fn new(wire: Wire) -> Self {
        Self::sharing(wire, &Total::default())
    }

    /// A queue whose bytes count towards a total.
    pub(super) fn sharing(wire: Wire, total: &Total) -> Self {
        Self {
            shared: Arc::new(Shared {
                wire,
                queue: Mutex::default(),
                filled: Notify::new(),
                drained: Notify::new(),
                total: total.clone(),
                closed: CancellationToken::new(),
            }),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.shared
            .queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a message, one compact line of JSON. Never waits; nothing happens once the caller is gone.
    pub(super) fn push(&self, message: Vec<u8>) {
        if self.is_closed() {
            return;
        }
        let mut queue = self.queue();
        let before = queue.unread;
        match self.shared.wire {
            Wire::Lines => {
                queue.append(message);
                queue.append(b"\n".to_vec());
            }
            Wire::Length => {
                queue.append(format!("Content-Length: {}\r\n\r\n", message.len()).into_bytes());
                queue.append(message);
            }
            Wire::Messages => {
                queue.unread += message.len();
                queue.chunks.push_back(message);
            }
        }
        self.shared.total.changed(before, queue.unread);
        drop(queue);
        self.shared.filled.notify_one();
    }

    /// The next bytes to write (one whole message for [`Wire::Messages`]); `None` after [`Self::finish`] or
    /// [`Self::close`]. Dropping the future loses nothing.
    pub(super) async fn pop(&self) -> Option<Vec<u8>> {
        loop {
            {
                let mut queue = self.queue();
                if let Some(chunk) = queue.chunks.pop_front() {
                    return Some(chunk);
                }
                if queue.finished || self.is_closed() {
                    return None;
                }
            }
            self.shared.filled.notified().await;
        }
    }

    /// The next message if there is one now.
    pub(super) fn try_pop(&self) -> Option<Vec<u8>> {
        let mut queue = self.queue();
        let chunk = queue.chunks.pop_front()?;
        queue.unread -= chunk.len();
        self.shared.total.changed(chunk.len(), 0);
        Some(chunk)
    }

    /// Says that this many bytes of what was popped are with the system now.
    pub(super) fn wrote(&self, bytes: usize) {
        let mut queue = self.queue();
        let before = queue.unread;
        queue.unread = before.saturating_sub(bytes);
        self.shared.total.changed(before, queue.unread);
        drop(queue);
        self.shared.drained.notify_waiters();
    }

    /// Bytes that were pushed and not written.
    pub(super) fn unread(&self) -> usize {
        self.queue().unread
    }

    /// Waits until fewer bytes than `mark` are unread, or the caller is gone.
    pub(super) async fn below(&self, mark: usize) {
        loop {
            let mut drained = std::pin::pin!(self.shared.drained.notified());
            drained.as_mut().enable();
            if self.is_closed() || self.unread() < mark {
                return;
            }
            drained.await;
        }
    }

    /// Nothing more is pushed: the writer ends when all is written.
    pub(super) fn finish(&self) {
        self.queue().finished = true;
        self.shared.filled.notify_one();
    }

    /// The caller is gone: what is queued is dropped, and whoever waits is told.
    pub(super) fn close(&self) {
        self.shared.closed.cancel();
        let mut queue = self.queue();
        queue.chunks.clear();
        self.shared.total.changed(queue.unread, 0);
        queue.unread = 0;
        drop(queue);
        self.shared.filled.notify_one();
        self.shared.drained.notify_waiters();
    }

    /// Whether the caller is gone.
    pub(super) fn is_closed(&self) -> bool {
        self.shared.closed.is_cancelled()
    }

    /// Waits until the caller is gone.
    pub(super) async fn closed(&self) {
        self.shared.closed.cancelled().await;
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let queue = self.queue.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.total.changed(queue.unread, 0);
    }
}

impl Queue {
    fn append(&mut self, bytes: Vec<u8>) {
        self.unread += bytes.len();
        match self.chunks.back_mut() {
            Some(last) if last.capacity() - last.len() >= bytes.len() => last.extend(bytes),
            _ if bytes.len() < CHUNK => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.extend(bytes);
                self.chunks.push_back(chunk);
            }
            _ => self.chunks.push_back(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(outbox: &Outbox) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(chunk) = outbox.pop().await {
            outbox.wrote(chunk.len());
            bytes.extend(chunk);
        }
        bytes
    }

    #[tokio::test]
    async fn messages_leave_in_their_framing() {
        for (wire, expected) in [
            (Wire::Lines, "{}\n[1]\n"),
            (
                Wire::Length,
                "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]",
            ),
            (Wire::Messages, "{}[1]"),
        ] {
            let outbox = Outbox::new(wire);
            outbox.push(b"{}".to_vec());
            outbox.push(b"[1]".to_vec());
            assert_eq!(outbox.unread(), expected.len());
            outbox.finish();
            assert_eq!(all(&outbox).await, expected.as_bytes());
            assert_eq!(outbox.unread(), 0);
        }
    }

    #[tokio::test]
    async fn small_messages_share_chunks_and_large_ones_are_not_copied() {
        let outbox = Outbox::new(Wire::Lines);
        for _ in 0..1000 {
            outbox.push(vec![b'x'; 60]);
        }
        assert_eq!(outbox.queue().chunks.len(), 1);
        let large = vec![b'y'; CHUNK * 2];
        let address = large.as_ptr();
        outbox.push(large);
        assert_eq!(outbox.queue().chunks[1].as_ptr(), address);
    }

    #[tokio::test]
    async fn whoever_waits_is_told_when_there_is_room_or_nobody_left() {
        let outbox = Outbox::new(Wire::Lines);
        outbox.push(vec![b'x'; 99]);
        let mut room = std::pin::pin!(outbox.below(50));
        assert!(futures_util::poll!(&mut room).is_pending());
        outbox.wrote(60);
        room.await;
        outbox.push(vec![b'x'; 99]);
        let mut room = std::pin::pin!(outbox.below(50));
        assert!(futures_util::poll!(&mut room).is_pending());
        outbox.close();
        room.await;
        assert_eq!(outbox.pop().await, None);
        outbox.push(b"{}".to_vec());
        assert_eq!(outbox.unread(), 0);
    }

    #[tokio::test]
    async fn all_queues_count_together_until_they_are_read_or_gone() {
        let total = Total::default();
        let boxes: Vec<_> = (0..3)
            .map(|_| Outbox::sharing(Wire::Messages, &total))
            .collect();
        for outbox in &boxes {
            outbox.push(vec![b'x'; 100]);
        }
        assert_eq!(total.bytes(), 300);
        let chunk = boxes[0].pop().await.unwrap();
        boxes[0].wrote(40);
        assert_eq!(total.bytes(), 260);
        boxes[0].wrote(chunk.len() - 40);
        boxes[1].try_pop().unwrap();
        assert_eq!(total.bytes(), 100);
        boxes[2].push(vec![b'x'; 5]);
        boxes[1].push(vec![b'x'; 7]);
        boxes[2].close();
        assert_eq!(total.bytes(), 7);
        drop(boxes);
        assert_eq!(total.bytes(), 0);
    }
}
