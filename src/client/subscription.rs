//! The items of a subscription.

use serde_json::Value;
use tokio::sync::mpsc;

use super::error::ClientError;

/// Items in their order. Lives as long as its connection; a reader that does not keep up gets `gap` items.
#[derive(Debug)]
pub struct Subscription {
    method: String,
    id: u64,
    items: mpsc::Receiver<Value>,
    ended: bool,
}

impl Subscription {
    pub(super) const fn new(method: String, id: u64, items: mpsc::Receiver<Value>) -> Self {
        Self {
            method,
            id,
            items,
            ended: false,
        }
    }

    /// The number by which the subscription is ended.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// The next item, the one of type `end` included; `None` after that.
    ///
    /// # Errors
    /// [`ClientError::Lost`] where the connection ended before the stream did.
    pub async fn next(&mut self) -> Result<Option<Value>, ClientError> {
        if self.ended {
            return Ok(None);
        }
        let Some(item) = self.items.recv().await else {
            return Err(ClientError::Lost {
                method: self.method.clone(),
            });
        };
        self.ended = item["type"] == "end";
        Ok(Some(item))
    }
}
