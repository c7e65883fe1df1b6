//! macOS: one `ps` snapshot, taken when the first question comes.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::process::Process;
use super::ps::{self, Line};

#[derive(Debug)]
pub(super) struct System {
    lines: Option<HashMap<u32, Line>>,
}

impl System {
    pub(super) const fn new() -> Self {
        Self { lines: None }
    }

    fn lines(&mut self) -> &HashMap<u32, Line> {
        self.lines.get_or_insert_with(|| {
            let text = run("/bin/ps", ps::ARGUMENTS).unwrap_or_default();
            ps::parse(&text)
                .into_iter()
                .map(|line| (line.process.pid, line))
                .collect()
        })
    }

    pub(super) fn process(&mut self, pid: u32) -> Option<Process> {
        Some(self.lines().get(&pid)?.process.clone())
    }

    pub(super) fn names(&mut self) -> Vec<(u32, String)> {
        let lines = self.lines().values();
        lines
            .map(|line| (line.process.pid, line.process.name.clone()))
            .collect()
    }

    pub(super) fn argv(&mut self, pid: u32) -> Vec<String> {
        self.lines()
            .get(&pid)
            .map(|line| line.argv.clone())
            .unwrap_or_default()
    }

    pub(super) fn exe(&mut self, pid: u32) -> Option<String> {
        self.lines().get(&pid)?.path.clone()
    }

    pub(super) fn cwd(&self, pid: u32) -> Option<String> {
        let pid = pid.to_string();
        let text = run(
            "/usr/sbin/lsof",
            &["-a", "-p", &pid, "-d", "cwd", "-F", "n"],
        )?;
        ps::lsof_name(&text)
    }

    #[expect(
        clippy::unused_self,
        reason = "the same shape as on Linux, where it is read"
    )]
    pub(super) fn open_files(&self, pid: u32) -> Vec<PathBuf> {
        let pid = pid.to_string();
        let text = run("/usr/sbin/lsof", &["-nP", "-a", "-p", &pid, "-Fatn"]).unwrap_or_default();
        ps::written_files(&text)
    }

    /// The system withholds it from everybody but root.
    #[expect(
        clippy::unused_self,
        reason = "the same shape as on Linux, where it is read"
    )]
    pub(super) const fn environ(&self, _pid: u32) -> Option<BTreeMap<String, String>> {
        None
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the operating system's own way to tell its processes"
)]
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .env_clear()
        // Dates in English, and in no local time.
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
