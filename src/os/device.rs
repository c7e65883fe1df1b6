//! Terminal devices: when somebody last used one.

use std::time::SystemTime;

/// When a program in this terminal last read a key or wrote something. The kernel of Linux rounds it to eight seconds, so
/// that nobody can count key strokes. `None`: there is no such device.
#[must_use]
pub fn last_used(path: &str) -> Option<SystemTime> {
    let metadata = fs_err::metadata(path).ok()?;
    metadata.accessed().ok().max(metadata.modified().ok())
}
