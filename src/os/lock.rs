//! The lock that makes a process the daemon of its home.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it.
    #[error("another process{} holds the lock {path}", .pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    Held {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, where that is known.
        pid: Option<u32>,
    },
    /// The system refused.
    #[error("cannot lock {path}: {source}")]
    Io {
        /// The lock file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// An exclusive lock, held until it is dropped or the process ends in whatever way.
///
/// The kernel's lock decides. What the file holds is the pid of its holder, for messages only; the file is never deleted.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Takes the lock, or says at once who holds it.
    ///
    /// # Errors
    /// [`LockError`].
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        let failed = |source: io::Error| LockError::Io {
            path: path.to_owned(),
            source,
        };
        loop {
            let file = open(path).map_err(failed)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => {
                    return Err(LockError::Held {
                        path: path.to_owned(),
                        pid: named(&file),
                    });
                }
                Err(errno) => return Err(failed(errno.into())),
            }
            let lock = Self {
                file,
                path: path.to_owned(),
            };
            // Someone may have removed the file between the opening and the lock; then this lock protects nothing.
            if lock.in_place() {
                lock.sign().map_err(failed)?;
                return Ok(lock);
            }
        }
    }

    /// Whether the file at the lock's path is still the one that is locked. `false`: the home was removed.
    #[must_use]
    pub fn in_place(&self) -> bool {
        match (self.file.metadata(), self.path.symlink_metadata()) {
            (Ok(held), Ok(there)) => (held.dev(), held.ino()) == (there.dev(), there.ino()),
            _ => false,
        }
    }

    fn sign(&self) -> io::Result<()> {
        self.file.set_len(0)?;
        (&self.file).write_all(format!("{}\n", std::process::id()).as_bytes())
    }
}

/// Whether some process holds the lock. A look takes the shared lock for an instant.
///
/// # Errors
/// Where the file cannot be opened. A missing file is not held.
pub fn is_held(path: &Path) -> io::Result<bool> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match flock(&file, FlockOperation::NonBlockingLockShared) {
        Ok(()) => Ok(false),
        Err(Errno::WOULDBLOCK) => Ok(true),
        Err(errno) => Err(errno.into()),
    }
}

/// The process that holds the lock, where the file names a live one and the lock is held.
#[must_use]
pub fn holder(path: &Path) -> Option<u32> {
    is_held(path)
        .ok()?
        .then(|| named(&File::open(path).ok()?))?
}

fn open(path: &Path) -> io::Result<File> {
    let open = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(path)
    };
    match open() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // Its mode was changed; it is ours, in a directory of ours.
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
            open()
        }
        result => result,
    }
}

/// The pid that the file names, where such a process exists.
fn named(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(32).read_to_string(&mut text).ok()?;
    let pid: u32 = text.trim().parse().ok()?;
    let alive = test_kill_process(Pid::from_raw(pid.cast_signed())?).is_ok();
    alive.then_some(pid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_and_the_others_learn_who() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.lock");
        assert!(!is_held(&path).unwrap());
        let lock = Lock::acquire(&path).unwrap();
        assert!(is_held(&path).unwrap());
        match Lock::acquire(&path) {
            Err(LockError::Held { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
            other => panic!("{other:?}"),
        }
        drop(lock);
        assert!(!is_held(&path).unwrap());
        Lock::acquire(&path).unwrap();
    }

    #[test]
    fn what_the_file_holds_decides_nothing() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("empty", &b""[..]),
            ("dead", b"4194000\n"),
            ("alive", b"1\n"),
            ("garbage", b"\xff\0{not a pid"),
            ("long", &[b'9'; 10_000]),
        ] {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
            let lock = Lock::acquire(&path).unwrap();
            assert_eq!(
                std::fs::read_to_string(&path).unwrap(),
                format!("{}\n", std::process::id())
            );
            drop(lock);
            assert!(path.exists());
        }
    }

    #[test]
    fn a_removed_file_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.lock");
        let lock = Lock::acquire(&path).unwrap();
        assert!(lock.in_place());
        std::fs::remove_file(&path).unwrap();
        assert!(!lock.in_place());
        std::fs::write(&path, "").unwrap();
        assert!(!lock.in_place());
    }
}
