//! A batch while its entries run: one reply when the last is done.

use super::super::reply::{self, Body};
use super::Release;

/// The entries of one batch.
pub(super) struct Batch {
    replies: Vec<Option<Vec<u8>>>,
    left: usize,
    bytes: usize,
    limit: usize,
    /// Subscriptions that get their sinks once the reply is on its way.
    releases: Vec<Release>,
}

/// A batch whose entries are all answered.
pub(super) struct Complete {
    /// The array, unless nothing has an id.
    pub(super) message: Option<Vec<u8>>,
    pub(super) releases: Vec<Release>,
}

impl Batch {
    pub(super) fn new(entries: usize, limit: usize) -> Self {
        Self {
            replies: vec![None; entries],
            left: entries,
            bytes: 2,
            limit,
            releases: Vec::new(),
        }
    }

    /// Takes the answer to an entry; entries without an id have none. Returns the whole after the last.
    pub(super) fn answer(
        &mut self,
        index: usize,
        id: Option<&str>,
        name: &str,
        body: &Body,
        release: Option<Release>,
    ) -> Option<Complete> {
        self.releases.extend(release);
        self.left -= 1;
        if let Some(id) = id {
            let mut message = body.message(id);
            if self.bytes + message.len() > self.limit && body.error.is_none() {
                message = Body::failure(&reply::too_large(name, self.limit)).message(id);
            }
            self.bytes += message.len() + 1;
            self.replies[index] = Some(message);
        }
        (self.left == 0).then(|| Complete {
            message: self.array(),
            releases: std::mem::take(&mut self.releases),
        })
    }

    fn array(&mut self) -> Option<Vec<u8>> {
        let mut array = Vec::with_capacity(self.bytes);
        for message in self.replies.drain(..).flatten() {
            array.push(if array.is_empty() { b'[' } else { b',' });
            array.extend(message);
        }
        (!array.is_empty()).then(|| {
            array.push(b']');
            array
        })
    }
}
