//! The stream side of a subscription: where a handler puts its items.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::outbox::Outbox;
use crate::proto::daemon::EndReason;

/// Nobody receives items any more: the caller unsubscribed or is gone, or the daemon ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nobody receives this subscription any more")]
pub struct Closed;

/// Why an item was not sent at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSent {
    /// The caller reads more slowly than items come; the item was counted as missed.
    #[error("the caller does not keep up")]
    Full,
    /// Nobody receives items any more.
    #[error(transparent)]
    Closed(#[from] Closed),
}

/// Items may wait in this many bytes of unread replies before their producer is held up. Far below the limit at which a
/// caller is closed, so that a paused viewer is merely behind.
const ROOM: usize = 1 << 20;

/// A subscription that is not answered yet: what the handler still checks is refused with an ordinary error.
#[derive(Debug)]
pub struct Pending<I> {
    accept: oneshot::Sender<oneshot::Sender<RawSink>>,
    item: PhantomData<fn(I)>,
}

impl<I: Serialize> Pending<I> {
    pub(super) fn new(accept: oneshot::Sender<oneshot::Sender<RawSink>>) -> Self {
        Self {
            accept,
            item: PhantomData,
        }
    }

    /// Answers `{"subscription": id}`, and returns once that answer is on its way before every item.
    ///
    /// # Errors
    /// The caller is gone.
    pub async fn accept(self) -> Result<Sink<I>, Closed> {
        let (give, take) = oneshot::channel();
        self.accept.send(give).map_err(|_| Closed)?;
        let raw = take.await.map_err(|_| Closed)?;
        Ok(Sink {
            raw,
            missed: AtomicU64::new(0),
            item: PhantomData,
        })
    }
}

/// Where the items of one subscription go.
///
/// Items wait in the connection's queue, which is counted in bytes. A producer that must not wait uses [`Self::try_send`]:
/// what finds no room is counted, and a `gap` with the count precedes the next item. A producer that can catch up waits
/// in [`Self::ready`] and sends its newest state then.
#[derive(Debug)]
pub struct Sink<I> {
    raw: RawSink,
    missed: AtomicU64,
    item: PhantomData<fn(I)>,
}

impl<I: Serialize> Sink<I> {
    /// The number of the subscription on the wire.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.raw.id
    }

    /// Waits until an item has room.
    ///
    /// # Errors
    /// Nobody receives items any more.
    pub async fn ready(&self) -> Result<(), Closed> {
        tokio::select! {
            biased;
            () = self.raw.end.cancelled() => Err(Closed),
            () = self.raw.outbox.below(ROOM) => self.raw.open(),
        }
    }

    /// Sends an item as soon as it has room.
    ///
    /// # Errors
    /// Nobody receives items any more.
    pub async fn send(&self, item: &I) -> Result<(), Closed> {
        self.ready().await?;
        self.tell_gap()?;
        self.raw.push(item)
    }

    /// As [`Self::send`], for an item of many bytes: its JSON is written on the blocking pool, so that many who receive such items
    /// at once keep no other call waiting.
    ///
    /// # Errors
    /// Nobody receives items any more.
    pub async fn send_large(&self, item: I) -> Result<(), Closed>
    where
        I: Send + 'static,
    {
        self.ready().await?;
        self.tell_gap()?;
        let raw = self.raw.clone();
        let message = tokio::task::spawn_blocking(move || raw.message(&item)).await;
        // It may have ended meanwhile.
        self.raw.open()?;
        if let Ok(Some(message)) = message {
            self.raw.outbox.push(message);
        }
        Ok(())
    }

    /// Sends an item if it has room now.
    ///
    /// # Errors
    /// `Full`: it had none, and is counted as missed. `Closed`: nobody receives items any more.
    pub fn try_send(&self, item: &I) -> Result<(), NotSent> {
        self.raw.open()?;
        if self.raw.outbox.unread() >= ROOM {
            self.missed.fetch_add(1, Ordering::Relaxed);
            return Err(NotSent::Full);
        }
        self.tell_gap()?;
        Ok(self.raw.push(item)?)
    }

    /// Says that items (or, where a stream counts bytes, bytes) are missing here, for producers that know it themselves.
    /// What [`Self::try_send`] counted is added. Nothing is sent for 0.
    ///
    /// # Errors
    /// Nobody receives items any more.
    pub async fn gap(&self, missed: u64) -> Result<(), Closed> {
        self.ready().await?;
        self.missed.fetch_add(missed, Ordering::Relaxed);
        self.tell_gap()
    }

    /// Whether nobody receives items any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.raw.open().is_err()
    }

    /// Waits until nobody receives items any more.
    pub async fn closed(&self) {
        tokio::select! {
            () = self.raw.end.cancelled() => {}
            () = self.raw.outbox.closed() => {}
        }
    }

    fn tell_gap(&self) -> Result<(), Closed> {
        match self.missed.swap(0, Ordering::Relaxed) {
            0 => Ok(()),
            missed => self.raw.push(&Gap {
                kind: "gap",
                missed,
            }),
        }
    }
}

/// A sink for items of any type.
#[derive(Clone, Debug)]
pub(super) struct RawSink {
    pub(super) id: u64,
    pub(super) method: &'static str,
    pub(super) outbox: Outbox,
    /// Cancelled when the subscription ended: nothing may follow its `end`.
    pub(super) end: CancellationToken,
}

