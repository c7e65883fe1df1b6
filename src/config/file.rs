//! The file itself, read by a thread of its own: where it is on a disk that does not answer, nobody but that thread waits for it.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};

/// The largest file that is read.
const LARGEST: u64 = 1 << 20;

/// How long one look may take. It is waited for once: until it ends, nobody waits for another.
const PATIENCE: Duration = Duration::from_millis(500);

/// What tells one state of a file from another. `None`: there is no file.
pub(super) type Stamp = Option<State>;

type State = (u64, u64, i64, i64, i64, i64);

/// What a look at the file found.
#[derive(Debug)]
pub(super) enum Look {
    /// It is as it was.
    Same,
    /// It has changed, and this is its text; empty where there is no file.
    Text(Stamp, String),
    /// It cannot be read.
    Failed(io::Error),
    /// Nothing is known yet: its disk does not answer.
    Silent,
}

/// A file that is looked at.
#[derive(Debug)]
pub(super) struct Watched {
    asks: Sender<(Option<Stamp>, Sender<Look>)>,
    /// The look that did not end in time.
    pending: Option<Receiver<Look>>,
}

impl Watched {
    /// Nothing is read before the first look.
    pub(super) fn new(path: PathBuf) -> Self {
        let (asks, asked) = channel::<(Option<Stamp>, Sender<Look>)>();
        // Ends with the last sender; where no thread can be had, no look is ever answered.
        let _ = std::thread::Builder::new()
            .name("configuration".to_owned())
            .spawn(move || {
                for (seen, answer) in asked {
                    // Whoever asked may have stopped waiting.
                    let _ = answer.send(look(&path, seen));
                }
            });
        Self {
            asks,
            pending: None,
        }
    }

    /// Looks at the file; `seen` is its state that is known.
    pub(super) fn look(&mut self, seen: Option<Stamp>) -> Look {
        let (answer, patience) = if let Some(answer) = self.pending.take() {
            (answer, Duration::ZERO)
        } else {
            let (send, answer) = channel();
            if self.asks.send((seen, send)).is_err() {
                return Look::Failed(io::Error::other("no thread to read it"));
            }
            (answer, PATIENCE)
        };
        match answer.recv_timeout(patience) {
            Ok(look) => look,
            Err(RecvTimeoutError::Timeout) => {
                self.pending = Some(answer);
                Look::Silent
            }
            Err(RecvTimeoutError::Disconnected) => {
                Look::Failed(io::Error::other("no thread to read it"))
            }
        }
    }
}

fn look(path: &Path, seen: Option<Stamp>) -> Look {
    let found = match std::fs::metadata(path) {
        Ok(meta) if !meta.is_file() => Err(irregular()),
        Ok(meta) if seen == Some(Some(state(&meta))) => return Look::Same,
        Ok(_) => read(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound && seen == Some(None) => {
            return Look::Same;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((None, String::new())),
        Err(error) => Err(error),
    };
    match found {
        Ok((stamp, text)) => Look::Text(stamp, text),
        Err(error) => Look::Failed(error),
    }
}

/// Reads it. Opening waits for nobody: what was a file may have become a pipe since.
fn read(path: &Path) -> io::Result<(Stamp, String)> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file: File = rustix::fs::open(path, flags, Mode::empty())?.into();
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(irregular());
    }
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(io::Error::other(format!(
            "it has more than {LARGEST} bytes"
        )));
    }
    Ok((Some(state(&meta)), text))
}

fn irregular() -> io::Error {
    io::Error::other("it is not a regular file")
}

fn state(meta: &Metadata) -> State {
    (
        meta.ino(),
        meta.size(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_that_does_not_end_is_waited_for_once() {
        let (asks, asked) = channel::<(Option<Stamp>, Sender<Look>)>();
        let mut watched = Watched {
            asks,
            pending: None,
        };
        assert!(matches!(watched.look(None), Look::Silent));
        let (_, answer) = asked.try_recv().unwrap();
        for _ in 0..1000 {
            assert!(matches!(watched.look(None), Look::Silent));
        }
        assert!(asked.try_recv().is_err(), "nothing else was asked");
        answer.send(Look::Text(None, "late".to_owned())).unwrap();
        assert!(matches!(watched.look(None), Look::Text(None, text) if text == "late"));
    }
}
