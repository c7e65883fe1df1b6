//! Noticing the end of a process that is no child of ours.

use std::time::Duration;

use super::tree::Root;

/// How often is looked where the system does not tell.
const PAUSE: Duration = Duration::from_millis(250);

/// Waits until a process has ended. Returns at once for one that has.
pub async fn ended(root: Root) {
    #[cfg(target_os = "linux")]
    if let Some(process) = descriptor(root) {
        // Readable when the process has ended (pidfd_open(2)).
        if process.readable().await.is_ok() {
            return;
        }
    }
    while root.alive() {
        tokio::time::sleep(PAUSE).await;
    }
}

/// A descriptor of the process, where it is still the one that is meant.
#[cfg(target_os = "linux")]
fn descriptor(root: Root) -> Option<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    let pid = Pid::from_raw(root.pid.cast_signed())?;
    let process = pidfd_open(pid, PidfdFlags::NONBLOCK).ok()?;
    if !root.alive() {
        return None;
    }
    #[expect(
        deprecated,
        reason = "its successor is unsafe for types whose descriptor could change; an `OwnedFd` cannot"
    )]
    tokio::io::unix::AsyncFd::with_interest(process, tokio::io::Interest::READABLE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn the_end_is_noticed() {
        #[expect(clippy::disallowed_methods, reason = "the test needs a process to end")]
        let mut child = std::process::Command::new("sleep")
            .arg("300")
            .spawn()
            .unwrap();
        let root = Root::now(child.id());
        let watch = ended(root);
        tokio::pin!(watch);
        assert!(
            tokio::time::timeout(Duration::from_millis(50), &mut watch)
                .await
                .is_err()
        );
        child.kill().unwrap();
        tokio::time::timeout(Duration::from_secs(30), watch)
            .await
            .unwrap();
        child.wait().unwrap();
        ended(root).await;
    }
}
