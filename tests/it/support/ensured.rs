//! Daemons that clients start by themselves, ended with the test.

use std::process::Output;

use rustix::process::Signal;
use serde_json::Value;

use super::client::Client;
use super::env::Sandbox;
use super::process::send;

/// Whatever daemon runs in a sandbox. It is ended when this is dropped.
pub struct Ensured<'a> {
    sandbox: &'a Sandbox,
}

impl<'a> Ensured<'a> {
    /// No daemon yet.
    pub fn new(sandbox: &'a Sandbox) -> Self {
        Self { sandbox }
    }

    /// `surfaced ensure --json`, which must succeed.
    #[track_caller]
    pub fn ensure(&self) -> Value {
        let output = self.run(&["ensure", "--json"]);
        assert!(output.status.success(), "{}", said(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// `surfaced` with these words.
    pub fn run(&self, args: &[&str]) -> Output {
        self.sandbox.surfaced().args(args).output().unwrap()
    }

    /// The process that `daemon.json` names.
    pub fn pid(&self) -> Option<u32> {
        let bytes = std::fs::read(self.sandbox.state().join("daemon.json")).ok()?;
        let json: Value = serde_json::from_slice(&bytes).ok()?;
        u32::try_from(json["pid"].as_u64()?).ok()
    }

    /// A connection to the daemon that `daemon.json` names.
    pub fn client(&self) -> Client {
        let bytes = std::fs::read(self.sandbox.state().join("daemon.json")).unwrap();
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        Client::connect(json["socket"].as_str().unwrap().as_ref())
    }

    /// Sends the daemon a signal.
    pub fn signal(&self, signal: Signal) {
        send(self.pid().expect("a daemon runs"), signal);
    }
}

impl Drop for Ensured<'_> {
    fn drop(&mut self) {
        // Its own pid, as it wrote it; a stopped one gets the signal once it is killed.
        if let Some(pid) = self.pid()
            && is_surfaced(pid)
        {
            send(pid, Signal::KILL);
        }
    }
}

/// Whether the process is a daemon of this build: a number may be another's by now.
pub fn is_surfaced(pid: u32) -> bool {
    std::fs::read_link(format!("/proc/{pid}/exe"))
        .is_ok_and(|exe| exe == std::path::Path::new(env!("CARGO_BIN_EXE_surfaced")))
}

/// Standard error, for messages.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
