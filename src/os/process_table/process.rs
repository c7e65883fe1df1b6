//! One process as the system tells of it.

use std::time::{Duration, SystemTime};

/// The system counts starts in ticks or seconds, so two of its times may be this far apart and mean the same.
const SLACK: Duration = if cfg!(target_os = "linux") {
    Duration::from_millis(30)
} else {
    Duration::from_millis(1100)
};

/// What is known of every process without asking twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// The number of its parent; 0: it has none.
    pub parent: u32,
    /// Its user.
    pub uid: u32,
    /// When it started.
    pub started: SystemTime,
    /// Its name: on Linux what the kernel calls it (15 bytes at most), on macOS the file name of its first word.
    pub name: String,
    /// The device of its controlling terminal, such as `/dev/pts/3`.
    pub tty: Option<String>,
}

impl Process {
    /// Whether it started after `moment`, beyond doubt: whoever was seen then is not this process but an earlier one of
    /// the same number.
    #[must_use]
    pub fn started_after(&self, moment: SystemTime) -> bool {
        self.started
            .duration_since(moment)
            .is_ok_and(|later| later > SLACK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_within_the_clocks_grain_is_not_later() {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let started = |at| {
            let process = Process {
                pid: 2,
                parent: 1,
                uid: 0,
                started: at,
                name: String::new(),
                tty: None,
            };
            process.started_after(moment)
        };
        assert!(!started(moment - Duration::from_secs(5)));
        assert!(!started(moment + Duration::from_millis(10)));
        assert!(started(moment + Duration::from_secs(2)));
    }
}
