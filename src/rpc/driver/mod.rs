//! The one driver behind all framings: a message becomes calls, and every request with an id gets exactly one reply.

mod batch;
mod call;
mod control;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use self::batch::Batch;
use self::call::{Cause, Outcome};
use super::caller::Caller;
use super::control::{Counted, Held};
use super::envelope::{self, Entry, Message, Request};
use super::framing;
use super::outbox::Outbox;
use super::registry::{self, Lifetime};
use super::reply::{self, Body, NO_ID};
use super::server::Server;
use super::sink::RawSink;
use crate::os::peer::Peer;
use crate::proto::daemon::{Discover, EndReason, Hello, Shutdown, State, Status, Subscribed};
use crate::proto::{Failure, Kind, Method};

/// Methods that never change and are answered while draining too, so that a newer client can always replace a daemon.
const ALWAYS: [&str; 4] = [Hello::NAME, Status::NAME, Shutdown::NAME, Discover::NAME];

/// Unread bytes of a connection that is read on while all together have too many.
const SHARE: usize = 64 << 10;
/// Requests in flight on such a connection: the replies of more could be anything.
const CROWDED: usize = 8;

/// Everything that one connection asked for and that is not done yet. Dropping it drops all of it.
pub(super) struct Driver {
    server: Server,
    peer: Peer,
    connection: u64,
    outbox: Outbox,
    mode: Mode,
    /// The daemon ends: nothing is begun any more.
    ending: bool,
    running: FuturesUnordered<BoxFuture<'static, Finished>>,
    calls: HashMap<u64, Call>,
    waiting: VecDeque<Waiting>,
    batches: HashMap<u64, Batch>,
    subscriptions: HashMap<u64, Subscription>,
    next: u64,
    in_flight: usize,
    waits: usize,
    /// Bytes of the parameters that the requests in flight hold.
    held: usize,
}

/// What a connection may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All of the protocol.
    Full,
    /// One message, and no subscriptions: there is nowhere to send items.
    Once,
    /// Nothing.
    Refused(Shortage),
}

/// Why a connection may do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortage {
    /// There are too many connections.
    Connections,
    /// The daemon has no descriptor left.
    Descriptors,
}

impl Mode {
    /// Whether the connection is only told that it may do nothing.
    pub(super) const fn is_refused(self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

impl Shortage {
    /// How long such a connection may take to send its request: while one holds the last descriptor, no other is answered.
    pub(super) const fn patience(self) -> Duration {
        match self {
            Self::Connections => Duration::from_secs(5),
            Self::Descriptors => Duration::from_secs(1),
        }
    }
}

/// A request that runs.
struct Call {
    id: Option<String>,
    name: &'static str,
    to: To,
    cancel: CancellationToken,
    cause: Option<Cause>,
    weight: Weight,
    bytes: usize,
    lifetime: Option<Lifetime>,
    counted: Vec<Held>,
}

/// Which limit a call counts against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    Request,
    Wait,
}

/// Where a reply goes.
#[derive(Clone, Copy)]
enum To {
    Caller,
    Batch { number: u64, index: usize },
}

/// A request that waits for others of its connection to end.
struct Waiting {
    request: Request,
    name: &'static str,
    to: To,
}

/// A subscription that was accepted.
struct Subscription {
    sink: RawSink,
    cancel: CancellationToken,
    lifetime: Lifetime,
    /// Counts until the handler ended.
    _counted: Vec<Held>,
}

/// A sink that is handed to its handler once the answer is on its way.
pub(super) struct Release {
    give: oneshot::Sender<RawSink>,
    sink: RawSink,
}

/// A call or stream that came to an end.
pub(super) struct Finished {
    key: Key,
    outcome: Outcome,
}

#[derive(Clone, Copy)]
enum Key {
    Call(u64),
    Stream(u64),
}

impl Driver {
    pub(super) fn new(server: Server, peer: Peer, outbox: Outbox, mode: Mode) -> Self {
        let connection = server.control().id();
        Self {
            server,
            peer,
            connection,
            outbox,
            mode,
            ending: false,
            running: FuturesUnordered::new(),
            calls: HashMap::new(),
            waiting: VecDeque::new(),
            batches: HashMap::new(),
            subscriptions: HashMap::new(),
            next: 0,
            in_flight: 0,
            waits: 0,
            held: 0,
        }
    }

    /// Whether another message may be read.
    pub(super) fn has_room(&self) -> bool {
        let limits = self.server.limits();
        let in_flight = if self.is_crowded() {
            limits.in_flight.min(CROWDED)
        } else {
            limits.in_flight
        };
        self.waiting.is_empty()
            && self.in_flight < in_flight
            && self.held < 2 * limits.message_bytes
            && self.outbox.unread() < self.room()
    }

    /// Below how many unread bytes this connection is read: where all connections together have as many as one may have, each of
    /// them has its share.
    pub(super) fn room(&self) -> usize {
        let most = self.server.limits().unread_bytes;
        if self.is_crowded() {
            most.min(SHARE)
        } else {
            most
        }
    }

