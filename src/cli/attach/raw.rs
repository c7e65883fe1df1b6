//! The person's own terminal while it shows another.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use rustix::termios::{
    OptionalActions, QueueSelector, Termios, isatty, tcflush, tcgetattr, tcgetwinsize, tcsetattr,
};

use crate::host::wire::Size;
use crate::proto::terminal::MAX_SIZE;
use crate::screen::Screen;

/// Written at once, so that nobody who wants to leave waits for more.
const PIECE: usize = 64 << 10;

/// How long a terminal may take to show that it is given back. One that shows nothing any more, C-s pressed, holds up nobody.
const PATIENCE: Duration = Duration::from_secs(1);

/// Its alternate screen, raw; given back as it was when dropped. The title is put on the terminal's stack meanwhile.
pub(super) struct Raw {
    input: OwnedFd,
    /// For its size: nothing is written there.
    window: OwnedFd,
    output: Output,
    before: Termios,
}

/// Where the terminal is shown, until it is given back: what comes after that is not shown.
#[derive(Clone)]
pub(super) struct Output {
    file: Arc<Mutex<File>>,
    over: Arc<AtomicBool>,
}

impl Output {
    /// Shows bytes.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        for piece in bytes.chunks(PIECE) {
            if self.over.load(Ordering::SeqCst) {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.put(piece)?;
        }
        Ok(())
    }

    /// The last bytes. Whoever writes meanwhile is done with its piece first.
    fn last(&self, bytes: Vec<u8>) {
        self.over.store(true, Ordering::SeqCst);
        let (own, (done, is_done)) = (self.clone(), mpsc::channel());
        std::thread::spawn(move || {
            // A terminal that is gone needs nothing any more.
            let _ = own.put(&bytes);
            let _ = done.send(());
        });
        let _ = is_done.recv_timeout(PATIENCE);
    }

    fn put(&self, bytes: &[u8]) -> io::Result<()> {
        self.file
            .lock()
            .map_err(|_| io::ErrorKind::BrokenPipe)?
            .write_all(bytes)
    }
}

impl Raw {
    /// `None`: standard input or output is no terminal.
    pub(super) fn enter(title: &str) -> io::Result<Option<Self>> {
        let (input, output) = (io::stdin(), io::stdout());
        if !isatty(&input) || !isatty(&output) {
            return Ok(None);
        }
        let input = input.as_fd().try_clone_to_owned()?;
        let output = File::from(output.as_fd().try_clone_to_owned()?);
        let before = tcgetattr(&input)?;
        let mut raw = before.clone();
        raw.make_raw();
        let window = output.try_clone()?.into();
        tcsetattr(&input, OptionalActions::Flush, &raw)?;
        let entered = Self {
            input,
            window,
            output: Output {
                file: Arc::new(Mutex::new(output)),
                over: Arc::default(),
            },
            before,
        };
        let title: String = title.chars().filter(|c| !c.is_control()).collect();
        entered
            .output
            .write(format!("\x1b[22;2t\x1b[?1049h\x1b[2J\x1b[H\x1b]2;{title}\x1b\\").as_bytes())?;
        Ok(Some(entered))
    }

    /// What is typed.
    pub(super) fn input(&self) -> io::Result<File> {
        Ok(File::from(self.input.try_clone()?))
    }

    /// Where it is shown.
    pub(super) fn output(&self) -> Output {
        self.output.clone()
    }

    /// Its size now; `None`: it has none, as some serial lines.
    pub(super) fn size(&self) -> Option<Size> {
        let size = tcgetwinsize(&self.window).ok()?;
        (size.ws_row > 0 && size.ws_col > 0).then(|| Size {
            rows: size.ws_row.min(MAX_SIZE),
            cols: size.ws_col.min(MAX_SIZE),
        })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let leave = format!("{}\x1b[?1049l\x1b[23;2t", Screen::leave());
        self.output.last(leave.into_bytes());
        // Answers to questions of the program that are still on their way are not for the shell.
        let _ = tcflush(&self.input, QueueSelector::IFlush);
        let _ = tcsetattr(&self.input, OptionalActions::Now, &self.before);
    }
}
