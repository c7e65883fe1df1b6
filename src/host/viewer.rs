//! A viewer that blocks: what `surfaced attach` is made of. It goes to the host itself, so that it outlives the daemon too
//! and no byte of output is copied twice.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use super::buffer::Frames;
use super::wire::{self, Attach, Event, Greeting, Hello, LONGEST_FROM_HOST, Size};
use crate::proto::surfaces::Exit;

/// Read at once: what fits into a socket.
const TURN: usize = 256 << 10;

/// The reading side.
#[derive(Debug)]
pub struct Viewer {
    stream: UnixStream,
    frames: Frames,
    buffer: Vec<u8>,
    /// The screen was shown.
    drawn: bool,
    /// How the program ended, told before the screen was shown.
    early: Option<Exit>,
}

/// What a viewer sees.
#[derive(Debug)]
pub enum Sight<'a> {
    /// Bytes for the viewer's terminal.
    Bytes(&'a [u8]),
    /// The program ended; nothing follows.
    Exit(Exit),
    /// Something that a terminal shows by itself.
    Nothing,
}

/// The writing side. Blocks while the program does not read what was typed before.
#[derive(Debug)]
pub struct Typist {
    stream: UnixStream,
}

impl Viewer {
    /// Connects, and waits for the hello.
    ///
    /// # Errors
    /// Nobody listens there, or it is no host.
    pub fn connect(socket: &Path) -> io::Result<(Self, Typist, Hello)> {
        let mut viewer = Self {
            stream: UnixStream::connect(socket)?,
            frames: Frames::default(),
            buffer: vec![0; TURN],
            drawn: false,
            early: None,
        };
        let mut typist = Typist {
            stream: viewer.stream.try_clone()?,
        };
        let greeting = Greeting {
            protocol: wire::VERSION,
            daemon: false,
        };
        typist.send(&wire::json(wire::GREETING, &greeting))?;
        loop {
            match viewer.frame()? {
                Some((wire::HELLO, payload)) => {
                    let hello = serde_json::from_slice(payload)?;
                    return Ok((viewer, typist, hello));
                }
                Some(_) => {}
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }

    /// What comes next; `None` where the host is gone.
    ///
    /// # Errors
    /// The connection broke.
    pub fn look(&mut self) -> io::Result<Option<Sight<'_>>> {
        if !self.fill()? {
            return Ok(self.early.take().map(Sight::Exit));
        }
        let next = self.frames.next(LONGEST_FROM_HOST);
        let Some((kind, payload)) = next.map_err(io::Error::other)? else {
            return Ok(Some(Sight::Nothing));
        };
        self.drawn |= kind == wire::SNAPSHOT;
        let bytes = match kind {
            wire::OUTPUT => wire::read_output(payload).map(|(_, bytes)| bytes),
            wire::SNAPSHOT => wire::read_snapshot(payload).map(|(_, bytes)| bytes),
            wire::EVENT => {
                return Ok(Some(match serde_json::from_slice(payload) {
                    Ok(Event::Exit { exit, .. }) if self.drawn => Sight::Exit(exit),
                    // Told before the host read that this is a viewer: unless it ends now, it tells so again after the screen.
                    Ok(Event::Exit { exit, .. }) => {
                        self.early = Some(exit);
                        Sight::Nothing
                    }
                    _ => Sight::Nothing,
                }));
            }
            _ => None,
        };
        Ok(Some(bytes.map_or(Sight::Nothing, Sight::Bytes)))
    }

    /// Reads until there is a frame. False: the host is gone.
    fn fill(&mut self) -> io::Result<bool> {
        while !self.frames.ready() {
            let count = self.stream.read(&mut self.buffer)?;
            if count == 0 {
                return Ok(false);
            }
            self.frames.push(&self.buffer[..count]);
        }
        Ok(true)
    }

    fn frame(&mut self) -> io::Result<Option<(u8, &[u8])>> {
        if !self.fill()? {
            return Ok(None);
        }
        self.frames
            .next(LONGEST_FROM_HOST)
            .map_err(io::Error::other)
    }
}

impl Typist {
    /// Becomes a viewer.
    ///
    /// # Errors
    /// The host is gone.
    pub fn attach(&mut self, attach: &Attach) -> io::Result<()> {
        self.send(&wire::json(wire::ATTACH, attach))
    }

    /// Types bytes.
    ///
    /// # Errors
    /// The host is gone.
    pub fn input(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.send(&wire::frame(wire::INPUT, &[bytes]))
    }

    /// Says that the viewer has this size now.
    ///
    /// # Errors
    /// The host is gone.
    pub fn resize(&mut self, size: Size) -> io::Result<()> {
        self.send(&wire::json(wire::RESIZE, &size))
    }

    fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        self.stream.write_all(frame)
    }
}