    fn is_crowded(&self) -> bool {
        self.server.unread().bytes() >= self.server.limits().unread_bytes
    }

    /// Whether nothing runs.
    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// Takes one message. What can be answered at once is; the rest runs in [`Self::next`].
    pub(super) fn receive(&mut self, text: &[u8]) {
        let limits = self.server.limits();
        // The parser of JSON itself gives up at 128 levels.
        let nesting = limits.nesting.min(128);
        if framing::depth(text) > nesting {
            let failure =
                envelope::invalid(format!("the message is over the limit of {nesting} levels"));
            self.refuse(&envelope::peek_id(text), &failure);
            return;
        }
        match envelope::read(text, limits.batch) {
            Err(failure) => self.refuse(NO_ID, &failure),
            Ok(Message::One(entry)) => self.begin(entry, To::Caller),
            Ok(Message::Batch(entries)) => {
                let number = self.number();
                self.batches
                    .insert(number, Batch::new(entries.len(), limits.reply_bytes));
                for (index, entry) in entries.into_iter().enumerate() {
                    self.begin(entry, To::Batch { number, index });
                }
            }
        }
    }

    /// Answers what could not be read as a message.
    pub(super) fn refuse(&self, id: &str, failure: &Failure) {
        self.outbox.push(Body::failure(failure).message(id));
    }

    /// Waits until something that runs comes to an end; for ever when nothing runs. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Finished {
        match self.running.next().await {
            Some(finished) => finished,
            None => std::future::pending().await,
        }
    }

