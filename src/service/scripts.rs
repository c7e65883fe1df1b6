//! Directories of launch scripts: where they are written and what is seen of them.
//!
//! A script holds secrets, so it is 0600 in a directory that is 0700, fresh, and of a random name. It removes that directory
//! before it starts its command; how it reports otherwise is said at [`crate::launch::script`].

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use fs_err::tokio as fs;
use futures_util::future::join_all;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep};

pub use crate::launch::report::Report;
use crate::launch::script;
use crate::os::private_dir::DirError;
use crate::os::process_table::ProcessTable;
use crate::os::tree::Root;
use crate::os::{clock, exit_watch, private_dir, shortage};
use crate::proto::{Failure, Kind};

/// How the names of the directories begin: others share the one they are in.
const PREFIX: &str = "launch-";

/// What stands beside a directory and names the process that is to run its script, `launch-….owner`: the number of the process
/// and when it started, milliseconds since 1970. It outlives the daemon, and once that process is gone nothing runs the script.
const OWNER: &str = "owner";

/// A directory that is older than this, and that no process names, was left by a terminal that never ran its script: while the
/// person's shell still starts, the path is among its words.
const LEFT: Duration = Duration::from_mins(10);

/// Longest pause between two looks at a script.
const PAUSE: Duration = Duration::from_millis(50);

/// Where launch scripts are written.
#[derive(Clone, Debug)]
pub struct Scripts {
    root: PathBuf,
}

impl Scripts {
    /// Scripts in this directory, which is made when the first is written.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Scripts in the user's own directory, `/tmp/surfaced-<uid>`: short, and on a host the same.
    #[must_use]
    pub fn of_user() -> Self {
        Self::new(format!(
            "/tmp/surfaced-{}",
            rustix::process::getuid().as_raw()
        ))
    }

    /// Writes a script and returns it with its path.
    ///
    /// # Errors
    /// `permission` where the directory is not the user's own, `spawn-failed` where it cannot be written.
    pub async fn write(&self, text: &str) -> Result<Script, Failure> {
        // Two or three calls to the system: not worth a thread.
        private_dir::ensure(&self.root).map_err(|error| match error {
            DirError::Io { ref source, .. } if shortage::advice(source).is_some() => failed(source),
            error => Failure::new(
                Kind::Permission,
                format!("cannot write a launch script: {error}"),
            )
            .hint(format!(
                "remove {} so that it can be made again",
                self.root.display()
            )),
        })?;
        let dir = self
            .root
            .join(format!("{PREFIX}{:032x}", rand::random::<u128>()));
        // Fails where the name is taken, by a link too.
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&dir)
            .await
            .map_err(|error| failed(&error))?;
        let script = Script {
            path: dir.join(script::FILE),
            dir,
        };
        let written = async {
            let mut file = fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&script.path)
                .await?;
            file.write_all(text.as_bytes()).await?;
            file.flush().await
        };
        match written.await {
            Ok(()) => Ok(script),
            Err(error) => {
                script.discard().await;
                Err(failed(&error))
            }
        }
    }

    /// Removes what is left from time to time, at once for the first time, and what earlier daemons wrote as soon as the process that
    /// was to run it has ended. It never returns.
    pub async fn keep_swept(&self) {
        let ends = self
            .owned()
            .await
            .into_iter()
            .map(|(script, owner)| async move {
                exit_watch::ended(owner).await;
                script.until(Duration::ZERO, std::future::ready(())).await;
                script.disown().await;
            });
        let sweeping = async {
            loop {
                self.sweep().await;
                sleep(LEFT).await;
            }
        };
        tokio::join!(join_all(ends), sweeping);
    }

    /// The scripts whose process is known, with that.
    async fn owned(&self) -> Vec<(Script, Root)> {
        let mut found = Vec::new();
        let Ok(mut entries) = fs::read_dir(&self.root).await else {
            return found;
        };
        while let Ok(Some(entry)) = entries.next_entry().await {
            let note = entry.path();
            let is_note = entry.file_name().to_string_lossy().starts_with(PREFIX)
                && note.extension().is_some_and(|end| end == OWNER);
            if !is_note {
                continue;
            }
            let dir = note.with_extension("");
            let script = Script {
                path: dir.join(script::FILE),
                dir,
            };
            match fs::read_to_string(&note)
                .await
                .ok()
                .as_deref()
                .and_then(owner)
            {
                Some(owner) => found.push((script, owner)),
                None => script.disown().await,
            }
        }
        found
    }

    /// Removes what terminals left that never ran their scripts. What cannot be removed stays.
    pub async fn sweep(&self) {
        let mut left = self.old().await;
        if left.is_empty() {
            return;
        }
        let unnamed = move || {
            let mut table = ProcessTable::new();
            for process in table.mine() {
                let words = table.argv(process.pid);
                left.retain(|dir| {
                    let dir = dir.to_string_lossy();
                    !words.iter().any(|word| word.contains(&*dir))
                });
            }
            left
        };
        for dir in tokio::task::spawn_blocking(unnamed)
            .await
            .unwrap_or_default()
        {
            let _ = fs::remove_dir_all(dir).await;
        }
    }

    /// The directories that were written long ago.
    async fn old(&self) -> Vec<PathBuf> {
        let mut old = Vec::new();
        let Ok(mut entries) = fs::read_dir(&self.root).await else {
            return old;
        };
        while let Ok(Some(entry)) = entries.next_entry().await {
            if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
                continue;
            }
            let Ok(found) = fs::symlink_metadata(entry.path()).await else {
                continue;
            };
            let age = found
                .modified()
                .ok()
                .and_then(|at| SystemTime::now().duration_since(at).ok());
            if found.is_dir() && age.is_some_and(|age| age > LEFT) {
                old.push(entry.path());
            }
        }
        old
    }
}

