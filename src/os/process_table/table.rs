//! The table: what was read once is not read again, so that one answer is made of one view.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

#[cfg(target_os = "linux")]
use super::linux::System;
#[cfg(target_os = "macos")]
use super::macos::System;
use super::process::Process;
use super::snapshot::Snapshot;

/// More ancestors than any real process has; a longer chain is a loop.
const DEEPEST: usize = 64;

/// A view of the processes, for one question and then thrown away: numbers are used again.
///
/// Everything here blocks on the system for moments, never on another process.
#[derive(Debug)]
pub struct ProcessTable {
    system: Source,
    known: HashMap<u32, Option<Process>>,
}

/// Where it looks.
#[derive(Debug)]
enum Source {
    Here(System),
    There(Snapshot),
}

impl Default for ProcessTable {
    fn default() -> Self {
        Self::new()
    }
}

impl ProcessTable {
    /// A view that has read nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            system: Source::Here(System::new()),
            known: HashMap::new(),
        }
    }

    /// The processes of another machine, as it told of them.
    #[must_use]
    pub fn told(snapshot: Snapshot) -> Self {
        Self {
            system: Source::There(snapshot),
            known: HashMap::new(),
        }
    }

    /// Whether it is of another machine.
    #[must_use]
    pub const fn is_told(&self) -> bool {
        matches!(self.system, Source::There(_))
    }

    /// The user this program runs as.
    #[must_use]
    pub fn me() -> u32 {
        rustix::process::getuid().as_raw()
    }

    /// The process of this number, unless it is gone.
    pub fn get(&mut self, pid: u32) -> Option<Process> {
        let system = &mut self.system;
        self.known
            .entry(pid)
            .or_insert_with(|| match system {
                Source::Here(system) => system.process(pid),
                Source::There(snapshot) => snapshot.process(pid),
            })
            .clone()
    }

    /// The numbers and names of all processes, whosever they are, in no order: the cheapest look at all of them.
    pub fn names(&mut self) -> Vec<(u32, String)> {
        match &mut self.system {
            Source::Here(system) => system.names(),
            Source::There(snapshot) => snapshot.names(),
        }
    }

    /// All processes of this program's user, in no order.
    pub fn mine(&mut self) -> Vec<Process> {
        let me = Self::me();
        let names = self.names();
        let known = names.iter().filter_map(|(pid, _)| self.get(*pid));
        known.filter(|process| process.uid == me).collect()
    }

    /// The process and its ancestors, nearest first. Empty: it is gone.
    ///
    /// The chain ends before a parent that is younger than its child: that is another process with the number of one
    /// that ended while this was read.
    pub fn ancestry(&mut self, pid: u32) -> Vec<Process> {
        let mut chain: Vec<Process> = Vec::new();
        let mut next = pid;
        while next != 0 && chain.len() < DEEPEST {
            let Some(process) = self.get(next) else { break };
            if chain
                .last()
                .is_some_and(|child| process.started_after(child.started))
            {
                break;
            }
            next = process.parent;
            chain.push(process);
        }
        chain
    }

    /// The words it was started with. Empty: gone, or withheld. On macOS they are cut at blanks.
    pub fn argv(&mut self, pid: u32) -> Vec<String> {
        match &mut self.system {
            Source::Here(system) => system.argv(pid),
            Source::There(snapshot) => snapshot.argv(pid),
        }
    }

    /// The file that it executes, where the system tells.
    pub fn exe(&mut self, pid: u32) -> Option<String> {
        match &mut self.system {
            Source::Here(system) => system.exe(pid),
            Source::There(snapshot) => snapshot.exe(pid),
        }
    }

    /// Its working directory; of a process of ours, while that exists.
    pub fn cwd(&mut self, pid: u32) -> Option<String> {
        let cwd = match &mut self.system {
            Source::Here(system) => system.cwd(pid),
            Source::There(snapshot) => snapshot.cwd(pid),
        };
        cwd.filter(|cwd| cwd.starts_with('/') && !cwd.ends_with(" (deleted)"))
    }

    /// The files that it holds open to write into, in no order. Empty: none, or withheld.
    pub fn open_files(&mut self, pid: u32) -> Vec<PathBuf> {
        match &mut self.system {
            Source::Here(system) => system.open_files(pid),
            Source::There(_) => Vec::new(),
        }
    }

    /// The variables it was started with; `None`: withheld, as macOS always does.
    pub fn environ(&mut self, pid: u32) -> Option<BTreeMap<String, String>> {
        match &mut self.system {
            Source::Here(system) => system.environ(pid),
            Source::There(snapshot) => snapshot.environ(pid),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn it_sees_this_process_and_its_parent() {
        let mut table = ProcessTable::new();
        let me = std::process::id();
        let process = table.get(me).unwrap();
        assert_eq!(process.uid, ProcessTable::me());
        assert!(!process.started_after(SystemTime::now()));
        assert!(process.started_after(SystemTime::now() - Duration::from_hours(24 * 365)));
        let chain = table.ancestry(me);
        assert_eq!(chain[0].pid, me);
        assert_eq!(chain[1].pid, process.parent);
        assert!(table.names().contains(&(me, process.name)));
        assert!(!table.argv(me).is_empty());
        let cwd = std::env::current_dir().unwrap();
        assert_eq!(table.cwd(me).as_deref(), cwd.to_str());
    }

    #[test]
    fn files_that_are_written_into_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path().canonicalize().unwrap();
        std::fs::write(dir.join("read"), "x").unwrap();
        let _written = std::fs::File::create(dir.join("written")).unwrap();
        let _read = std::fs::File::open(dir.join("read")).unwrap();
        let open = ProcessTable::new().open_files(std::process::id());
        assert!(open.contains(&dir.join("written")), "{open:?}");
        assert!(!open.contains(&dir.join("read")), "{open:?}");
    }

    #[test]
    fn a_process_that_is_gone_is_nothing() {
        let mut table = ProcessTable::new();
        let gone = 4_194_305; // one over the largest number that Linux gives
        assert_eq!(table.get(gone), None);
        assert_eq!(table.ancestry(gone), []);
        assert_eq!(table.argv(gone), Vec::<String>::new());
        assert_eq!(table.environ(gone), None);
        assert_eq!(table.get(0), None);
    }

    #[test]
    fn a_parent_that_is_younger_than_its_child_is_a_stranger() {
        let mut table = ProcessTable::new();
        let now = SystemTime::now();
        for (pid, parent, age) in [(70, 60, 100), (60, 50, 200), (50, 40, 5)] {
            let process = Process {
                pid,
                parent,
                uid: 0,
                started: now - Duration::from_secs(age),
                name: "x".into(),
                tty: None,
            };
            table.known.insert(pid, Some(process));
        }
        let pids: Vec<u32> = table.ancestry(70).iter().map(|p| p.pid).collect();
        assert_eq!(pids, [70, 60]);
    }
}
