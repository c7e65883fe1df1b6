//! The PATH of the person's interactive shell, where version shims and the like are found.
//!
//! It takes as long as the rc files take, so it is captured in the background, once for each shell and again when it has
//! grown old, and nobody waits for it for longer than a blink: while there is none, the launch script finds out.

use std::collections::HashMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::launch::step::Invocation;
use crate::os::supervise::Supervisor;
use crate::transport::Transport;

/// How long rc files may take.
const LIMIT: Duration = Duration::from_secs(30);

/// How long an open waits for a capture that is on its way.
const BLINK: Duration = Duration::from_millis(300);

/// After this a PATH is captured again when it is asked for; the old one is used meanwhile.
const OLD: Duration = Duration::from_mins(5);

/// A PATH that was captured longer ago than this does not prove that a program is missing: it may just have been installed.
const FRESH: Duration = Duration::from_secs(5);

/// More shells than anybody uses.
const MOST_SHELLS: usize = 16;

/// Whether a bare name names a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// It does, and this one.
    Found(PathBuf),
    /// It does not; the PATH that was searched.
    Missing(Arc<str>),
    /// It is not known yet.
    Unknown,
}

/// The PATHs of interactive shells.
#[derive(Clone)]
pub struct PathCapture {
    supervisor: Supervisor,
    transport: Arc<dyn Transport>,
    shells: Arc<Mutex<HashMap<String, Shell>>>,
}

/// What is known of one shell.
struct Shell {
    path: watch::Receiver<Option<Captured>>,
    sender: watch::Sender<Option<Captured>>,
    /// When the last capture began; absent: none runs, and the next may begin at once.
    since: Option<Instant>,
}

#[derive(Clone)]
struct Captured {
    path: Arc<str>,
    at: Instant,
}

impl PathCapture {
    /// Captures with commands of this transport, in tasks of this supervisor.
    #[must_use]
    pub fn new(supervisor: Supervisor, transport: Arc<dyn Transport>) -> Self {
        Self {
            supervisor,
            transport,
            shells: Arc::default(),
        }
    }

    /// Captures the PATH of a shell unless that was done lately or is being done. Called at start, the first open finds it.
    pub fn prepare(&self, shell: &str) {
        drop(self.current(shell));
    }

    /// The PATH of the interactive `shell`; waits for the first capture, no longer than `limit`. `None`: it is not known.
    pub async fn path(&self, shell: &str, limit: Duration) -> Option<Arc<str>> {
        let mut known = self.current(shell)?;
        let captured = timeout(limit, known.wait_for(Option::is_some)).await;
        let seen = captured.ok()?.ok()?;
        seen.as_ref().map(|captured| captured.path.clone())
    }

    /// The PATH of the interactive `shell`, where it was captured not too long ago. Begins nothing.
    #[must_use]
    pub fn known(&self, shell: &str) -> Option<Arc<str>> {
        let shells = self.shells.lock().unwrap_or_else(PoisonError::into_inner);
        let captured = shells.get(shell)?.path.borrow().clone()?;
        (captured.at.elapsed() < OLD).then_some(captured.path)
    }

    /// The same of a capture that is fresh or is made now; waits for it, no longer than `limit`. `None`: it is not known.
    pub async fn fresh(&self, shell: &str, limit: Duration) -> Option<Arc<str>> {
        let mut known = self.current(shell)?;
        let fresh =
            |seen: &Option<Captured>| seen.as_ref().is_some_and(|seen| seen.at.elapsed() < FRESH);
        let is_fresh = fresh(&known.borrow());
        if !is_fresh {
            self.refresh(shell);
        }
        let captured = timeout(limit, known.wait_for(fresh)).await;
        let seen = captured.ok()?.ok()?;
        seen.as_ref().map(|captured| captured.path.clone())
    }

    /// Looks a bare name up on the PATH of the interactive `shell`.
    ///
    /// It waits for a blink at most. [`Lookup::Missing`] is said only on the word of a fresh capture.
    pub async fn find(&self, shell: &str, name: &str) -> Lookup {
        let Some(mut known) = self.current(shell) else {
            return Lookup::Unknown;
        };
        let captured = timeout(BLINK, known.wait_for(Option::is_some)).await;
        let Ok(Ok(Some(captured))) = captured.map(|seen| seen.map(|seen| seen.clone())) else {
            return Lookup::Unknown;
        };
        if let Some(found) = search(&captured.path, name) {
            return Lookup::Found(found);
        }
        if captured.at.elapsed() < FRESH {
            return Lookup::Missing(captured.path);
        }
        self.refresh(shell);
        let fresh =
            |seen: &Option<Captured>| seen.as_ref().is_some_and(|seen| seen.at.elapsed() < FRESH);
        match timeout(BLINK, known.wait_for(fresh))
            .await
            .map(|seen| seen.map(|seen| seen.clone()))
        {
            Ok(Ok(Some(again))) => {
                search(&again.path, name).map_or(Lookup::Missing(again.path), Lookup::Found)
            }
            _ => Lookup::Unknown,
        }
    }

