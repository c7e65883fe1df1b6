//! An ssh-agent for a test of its own.

use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::env::Sandbox;
use super::wait;

/// An agent of the test's own.
pub struct Agent {
    child: Child,
    /// Where it listens.
    pub socket: PathBuf,
}

impl Agent {
    /// Starts one that listens at this name.
    pub fn start(sandbox: &Sandbox, name: &str) -> Self {
        let socket = sandbox.root().join(name);
        let child = sandbox
            .command("ssh-agent")
            .args(["-D", "-a"])
            .arg(&socket)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        wait::until("the agent to listen", || socket.exists().then_some(()));
        Self { child, socket }
    }

    /// Adds a key, with a passphrase where it has one.
    pub fn add(&self, sandbox: &Sandbox, path: &Path, passphrase: &str) {
        let bin = sandbox.script("askpass", &format!("#!/bin/sh\necho '{passphrase}'\n"));
        let done = sandbox
            .command("ssh-add")
            .arg("-q")
            .arg(path)
            .env("SSH_AUTH_SOCK", &self.socket)
            .env("SSH_ASKPASS", bin.join("askpass"))
            .env("SSH_ASKPASS_REQUIRE", "force")
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success());
    }
}

impl Agent {
    /// Stops its process where it stands: it takes connections and answers nothing.
    pub fn freeze(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
