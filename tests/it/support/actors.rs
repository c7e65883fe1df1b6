//! Stand-ins for what the daemon looks for among processes: terminal applications and agents.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use super::env::{Sandbox, have};

/// A process with the name of a terminal application, which runs a command in a terminal of its own. Ended with the test.
pub struct App {
    child: Child,
}

impl App {
    /// Starts `name` with this shell line inside. It is a copy of `script`, which gives a command a terminal and nothing
    /// else.
    pub fn start(sandbox: &Sandbox, name: &str, line: &str) -> Self {
        let program = app(sandbox, name);
        let child = sandbox
            .command(program)
            .args(["-q", "-c", line, "/dev/null"])
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { child }
    }

    /// Types into it.
    pub fn type_text(&mut self, text: &str) {
        let keyboard = self.child.stdin.as_mut().unwrap();
        keyboard.write_all(text.as_bytes()).unwrap();
        keyboard.flush().unwrap();
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for App {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether applications can be stood in for.
pub fn have_apps() -> bool {
    have("script")
}

/// A program of this name that takes the words of `script`.
pub fn app(sandbox: &Sandbox, name: &str) -> PathBuf {
    let dir = sandbox.root().join("apps");
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join(name);
    if !path.exists() {
        std::fs::copy("/usr/bin/script", &path).unwrap();
    }
    path
}

/// An agent of this name that waits for its input to end, run by its first line.
pub fn agent(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.script(name, "#!/bin/sh\ncat\n").join(name)
}

/// The same, run by Node.
pub fn node_agent(sandbox: &Sandbox, name: &str) -> PathBuf {
    let text = "#!/usr/bin/env node\nprocess.stdin.resume();\n";
    sandbox.script(name, text).join(name)
}