/// A launch script that was written.
#[derive(Debug)]
pub struct Script {
    dir: PathBuf,
    path: PathBuf,
}

impl Script {
    /// Its path: no blanks, nothing that a shell or a terminal would read as something else.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until it reports, at most for `limit`. A report is removed once it is read; a silent script stays where it
    /// is, since a slow shell may still come to it.
    pub async fn report(&self, limit: Duration) -> Report {
        self.until(limit, std::future::pending()).await
    }

    /// The same of a script that this process runs or was to run: its end without a report is one.
    pub async fn report_of(&self, limit: Duration, process: Option<u32>) -> Report {
        match process {
            Some(pid) => {
                let owner = Root::now(pid);
                self.own(owner).await;
                let report = self.until(limit, exit_watch::ended(owner)).await;
                if report != Report::Silent {
                    self.disown().await;
                }
                report
            }
            None => self.report(limit).await,
        }
    }

    /// Writes down which process is to run it: a later daemon sees by that when nothing will any more.
    async fn own(&self, owner: Root) {
        let Some(started) = owner.started else { return };
        let text = format!("{} {}\n", owner.pid, clock::millis(started));
        // What cannot be noted is swept when it is old.
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        if let Ok(mut file) = options.open(self.dir.with_extension(OWNER)).await {
            let _ = file.write_all(text.as_bytes()).await;
            let _ = file.flush().await;
        }
    }

    async fn disown(&self) {
        let _ = fs::remove_file(self.dir.with_extension(OWNER)).await;
    }

    /// Waits for the end of the process that was to run it. Nothing is left of the script then.
    pub async fn end(&self, pid: u32) -> Report {
        exit_watch::ended(Root::now(pid)).await;
        let report = self.until(Duration::ZERO, std::future::ready(())).await;
        self.disown().await;
        report
    }

    async fn until(&self, limit: Duration, end: impl Future<Output = ()>) -> Report {
        let limit = Instant::now() + limit;
        let mut pause = Duration::from_millis(2);
        let mut has_ended = false;
        let mut end = std::pin::pin!(end);
        loop {
            // Nothing ends a look half way: what it removes would be taken for a start.
            if let Some(report) = self.look().await {
                return report;
            }
            if has_ended {
                self.discard().await;
                return Report::Refused(never_run());
            }
            let left = limit.saturating_duration_since(Instant::now());
            tokio::select! {
                biased;
                () = &mut end => has_ended = true,
                () = sleep(pause.min(left)) => {
                    if left.is_zero() {
                        return Report::Silent;
                    }
                    pause = (pause * 2).min(PAUSE);
                }
            }
        }
    }

    async fn look(&self) -> Option<Report> {
        match fs::read(self.dir.join(script::REPORT)).await {
            Ok(bytes) => {
                self.discard().await;
                Some(Report::refused(&bytes))
            }
            Err(_) => {
                matches!(fs::try_exists(&self.dir).await, Ok(false)).then_some(Report::Started)
            }
        }
    }

    /// Removes it: nothing runs it any more.
    pub async fn discard(&self) {
        let _ = fs::remove_dir_all(&self.dir).await;
    }
}

/// The failure of a script that cannot be written.
fn failed(error: &std::io::Error) -> Failure {
    let failure = Failure::new(
        Kind::SpawnFailed,
        format!("cannot write a launch script: {error}"),
    );
    match shortage::advice(error) {
        Some(advice) => failure.hint(advice),
        None => failure,
    }
}

/// The process that a note names.
fn owner(note: &str) -> Option<Root> {
    let (pid, started) = note.trim_end().split_once(' ')?;
    Some(Root {
        pid: pid.parse().ok()?,
        started: Some(clock::at_ms(started.parse().ok()?)),
    })
}