    /// What is known of a shell; begins a capture where there is none or an old one.
    fn current(&self, shell: &str) -> Option<watch::Receiver<Option<Captured>>> {
        let (known, old) = {
            let mut shells = self.shells.lock().unwrap_or_else(PoisonError::into_inner);
            if !shells.contains_key(shell) && shells.len() >= MOST_SHELLS {
                return None;
            }
            let entry = shells.entry(shell.to_owned()).or_insert_with(|| {
                let (sender, path) = watch::channel(None);
                Shell {
                    path,
                    sender,
                    since: None,
                }
            });
            let old = entry
                .path
                .borrow()
                .as_ref()
                .is_none_or(|seen| seen.at.elapsed() > OLD);
            (entry.path.clone(), old)
        };
        if old {
            self.refresh(shell);
        }
        Some(known)
    }

    /// Begins a capture unless one runs.
    fn refresh(&self, shell: &str) {
        {
            let mut shells = self.shells.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(entry) = shells.get_mut(shell) else {
                return;
            };
            if entry.since.is_some_and(|since| since.elapsed() < LIMIT * 2) {
                return;
            }
            entry.since = Some(Instant::now());
        }
        let (this, shell) = (self.clone(), shell.to_owned());
        self.supervisor.spawn(async move {
            let path = capture(this.transport.as_ref(), &shell).await;
            let mut shells = this.shells.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(entry) = shells.get_mut(&shell) else {
                return;
            };
            if let Some(path) = path {
                entry.since = None;
                let captured = Captured {
                    path: path.into(),
                    at: Instant::now(),
                };
                entry.sender.send_replace(Some(captured));
            } else {
                // It is not asked again at once: `since` stays.
                tracing::warn!(shell, "cannot read PATH from the interactive shell");
            }
        });
    }
}

/// Asks the shell. rc files may print anything, so the answer stands between marks that nothing else prints, and it is
/// written by `sh`, whose syntax does not depend on the shell.
async fn capture(transport: &dyn Transport, shell: &str) -> Option<String> {
    let mark = format!("{:032x}", rand::random::<u128>());
    let line = format!("exec /bin/sh -c 'printf \"%s\" \"{mark}${{PATH}}{mark}\"'");
    let mut invocation = Invocation::new([shell, "-ilc", &line]);
    invocation.timeout = Some(LIMIT);
    let answer = transport.run(invocation).await.ok()?;
    let text = answer.text();
    let (_, rest) = text.split_once(&mark)?;
    let (path, _) = rest.split_once(&mark)?;
    Some(path.to_owned())
}

/// The first executable file of this name on a PATH. An empty entry is the directory of the command, which is not known here.
#[must_use]
pub fn search(path: &str, name: &str) -> Option<PathBuf> {
    path.split(':')
        .filter(|dir| dir.starts_with('/'))
        .map(|dir| Path::new(dir).join(name))
        .find(|file| executable(file))
}

/// Whether a file can be run, as far as its mode tells.
#[must_use]
pub fn executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Local;

    fn shell(dir: &Path, text: &str) -> String {
        let path = dir.join("shell");
        std::fs::write(
            &path,
            format!("#!/bin/sh\necho x >>{}/runs\n{text}", dir.display()),
        )
        .unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    fn captures() -> PathCapture {
        PathCapture::new(Supervisor::new(), Arc::new(Local::new("/usr/bin:/bin")))
    }

    async fn known(captures: &PathCapture, shell: &str) {
        let mut known = captures.current(shell).unwrap();
        let wait = known.wait_for(Option::is_some);
        timeout(Duration::from_secs(30), wait)
            .await
            .expect("in time")
            .expect("a capture");
    }

    #[tokio::test]
    async fn the_path_of_the_rc_file_is_searched_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("shimmed"), "").unwrap();
        std::fs::set_permissions(dir.path().join("shimmed"), PermissionsExt::from_mode(0o755))
            .unwrap();
        std::fs::write(dir.path().join("plain"), "").unwrap();
        let shell = shell(
            dir.path(),
            &format!(
                "echo noise\nPATH=/usr/bin:/bin:{}\nexport PATH\neval \"$2\"",
                dir.path().display()
            ),
        );
        let captures = captures();
        known(&captures, &shell).await;
        let found = captures.find(&shell, "shimmed").await;
        assert_eq!(found, Lookup::Found(dir.path().join("shimmed")));
        for missing in ["plain", "no-such-program"] {
            assert!(
                matches!(captures.find(&shell, missing).await, Lookup::Missing(path) if path.starts_with("/usr/bin:"))
            );
        }
        let runs = std::fs::read_to_string(dir.path().join("runs")).unwrap();
        assert_eq!(runs, "x\n");
    }

    #[tokio::test]
    async fn a_slow_shell_holds_nobody_up() {
        let dir = tempfile::tempdir().unwrap();
        let shell = shell(dir.path(), "exec sleep 600");
        let captures = captures();
        for _ in 0..3 {
            assert_eq!(captures.find(&shell, "sh").await, Lookup::Unknown);
        }
        captures.supervisor.cancel();
        captures.supervisor.join().await;
        let runs = std::fs::read_to_string(dir.path().join("runs")).unwrap();
        assert_eq!(runs, "x\n");
    }

    #[tokio::test]
    async fn real_shells_tell_their_path() {
        for shell in ["sh", "bash", "zsh", "fish"] {
            if search("/usr/bin:/bin", shell).is_none() {
                continue;
            }
            let path = capture(&Local::new("/usr/bin:/bin:/no/such dir"), shell).await;
            assert!(
                path.as_deref()
                    .is_some_and(|path| path.contains("/usr/bin")),
                "{shell}: {path:?}"
            );
        }
    }
}
