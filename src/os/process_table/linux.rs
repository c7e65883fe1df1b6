//! Linux: `/proc`, two files of a process at most until more is asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use procfs::process::{FDPermissions, FDTarget, Process as Entry, Stat};
use rustix::fs::{Dir, Mode, OFlags};
use rustix::time::{ClockId, clock_gettime};

use super::process::Process;

#[derive(Debug)]
pub(super) struct System {
    /// When the machine's clock of process starts was at zero.
    boot: SystemTime,
    ticks: u64,
}

#[expect(
    clippy::unused_self,
    reason = "the same shape as on macOS, which keeps a snapshot"
)]
impl System {
    pub(super) fn new() -> Self {
        let up = clock_gettime(ClockId::Boottime);
        let up = Duration::new(
            u64::try_from(up.tv_sec).unwrap_or(0),
            u32::try_from(up.tv_nsec).unwrap_or(0),
        );
        Self {
            boot: SystemTime::now()
                .checked_sub(up)
                .unwrap_or(SystemTime::UNIX_EPOCH),
            ticks: procfs::ticks_per_second().max(1),
        }
    }

    pub(super) fn process(&self, pid: u32) -> Option<Process> {
        let entry = open(pid)?;
        let uid = entry.uid().ok()?;
        self.read(&entry, uid)
    }

    pub(super) fn names(&self) -> Vec<(u32, String)> {
        // Not through `Entry`: of most processes nothing but the name is wanted, and this is three calls for each.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let entries = rustix::fs::open("/proc", flags, Mode::empty())
            .and_then(|proc| Ok((Dir::read_from(&proc)?, proc)));
        let Ok((entries, proc)) = entries else {
            return Vec::new();
        };
        let named = |entry: rustix::fs::DirEntry| {
            let pid: u32 = entry.file_name().to_str().ok()?.parse().ok()?;
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let file =
                rustix::fs::openat(&proc, format!("{pid}/comm"), flags, Mode::empty()).ok()?;
            let mut bytes = [0; 64];
            let length = rustix::io::read(&file, &mut bytes).ok()?;
            let name = String::from_utf8_lossy(&bytes[..length]);
            Some((pid, name.trim_end_matches('\n').to_owned()))
        };
        entries.flatten().filter_map(named).collect()
    }

    pub(super) fn argv(&self, pid: u32) -> Vec<String> {
        open(pid)
            .and_then(|entry| entry.cmdline().ok())
            .unwrap_or_default()
    }

    pub(super) fn exe(&self, pid: u32) -> Option<String> {
        open(pid)?.exe().ok()?.into_os_string().into_string().ok()
    }

    pub(super) fn cwd(&self, pid: u32) -> Option<String> {
        open(pid)?.cwd().ok()?.into_os_string().into_string().ok()
    }

    pub(super) fn open_files(&self, pid: u32) -> Vec<PathBuf> {
        let Some(open) = open(pid).and_then(|entry| entry.fd().ok()) else {
            return Vec::new();
        };
        open.flatten()
            .filter(|file| file.mode().contains(FDPermissions::WRITE))
            .filter_map(|file| match file.target {
                FDTarget::Path(path) => Some(path),
                _ => None,
            })
            .collect()
    }

    pub(super) fn environ(&self, pid: u32) -> Option<BTreeMap<String, String>> {
        let variables = open(pid)?.environ().ok()?;
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Some(variables.into_iter().filter_map(text).collect())
    }

    fn read(&self, entry: &Entry, uid: u32) -> Option<Process> {
        let stat = entry.stat().ok()?;
        // A zombie has no terminal and no future.
        if matches!(stat.state, 'Z' | 'X') {
            return None;
        }
        let seconds = stat.starttime / self.ticks;
        let rest = (stat.starttime % self.ticks) * 1_000_000 / self.ticks;
        let since_boot = Duration::from_secs(seconds) + Duration::from_micros(rest);
        Some(Process {
            pid: u32::try_from(stat.pid).ok()?,
            parent: u32::try_from(stat.ppid).unwrap_or(0),
            uid,
            started: self.boot + since_boot,
            tty: tty(&stat),
            name: stat.comm,
        })
    }
}

fn open(pid: u32) -> Option<Entry> {
    Entry::new(i32::try_from(pid).ok().filter(|pid| *pid > 0)?).ok()
}

/// The device of the controlling terminal, by the numbers of admin-guide/devices.txt of the kernel.
fn tty(stat: &Stat) -> Option<String> {
    match stat.tty_nr() {
        (4, minor @ 0..64) => Some(format!("/dev/tty{minor}")),
        (4, minor) => Some(format!("/dev/ttyS{}", minor - 64)),
        (major @ 136..144, minor) => Some(format!("/dev/pts/{}", (major - 136) * 256 + minor)),
        _ => None,
    }
}
