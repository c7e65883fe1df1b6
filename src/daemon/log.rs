//! The log of the daemon. What callers send is never in it.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::os::environment;
use crate::os::log_file::LogFile;
use crate::os::paths::Paths;

/// The open log. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Log(Arc<Mutex<LogFile>>);

impl Log {
    /// Sends standard error there too.
    pub(super) fn take_stderr(&self) -> io::Result<()> {
        self.file().take_stderr()
    }

    fn file(&self) -> MutexGuard<'_, LogFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Opens the log and sends everything there, panics too. `also_stderr`: to standard error as well, for a daemon that a
/// person watches.
///
/// # Errors
/// Where the file cannot be opened.
pub(super) fn open(paths: &Paths, also_stderr: bool) -> io::Result<Log> {
    let log = Log(Arc::new(Mutex::new(LogFile::open(&paths.log())?)));
    let writer = log.clone();
    let filter = environment::log_filter()
        .and_then(|text| EnvFilter::try_new(text).ok())
        .unwrap_or_else(|| EnvFilter::new("info"));
    let to_file = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || writer.clone());
    let to_stderr = also_stderr.then(|| {
        tracing_subscriber::fmt::layer()
            .with_ansi(false)
            .with_writer(io::stderr)
    });
    // A second start in one process, as in tests, keeps the first log.
    let _ = tracing_subscriber::registry()
        .with(filter)
        .with(to_file)
        .with(to_stderr)
        .try_init();
    std::panic::set_hook(Box::new(|panic| {
        let trace = std::backtrace::Backtrace::capture();
        tracing::error!("{panic}\n{trace}");
    }));
    Ok(log)
}
