//! The processes that came of one process, and their end.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal};
use tokio::time::Instant;

use super::process_table::{Process, ProcessTable};

/// How long to pause between two looks at processes that are about to end.
const PAUSE: Duration = Duration::from_millis(20);

/// The process at the root: its number and when it started, since numbers are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its number.
    pub pid: u32,
    /// When it started; absent: it had already ended when it was first looked at, and only what is on its terminal counts.
    pub started: Option<SystemTime>,
}

impl Root {
    /// The process that has this number now.
    #[must_use]
    pub fn now(pid: u32) -> Self {
        Self {
            pid,
            started: ProcessTable::new().get(pid).map(|process| process.started),
        }
    }

    /// Whether it still runs.
    #[must_use]
    pub fn alive(&self) -> bool {
        self.seen(&mut ProcessTable::new()).is_some()
    }

    /// Sends it SIGHUP, where it still runs, and wakes it: what is stopped would never see the signal.
    pub fn hang_up(&self) {
        self.signal(Signal::HUP);
        self.wake();
    }

    /// Lets it go on, where it was stopped.
    pub fn wake(&self) {
        self.signal(Signal::CONT);
    }

    /// Kills it, where it still runs.
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    fn signal(&self, number: Signal) {
        if let Some(process) = self.seen(&mut ProcessTable::new()) {
            signal(&process, number);
        }
    }

    fn seen(&self, table: &mut ProcessTable) -> Option<Process> {
        let started = self.started?;
        table
            .get(self.pid)
            .filter(|process| !process.started_after(started))
    }
}

/// Everything that came of a root and still runs: its descendants, and whatever has its terminal as the controlling one
/// (a child whose own parent has ended). A process that made a session of its own and whose parent ended is found by its
/// environment alone ([`Tree::add_marked`]).
#[derive(Clone, Debug, Default)]
pub struct Tree {
    members: Vec<Process>,
}

impl Tree {
    /// Gathers it. `tty` is the device of the terminal, where it is known to be still that of the root.
    #[must_use]
    pub fn of(root: Root, tty: Option<&str>) -> Self {
        let mut table = ProcessTable::new();
        let mine = table.mine();
        let mut members: Vec<Process> = root.seen(&mut table).into_iter().collect();
        members.extend(
            mine.iter()
                .filter(|process| {
                    process.pid != root.pid && tty.is_some() && process.tty.as_deref() == tty
                })
                .cloned(),
        );
        let mut tree = Self { members };
        tree.grow();
        tree
    }

    /// Adds whatever else of the person's was started with this in its environment: a process in a session of its own whose
    /// parent has ended says so alone where it came from. Where the system does not show environments, nothing is added.
    ///
    /// What serves others is left out, whoever started it: this program's own processes and servers of tmux.
    pub fn add_marked(&mut self, is_marked: impl Fn(&BTreeMap<String, String>) -> bool) {
        let mut table = ProcessTable::new();
        let me = std::process::id();
        let own = table.get(me).map(|process| process.name);
        for process in table.mine() {
            let serves = process.pid == me
                || Some(&process.name) == own.as_ref()
                || process.name.starts_with("tmux");
            if !serves
                && !self.members.iter().any(|member| same(member, &process))
                && table
                    .environ(process.pid)
                    .is_some_and(|env| is_marked(&env))
            {
                self.members.push(process);
            }
        }
        self.grow();
    }

    /// What was started with this in its environment and has nothing above it that serves others: neither this program's own
    /// processes nor a server of tmux or screen, whatever that was started from. Where the system does not show environments,
    /// nothing is found.
    #[must_use]
    pub fn left_behind(is_marked: impl Fn(&BTreeMap<String, String>) -> bool) -> Vec<Process> {
        let mut table = ProcessTable::new();
        let me = std::process::id();
        let own = table.get(me).map(|process| process.name);
        let serves = |process: &Process| {
            let name = process.name.to_lowercase();
            process.pid == me
                || Some(&process.name) == own.as_ref()
                || ["tmux", "screen", "zellij"]
                    .iter()
                    .any(|server| name.starts_with(server))
        };
        let mut found = table.mine();
        found.retain(|process| {
            !serves(process)
                && table
                    .environ(process.pid)
                    .is_some_and(|env| is_marked(&env))
                && !table.ancestry(process.pid).iter().any(serves)
        });
        found
    }

