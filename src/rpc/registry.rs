//! The methods: their parameters are read and checked here, so that handlers get what they can use.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, OnceLock};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jsonrpsee::RpcModule;
use jsonrpsee::core::server::{ConnectionId, MethodCallback};
use jsonrpsee::types::{ErrorObjectOwned, Id, Params, ResponsePayload};
use jsonrpsee::{IntoResponse, core::server};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::caller::Caller;
use super::params;
use super::reply::{self, Body};
use super::sink::{Pending, RawSink};
use crate::proto::daemon::EndReason;
use crate::proto::method::Stream;
use crate::proto::text::shown;
use crate::proto::{Failure, Kind, Method};

/// How long a subscription lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until its work is done: a drain waits for it.
    Work,
    /// Until the caller has enough: a drain ends it.
    Watch,
}

/// All methods of the daemon.
///
/// A handler is an async function of the [`Caller`] and the parameters. It may be dropped at any await once
/// `caller.cancel` is cancelled, and it may panic: the request is answered with `internal`.
pub struct Registry {
    module: RpcModule<()>,
    entries: HashMap<&'static str, Entry>,
}

/// What a name stands for.
pub(super) enum Entry {
    /// A request that is answered soon.
    Call,
    /// A request that may take as long as a person.
    Wait,
    Subscribe(Subscribe),
    Unsubscribe,
}

/// A method that opens a subscription.
pub(super) struct Subscribe {
    pub(super) lifetime: Lifetime,
    end: &'static str,
    handler: Arc<StreamHandler>,
}

/// Runs until the stream ends; a failure before it was accepted is the reply.
pub(super) type Streaming = BoxFuture<'static, Result<EndReason, Failure>>;
/// Where a stream that was accepted gets its sink from.
pub(super) type Accepted = oneshot::Receiver<oneshot::Sender<RawSink>>;

type StreamHandler = dyn Fn(Caller, Option<String>, oneshot::Sender<oneshot::Sender<RawSink>>) -> Streaming
    + Send
    + Sync;

/// The most bytes of a reply, on its way to where the reply is written.
#[derive(Clone, Copy)]
struct ReplyLimit(usize);

