//! The start of the daemon: settle, lock, listen, say ready.

use std::io::Write;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::assemble::{Parts, assemble};
use super::error::DaemonError;
use super::facts::Facts;
use super::lifecycle::{self, Lifecycle};
use super::watch::Watch;
use super::{log, methods};
use crate::config::Store;
use crate::os::lock::{Lock, LockError};
use crate::os::paths::Paths;
use crate::os::signals::Signals;
use crate::os::supervise::Supervisor;
use crate::os::{detach, settle, socket};
use crate::rpc::{Control, Registry, Server};

/// Runs the daemon of this user in this process until it is asked to end.
///
/// Once it listens it writes one line to standard output, the contents of `daemon.json`. `detached`: it then lets go of
/// its starter's terminal, input and output.
///
/// # Errors
/// Why it does not start. [`DaemonError::AnotherRuns`] at once, where another one has this home.
pub fn run(detached: bool) -> Result<(), DaemonError> {
    settle::settle().map_err(DaemonError::io("leave the caller's circumstances behind"))?;
    settle::lift_limits();
    let paths = Paths::current()?;
    let closed = paths.ensure_home()?;
    tokio::runtime::Builder::new_current_thread()
        // Looks at the sockets after every few steps of work, so that one caller's flood of requests does not keep the others'
        // from being read; tokio's own interval is meant for steps that take no time.
        .event_interval(4)
        .enable_all()
        .build()
        .map_err(DaemonError::io("start the runtime"))?
        .block_on(async {
            let ready = start(paths, detached, closed).await?;
            ready.serve().await;
            Ok(())
        })
}

async fn start(paths: Paths, detached: bool, closed: bool) -> Result<Lifecycle, DaemonError> {
    let lock = lock(&paths).await?;
    let signals = Signals::take().map_err(DaemonError::io("receive signals"))?;
    let log = log::open(&paths, !detached).map_err(DaemonError::io("open the log"))?;
    if closed {
        tracing::warn!(home = %paths.home.display(), "the home was open to other users, and has mode 0700 now");
    }
    let config = Store::open(paths.config.clone());
    let supervisor = Supervisor::new();
    let control = Control::new();
    let facts = Facts::new(&paths, config.clone(), control.clone());

    let mut registry = Registry::new();
    methods::add(&mut registry, &facts);
    let parts = Parts {
        paths: paths.clone(),
        config: config.clone(),
        supervisor: supervisor.clone(),
    };
    assemble(&parts, &mut registry).await?;
    let names = registry.names().into_iter().map(str::to_owned).collect();
    let _ = facts.methods.set(names);

    let (limits, in_force) = watch::channel(config.current().limits.clone());
    let server = Server::new(registry, control, in_force, supervisor.clone());
    let bound = socket::bind(&paths.socket).await?;
    say_ready(&facts)?;
    if detached {
        detach::cut_ties()
            .and_then(|()| log.take_stderr())
            .map_err(DaemonError::io("let go of the starter"))?;
    }
    tracing::info!(
        pid = facts.instance.pid,
        socket = facts.instance.socket,
        version = facts.instance.version,
        "ready"
    );
    let watch = Watch {
        lock,
        place: bound.place(),
        config,
        limits,
        paths,
    };
    Ok(Lifecycle {
        facts,
        server,
        supervisor,
        signals,
        watch,
        listener: bound.listener,
        reserve: lifecycle::reserve(),
    })
}

/// Takes the lock. Clients look at it for an instant to see whether it is held, and must not keep a daemon from starting.
async fn lock(paths: &Paths) -> Result<Lock, DaemonError> {
    const TRIES: u32 = 4;
    let mut tries = 0;
    loop {
        tries += 1;
        match Lock::acquire(&paths.lock()) {
            Ok(lock) => return Ok(lock),
            Err(LockError::Held { .. }) if tries < TRIES => {
                sleep(Duration::from_millis(15)).await;
            }
            Err(LockError::Held { pid, .. }) => {
                return Err(DaemonError::AnotherRuns {
                    home: paths.home.clone(),
                    pid,
                });
            }
            Err(error) => return Err(DaemonError::Lock(error)),
        }
    }
}

fn say_ready(facts: &Facts) -> Result<(), DaemonError> {
    let line = facts
        .write()
        .map_err(DaemonError::io("write daemon.json"))?;
    // Whoever started it may not be listening; that is no reason to end.
    let mut stdout = std::io::stdout();
    let _ = stdout.write_all(&line).and_then(|()| stdout.flush());
    Ok(())
}
