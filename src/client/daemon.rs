//! The daemon as a command uses it: what one daemon refuses because it ends is asked of the next.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::connection::Connection;
use super::ensure::ensure;
use super::error::ClientError;
use super::find::Options;
use super::subscription::Subscription;
use crate::proto::Method;

/// A daemon that is there for as long as it is asked. A call that did nothing, because its daemon was ending or had ended, is
/// made again with the daemon that comes after it; one that may have done something never is.
#[derive(Debug)]
pub struct Daemon {
    options: Options,
    connection: Mutex<Arc<Connection>>,
}

impl Daemon {
    /// Makes sure that there is one, as [`ensure()`] does.
    ///
    /// # Errors
    /// As of [`ensure()`].
    pub async fn reach(options: Options) -> Result<Self, ClientError> {
        let connection = ensure(&options).await?.connection;
        Ok(Self::over(options, connection))
    }

    /// The daemon at the other end of a connection.
    #[must_use]
    pub fn over(options: Options, connection: Connection) -> Self {
        Self {
            options,
            connection: Mutex::new(Arc::new(connection)),
        }
    }

    /// Calls a method of the protocol.
    ///
    /// # Errors
    /// As of [`Connection::call`], and as of [`ensure()`] where there is no next daemon.
    pub async fn call<M>(&self, params: &M::Params) -> Result<M::Result, ClientError>
    where
        M: Method,
        M::Params: Serialize,
        M::Result: DeserializeOwned,
    {
        self.ask(async |connection: &Connection| connection.call::<M>(params).await)
            .await
    }

    /// Calls a method by its name.
    ///
    /// # Errors
    /// As of [`Self::call`].
    pub async fn call_value(&self, method: &str, params: &Value) -> Result<Value, ClientError> {
        self.ask(async |connection: &Connection| connection.call_value(method, params).await)
            .await
    }

    /// Subscribes by the name of the subscribing method.
    ///
    /// # Errors
    /// As of [`Self::call`].
    pub async fn subscribe(
        &self,
        method: &str,
        params: &Value,
    ) -> Result<Subscription, ClientError> {
        self.ask(async |connection: &Connection| connection.subscribe(method, params).await)
            .await
    }

    async fn ask<T>(
        &self,
        ask: impl AsyncFn(&Connection) -> Result<T, ClientError>,
    ) -> Result<T, ClientError> {
        let deadline = Instant::now() + self.options.start;
        loop {
            let connection = self.now();
            match ask(&connection).await {
                Err(error)
                    if error.did_nothing()
                        && self.options.socket.is_none()
                        && Instant::now() < deadline =>
                {
                    // It has up to five seconds to end; until then it would refuse again.
                    let _ = timeout_at(deadline, connection.closed()).await;
                    self.renew(&connection).await?;
                }
                answer => return answer,
            }
        }
    }

    fn now(&self) -> Arc<Connection> {
        let connection = self.connection.lock();
        Arc::clone(&connection.unwrap_or_else(PoisonError::into_inner))
    }

    /// Connects to the next daemon, unless another call has done so meanwhile.
    async fn renew(&self, old: &Arc<Connection>) -> Result<(), ClientError> {
        if Arc::ptr_eq(&self.now(), old) {
            let next = ensure(&self.options).await?.connection;
            let mut connection = self
                .connection
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *connection = Arc::new(next);
        }
        Ok(())
    }
}
