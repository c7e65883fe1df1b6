//! One call from its start to its outcome: whatever the handler does, there is one.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::super::registry::{Accepted, Streaming};
use super::super::reply::Body;
use super::super::sink::RawSink;
use crate::proto::daemon::EndReason;
use crate::proto::reading::{look_first, only_reads};
use crate::proto::{Failure, Kind};

/// The `outcome` in the detail of a call that was stopped before it did anything.
pub(super) const NOT_STARTED: &str = "not-started";

/// How long a cancelled handler may take to say what it did.
const GRACE: Duration = Duration::from_millis(250);

/// How a call ended.
pub(super) enum Outcome {
    /// The handler answered.
    Answered(Body),
    /// The handler accepted a subscription: it gets its sink through `give` once the answer is on its way.
    Accepted {
        give: oneshot::Sender<RawSink>,
        rest: Streaming,
    },
    /// The stream of a subscription ended.
    Streamed(EndReason),
    /// The handler panicked.
    Panicked,
    /// The call was cancelled, and the handler was dropped without an answer.
    Stopped,
}

/// Runs a method.
pub(super) async fn method(
    name: &'static str,
    work: BoxFuture<'static, Body>,
    cancel: CancellationToken,
) -> Outcome {
    guarded(name, work.map(Outcome::Answered), cancel).await
}

/// Runs a subscribing method until it accepts or refuses.
pub(super) async fn subscribe(
    name: &'static str,
    mut streaming: Streaming,
    mut accepted: Accepted,
    cancel: CancellationToken,
) -> Outcome {
    let work = async move {
        let early = tokio::select! {
            biased;
            end = &mut streaming => end,
            give = &mut accepted => match give {
                Ok(give) => return Outcome::Accepted { give, rest: streaming },
                Err(_) => streaming.await,
            },
        };
        match early {
            Err(failure) => Outcome::Answered(Body::failure(&failure)),
            // A stream without items: accepted and ended in one.
            Ok(reason) => Outcome::Accepted {
                give: oneshot::channel().0,
                rest: std::future::ready(Ok(reason)).boxed(),
            },
        }
    };
    guarded(name, work, cancel).await
}

/// Runs what follows after a subscription was accepted.
pub(super) async fn stream(
    name: &'static str,
    rest: Streaming,
    cancel: CancellationToken,
) -> Outcome {
    let work = async move {
        Outcome::Streamed(rest.await.unwrap_or_else(|failure| {
            tracing::warn!(method = name, %failure, "a subscription failed");
            EndReason::Done
        }))
    };
    guarded(name, work, cancel).await
}

async fn guarded(
    name: &'static str,
    work: impl Future<Output = Outcome>,
    cancel: CancellationToken,
) -> Outcome {
    let mut work = std::pin::pin!(AssertUnwindSafe(work).catch_unwind());
    let ended = tokio::select! {
        biased;
        ended = &mut work => ended,
        () = cancel.cancelled() => match tokio::time::timeout(GRACE, &mut work).await {
            Ok(ended) => ended,
            Err(_) => return Outcome::Stopped,
        },
    };
    ended.unwrap_or_else(|panic| {
        tracing::error!(method = name, panic = said(&*panic), "a handler panicked");
        Outcome::Panicked
    })
}

fn said(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without words")
}

/// Why a call was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// The caller asked.
    Asked,
    /// The daemon ends.
    ShuttingDown,
}

/// The reply to a call that began, from its outcome and, where it was cancelled, why.
///
/// Only a call that did nothing is answered with `shutting-down`: whoever gets that asks the next daemon.
pub(super) fn reply(name: &str, outcome: Outcome, cause: Option<Cause>) -> Body {
    match (outcome, cause) {
        (Outcome::Panicked, _) => Body::failure(
            &Failure::new(Kind::Internal, format!("{name} failed because of a bug"))
                .hint("the daemon's log says more; daemon.status names it"),
        ),
        (Outcome::Answered(body), Some(Cause::Asked)) => cancelled(name, body),
        (Outcome::Answered(body), Some(Cause::ShuttingDown))
            if body.error == Some(Kind::Cancelled.code()) =>
        {
            cut_short(name, detail(&body))
        }
        // A part of the daemon was gone before the handler had what it asked for.
        (Outcome::Answered(body), _) if body.error == Some(Kind::ShuttingDown.code()) => {
            cut_short(name, detail(&body))
        }
        (Outcome::Answered(body), _) => body,
        (_, Some(Cause::Asked)) => Body::failure(
            &Failure::new(Kind::Cancelled, format!("{name} was cancelled"))
                .detail(json!({ "outcome": "stopped" })),
        ),
        (_, _) => cut_short(name, None),
    }
}

/// The answer to a call that the end of the daemon cut short, with what its handler said that it had done.
fn cut_short(name: &str, detail: Option<Value>) -> Body {
    let nothing = detail
        .as_ref()
        .is_some_and(|detail| detail["outcome"] == NOT_STARTED);
    if nothing || only_reads(name) {
        return Body::failure(&shutting_down(name));
    }
    let words = format!("{name} was cut short by the end of the daemon: some of it may be done");
    let detail = detail.unwrap_or_else(|| json!({ "outcome": "stopped" }));
    Body::failure(
        &Failure::new(Kind::StateUnknown, words)
            .hint(look_first(name))
            .detail(detail),
    )
}

/// The detail of an error.
fn detail(body: &Body) -> Option<Value> {
    let error: Value = serde_json::from_str(body.as_error()?).ok()?;
    error["data"].get("detail").cloned()
}

/// The answer to work that is not taken any more.
pub(super) fn shutting_down(name: &str) -> Failure {
    Failure::new(
        Kind::ShuttingDown,
        format!("{name} was not carried out: the daemon is shutting down"),
    )
    .hint("connect again; surfaced ensure starts the next daemon")
}

/// A cancelled call whose handler answered all the same: what it says stands in `detail`.
fn cancelled(name: &str, body: Body) -> Body {
    if body.error == Some(Kind::Cancelled.code()) {
        return body;
    }
    let (outcome, member, json) = match (body.as_result(), body.as_error()) {
        (Some(result), _) => ("finished", "result", result),
        (_, Some(error)) => ("failed", "error", error),
        (None, None) => ("stopped", "error", "null"),
    };
    let failure = Failure::new(Kind::Cancelled, format!("{name} was cancelled")).detail(json!({
        "outcome": outcome,
        member: serde_json::from_str::<Value>(json).unwrap_or_default(),
    }));
    Body::failure(&failure)
}
