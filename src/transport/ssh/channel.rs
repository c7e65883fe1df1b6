//! Sessions on a connection of the library.

use std::sync::Arc;
use std::time::Duration;

use async_ssh2_tokio::{Client, Error};
use russh::client::Msg;
use russh::{ChannelMsg, ChannelReadHalf, ChannelWriteHalf, Sig};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::ahead::Ahead;
use super::link::{Job, Reply, Stop, Unsent};
use crate::os::supervise::Supervisor;

/// How long a channel may take to close after its command ended.
const TAIL: Duration = Duration::from_secs(2);

/// A channel that was given a command line. It is closed whatever becomes of the task that uses it: the far side then ends what it
/// runs.
pub(super) struct Session {
    read: Option<ChannelReadHalf>,
    write: Option<ChannelWriteHalf<Msg>>,
    /// What came before anybody read.
    earlier: Vec<ChannelMsg>,
    permit: Option<OwnedSemaphorePermit>,
    supervisor: Supervisor,
}

/// A session in advance. A task reads it meanwhile, since a channel that nobody reads stalls all others of its connection.
pub(super) struct Waiting {
    wanted: oneshot::Sender<oneshot::Sender<Session>>,
}

impl Waiting {
    /// The session, if it still lives.
    pub(super) async fn claim(self) -> Option<Session> {
        let (give, given) = oneshot::channel();
        self.wanted.send(give).ok()?;
        given.await.ok()
    }

    /// Closes it, and waits until that is done.
    pub(super) async fn close(self) {
        if let Some(session) = self.claim().await {
            session.end().await;
        }
    }
}

enum End {
    Whole,
    Closed,
    Signal(i32),
    Refused,
}

impl Session {
    /// Opens a channel and gives it a command line.
    pub(super) async fn start(
        client: &Client,
        env: &[(String, String)],
        line: &str,
        supervisor: &Supervisor,
    ) -> Result<Self, Unsent> {
        let channel = client.get_channel().await.map_err(|error| match error {
            Error::SshError(russh::Error::ChannelOpenFailure(_)) => Unsent::Full,
            _ => Unsent::Gone,
        })?;
        let (read, write) = channel.split();
        for (name, value) in env {
            let _ = write.set_env(false, name.as_str(), value.as_str()).await;
        }
        if client.is_closed() || write.exec(true, line).await.is_err() {
            return Err(Unsent::Gone);
        }
        Ok(Self {
            read: Some(read),
            write: Some(write),
            earlier: Vec::new(),
            permit: None,
            supervisor: supervisor.clone(),
        })
    }

    /// Leaves it in a place for sessions in advance, once the far side runs its command line.
    pub(super) async fn wait_in(mut self, place: &Ahead<Waiting>) {
        let Some(read) = &mut self.read else { return };
        // Noise of start-up files may come before the answer to the request.
        loop {
            match read.wait().await {
                Some(ChannelMsg::Success) => break,
                None | Some(ChannelMsg::Failure | ChannelMsg::Close | ChannelMsg::Eof) => return,
                Some(message) => self.earlier.push(message),
            }
        }
        let (wanted, claims) = oneshot::channel();
        if place.put(Waiting { wanted }).is_some() {
            return;
        }
        let supervisor = self.supervisor.clone();
        supervisor.spawn(self.serve(claims));
    }

    /// Reads until somebody wants it, or it ends.
    async fn serve(mut self, mut claims: oneshot::Receiver<oneshot::Sender<Self>>) {
        loop {
            let Some(read) = &mut self.read else { return };
            tokio::select! {
                biased;
                claim = &mut claims => {
                    if let Ok(give) = claim {
                        let _ = give.send(self);
                    }
                    return;
                }
                message = read.wait() => match message {
                    None | Some(ChannelMsg::Close | ChannelMsg::Eof) => return,
                    // A shell that talks without end is none to wait for.
                    Some(_) if self.earlier.len() >= 1000 => return,
                    Some(message) => self.earlier.push(message),
                },
            }
        }
    }

