//! The loop of a host: one thread that moves bytes between the program, its screen and the connections.

use std::collections::VecDeque;
use std::io;
use std::os::unix::net::UnixListener;
use std::rc::Rc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::clients::{Clients, head};
use super::ending::{Ending, PATIENCE};
use super::program::{Output, Program};
use super::wire::{
    self, Attach, Command, Event, Greeting, Hello, Operation, Outcome, Reply, Request, Size, State,
};
use crate::proto::surfaces::Exit;
use crate::screen::{Change, Mark, Scope, Screen, key};

/// Read at once, so that one loud program does not keep its viewers waiting.
const TURN: usize = 256 << 10;

/// More than the kernel keeps of what a program wrote: after its end this much is read even if others still write.
const LEFT_BEHIND: usize = 1 << 20;

/// How much input waits for a program that does not read.
const MOST_INPUT: usize = 1 << 20;

/// How many events wait for the daemon that started this host.
const MOST_UNHEARD: usize = 1024;

/// How often a terminal that nobody has open is looked at again.
const PAUSE: Duration = Duration::from_millis(50);

/// A host.
pub(super) struct Server {
    listener: UnixListener,
    program: Program,
    screen: Screen,
    clients: Clients,
    input: VecDeque<u8>,
    buffer: Vec<u8>,
    /// Nobody has the terminal open: it would be readable all the time.
    closed_until: Option<Instant>,
    command_line: Option<String>,
    exit: Option<Exit>,
    ending: Ending,
    /// What happened before the daemon connected: a program may be quicker. `None` once it was told.
    unheard: Option<VecDeque<Event>>,
}