/// The failure of a script that nothing will run any more.
fn never_run() -> Failure {
    Failure::new(
        Kind::SpawnFailed,
        "the command was not started: the shell that was to start it has ended",
    )
    .hint("look at the start files of your shell, such as .zshrc: something in them ends it")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    fn place() -> (tempfile::TempDir, Scripts) {
        let dir = tempfile::tempdir().unwrap();
        let scripts = Scripts::new(dir.path().join("s"));
        (dir, scripts)
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[tokio::test]
    async fn a_script_is_the_users_alone_and_its_name_is_random() {
        let (_dir, scripts) = place();
        let first = scripts.write("a").await.unwrap();
        let second = scripts.write("b").await.unwrap();
        assert_ne!(first.path(), second.path());
        assert_eq!(std::fs::read_to_string(first.path()).unwrap(), "a");
        assert_eq!(mode(first.path()), 0o600);
        assert_eq!(mode(first.path().parent().unwrap()), 0o700);
        assert_eq!(mode(&scripts.root), 0o700);
    }

    #[tokio::test]
    async fn a_planted_root_is_refused() {
        let (dir, scripts) = place();
        std::fs::create_dir(dir.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("elsewhere"), &scripts.root).unwrap();
        let failure = scripts.write("secret").await.unwrap_err();
        assert_eq!(failure.kind(), Kind::Permission);
        assert_eq!(
            std::fs::read_dir(dir.path().join("elsewhere"))
                .unwrap()
                .count(),
            0
        );

        std::fs::remove_file(&scripts.root).unwrap();
        std::fs::write(&scripts.root, "").unwrap();
        assert_eq!(
            scripts.write("secret").await.unwrap_err().kind(),
            Kind::Permission
        );
    }

    #[tokio::test]
    async fn a_root_that_others_may_read_is_closed() {
        let (_dir, scripts) = place();
        std::fs::create_dir(&scripts.root).unwrap();
        std::fs::set_permissions(&scripts.root, PermissionsExt::from_mode(0o755)).unwrap();
        scripts.write("a").await.unwrap();
        assert_eq!(mode(&scripts.root), 0o700);
    }

    #[tokio::test]
    async fn what_becomes_of_a_script_is_seen() {
        let (_dir, scripts) = place();
        let script = scripts.write("a").await.unwrap();
        assert_eq!(script.report(Duration::ZERO).await, Report::Silent);
        std::fs::write(
            script.dir.join(script::REPORT),
            "program-missing\nno such thing\n",
        )
        .unwrap();
        let Report::Refused(failure) = script.report(Duration::ZERO).await else {
            panic!("a report is there")
        };
        assert_eq!(
            (failure.kind(), failure.message.as_str()),
            (Kind::ProgramMissing, "no such thing")
        );
        assert!(!script.dir.exists());

        let script = scripts.write("a").await.unwrap();
        let (report, ()) = tokio::join!(script.report(Duration::from_secs(30)), async {
            std::fs::remove_dir_all(&script.dir).unwrap();
        });
        assert_eq!(report, Report::Started);
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a shell that still starts is a process of its own"
    )]
    #[tokio::test]
    async fn leftovers_are_swept_and_what_is_young_or_foreign_is_not() {
        let (_dir, scripts) = place();
        let young = scripts.write("a").await.unwrap();
        let old = scripts.write("b").await.unwrap();
        let named = scripts.write("c").await.unwrap();
        let mut shell = std::process::Command::new("/bin/sh")
            .args(["-c", "read -r line"])
            .arg(&named.path)
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let other = scripts.root.join("sockets");
        std::fs::create_dir(&other).unwrap();
        for dir in [&old.dir, &named.dir, &other] {
            std::fs::File::open(dir)
                .unwrap()
                .set_modified(SystemTime::now() - LEFT - Duration::from_mins(1))
                .unwrap();
        }
        scripts.sweep().await;
        assert!(young.dir.exists() && other.exists() && !old.dir.exists());
        assert!(named.dir.exists(), "its shell still starts");
        drop(shell.stdin.take());
        shell.wait().unwrap();
        scripts.sweep().await;
        assert!(!named.dir.exists());
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a shell that never comes to its script"
    )]
    #[tokio::test]
    async fn what_an_earlier_daemon_wrote_goes_with_the_process_that_was_to_run_it() {
        let (_dir, scripts) = place();
        let mut shell = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let script = scripts.write("secret").await.unwrap();
        let report = script.report_of(Duration::ZERO, Some(shell.id())).await;
        assert_eq!(report, Report::Silent);
        let of_nobody = scripts.root.join(format!("{PREFIX}0.{OWNER}"));
        std::fs::write(&of_nobody, "x").unwrap();
        // The daemon has ended, and the next one begins.
        let later = Scripts::new(&scripts.root);
        let sweeping = tokio::spawn(async move { later.keep_swept().await });
        let mut gone = async || {
            while of_nobody.exists() {
                sleep(PAUSE).await;
            }
            assert!(script.dir.exists(), "its shell may come to it yet");
            shell.kill().unwrap();
            shell.wait().unwrap();
            while std::fs::read_dir(&scripts.root).unwrap().count() > 0 {
                sleep(PAUSE).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), gone())
            .await
            .unwrap();
        sweeping.abort();

        // One that ran leaves no note of it either.
        let script = scripts.write("a").await.unwrap();
        let (report, ()) = tokio::join!(
            script.report_of(Duration::from_secs(30), Some(std::process::id())),
            async { std::fs::remove_dir_all(&script.dir).unwrap() }
        );
        assert_eq!(report, Report::Started);
        assert_eq!(std::fs::read_dir(&scripts.root).unwrap().count(), 0);
    }
}
