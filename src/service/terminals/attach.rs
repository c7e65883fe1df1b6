//! Watching a terminal.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use tokio::time::{Instant, timeout_at};

use super::access::{shown, shown_bytes};
use super::entry::{ANSWER, Host};
use super::handle::{Terminals, orphan, silent};
use crate::host::link::{Connection, Sent, is_gone};
use crate::host::wire::{Attach, Event};
use crate::proto::surfaces::Exit;
use crate::proto::terminal::AttachItem;
use crate::proto::{Failure, Kind};

/// What a viewer sees next.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// An item of the stream.
    Item(AttachItem),
    /// So many bytes of output are missing here; a snapshot follows.
    Gap(u64),
}

/// One look at a terminal. Each has its own connection to the host, which keeps the queue: whoever does not read this is
/// told what it missed, and holds up nobody.
#[derive(Debug)]
pub struct Viewing {
    terminals: Terminals,
    id: String,
    connection: Option<Connection>,
    /// What comes before the connection is read again, last first.
    ready: Vec<Seen>,
    revision: u64,
    /// A snapshot comes first, and has not come yet.
    awaited: bool,
    over: bool,
}

impl Terminals {
    /// Begins to watch.
    ///
    /// # Errors
    /// `not-found`; `timeout` where the host does not answer; `state-unknown` where the host of an ended terminal did not live to write its screen down.
    pub async fn watch(&self, id: &str, attach: Attach) -> Result<Viewing, Failure> {
        let deadline = Instant::now() + ANSWER;
        let link = self.access(id).await?.link(deadline).await;
        let link = link.map_err(|_| silent(id))?;
        let mut viewing = Viewing {
            terminals: self.clone(),
            id: id.to_owned(),
            connection: None,
            ready: Vec::new(),
            revision: 0,
            awaited: attach.replay,
            over: false,
        };
        if link.is_some() {
            let opened = async {
                let mut connection = Connection::open(&self.setup.place.socket(id)).await?;
                connection.attach(&attach).await?;
                Ok(connection)
            };
            match timeout_at(deadline, opened).await {
                Ok(Ok(connection)) => {
                    viewing.connection = Some(connection);
                    return Ok(viewing);
                }
                Ok(Err(error)) if is_gone(&error) => {}
                Ok(Err(_)) | Err(_) => return Err(silent(id)),
            }
        }
        let exit = self.ends_now(id).await?;
        viewing.left(exit, attach.replay).await?;
        Ok(viewing)
    }

    /// How the program ended, of a terminal whose host is gone or goes now.
    async fn ends_now(&self, id: &str) -> Result<Exit, Failure> {
        let exit = self.wait(id, Some(ANSWER)).await?;
        if exit.exited {
            Ok(exit)
        } else {
            let access = self.access(id).await?;
            Err(if matches!(&*access.host.borrow(), Host::Gone) {
                orphan(id)
            } else {
                Failure::new(
                    Kind::StateUnknown,
                    format!("the host of terminal {id} ended the connection"),
                )
                .hint("attach again")
            })
        }
    }
}

impl Viewing {
    /// The next item; `None` after `exit`. Dropping the future loses nothing.
    ///
    /// # Errors
    /// The host ended without a word and left nothing.
    pub async fn next(&mut self) -> Result<Option<Seen>, Failure> {
        loop {
            if let Some(seen) = self.ready.pop() {
                return Ok(Some(seen));
            }
            if self.over {
                return Ok(None);
            }
            let sent = match &mut self.connection {
                Some(connection) => connection.next().await.ok().flatten(),
                None => None,
            };
            match sent {
                Some(sent) => {
                    if let Some(seen) = self.seen(sent) {
                        return Ok(Some(seen));
                    }
                }
                None => self.lost().await?,
            }
        }
    }

    fn seen(&mut self, sent: Sent) -> Option<Seen> {
        // What a host tells a connection before it has read that this is a viewer, the end of the program among it, is told
        // again after the snapshot; or the host is gone by then, and what it wrote down tells all.
        self.awaited &= !matches!(sent, Sent::Snapshot { .. });
        if self.awaited {
            return None;
        }
        let item = match sent {
            Sent::Output { revision, bytes } => {
                self.revision = revision;
                AttachItem::Output {
                    data_base64: BASE64.encode(bytes),
                    revision,
                }
            }
            Sent::Snapshot { head, bytes } => {
                self.revision = head.revision;
                AttachItem::Snapshot(shown_bytes(head, &bytes))
            }
            Sent::Event(Event::Title { title }) => AttachItem::Title { title },
            Sent::Event(Event::Resized(size)) => AttachItem::Resized {
                rows: size.rows,
                cols: size.cols,
            },
            Sent::Event(Event::Gap { missed }) => return Some(Seen::Gap(missed)),
            Sent::Event(Event::Exit { exit, .. }) => {
                self.over = true;
                self.connection = None;
                AttachItem::Exit(exit)
            }
            Sent::Event(_) | Sent::Reply(_) => return None,
        };
        Some(Seen::Item(item))
    }

    /// The host went before it could say everything: what it wrote down has the rest.
    async fn lost(&mut self) -> Result<(), Failure> {
        self.connection = None;
        let exit = self.terminals.ends_now(&self.id).await?;
        match self.left(exit.clone(), true).await {
            Err(failure) if failure.kind() == Kind::StateUnknown => {
                self.over = true;
                self.ready = vec![Seen::Item(AttachItem::Exit(exit))];
                Ok(())
            }
            left => left,
        }
    }

    /// Queues what an ended terminal left.
    async fn left(&mut self, exit: Exit, replay: bool) -> Result<(), Failure> {
        self.over = true;
        self.ready = vec![Seen::Item(AttachItem::Exit(exit))];
        if replay {
            let remains = self.terminals.remains(&self.id).await?;
            let missed = remains.head.revision.saturating_sub(self.revision);
            let snapshot = shown(remains.head, remains.drawing);
            self.ready.push(Seen::Item(AttachItem::Snapshot(snapshot)));
            if self.revision > 0 && missed > 0 {
                self.ready.push(Seen::Gap(missed));
            }
        }
        Ok(())
    }
}