impl Server {
    pub(super) fn new(
        listener: UnixListener,
        program: Program,
        screen: Screen,
        ending: Ending,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            program,
            screen,
            clients: Clients::default(),
            input: VecDeque::new(),
            buffer: vec![0; TURN],
            closed_until: None,
            command_line: None,
            exit: None,
            ending,
            unheard: Some(VecDeque::new()),
        })
    }

    /// Serves until the program has ended, that is written down, and everybody was told.
    pub(super) fn run(mut self) {
        loop {
            self.turn();
            let pending = self.clients.pending() || self.unheard.is_some();
            if self.exit.is_some() && self.ending.over(pending) {
                return;
            }
        }
    }

    /// Waits for something and deals with it.
    fn turn(&mut self) {
        let now = Instant::now();
        self.closed_until = self.closed_until.filter(|until| *until > now);
        let running = self.exit.is_none();
        let full = self.input.len() > MOST_INPUT;
        let mut fds = vec![PollFd::new(&self.listener, PollFlags::IN)];
        // A descriptor without wishes would still report hang-ups, all the time.
        if running {
            fds.push(PollFd::from_borrowed_fd(self.program.bell(), PollFlags::IN));
        }
        if running && self.closed_until.is_none() {
            fds.push(PollFd::from_borrowed_fd(
                self.program.terminal(),
                wanted(true, !self.input.is_empty()),
            ));
        }
        fds.extend(self.clients.iter().map(|client| {
            let reads = !(full && client.viewer().is_some());
            PollFd::from_borrowed_fd(client.descriptor(), wanted(reads, client.has_output()))
        }));
        let due = self
            .clients
            .due()
            .map(|due| due.saturating_duration_since(now));
        let timeout = match self.closed_until {
            Some(until) => Some(until - now),
            None if running => None,
            None => Some(PATIENCE),
        };
        let timeout = timeout.into_iter().chain(due).min();
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        if poll(&mut fds, timeout.as_ref()).is_err() {
            return;
        }
        let seen: Vec<PollFlags> = fds.iter().map(PollFd::revents).collect();
        let clients = self.clients.count();
        let first = seen.len() - clients;
        let ready = |index: usize| !seen[first + index].is_empty();

        for index in 0..clients {
            if ready(index) && seen[first + index] != PollFlags::OUT {
                self.clients.get(index).read(&mut self.buffer);
            }
        }
        let mut index = 0;
        while index < self.clients.count() {
            // A new viewer goes to the end; the next connection has its place.
            if !self.frames(index) {
                index += 1;
            }
        }
        if !seen[0].is_empty() {
            self.clients.accept(&self.listener);
        }
        if running {
            self.type_input();
            if self.closed_until.is_none() {
                self.read(TURN);
            }
            if let Some(exit) = self.program.ended() {
                self.end(exit);
            }
        }
        self.clients.catch_up(false, &mut self.screen);
        self.clients.abreast(&self.screen);
        self.clients.write();
        if self.clients.forget_gone() {
            self.fit();
        }
    }

    /// Reads up to `most` bytes of output, until there is none.
    fn read(&mut self, most: usize) {
        let mut total = 0;
        while total < most {
            let mut filled = 0;
            let mut more = true;
            while filled < self.buffer.len() {
                match self.program.read(&mut self.buffer[filled..]) {
                    Output::Bytes(count) => filled += count,
                    Output::Nothing => {
                        more = false;
                        break;
                    }
                    Output::Closed => {
                        self.closed_until = Some(Instant::now() + PAUSE);
                        more = false;
                        break;
                    }
                }
            }
            total += filled;
            if filled > 0 {
                self.take(filled);
            }
            if !more {
                return;
            }
        }
    }

    /// Takes the first bytes of the buffer as output.
    fn take(&mut self, count: usize) {
        let bytes = &self.buffer[..count];
        let fed = self.screen.feed(bytes);
        self.clients.output(bytes, fed.switched, &mut self.screen);
        // Of many titles at once only the last was ever there to be seen.
        let last = |is: fn(&Change) -> bool| fed.changes.iter().rposition(is);
        let titled = last(|change| matches!(change, Change::Title(_)));
        let moved = last(|change| matches!(change, Change::Cwd(_)));
        for (index, change) in fed.changes.into_iter().enumerate() {
            let superseded = match change {
                Change::Title(_) => titled != Some(index),
                Change::Cwd(_) => moved != Some(index),
                _ => false,
            };
            if !superseded {
                self.changed(change);
            }
        }
    }

    fn changed(&mut self, change: Change) {
        let event = match change {
            Change::Title(title) => Event::Title { title },
            Change::Cwd(cwd) => Event::Cwd { cwd },
            Change::Query(query) => {
                if !self.clients.interactive() {
                    self.input.extend(query.answer());
                    self.type_input();
                }
                return;
            }
            Change::Mark(Mark::Line(line)) => {
                self.command_line = Some(line);
                return;
            }
            Change::Mark(Mark::Prompt) => Event::Command(Command::Prompt),
            Change::Mark(Mark::Started) => Event::Command(Command::Started {
                line: self.command_line.take(),
            }),
            Change::Mark(Mark::Finished(exit_code)) => {
                Event::Command(Command::Finished { exit_code })
            }
        };
        self.tell(event);
    }

    /// Tells everybody.
    fn tell(&mut self, event: Event) {
        self.clients.event(&event);
        if let Some(unheard) = &mut self.unheard {
            // The newest say what holds.
            if unheard.len() == MOST_UNHEARD {
                unheard.pop_front();
            }
            unheard.push_back(event);
        }
    }

    fn type_input(&mut self) {
        while !self.input.is_empty() {
            let written = self.program.write(self.input.as_slices().0);
            if written == 0 {
                return;
            }
            self.input.drain(..written);
        }
    }

    /// Deals with what a connection sent. Answers whether it became the last one.
    fn frames(&mut self, index: usize) -> bool {
        while let Some((kind, payload)) = self.clients.get(index).frame() {
            match kind {
                wire::GREETING => {
                    if let Ok(greeting) = serde_json::from_slice::<Greeting>(&payload) {
                        self.greet(index, &greeting);
                    }
                }
                wire::REQUEST => {
                    if let Ok(request) = serde_json::from_slice::<Request>(&payload) {
                        let reply = Reply {
                            id: request.id,
                            outcome: self.carry_out(request.operation),
                        };
                        let reply = wire::json(wire::REPLY, &reply);
                        self.clients.get(index).push(Rc::from(reply));
                    }
                }
                wire::INPUT if self.exit.is_none() => self.input.extend(payload),
                wire::ATTACH => {
                    if let Ok(attach) = serde_json::from_slice::<Attach>(&payload) {
                        self.attach(index, attach);
                        return true;
                    }
                }
                wire::RESIZE => {
                    if let (Some(viewer), Ok(size)) = (
                        self.clients.get(index).viewer_mut(),
                        serde_json::from_slice(&payload),
                    ) {
                        viewer.attach.size = Some(size);
                        self.fit();
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn greet(&mut self, index: usize, greeting: &Greeting) {
        let hello = Hello {
            protocol: wire::VERSION,
            state: self.state(),
            record: greeting
                .daemon
                .then(|| Box::new(self.ending.record().clone())),
        };
        let client = self.clients.get(index);
        client.push(Rc::from(wire::json(wire::HELLO, &hello)));
        if greeting.daemon {
            for event in self.unheard.take().into_iter().flatten() {
                client.push(Rc::from(wire::json(wire::EVENT, &event)));
            }
        }
    }

    fn attach(&mut self, index: usize, attach: Attach) {
        self.clients.watch(index, attach);
        self.fit();
        let newest = self.clients.count() - 1;
        if attach.replay {
            self.clients.draw(newest, &mut self.screen);
        }
        if let Some(event) = self.exit.clone().map(|exit| self.ending.event(exit)) {
            let event = wire::json(wire::EVENT, &event);
            self.clients.get(newest).push(Rc::from(event));
        }
    }

    fn state(&self) -> State {
        let (rows, cols) = self.screen.size();
        State {
            pid: Some(self.program.pid()),
            tty: self.program.tty().map(str::to_owned),
            rows,
            cols,
            title: self.screen.title().to_owned(),
            cwd: self.screen.cwd().to_owned(),
            waiting: self.screen.waiting(),
            exit: self.exit.clone(),
        }
    }

    fn carry_out(&mut self, operation: Operation) -> Outcome {
        let ended = self.exit.is_some();
        match operation {
            Operation::Input { .. } | Operation::Keys { .. } | Operation::Resize(_) if ended => {
                Outcome::Ended
            }
            Operation::Input { data } => match BASE64.decode(data) {
                Ok(_) if self.input.len() > MOST_INPUT => Outcome::Full,
                Ok(data) => {
                    self.input.extend(data);
                    self.type_input();
                    Outcome::Done
                }
                Err(_) => Outcome::Unknown,
            },
            Operation::Keys { keys } => {
                let application = self.screen.application_cursor();
                let bytes: Option<Vec<_>> =
                    keys.iter().map(|name| key(name, application)).collect();
                match bytes {
                    Some(bytes) => {
                        self.input.extend(bytes.into_iter().flatten());
                        self.type_input();
                        Outcome::Done
                    }
                    None => Outcome::Unknown,
                }
            }
            Operation::Resize(size) => {
                self.resize(size);
                Outcome::Done
            }
            Operation::Lines { ansi, visible } => Outcome::Lines {
                lines: if visible {
                    self.screen.visible_lines(ansi)
                } else {
                    self.screen.lines(ansi)
                },
            },
            Operation::Snapshot => {
                let drawing = self.screen.draw(Scope::Both);
                Outcome::Snapshot {
                    head: head(&drawing, self.screen.revision()),
                    drawing: BASE64.encode(drawing.bytes),
                }
            }
            Operation::HangUp => {
                self.program.hang_up();
                Outcome::Done
            }
            Operation::Forget => {
                self.ending.forget();
                Outcome::Done
            }
            Operation::Unknown => Outcome::Unknown,
        }
    }

    /// Takes the size of the newest interactive viewer.
    fn fit(&mut self) {
        if let Some(size) = self.clients.wanted_size() {
            self.resize(size);
        }
    }

    fn resize(&mut self, size: Size) {
        if self.screen.size() == (size.rows, size.cols) || self.exit.is_some() {
            return;
        }
        self.screen.resize(size.rows, size.cols);
        let (rows, cols) = self.screen.size();
        let size = Size { rows, cols };
        self.program.resize(size);
        self.tell(Event::Resized(size));
        self.clients.redraw(&mut self.screen);
    }

    /// The program has ended: takes what it left behind, writes everything down, and tells everybody.
    fn end(&mut self, exit: Exit) {
        self.read(LEFT_BEHIND);
        self.clients.catch_up(true, &mut self.screen);
        self.ending.ended(&exit, &mut self.screen);
        let event = self.ending.event(exit.clone());
        self.tell(event);
        self.exit = Some(exit);
    }
}

const fn wanted(read: bool, write: bool) -> PollFlags {
    let mut flags = PollFlags::empty();
    if read {
        flags = flags.union(PollFlags::IN);
    }
    if write {
        flags = flags.union(PollFlags::OUT);
    }
    flags
}