impl Default for Registry {
    fn default() -> Self {
        Self {
            module: RpcModule::new(()),
            entries: HashMap::new(),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl Registry {
    /// No methods.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a method.
    ///
    /// # Panics
    /// When a method of this name was added before.
    pub fn method<M, F>(
        &mut self,
        handler: impl Fn(Caller, M::Params) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        M: Method,
        F: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        self.add::<M, F>(Entry::Call, handler)
    }

    /// Adds a method that always answers the same, which is made and written once.
    ///
    /// # Panics
    /// When a method of this name was added before.
    pub fn fixed<M>(&mut self, make: impl Fn() -> M::Result + Send + Sync + 'static) -> &mut Self
    where
        M: Method,
    {
        self.name(M::NAME, Entry::Call);
        let written = Arc::new(OnceLock::new());
        let make = Arc::new(make);
        self.module
            .register_async_method(M::NAME, move |params, _, extensions| {
                let (written, make) = (Arc::clone(&written), Arc::clone(&make));
                async move {
                    Answer(params::read::<M>(params.as_str()).and_then(|_| {
                        let text: &Result<Box<RawValue>, Failure> =
                            written.get_or_init(|| reply::encode(M::NAME, &make(), usize::MAX));
                        let text = text.clone()?;
                        match extensions.get::<ReplyLimit>() {
                            Some(ReplyLimit(limit)) if text.get().len() > *limit => {
                                Err(reply::too_large(M::NAME, *limit))
                            }
                            _ => Ok(text),
                        }
                    }))
                }
            })
            .expect("names are unique, as `name` has checked");
        self
    }

    /// Adds a method that waits for something outside, such as the end of a program. Waits are limited together with
    /// subscriptions, and not with the requests that are answered soon.
    ///
    /// # Panics
    /// When a method of this name was added before.
    pub fn wait<M, F>(
        &mut self,
        handler: impl Fn(Caller, M::Params) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        M: Method,
        F: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        self.add::<M, F>(Entry::Wait, handler)
    }

    /// Adds a method that subscribes, and the one that ends its subscriptions.
    ///
    /// The handler checks what it has to, calls [`Pending::accept`] and sends items to the sink until it returns the
    /// reason of the end. A failure before it accepted is the reply; after it, it goes to the log. When the caller ends the
    /// subscription, `end` is sent at once and the handler is dropped like one that was cancelled.
    ///
    /// # Panics
    /// When a method of one of these names was added before.
    pub fn subscription<S, F>(
        &mut self,
        lifetime: Lifetime,
        handler: impl Fn(Caller, S::Params, Pending<S::Item>) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        S: Stream,
        F: Future<Output = Result<EndReason, Failure>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let handler: Arc<StreamHandler> = Arc::new(move |caller, params, accept| {
            let handler = Arc::clone(&handler);
            async move {
                let params = params::read_apart::<S>(params.as_deref()).await?;
                handler(caller, params, Pending::new(accept)).await
            }
            .boxed()
        });
        self.name(
            S::NAME,
            Entry::Subscribe(Subscribe {
                lifetime,
                end: S::END,
                handler,
            }),
        );
        self.name(S::END, Entry::Unsubscribe);
        self
    }

    /// The names of all methods, in order.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<_> = self.entries.keys().copied().collect();
        names.sort_unstable();
        names
    }

    fn name(&mut self, name: &'static str, entry: Entry) {
        let taken = self.entries.insert(name, entry).is_some();
        assert!(!taken, "two methods are called {name}");
    }

    fn add<M, F>(
        &mut self,
        entry: Entry,
        handler: impl Fn(Caller, M::Params) -> F + Send + Sync + 'static,
    ) -> &mut Self
    where
        M: Method,
        F: Future<Output = Result<M::Result, Failure>> + Send + 'static,
    {
        self.name(M::NAME, entry);
        let handler = Arc::new(handler);
        self.module
            .register_async_method(M::NAME, move |params, _, extensions| {
                let handler = Arc::clone(&handler);
                async move { Answer(answer::<M, F>(&*handler, &params, &extensions).await) }
            })
            .expect("names are unique, as `name` has checked");
        self
    }

    /// What a name stands for.
    pub(super) fn get(&self, name: &str) -> Option<(&'static str, &Entry)> {
        self.entries
            .get_key_value(name)
            .map(|(name, entry)| (*name, entry))
    }

    /// The method that ends the subscriptions of another.
    pub(super) fn end(&self, subscribing: &str) -> Option<&'static str> {
        match self.entries.get(subscribing) {
            Some(Entry::Subscribe(subscribe)) => Some(subscribe.end),
            _ => None,
        }
    }

    /// Calls a method that is a [`Entry::Call`] or [`Entry::Wait`].
    ///
    /// The library's id type holds neither every number nor the digits of one: it gets an id of our own, and the
    /// caller's stands in the reply later.
    pub(super) fn call(
        &self,
        name: &'static str,
        params: Option<&str>,
        caller: Caller,
        reply_bytes: usize,
    ) -> BoxFuture<'static, Body> {
        let Some(MethodCallback::Async(callback)) = self.module.method(name) else {
            return std::future::ready(Body::failure(&unknown(name, &self.names()))).boxed();
        };
        let mut extensions = server::Extensions::new();
        extensions.insert(caller);
        extensions.insert(ReplyLimit(reply_bytes));
        callback(
            Id::Number(0),
            Params::new(params).into_owned(),
            ConnectionId(0),
            usize::MAX,
            extensions,
        )
        .map(|response| {
            let error = response.as_error_code();
            let text = String::from(Box::<str>::from(response.into_json()));
            let text = text
                .strip_prefix(r#"{"jsonrpc":"2.0","id":0,"#)
                .and_then(|text| text.strip_suffix('}'))
                .map(str::to_owned)
                .expect("the library writes replies in this order");
            Body { text, error }
        })
        .boxed()
    }
}

impl Subscribe {
    /// Begins a subscription: the stream, and the word that it was accepted.
    pub(super) fn begin(&self, caller: Caller, params: Option<String>) -> (Streaming, Accepted) {
        let (accept, accepted) = oneshot::channel();
        ((self.handler)(caller, params, accept), accepted)
    }
}

/// The answer to a name that no method has.
pub(super) fn unknown(name: &str, names: &[&str]) -> Failure {
    let failure = Failure::new(
        Kind::MethodNotFound,
        format!("no method is called {name}", name = shown(name)),
    );
    match nearest(name, names.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean {near}?")),
        None => failure.hint("rpc.discover lists the methods"),
    }
}

/// The known word that was probably meant.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A long word is no slip of the pen, and comparing it costs its square.
    if word.is_empty() || word.len() > 64 {
        return None;
    }
    let lower = word.to_lowercase();
    // Likeness alone finds any two short words with the same letters alike.
    let is_slip = |name: &str| {
        name.starts_with(&lower)
            || lower.starts_with(name)
            || strsim::osa_distance(&lower, name) <= (name.len() / 3).max(1)
    };
    known
        .filter(|name| is_slip(&name.to_lowercase()))
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

async fn answer<M, F>(
    handler: &(impl Fn(Caller, M::Params) -> F + ?Sized),
    params: &Params<'static>,
    extensions: &server::Extensions,
) -> Result<Box<RawValue>, Failure>
where
    M: Method,
    F: Future<Output = Result<M::Result, Failure>>,
{
    let params = params::read_apart::<M>(params.as_str()).await?;
    let (Some(caller), Some(ReplyLimit(limit))) = (
        extensions.get::<Caller>().cloned(),
        extensions.get::<ReplyLimit>().copied(),
    ) else {
        return Err(Failure::new(Kind::Internal, "a call without a caller"));
    };
    let result = handler(caller, params).await?;
    reply::encode(M::NAME, &result, limit)
}

/// An answer in the library's words.
struct Answer(Result<Box<RawValue>, Failure>);

impl IntoResponse for Answer {
    type Output = Box<RawValue>;

    fn into_response(self) -> server::ResponsePayload<'static, Self::Output> {
        match self.0 {
            Ok(result) => ResponsePayload::success(result).into(),
            Err(failure) => ResponsePayload::error(ErrorObjectOwned::owned(
                failure.code,
                failure.message,
                Some(failure.data),
            ))
            .into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slips_are_suggested() {
        let known = || {
            [
                "open",
                "plan",
                "resolveBackend",
                "surface.list",
                "split-right",
            ]
            .into_iter()
        };
        for (word, near) in [
            ("nope", None),
            ("opne", Some("open")),
            ("Open", Some("open")),
            ("resolve", Some("resolveBackend")),
            ("surface.lst", Some("surface.list")),
            ("splitright", Some("split-right")),
            ("", None),
        ] {
            assert_eq!(nearest(word, known()), near, "{word}");
        }
    }
}
