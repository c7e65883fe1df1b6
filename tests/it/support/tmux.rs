//! A tmux server of the test's own, on the default socket of the sandbox's `TMUX_TMPDIR`.

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};

use super::env::Sandbox;
use super::wait;

/// A private server, ended with the test.
pub struct Tmux<'a> {
    sandbox: &'a Sandbox,
}

impl<'a> Tmux<'a> {
    /// A server with one session of this name that runs `cat`, 200 columns by 50 rows, without the person's configuration.
    pub fn start(sandbox: &'a Sandbox, session: &str) -> Self {
        let tmux = Self { sandbox };
        tmux.ok(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-s",
            session,
            "-x",
            "200",
            "-y",
            "50",
            "cat",
        ]);
        tmux
    }

    /// No server yet: one that something else starts will be ended with the test.
    pub fn absent(sandbox: &'a Sandbox) -> Self {
        Self { sandbox }
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        let uid = rustix::process::getuid().as_raw();
        self.sandbox
            .tmux_dir()
            .join(format!("tmux-{uid}"))
            .join("default")
    }

    /// Runs a tmux command.
    pub fn run(&self, args: &[&str]) -> Output {
        self.sandbox
            .command("tmux")
            .arg("-S")
            .arg(self.socket())
            .args(args)
            .output()
            .unwrap()
    }

    /// Runs a tmux command that must succeed, and returns its output without the last newline.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> String {
        std::fs::create_dir_all(self.socket().parent().unwrap()).unwrap();
        let _ = std::fs::set_permissions(
            self.socket().parent().unwrap(),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        );
        let output = self.run(args);
        assert!(
            output.status.success(),
            "tmux {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end_matches('\n')
            .to_owned()
    }

    /// One format of one target.
    #[track_caller]
    pub fn get(&self, target: &str, format: &str) -> String {
        self.ok(&["display-message", "-p", "-t", target, format])
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.ok(&["display-message", "-p", "#{pid}"])
            .parse()
            .unwrap()
    }

    /// The value of `$TMUX` in a pane.
    pub fn env_of(&self, pane: &str) -> String {
        let session = self.get(pane, "#{session_id}");
        format!(
            "{},{},{}",
            self.socket().display(),
            self.pid(),
            session.trim_start_matches('$')
        )
    }

    /// The context of a caller in this pane.
    pub fn context(&self, pane: &str) -> Value {
        let id = self.get(pane, "#{pane_id}");
        json!({ "env": { "TMUX": self.env_of(pane), "TMUX_PANE": id } })
    }

    /// How many panes it has in all.
    pub fn panes(&self) -> usize {
        self.ok(&["list-panes", "-a"]).lines().count()
    }

    /// Waits until a pane's text holds `text`, and returns all of it.
    #[track_caller]
    pub fn wait_for_text(&self, pane: &str, text: &str) -> String {
        wait::until(&format!("{text:?} in pane {pane}"), || {
            let shown = self.ok(&["capture-pane", "-p", "-J", "-S", "-", "-t", pane]);
            shown.contains(text).then_some(shown)
        })
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        let _ = self.run(&["kill-server"]);
    }
}
