//! The program in its pseudo-terminal.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, channel};

use pty_process::blocking::{Command, open};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use super::order::{Order, Started};
use super::wire::Size;
use crate::os::shortage;
use crate::os::signal_name;
use crate::proto::Kind;
use crate::proto::surfaces::Exit;
use crate::proto::text::{self, shown};

/// Enough for a thread that only waits.
const STACK: usize = 128 << 10;

/// A running program, or one that ended.
pub(super) struct Program {
    master: File,
    pid: Pid,
    tty: Option<String>,
    /// Readable once the program has ended.
    bell: UnixStream,
    status: Receiver<io::Result<ExitStatus>>,
    ended: bool,
}

/// What a read found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// So many bytes.
    Bytes(usize),
    /// Nothing is there now.
    Nothing,
    /// Nobody has the terminal open. Linux says EIO where others say end of file.
    Closed,
}

impl Program {
    /// Starts it.
    pub(super) fn start(order: &Order, size: Size) -> Result<Self, Started> {
        let failed = |what: &str, error: &io::Error| Started::Failed {
            kind: Kind::SpawnFailed,
            message: format!("{what}: {error}"),
            hint: None,
        };
        let spawned = || -> Result<_, pty_process::Error> {
            let (pty, pts) = open()?;
            pty.resize(pty_process::Size::new(size.rows, size.cols))?;
            Ok((pty, pts))
        };
        let (pty, pts) =
            spawned().map_err(|error| failed("cannot open a pseudo-terminal", &plain(error)))?;
        let tty = rustix::termios::ttyname(&pts, Vec::new())
            .ok()
            .and_then(|name| name.into_string().ok());
        let program = &order.argv[0];
        let mut command = Command::new(program)
            .args(&order.argv[1..])
            .env_clear()
            .envs(order.env.iter().map(|(name, value)| (name, value)))
            .current_dir(&order.record.cwd);
        if order.login {
            let name = program.rsplit('/').next().unwrap_or(program);
            command = command.arg0(format!("-{name}"));
        }
        let child = command
            .spawn(pts)
            .map_err(|error| not_started(program, &order.record.cwd, &plain(error)))?;
        let master = File::from(OwnedFd::from(pty));
        let nonblocking =
            fcntl_getfl(&master).and_then(|flags| fcntl_setfl(&master, flags | OFlags::NONBLOCK));
        nonblocking.map_err(|error| failed("cannot set up the terminal", &error.into()))?;
        let pid = Pid::from_child(&child);
        let (bell, status) =
            watch(child).map_err(|error| failed("cannot watch the program", &error))?;
        Ok(Self {
            master,
            pid,
            tty,
            bell,
            status,
            ended: false,
        })
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().cast_unsigned()
    }

    /// The device of its terminal.
    pub(super) fn tty(&self) -> Option<&str> {
        self.tty.as_deref()
    }

    /// The terminal.
    pub(super) fn terminal(&self) -> BorrowedFd<'_> {
        self.master.as_fd()
    }

    /// Readable once the program has ended.
    pub(super) fn bell(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }

    /// How it ended, once it has.
    pub(super) fn ended(&mut self) -> Option<Exit> {
        let status = self.status.try_recv().ok()?;
        self.ended = true;
        let status = status.ok();
        Some(Exit {
            exited: true,
            exit_code: status.and_then(|status| status.code()),
            signal: status
                .and_then(|status| status.signal())
                .map(signal_name::name),
        })
    }

    /// Reads what it wrote.
    pub(super) fn read(&self, buffer: &mut [u8]) -> Output {
        loop {
            match (&self.master).read(buffer) {
                Ok(0) => return Output::Closed,
                Ok(count) => return Output::Bytes(count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Output::Nothing,
                Err(_) => return Output::Closed,
            }
        }
    }

    /// Types as many of these bytes as the terminal takes now.
    pub(super) fn write(&self, bytes: &[u8]) -> usize {
        (&self.master).write(bytes).unwrap_or(0)
    }

    /// Changes the size of the terminal; the foreground program gets SIGWINCH from the system.
    pub(super) fn resize(&self, size: Size) {
        let size = rustix::termios::Winsize {
            ws_row: size.rows,
            ws_col: size.cols,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let _ = rustix::termios::tcsetwinsize(&self.master, size);
    }

    /// Sends SIGHUP to it and to what is in the foreground, as a terminal does that is closed. What is stopped is woken, or
    /// it would never see the signal.
    pub(super) fn hang_up(&self) {
        if self.ended {
            return;
        }
        let foreground = rustix::termios::tcgetpgrp(&self.master).ok();
        let groups = std::iter::once(self.pid).chain(foreground.filter(|group| *group != self.pid));
        for group in groups {
            for signal in [Signal::HUP, Signal::CONT] {
                let _ = kill_process_group(group, signal);
            }
        }
    }
}

/// Waits for a child on a thread of its own: no system call waits for processes and descriptors together everywhere.
fn watch(mut child: Child) -> io::Result<(UnixStream, Receiver<io::Result<ExitStatus>>)> {
    let (bell, rope) = UnixStream::pair()?;
    let (tell, status) = channel();
    std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            let _ = tell.send(child.wait());
            // Its end is what rings.
            drop(rope);
        })?;
    Ok((bell, status))
}

fn plain(error: pty_process::Error) -> io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

fn not_started(program: &str, cwd: &str, error: &io::Error) -> Started {
    let there = std::path::Path::new(cwd).is_dir();
    let (program, cwd) = (shown(program), text::plain(cwd));
    let (kind, message, hint) = match error.kind() {
        _ if !there => (
            Kind::CwdMissing,
            format!("cannot start {program} in {cwd}: no such directory"),
            Some("create the directory or name another one in cwd"),
        ),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => (
            Kind::ProgramMissing,
            format!("cannot start {program}: no such program"),
            Some("give its full path, or a PATH in env that has it"),
        ),
        _ => (
            Kind::SpawnFailed,
            format!("cannot start {program} in {cwd}: {error}"),
            shortage::advice(error),
        ),
    };
    Started::Failed {
        kind,
        message,
        hint: hint.map(str::to_owned),
    }
}
