//! One connection from its first message to its last reply.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::super::driver::{Driver, Mode};
use super::super::envelope::parse_error;
use super::super::framing::Event;
use super::super::outbox::Outbox;
use super::super::reply::NO_ID;
use super::super::server::Server;
use super::half::Half;
use super::socket::Socket;
use super::source::{Arrived, Source};
use super::writer::Written;

/// How often a connection that is not read is asked whether its caller is still there.
pub(in super::super) const LOOK: Duration = Duration::from_millis(200);

/// How long the last replies may take once the daemon ends.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long nothing must have come until it is sure that a caller, who may not know of the end yet, sent nothing before it.
const SILENCE: Duration = Duration::from_millis(20);

/// What a conversation needs beside its messages.
pub(in super::super) struct Setting {
    pub(in super::super) server: Server,
    pub(in super::super) outbox: Outbox,
    pub(in super::super) socket: Socket,
    pub(in super::super) half: Half,
    pub(in super::super) mode: Mode,
}

/// How a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Ended {
    /// The caller said all it wanted and got every reply.
    Complete,
    /// The daemon stopped listening first.
    Ours,
    /// The caller is gone, or does not read.
    Lost,
}

impl Setting {
    /// Reads messages and writes replies until both sides are done.
    pub(in super::super) async fn converse(
        &self,
        mut driver: Driver,
        source: &mut impl Source,
        writing: impl Future<Output = Written> + Send,
    ) -> Ended {
        let stop = self.server.supervisor().token();
        let draining = self.server.control().draining();
        let mut writing = std::pin::pin!(writing);
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut expired = std::pin::pin!(self.half.expired(&self.server));
        let mut told = false;
        let mut ended = Ended::Complete;
        let mut reading = true;
        while reading || !driver.is_idle() {
            let room = driver.has_room();
            let limit = driver.room();
            tokio::select! {
                _ = &mut writing => return lost(driver).await,
                finished = driver.next() => {
                    driver.settle(finished);
                    // One reply a turn, too: a batch has many.
                    yield_now().await;
                }
                arrived = source.next(), if reading && room => match arrived {
                    Arrived::Event(Event::Message(text)) => {
                        driver.receive(&text);
                        if self.mode.is_refused() {
                            (reading, ended) = (false, Ended::Ours);
                        }
                    }
                    Arrived::Event(Event::Refused { id, failure }) => driver.refuse(&id, &failure),
                    Arrived::Event(Event::Fatal(failure)) => {
                        driver.refuse(NO_ID, &failure);
                        (reading, ended) = (false, Ended::Ours);
                    }
                    Arrived::End => reading = false,
                    Arrived::Gone => return lost(driver).await,
                },
                () = self.outbox.below(limit), if reading && !room && self.outbox.unread() >= limit => {}
                _ = looks.tick(), if !reading || !room => {
                    if self.socket.is_gone() {
                        return lost(driver).await;
                    }
                }
                () = draining.cancelled(), if !told => {
                    told = true;
                    driver.end_watches();
                }
                () = &mut expired, if reading => {
                    driver.refuse(NO_ID, &parse_error(
                        "the message was not completed in time, and connections are short",
                    ));
                    (reading, ended) = (false, Ended::Ours);
                }
                () = stop.cancelled() => {
                    return self.last_words(&mut driver, source, reading, writing).await;
                }
            }
        }
        self.outbox.finish();
        loop {
            tokio::select! {
                written = &mut writing => return match written {
                    Written::All => ended,
                    Written::Gone | Written::Stalled => Ended::Lost,
                },
                _ = looks.tick() => {
                    if self.socket.is_gone() {
                        return lost(driver).await;
                    }
                }
                () = stop.cancelled() => {
                    return self.last_words(&mut driver, source, false, writing).await;
                }
            }
        }
    }

    /// Answers what still runs and what was sent already, and gives the caller a moment to read it.
    async fn last_words(
        &self,
        driver: &mut Driver,
        source: &mut impl Source,
        mut reading: bool,
        mut writing: Pin<&mut impl Future<Output = Written>>,
    ) -> Ended {
        driver.shut_down();
        let all = async {
            loop {
                let listens = reading && !self.mode.is_refused() && driver.has_room();
                if !listens && driver.is_idle() {
                    break;
                }
                tokio::select! {
                    finished = driver.next() => driver.settle(finished),
                    written = &mut writing => return written,
                    arrived = timeout(SILENCE, source.next()), if listens => match arrived {
                        Ok(Arrived::Event(Event::Message(text))) => driver.receive(&text),
                        Ok(Arrived::Event(Event::Refused { id, failure })) => driver.refuse(&id, &failure),
                        _ => reading = false,
                    },
                }
            }
            self.outbox.finish();
            writing.await
        };
        match timeout(LAST_WORDS, all).await {
            Ok(Written::All) => Ended::Ours,
            Ok(Written::Gone | Written::Stalled) | Err(_) => Ended::Lost,
        }
    }
}

/// Lets what still runs end: nobody is there any more.
async fn lost(mut driver: Driver) -> Ended {
    driver.abandon();
    while !driver.is_idle() {
        let finished = driver.next().await;
        driver.settle(finished);
    }
    Ended::Lost
}