    /// Adds a process, and what came of it.
    pub fn add(&mut self, process: Process) {
        if !self.members.iter().any(|member| same(member, &process)) {
            self.members.push(process);
        }
        self.grow();
    }

    /// Whether it has no processes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Whether nothing of it runs any more.
    #[must_use]
    pub fn ended(&self) -> bool {
        let mut table = ProcessTable::new();
        !self.members.iter().any(|member| still(&mut table, member))
    }

    /// The numbers of its processes, the root's first and children behind their parents.
    #[must_use]
    pub fn pids(&self) -> Vec<u32> {
        self.members.iter().map(|member| member.pid).collect()
    }

    /// Adds what came of its members, as far as that still has a living parent in it.
    fn grow(&mut self) {
        let mine = ProcessTable::new().mine();
        let mut next = 0;
        while let Some(parent) = self.members.get(next).cloned() {
            next += 1;
            for process in &mine {
                let child = process.parent == parent.pid && !parent.started_after(process.started);
                if child && !self.members.iter().any(|member| same(member, process)) {
                    self.members.push(process.clone());
                }
            }
        }
    }

    /// Kills all of it, and waits until it has ended. False: something still runs at the deadline.
    pub async fn kill(&mut self, deadline: Instant) -> bool {
        loop {
            self.grow();
            for member in &self.members {
                signal(member, Signal::KILL);
            }
            if self.ended() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// Waits until the root has ended. False: it still runs at the deadline.
pub async fn ended_by(root: Root, deadline: Instant) -> bool {
    while root.alive() {
        if Instant::now() >= deadline {
            return false;
        }
        tokio::time::sleep(PAUSE).await;
    }
    true
}

fn same(a: &Process, b: &Process) -> bool {
    a.pid == b.pid && !a.started_after(b.started) && !b.started_after(a.started)
}

fn still(table: &mut ProcessTable, member: &Process) -> bool {
    table
        .get(member.pid)
        .is_some_and(|process| same(&process, member))
}

/// Sends a signal to this process and to no later one of its number.
#[cfg(target_os = "linux")]
fn signal(member: &Process, signal: Signal) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

    let Some(pid) = Pid::from_raw(member.pid.cast_signed()) else {
        return;
    };
    // The descriptor names one process for good: what is checked after it was opened holds when the signal is sent.
    if let Ok(process) = pidfd_open(pid, PidfdFlags::empty())
        && still(&mut ProcessTable::new(), member)
    {
        let _ = pidfd_send_signal(process, signal);
    }
}

/// Sends a signal to this process, after a look at whether it is still the one.
#[cfg(not(target_os = "linux"))]
fn signal(member: &Process, signal: Signal) {
    if let Some(pid) = Pid::from_raw(member.pid.cast_signed())
        && still(&mut ProcessTable::new(), member)
    {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn a_tree_that_ignores_signals_is_ended_and_nothing_else_is() {
        #[expect(clippy::disallowed_methods, reason = "the test needs processes to end")]
        let spawn = |line: &str| {
            std::process::Command::new("sh")
                .args(["-c", line])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let mut root = spawn("trap '' HUP TERM INT; (trap '' HUP TERM; sleep 300) & echo up; wait");
        let mut bystander = spawn("echo up; exec sleep 300");
        let mut up = [0; 3];
        std::io::Read::read_exact(root.stdout.as_mut().unwrap(), &mut up).unwrap();
        std::io::Read::read_exact(bystander.stdout.as_mut().unwrap(), &mut up).unwrap();
        let mut tree = Tree::of(Root::now(root.id()), None);
        assert!(tree.members.len() >= 2, "{tree:?}");
        assert!(tree.kill(Instant::now() + Duration::from_secs(20)).await);
        root.wait().unwrap();
        assert!(Root::now(bystander.id()).alive());
        bystander.kill().unwrap();
        bystander.wait().unwrap();
    }

    #[test]
    fn a_number_that_was_used_again_is_another_process() {
        let me = std::process::id();
        let long_ago = SystemTime::now() - Duration::from_hours(24 * 3650);
        let root = Root {
            pid: me,
            started: Some(long_ago),
        };
        assert!(!root.alive());
        assert!(Tree::of(root, None).members.is_empty());
        assert!(Root::now(me).alive());
    }
}
