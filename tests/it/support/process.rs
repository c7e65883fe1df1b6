//! What the kernel says of processes.

use std::os::unix::net::UnixStream;
use std::path::Path;

use procfs::process::{Process, Stat};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{Pid, Signal, kill_process};

/// What its `stat` says; `None` when there is no such process any more.
pub fn stat(pid: u32) -> Option<Stat> {
    Process::new(pid.cast_signed()).ok()?.stat().ok()
}

/// Whether it runs: what has ended and only waits to be noticed does not.
pub fn runs(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| !matches!(stat.state, 'Z' | 'X'))
}

/// Whether it is stopped.
pub fn stopped(pid: u32) -> bool {
    stat(pid).is_some_and(|stat| stat.state == 'T')
}

/// The process that it came from.
#[track_caller]
pub fn parent(pid: u32) -> u32 {
    let stat = stat(pid).expect("a process that is there");
    stat.ppid.cast_unsigned()
}

/// The name of its program; empty when it is gone.
pub fn name(pid: u32) -> String {
    stat(pid).map(|stat| stat.comm).unwrap_or_default()
}

/// Its words, parted by blanks; empty when it is gone.
pub fn command_line(pid: u32) -> String {
    std::fs::read(format!("/proc/{pid}/cmdline"))
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "))
        .unwrap_or_default()
}

/// The processes that it started, whichever of its threads did, also those that have ended and were not waited for.
pub fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter();
    threads
        .flatten()
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|text| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .map(|pid| pid.parse().unwrap())
        .collect()
}

/// Every process below this one.
pub fn descendants(pid: u32) -> Vec<u32> {
    let below = |child| std::iter::once(child).chain(descendants(child));
    children(pid).into_iter().flat_map(below).collect()
}

/// Sends a signal to a process; one that has ended is no matter.
pub fn send(pid: u32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal);
}

/// The words of every process of the machine that has this among them just now.
pub fn argvs_with(needle: &str) -> Vec<String> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .map(|argv| String::from_utf8_lossy(&argv).into_owned())
        .filter(|argv| argv.contains(needle))
        .collect()
}

/// The process that listens at a socket, seen also of one that does not answer.
#[track_caller]
pub fn listener(socket: &Path) -> Pid {
    let stream = UnixStream::connect(socket).unwrap();
    socket_peercred(&stream).unwrap().pid
}
