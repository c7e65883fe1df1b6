//! A place of its own for each test: HOME, daemon home, tmux directory, and an environment of known variables only.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;

use super::process::send;

/// A fresh directory tree, removed at the end.
pub struct Sandbox {
    dir: tempfile::TempDir,
    state: PathBuf,
    tmux: PathBuf,
    path: String,
}

impl Sandbox {
    /// A new one, under a short path: socket paths have narrow limits.
    pub fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("sf")
            .tempdir_in("/tmp")
            .unwrap();
        for name in ["home", "state", "tmux", "cwd"] {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        let bin = Path::new(env!("CARGO_BIN_EXE_surfaced")).parent().unwrap();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
        let (state, tmux) = (dir.path().join("state"), dir.path().join("tmux"));
        Self {
            dir,
            state,
            tmux,
            path,
        }
    }

    /// Gives the daemon and tmux directories of other names.
    pub fn move_places(&mut self, state: &str, tmux: &str) {
        self.state = self.root().join(state);
        self.tmux = self.root().join(tmux);
        for dir in [&self.state, &self.tmux] {
            std::fs::create_dir_all(dir).unwrap();
            std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
    }

    /// The directory of all.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// HOME.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// `SURFACED_HOME`.
    pub fn state(&self) -> PathBuf {
        self.state.clone()
    }

    /// `TMUX_TMPDIR`.
    pub fn tmux_dir(&self) -> PathBuf {
        self.tmux.clone()
    }

    /// A directory to work in.
    pub fn cwd(&self) -> PathBuf {
        self.root().join("cwd")
    }

    /// Puts a directory first on the PATH of commands made after this.
    pub fn prepend_path(&mut self, dir: &Path) {
        self.path = format!("{}:{}", dir.display(), self.path);
    }

    /// The PATH of commands.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Uses exactly this PATH for commands made after this.
    pub fn set_path(&mut self, path: impl Into<String>) {
        self.path = path.into();
    }

    /// A command that sees this place and nothing of the person who runs the tests.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        #[expect(clippy::disallowed_methods, reason = "tests start programs")]
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", &self.path)
            .env("HOME", self.home())
            .env("SURFACED_HOME", self.state())
            .env("TMUX_TMPDIR", self.tmux_dir())
            .env("SHELL", "/bin/sh")
            .env("LANG", "C.UTF-8")
            .current_dir(self.cwd());
        command
    }

    /// `surfaced` in this place.
    pub fn surfaced(&self) -> Command {
        self.command(env!("CARGO_BIN_EXE_surfaced"))
    }

    /// Writes an executable script into `bin` of this place, and returns that directory.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        let bin = self.root().join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        let path = bin.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        bin
    }

    /// The processes of hosts of terminals whose records are in this place.
    pub fn hosts(&self) -> BTreeSet<u32> {
        let records = self.state().join("terminals");
        let mut found = BTreeSet::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&words);
            let words: Vec<&str> = words.split('\0').collect();
            if let [_, "terminal-host", id, ..] = words[..]
                && records.join(format!("{id}.json")).exists()
            {
                let name = entry.file_name();
                found.extend(name.to_str().and_then(|name| name.parse::<u32>().ok()));
            }
        }
        found
    }
}

impl Drop for Sandbox {
    /// Hosted terminals outlive their daemon, and would outlive the test.
    fn drop(&mut self) {
        for host in self.hosts() {
            // Its program loses its terminal with it.
            send(host, Signal::KILL);
        }
    }
}

/// Whether a program is there. Without it a test fails where `CI=true`, and elsewhere says so and is left out.
#[must_use]
pub fn have(program: &str) -> bool {
    let found =
        std::env::split_paths("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .any(|dir| dir.join(program).exists());
    #[expect(clippy::disallowed_methods, reason = "CI says so in the environment")]
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(
        found || !ci,
        "{program} is not installed; ./test installs it"
    );
    if !found {
        eprintln!("left out: {program} is not installed (./test installs it)");
    }
    found
}
