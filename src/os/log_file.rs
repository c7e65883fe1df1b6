//! The daemon's log: a file that is set aside when it is large.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A file is set aside once it has this many bytes.
const LARGE: u64 = 4 << 20;
/// How many are kept beside the one that is written.
const KEPT: u32 = 3;

/// Appends to a file, mode 0600. Once it is large, `daemon.log` becomes `daemon.log.1`, that one `daemon.log.2`, and so on.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    written: u64,
    large: u64,
    owns_stderr: bool,
}

impl LogFile {
    /// Opens it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = append(path)?;
        Ok(Self {
            written: file.metadata()?.len(),
            path: path.to_owned(),
            file,
            large: LARGE,
            owns_stderr: false,
        })
    }

    /// Sends standard error there too, now and after each change of file: what the runtime itself says before it aborts
    /// must be found somewhere.
    ///
    /// # Errors
    /// Those of the system.
    pub fn take_stderr(&mut self) -> io::Result<()> {
        rustix::stdio::dup2_stderr(&self.file)?;
        self.owns_stderr = true;
        Ok(())
    }

    fn rotate(&mut self) -> io::Result<()> {
        for number in (1..KEPT).rev() {
            let _ = std::fs::rename(self.aside(number), self.aside(number + 1));
        }
        std::fs::rename(&self.path, self.aside(1))?;
        self.file = append(&self.path)?;
        self.written = 0;
        if self.owns_stderr {
            rustix::stdio::dup2_stderr(&self.file)?;
        }
        Ok(())
    }

    fn aside(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written >= self.large {
            // A log that cannot be set aside is still better than none.
            let _ = self.rotate();
        }
        let count = self.file.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_set_aside_and_few_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.log");
        let mut log = LogFile::open(&path).unwrap();
        log.large = 3;
        for line in ["1..\n", "2..\n", "3..\n", "4..\n", "5..\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&path), "5..\n");
        assert_eq!(read(&log.aside(1)), "4..\n");
        assert_eq!(read(&log.aside(3)), "2..\n");
        assert!(!log.aside(4).exists());
    }
}
