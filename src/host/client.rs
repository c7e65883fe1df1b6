//! One connection to a host: what it sent and what waits for it.

use std::collections::VecDeque;
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::buffer::Frames;
use super::wire::{Attach, LONGEST_TO_HOST};

/// How much output waits for a viewer before it counts as lagging. More than a screen is worth, less than a program writes
/// while a person blinks.
const MOST_WAITING: usize = 1 << 20;

/// How much output a viewer that shows one screen, and keeps nothing of what leaves it, gets in one [`PACE`]: more than
/// anybody could see go by. What nobody could have seen costs the program no time.
const MOST_TO_SEE: usize = 128 << 10;

/// How often a screen is drawn at most for a viewer that gets no output meanwhile. More drawings than a person can tell
/// apart would cost time too.
const PACE: Duration = Duration::from_millis(40);

/// How little must wait before a lagging viewer gets a drawing.
const CAUGHT_UP: usize = 64 << 10;

/// Who asks and does not read replies is cut off at this.
const MOST_REPLIES: usize = 256 << 20;

/// How many frames go out in one write.
const TOGETHER: usize = 32;

/// A connection.
pub(super) struct Client {
    stream: UnixStream,
    frames: Frames,
    waiting: VecDeque<Rc<[u8]>>,
    /// How much of the first waiting frame was written.
    written: usize,
    queued: usize,
    viewer: Option<Viewer>,
    /// It watches nothing and was not told events, since it did not read those before.
    behind: bool,
    gone: bool,
}

/// A connection that watches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewer {
    /// How it looks.
    pub(super) attach: Attach,
    /// How many bytes of output it missed since it began to lag.
    missed: u64,
    /// Since when it lags.
    lagging: Option<Instant>,
    /// When the pace began that it is in, and how much it got since.
    pace: Option<Instant>,
    got: usize,
}

impl Client {
    pub(super) fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self {
            stream,
            frames: Frames::default(),
            waiting: VecDeque::new(),
            written: 0,
            queued: 0,
            viewer: None,
            behind: false,
            gone: false,
        })
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    pub(super) const fn gone(&self) -> bool {
        self.gone
    }

    pub(super) fn has_output(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) const fn viewer(&self) -> Option<&Viewer> {
        self.viewer.as_ref()
    }

    pub(super) const fn viewer_mut(&mut self) -> Option<&mut Viewer> {
        self.viewer.as_mut()
    }

    /// Makes it a viewer.
    pub(super) const fn watch(&mut self, attach: Attach) {
        self.viewer = Some(Viewer {
            attach,
            missed: 0,
            lagging: None,
            pace: None,
            got: 0,
        });
    }

    /// Reads what it sent. Its frames are taken with [`Client::frame`].
    pub(super) fn read(&mut self, buffer: &mut [u8]) {
        match self.stream.read(buffer) {
            Ok(0) => self.gone = true,
            Ok(count) => self.frames.push(&buffer[..count]),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(_) => self.gone = true,
        }
    }

    /// The next frame that it sent.
    pub(super) fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        if let Ok(frame) = self.frames.next(LONGEST_TO_HOST) {
            frame.map(|(kind, payload)| (kind, payload.to_vec()))
        } else {
            self.gone = true;
            None
        }
    }

    /// Queues a frame that must arrive.
    pub(super) fn push(&mut self, frame: Rc<[u8]>) {
        self.queued += frame.len();
        self.waiting.push_back(frame);
        self.gone |= self.queued > MOST_REPLIES;
    }

    /// Queues an event for one that watches nothing, or remembers that it is behind.
    pub(super) fn tell(&mut self, frame: &Rc<[u8]>) {
        self.behind |= self.queued + frame.len() > MOST_WAITING;
        if !self.behind {
            self.push(Rc::clone(frame));
        }
    }

    /// Whether it was behind and has read enough to be told how things are now.
    pub(super) fn abreast(&mut self) -> bool {
        let abreast = self.behind && self.queued <= CAUGHT_UP;
        self.behind &= !abreast;
        abreast
    }

    /// Counts output as missed where the viewer lags. Answers whether it does.
    pub(super) fn miss(&mut self, bytes: u64) -> bool {
        let viewer = self.viewer.as_mut();
        let lagging = viewer.filter(|viewer| viewer.lagging.is_some());
        lagging.is_some_and(|viewer| {
            viewer.missed += bytes;
            true
        })
    }

    /// Queues a frame of `bytes` bytes of output for a viewer, or counts them as missed. Of drawings and events, which a
    /// later drawing makes up for, `bytes` is 0.
    pub(super) fn show(&mut self, frame: &Rc<[u8]>, bytes: u64) {
        if self.miss(bytes) {
            return;
        }
        let Some(viewer) = &mut self.viewer else {
            return;
        };
        let now = Instant::now();
        if viewer.pace.is_none_or(|began| now - began >= PACE) {
            viewer.pace = Some(now);
            viewer.got = 0;
        }
        viewer.got += frame.len();
        let unread = self.queued + frame.len() > MOST_WAITING;
        if unread || (viewer.attach.one_screen && viewer.got > MOST_TO_SEE) {
            viewer.lagging = Some(now);
            viewer.missed += bytes;
        } else {
            self.push(Rc::clone(frame));
        }
    }

    /// Whether it lags, so that a drawing will tell what it would be told.
    pub(super) fn lagging(&self) -> bool {
        self.viewer.is_some_and(|viewer| viewer.lagging.is_some())
    }

    /// When a viewer that lags and has read enough is to catch up.
    pub(super) fn due(&self) -> Option<Instant> {
        let since = self.viewer?.lagging?;
        (self.queued <= CAUGHT_UP).then(|| since + PACE)
    }

    /// How many bytes it missed, once it is to catch up, or where it must (`now`). It does not lag any more then.
    pub(super) fn catch_up(&mut self, now: bool) -> Option<u64> {
        let due = now || self.due().is_some_and(|due| due <= Instant::now());
        let viewer = self.viewer.as_mut()?;
        if !due || viewer.lagging.take().is_none() {
            return None;
        }
        Some(std::mem::take(&mut viewer.missed))
    }

    /// Writes as much as goes out now.
    pub(super) fn write(&mut self) {
        while !self.waiting.is_empty() && !self.gone {
            let slices: Vec<IoSlice<'_>> = self
                .waiting
                .iter()
                .take(TOGETHER)
                .enumerate()
                .map(|(index, frame)| {
                    IoSlice::new(if index == 0 {
                        &frame[self.written..]
                    } else {
                        frame
                    })
                })
                .collect();
            match self.stream.write_vectored(&slices) {
                Ok(0) => self.gone = true,
                Ok(count) => self.wrote(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.gone = true,
            }
        }
    }

    fn wrote(&mut self, mut count: usize) {
        self.queued -= count;
        while let Some(first) = self.waiting.front() {
            let rest = first.len() - self.written;
            if count < rest {
                self.written += count;
                return;
            }
            count -= rest;
            self.written = 0;
            self.waiting.pop_front();
        }
    }
}
