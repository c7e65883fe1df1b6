//! The way into a host: the hidden subcommand.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::ExitCode;

use super::ending::Ending;
use super::order::{Order, Started};
use super::place::Place;
use super::program::Program;
use super::server::Server;
use super::wire::Size;
use crate::os::shortage;
use crate::os::{detach, private_dir};
use crate::proto::Kind;
use crate::resolve::TERMINAL_HOST;
use crate::screen::{Screen, Setup};

/// Runs a host if the arguments ask for one; it ends with its terminal. `None`: they ask for something else.
pub fn entry(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let second = args.into_iter().nth(1)?;
    (second == OsStr::new(TERMINAL_HOST)).then(host)
}

fn host() -> ExitCode {
    // Before anything runs in it: the daemon's own session ends with the daemon.
    let _ = rustix::process::setsid();
    let mut line = Vec::new();
    let read = io::stdin().lock().read_until(b'\n', &mut line);
    let order: Order = match read.map(|_| serde_json::from_slice(&line)) {
        Ok(Ok(order)) => order,
        _ => return ExitCode::from(2),
    };
    drop(line);
    let started = start(order);
    let (answer, server) = match started {
        Ok((pid, server)) => (Started::Ok { pid }, Some(server)),
        Err(failed) => (failed, None),
    };
    // Nobody hears it where the daemon has ended meanwhile; the next one finds this terminal.
    let _ = serde_json::to_vec(&answer).map(|mut text| {
        text.push(b'\n');
        let mut stdout = io::stdout().lock();
        stdout.write_all(&text).and_then(|()| stdout.flush())
    });
    let Some((socket, server)) = server else {
        return ExitCode::FAILURE;
    };
    let _ = detach::cut_ties();
    let _ = std::env::set_current_dir("/");
    server.run();
    let _ = std::fs::remove_file(socket);
    ExitCode::SUCCESS
}

/// Starts everything, or leaves nothing.
fn start(order: Order) -> Result<(u32, (std::path::PathBuf, Server)), Started> {
    let id = order.record.id.clone();
    let place = Place::at(&order.dir);
    let failed = |what: &str, error: &io::Error| Started::Failed {
        kind: Kind::SpawnFailed,
        message: format!("{what}: {error}"),
        hint: shortage::advice(error).map(str::to_owned),
    };
    let record_path = place.record(&id);
    let listener = listen(&order.socket).map_err(|error| {
        failed(
            &format!("cannot listen at {}", order.socket.display()),
            &error,
        )
    })?;
    let undo = |failed: Started| {
        let _ = std::fs::remove_file(&order.socket);
        let _ = std::fs::remove_file(&record_path);
        failed
    };
    let size = Size {
        rows: order.record.rows,
        cols: order.record.cols,
    };
    let mut record = order.record.clone();
    // Before the program: a disk that takes no record must not have it run for nothing.
    let written = record.write(&record_path);
    written
        .map_err(|error| failed(&format!("cannot write {}", record_path.display()), &error))
        .map_err(undo)?;
    let program = Program::start(&order, size).map_err(undo)?;
    let pid = program.pid();
    record.runs(pid);
    // The disk may be full by now; the pid is told by the host itself as well.
    let _ = record.write(&record_path);
    let screen = Screen::new(Setup {
        rows: size.rows,
        cols: size.cols,
        scrollback: order.scrollback,
        title: record.title.clone(),
        cwd: record.cwd.clone(),
        host: rustix::system::uname()
            .nodename()
            .to_string_lossy()
            .into_owned(),
    });
    let server = Server::new(listener, program, screen, Ending::new(place, record))
        .map_err(|error| failed("cannot serve the terminal", &error))
        .map_err(undo)?;
    Ok((pid, (order.socket, server)))
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    if let Some(dir) = path.parent() {
        private_dir::ensure(dir).map_err(io::Error::other)?;
    }
    let listener = UnixListener::bind(path)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}
