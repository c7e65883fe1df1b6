//! A daemon of the test's own.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use super::client::Client;
use super::env::Sandbox;
use super::process::send;
use super::wait;

/// A running `surfaced daemon run`, ended with the test.
pub struct Daemon {
    child: Child,
    home: PathBuf,
}

impl Daemon {
    /// Starts one in this place and waits until it answers.
    pub fn start(sandbox: &Sandbox) -> Self {
        Self::start_with(sandbox, |_| {})
    }

    /// The same, with a command that the test changes first.
    pub fn start_with(sandbox: &Sandbox, change: impl FnOnce(&mut std::process::Command)) -> Self {
        Self::start_command(sandbox, sandbox.surfaced(), change)
    }

    /// The same, with a copy of the program.
    pub fn start_program(sandbox: &Sandbox, program: &Path) -> Self {
        Self::start_command(sandbox, sandbox.command(program), |_| {})
    }

    fn start_command(
        sandbox: &Sandbox,
        mut command: std::process::Command,
        change: impl FnOnce(&mut std::process::Command),
    ) -> Self {
        command
            .args(["daemon", "run"])
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        change(&mut command);
        let child = command.spawn().unwrap();
        let daemon = Self {
            child,
            home: sandbox.state(),
        };
        wait::until("the daemon to answer", || {
            Client::try_connect(&daemon.socket()?)
                .ok()?
                .try_call("daemon.hello", &serde_json::json!({}))
        });
        daemon
    }

    /// What `daemon.json` says, once it is there.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&std::fs::read(self.home.join("daemon.json")).ok()?).ok()
    }

    /// The socket, once it is there and this process's.
    pub fn socket(&self) -> Option<PathBuf> {
        let json = self.json()?;
        (json["pid"] == self.pid())
            .then(|| json["socket"].as_str().map(PathBuf::from))
            .flatten()
    }

    /// A new connection.
    pub fn client(&self) -> Client {
        Client::connect(&self.socket().expect("daemon.json names the socket"))
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        send(self.pid(), signal);
    }

    /// kill -9, and waits for its end.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Its resident memory in bytes.
    pub fn memory(&self) -> u64 {
        memory(self.pid())
    }

    /// How many descriptors it holds.
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.pid()))
            .unwrap()
            .count()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Resident memory of a process in bytes.
pub fn memory(pid: u32) -> u64 {
    let status =
        std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("a live process has VmRSS");
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1024
}
