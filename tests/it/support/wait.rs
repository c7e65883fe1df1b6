//! Waiting for states.

use std::time::{Duration, Instant};

/// How long a state may take on a loaded machine before a test fails.
pub const LONG: Duration = Duration::from_secs(30);

/// Asks until `probe` gives a value.
///
/// # Panics
/// When it gives none within [`LONG`]; `what` says what was waited for.
#[track_caller]
pub fn until<T>(what: &str, probe: impl FnMut() -> Option<T>) -> T {
    within(LONG, what, probe)
}

/// Asks until `probe` gives a value, for at most `limit`.
///
/// # Panics
/// When it gives none in time.
#[track_caller]
pub fn within<T>(limit: Duration, what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(
            Instant::now() < deadline,
            "waited {limit:?} in vain for {what}"
        );
        #[expect(
            clippy::disallowed_methods,
            reason = "the one place where tests pause between two looks"
        )]
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Asks until `probe` gives a value, and lets other tasks run meanwhile.
///
/// # Panics
/// When it gives none within [`LONG`].
pub async fn until_async<T>(what: &str, mut probe: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LONG;
    loop {
        if let Some(value) = probe() {
            return value;
        }
        assert!(
            Instant::now() < deadline,
            "waited {LONG:?} in vain for {what}"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
