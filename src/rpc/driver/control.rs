//! What a caller says about its own requests, and what the end of the daemon does to them.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::envelope::Request;
use super::super::params;
use super::super::registry::{self, Lifetime};
use super::super::reply::Body;
use super::call::{self, Cause};
use super::{Call, Driver, Subscription};
use crate::proto::daemon::{EndReason, UnsubscribeParams};
use crate::proto::{Failure, Kind};

/// The method that cancels a request.
const CANCEL: &str = "$/cancelRequest";

/// Parameters of `$/cancelRequest`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "parameters by name")]
struct CancelParams {
    id: Box<RawValue>,
}

impl Driver {
    /// Answers the methods that are about the connection itself; `None` for all others.
    pub(super) fn connection_method(&mut self, request: &Request) -> Option<Body> {
        let params = request.params.as_deref();
        let done = if request.method == CANCEL {
            self.cancel(params)
        } else {
            let server = self.server.clone();
            let (name, registry::Entry::Unsubscribe) = server.registry().get(&request.method)?
            else {
                return None;
            };
            self.unsubscribe(name, params)
        };
        Some(match done {
            Ok(()) => Body::result("{}"),
            Err(failure) => Body::failure(&failure),
        })
    }

    fn cancel(&mut self, params: Option<&str>) -> Result<(), Failure> {
        let CancelParams { id } = params::parse(params)?;
        let id = id.get();
        let mut found = false;
        for call in self.calls.values_mut() {
            if call.id.as_deref().is_some_and(|own| same_id(own, id)) {
                call.stop(Cause::Asked);
                found = true;
            }
        }
        let (stopped, waiting): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|waiting| {
                let own = waiting.request.id.as_deref();
                own.is_some_and(|own| same_id(own, id))
            });
        self.waiting = waiting;
        for waiting in stopped {
            let failure = Failure::new(Kind::Cancelled, format!("{} was cancelled", waiting.name))
                .detail(serde_json::json!({ "outcome": call::NOT_STARTED }));
            let id = waiting.request.id.as_deref();
            self.answer(waiting.to, id, waiting.name, &Body::failure(&failure), None);
            found = true;
        }
        if found {
            Ok(())
        } else {
            Err(Failure::new(
                Kind::NotFound,
                format!("no request of this connection with id {id} runs"),
            ))
        }
    }

    fn unsubscribe(&mut self, name: &str, params: Option<&str>) -> Result<(), Failure> {
        // `[id]` is how generic JSON-RPC clients end a subscription.
        let by_position = params.and_then(|text| serde_json::from_str::<[u64; 1]>(text).ok());
        let id = match by_position {
            Some([id]) => id,
            None => params::parse::<UnsubscribeParams>(params)?.subscription,
        };
        let ends = |subscription: &Subscription| {
            let subscribing = subscription.sink.method;
            self.server.registry().end(subscribing) == Some(name)
        };
        match self.subscriptions.get(&id) {
            Some(subscription) if ends(subscription) => {
                subscription.end(EndReason::Unsubscribed);
                self.subscriptions.remove(&id);
                Ok(())
            }
            _ => Err(Failure::new(
                Kind::NotFound,
                format!("{name} knows no subscription {id} of this connection"),
            )),
        }
    }

    /// Ends the subscriptions that would outlast a drain.
    pub(in super::super) fn end_watches(&mut self) {
        self.subscriptions.retain(|_, subscription| {
            let stays = subscription.lifetime == Lifetime::Work;
            if !stays {
                subscription.end(EndReason::ShuttingDown);
            }
            stays
        });
    }

    /// Stops everything because the daemon ends; the replies follow.
    pub(in super::super) fn shut_down(&mut self) {
        self.ending = true;
        for call in self.calls.values_mut() {
            call.stop(Cause::ShuttingDown);
        }
        self.end_watches();
        for subscription in self.subscriptions.values() {
            // It tells what it still sees done in the time that its handler has.
            subscription.cancel.cancel();
        }
        for waiting in std::mem::take(&mut self.waiting) {
            let body = Body::failure(&call::shutting_down(waiting.name));
            let id = waiting.request.id.as_deref();
            self.answer(waiting.to, id, waiting.name, &body, None);
        }
    }

    /// Stops everything because nobody is there any more.
    pub(in super::super) fn abandon(&mut self) {
        self.outbox.close();
        self.shut_down();
    }
}

impl Call {
    fn stop(&mut self, cause: Cause) {
        self.cause.get_or_insert(cause);
        self.cancel.cancel();
    }
}

impl Subscription {
    fn end(&self, reason: EndReason) {
        self.sink.finish(reason);
        self.cancel.cancel();
    }
}

/// Whether two ids are the same: numbers digit for digit, strings by what they say.
fn same_id(a: &str, b: &str) -> bool {
    let text = |id: &str| serde_json::from_str::<String>(id).ok();
    a == b || text(a).is_some_and(|text_a| Some(text_a) == text(b))
}