impl RawSink {
    fn open(&self) -> Result<(), Closed> {
        if self.end.is_cancelled() || self.outbox.is_closed() {
            Err(Closed)
        } else {
            Ok(())
        }
    }

    fn push<T: Serialize + ?Sized>(&self, item: &T) -> Result<(), Closed> {
        self.open()?;
        if let Some(message) = self.message(item) {
            self.outbox.push(message);
        }
        Ok(())
    }

    /// An item as a notification.
    fn message<T: Serialize + ?Sized>(&self, item: &T) -> Option<Vec<u8>> {
        let notification = Notification {
            jsonrpc: "2.0",
            method: self.method,
            params: Params {
                subscription: self.id,
                result: item,
            },
        };
        serde_json::to_vec(&notification)
            .inspect_err(|error| {
                tracing::error!(method = self.method, %error, "an item has no JSON form");
            })
            .ok()
    }

    /// Sends the last item; what producers send after it is refused.
    pub(super) fn finish(&self, reason: EndReason) {
        let _ = self.push(&End {
            kind: "end",
            reason,
        });
        self.end.cancel();
    }
}

#[derive(Serialize)]
struct Notification<'a, T: ?Sized> {
    jsonrpc: &'static str,
    method: &'a str,
    params: Params<'a, T>,
}

#[derive(Serialize)]
struct Params<'a, T: ?Sized> {
    subscription: u64,
    result: &'a T,
}

#[derive(Serialize)]
struct Gap {
    #[serde(rename = "type")]
    kind: &'static str,
    missed: u64,
}

#[derive(Serialize)]
struct End {
    #[serde(rename = "type")]
    kind: &'static str,
    reason: EndReason,
}

/// A sink whose items a test reads.
#[cfg(test)]
pub(super) fn test_sink<I: Serialize>(outbox: Outbox) -> Sink<I> {
    Sink {
        raw: RawSink {
            id: 7,
            method: "test.subscribe",
            outbox,
            end: CancellationToken::new(),
        },
        missed: AtomicU64::new(0),
        item: PhantomData,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::outbox::Wire;
    use super::*;

    fn items(outbox: &Outbox) -> Vec<Value> {
        std::iter::from_fn(|| outbox.try_pop())
            .map(|message| {
                let mut message: Value = serde_json::from_slice(&message).unwrap();
                assert_eq!(message["method"], "test.subscribe");
                assert_eq!(message["params"]["subscription"], 7);
                message["params"]["result"].take()
            })
            .collect()
    }

    #[tokio::test]
    async fn what_finds_no_room_is_told_as_a_gap_before_the_next_item() {
        let outbox = Outbox::new(Wire::Messages);
        let sink = test_sink::<Value>(outbox.clone());
        let large = json!({ "type": "x", "data": "y".repeat(ROOM) });
        sink.try_send(&large).unwrap();
        assert_eq!(sink.try_send(&json!(1)), Err(NotSent::Full));
        assert_eq!(sink.try_send(&json!(2)), Err(NotSent::Full));
        assert_eq!(items(&outbox), [large]);
        sink.send(&json!({ "type": "y" })).await.unwrap();
        assert_eq!(
            items(&outbox),
            [
                json!({ "type": "gap", "missed": 2 }),
                json!({ "type": "y" })
            ]
        );
    }

    /// An item that is written when it is let go.
    struct Held(u8, std::sync::Mutex<std::sync::mpsc::Receiver<()>>);

    impl Held {
        fn new(number: u8) -> (std::sync::mpsc::Sender<()>, Self) {
            let (go, wait) = std::sync::mpsc::channel();
            (go, Self(number, std::sync::Mutex::new(wait)))
        }
    }

    impl Serialize for Held {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            let _ = self.1.lock().unwrap().recv();
            to.serialize_u8(self.0)
        }
    }

    #[tokio::test]
    async fn large_items_are_written_elsewhere_and_keep_their_place() {
        let outbox = Outbox::new(Wire::Messages);
        let sink = test_sink::<Held>(outbox.clone());
        let (go, item) = Held::new(1);
        let mut large = Box::pin(sink.send_large(item));
        assert!(futures_util::poll!(&mut large).is_pending());
        drop(go);
        large.await.unwrap();
        let (go, item) = Held::new(2);
        drop(go);
        sink.send(&item).await.unwrap();
        assert_eq!(items(&outbox), [1, 2]);

        let (go, item) = Held::new(3);
        let mut late = Box::pin(sink.send_large(item));
        assert!(futures_util::poll!(&mut late).is_pending());
        sink.raw.finish(EndReason::Done);
        drop(go);
        assert_eq!(late.await, Err(Closed));
        assert_eq!(items(&outbox).len(), 1, "the end alone");
    }

    #[tokio::test]
    async fn nothing_follows_the_end() {
        let outbox = Outbox::new(Wire::Messages);
        let sink = test_sink::<Value>(outbox.clone());
        sink.raw.finish(EndReason::Done);
        assert_eq!(sink.send(&json!(1)).await, Err(Closed));
        sink.raw.finish(EndReason::Unsubscribed);
        assert_eq!(items(&outbox), [json!({ "type": "end", "reason": "done" })]);
        assert!(sink.is_closed());
        sink.closed().await;
    }
}