    /// Reads the answer to a job; `script` is sent first, where the command line was not the whole of it.
    pub(super) async fn run(
        mut self,
        client: &Client,
        job: &Job,
        script: Option<&str>,
        permit: OwnedSemaphorePermit,
    ) -> Result<Reply, Unsent> {
        self.permit = Some(permit);
        let mut reply = Reply::new(&job.nonce);
        let (Some(mut read), Some(write)) = (self.read.take(), &self.write) else {
            return Err(Unsent::Gone);
        };
        for message in self.earlier.drain(..) {
            take(message, &mut reply);
        }
        let mut unsent = false;
        let result = {
            let writing = async {
                if let Some(script) = script {
                    let bytes = script.as_bytes().to_vec();
                    unsent = write.data_bytes(bytes).await.is_err();
                }
            };
            let reading = receive(&mut read, &mut reply);
            tokio::time::timeout(job.limit, both(writing, reading)).await
        };
        match result {
            Err(_) => reply.stop = Stop::TimedOut,
            Ok(End::Whole) => self.finish(read),
            Ok(End::Refused) => return Err(Unsent::Refused("it runs no commands".into())),
            Ok(End::Closed) if unsent => return Err(Unsent::Gone),
            Ok(End::Signal(signal)) => reply.stop = Stop::Signal(signal),
            Ok(End::Closed) if client.is_closed() => reply.stop = Stop::Lost,
            Ok(End::Closed) => reply.stop = Stop::Closed,
        }
        Ok(reply)
    }

    /// Reads to the end of the channel in the background, and holds its place until then.
    fn finish(mut self, read: ChannelReadHalf) {
        self.read = Some(read);
        let supervisor = self.supervisor.clone();
        supervisor.spawn(self.end());
    }

    /// Tells the far side that nothing more comes, and waits until the channel is closed.
    async fn end(mut self) {
        let (Some(mut read), Some(write)) = (self.read.take(), self.write.take()) else {
            return;
        };
        let _ = write.eof().await;
        let drained = async { while read.wait().await.is_some() {} };
        if tokio::time::timeout(TAIL, drained).await.is_err() {
            let _ = write.close().await;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(write) = self.write.take() {
            let permit = self.permit.take();
            self.supervisor.spawn_owned(async move {
                let _ = write.signal(Sig::TERM).await;
                let _ = write.close().await;
                drop(permit);
            });
        }
    }
}

/// Starts a session in advance, where one is wanted.
pub(super) fn refill(
    client: &Client,
    env: &Arc<Vec<(String, String)>>,
    place: &Arc<Ahead<Waiting>>,
    supervisor: &Supervisor,
) {
    if !place.wants_one() {
        return;
    }
    let (client, env, place, own) = (
        client.clone(),
        Arc::clone(env),
        Arc::clone(place),
        supervisor.clone(),
    );
    supervisor.spawn(async move {
        if let Ok(session) = Session::start(&client, &env, super::script::SHELL, &own).await {
            session.wait_in(&place).await;
        }
    });
}

/// Reads while the script is still being written; the reading decides when it is over.
async fn both(writing: impl Future<Output = ()>, reading: impl Future<Output = End>) -> End {
    tokio::pin!(writing, reading);
    let mut written = false;
    loop {
        tokio::select! {
            end = &mut reading => return end,
            () = &mut writing, if !written => written = true,
        }
    }
}

async fn receive(read: &mut ChannelReadHalf, reply: &mut Reply) -> End {
    let mut signal = None;
    while let Some(message) = read.wait().await {
        match message {
            ChannelMsg::Failure => return End::Refused,
            ChannelMsg::ExitSignal { signal_name, .. } => signal = Some(number(&signal_name)),
            message => take(message, reply),
        }
        if reply.complete() {
            return End::Whole;
        }
    }
    signal.map_or(End::Closed, End::Signal)
}

fn take(message: ChannelMsg, reply: &mut Reply) {
    match message {
        ChannelMsg::Data { data } => reply.stdout.feed(&data),
        ChannelMsg::ExtendedData { data, ext: 1 } => reply.stderr.feed(&data),
        _ => {}
    }
}

fn number(signal: &Sig) -> i32 {
    match signal {
        Sig::HUP => 1,
        Sig::INT => 2,
        Sig::QUIT => 3,
        Sig::ILL => 4,
        Sig::ABRT => 6,
        Sig::FPE => 8,
        Sig::KILL => 9,
        Sig::SEGV => 11,
        Sig::PIPE => 13,
        Sig::ALRM => 14,
        _ => 15,
    }
}