    /// Answers what came to an end, and starts what waited for it.
    pub(super) fn settle(&mut self, finished: Finished) {
        match finished.key {
            Key::Call(number) => self.settle_call(number, finished.outcome),
            Key::Stream(id) => self.settle_stream(id, &finished.outcome),
        }
        while self.in_flight < self.server.limits().in_flight {
            let Some(waiting) = self.waiting.pop_front() else {
                break;
            };
            self.start(waiting.request, waiting.name, waiting.to);
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn begin(&mut self, entry: Entry, to: To) {
        match entry {
            Ok(request) => {
                if let Some(failure) = self.mode_refuses(&request.method) {
                    let name = request.method;
                    self.answer(
                        to,
                        request.id.as_deref(),
                        &name,
                        &Body::failure(&failure),
                        None,
                    );
                } else {
                    self.dispatch(request, to);
                }
            }
            Err(invalid) => {
                let body = Body::failure(&invalid.failure);
                self.answer(to, Some(&invalid.id), "", &body, None);
            }
        }
    }

    fn mode_refuses(&self, name: &str) -> Option<Failure> {
        let Mode::Refused(shortage) = self.mode else {
            return None;
        };
        let (why, hint) = match shortage {
            Shortage::Connections => {
                let limit = self.server.limits().connections;
                (
                    format!("{limit} connections are open, and no more are taken"),
                    "close connections that are not needed, or raise limits.connections".to_owned(),
                )
            }
            Shortage::Descriptors => (
                "the daemon has as many files and connections open as the system lets it"
                    .to_owned(),
                format!(
                    "end terminals, waits or connections that are not needed, or end the daemon with kill {} and start it with a higher limit (ulimit -n); terminals and seats live on",
                    std::process::id()
                ),
            ),
        };
        let words = format!("{name} was not carried out: {why}");
        Some(Failure::new(Kind::Busy, words).hint(hint))
    }

    fn dispatch(&mut self, request: Request, to: To) {
        if let Some(body) = self.connection_method(&request) {
            self.answer(to, request.id.as_deref(), &request.method, &body, None);
            return;
        }
        let server = self.server.clone();
        let registry = server.registry();
        let name = request.method.as_str();
        let draining = self.ending || server.control().state() == State::Draining;
        let failure = match registry.get(name) {
            _ if draining && !ALWAYS.contains(&name) => call::shutting_down(name),
            None => registry::unknown(name, &registry.names()),
            Some((name, registry::Entry::Call)) => {
                if self.in_flight < self.server.limits().in_flight {
                    self.start(request, name, to);
                } else {
                    self.waiting.push_back(Waiting { request, name, to });
                }
                return;
            }
            Some((name, registry::Entry::Subscribe(_))) if self.mode == Mode::Once => Failure::new(
                Kind::NotSupported,
                format!("{name} needs a connection that stays open"),
            )
            .hint("use the socket itself or a WebSocket"),
            Some((name, _)) if self.waits < self.server.limits().subscriptions => {
                self.start(request, name, to);
                return;
            }
            Some((name, _)) => Failure::new(
                Kind::Busy,
                format!(
                    "{name} was not carried out: {} subscriptions and waits of this connection run",
                    self.waits
                ),
            )
            .hint("end some of them, or use another connection"),
        };
        self.answer(
            to,
            request.id.as_deref(),
            &request.method,
            &Body::failure(&failure),
            None,
        );
    }

    fn start(&mut self, request: Request, name: &'static str, to: To) {
        let server = self.server.clone();
        let Some((_, entry)) = server.registry().get(name) else {
            return;
        };
        let number = self.number();
        let cancel = CancellationToken::new();
        let caller = Caller {
            peer: self.peer,
            connection: self.connection,
            cancel: cancel.clone(),
        };
        let bytes = request.params.as_ref().map_or(0, String::len);
        let mut lifetime = None;
        let running: BoxFuture<'static, Outcome> = if let registry::Entry::Subscribe(subscribe) =
            entry
        {
            lifetime = Some(subscribe.lifetime);
            let (streaming, accepted) = subscribe.begin(caller, request.params);
            Box::pin(call::subscribe(name, streaming, accepted, cancel.clone()))
        } else {
            let reply_bytes = server.limits().reply_bytes;
            let work = server
                .registry()
                .call(name, request.params.as_deref(), caller, reply_bytes);
            Box::pin(call::method(name, work, cancel.clone()))
        };
        let weight = match entry {
            registry::Entry::Call => Weight::Request,
            _ => Weight::Wait,
        };
        let mut counted = Vec::new();
        if !ALWAYS.contains(&name) {
            counted.push(server.control().hold(Counted::Request));
            counted.push(server.control().hold(Counted::Work));
        }
        match weight {
            Weight::Request => {
                self.in_flight += 1;
                self.held += bytes;
            }
            Weight::Wait => self.waits += 1,
        }
        self.calls.insert(
            number,
            Call {
                id: request.id,
                name,
                to,
                cancel,
                cause: None,
                weight,
                bytes,
                lifetime,
                counted,
            },
        );
        self.run(Key::Call(number), running);
    }

    fn run(&self, key: Key, work: BoxFuture<'static, Outcome>) {
        self.running.push(Box::pin(async move {
            Finished {
                key,
                outcome: work.await,
            }
        }));
    }

    fn settle_call(&mut self, number: u64, outcome: Outcome) {
        let Some(mut call) = self.calls.remove(&number) else {
            return;
        };
        let (give, rest) = match outcome {
            Outcome::Accepted { give, rest } if call.cause.is_none() => (give, rest),
            outcome => {
                match call.weight {
                    Weight::Request => {
                        self.in_flight -= 1;
                        self.held -= call.bytes;
                    }
                    Weight::Wait => self.waits -= 1,
                }
                let body = call::reply(call.name, outcome, call.cause);
                self.answer(call.to, call.id.as_deref(), call.name, &body, None);
                return;
            }
        };
        let lifetime = call.lifetime.unwrap_or(Lifetime::Watch);
        let control = self.server.control();
        let id = control.id();
        let sink = RawSink {
            id,
            method: call.name,
            outbox: self.outbox.clone(),
            end: CancellationToken::new(),
        };
        let mut counted = vec![control.hold(Counted::Subscription)];
        if lifetime == Lifetime::Work {
            counted.push(control.hold(Counted::Work));
        }
        call.counted.clear();
        let stream = call::stream(call.name, rest, call.cancel.clone());
        self.run(Key::Stream(id), Box::pin(stream));
        self.subscriptions.insert(
            id,
            Subscription {
                sink: sink.clone(),
                cancel: call.cancel,
                lifetime,
                _counted: counted,
            },
        );
        let body = reply::encode(call.name, &Subscribed { subscription: id }, usize::MAX)
            .map_or_else(
                |failure| Body::failure(&failure),
                |json| Body::result(json.get()),
            );
        let release = Some(Release { give, sink });
        self.answer(call.to, call.id.as_deref(), call.name, &body, release);
        if self.server.control().state() == State::Draining {
            self.end_watches();
        }
    }

    fn settle_stream(&mut self, id: u64, outcome: &Outcome) {
        self.waits -= 1;
        if let Some(subscription) = self.subscriptions.remove(&id) {
            let reason = match outcome {
                Outcome::Streamed(reason) => *reason,
                Outcome::Stopped => EndReason::ShuttingDown,
                _ => EndReason::Done,
            };
            subscription.sink.finish(reason);
        }
    }

    fn answer(
        &mut self,
        to: To,
        id: Option<&str>,
        name: &str,
        body: &Body,
        release: Option<Release>,
    ) {
        let releases = match to {
            To::Caller => {
                if let Some(id) = id {
                    self.outbox.push(body.message(id));
                }
                release.into_iter().collect()
            }
            To::Batch { number, index } => {
                let complete = self
                    .batches
                    .get_mut(&number)
                    .and_then(|batch| batch.answer(index, id, name, body, release));
                let Some(complete) = complete else { return };
                self.batches.remove(&number);
                if let Some(message) = complete.message {
                    self.outbox.push(message);
                }
                complete.releases
            }
        };
        for Release { give, sink } in releases {
            // A handler that was dropped meanwhile needs none.
            let _ = give.send(sink);
        }
    }
}
