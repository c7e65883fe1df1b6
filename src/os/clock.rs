//! Times as people and programs read them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A time as RFC 3339 in UTC with milliseconds, such as `2026-01-31T08:00:00.000Z`. Times out of range are the epoch.
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).unwrap_or_default();
    format!("{time:.3}")
}

/// Milliseconds since 1970; 0 for a time before that.
#[must_use]
pub fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds from 1970 until now.
#[must_use]
pub fn now_ms() -> u64 {
    millis(SystemTime::now())
}

/// The time so many milliseconds after 1970.
#[must_use]
pub fn at_ms(millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc() {
        assert_eq!(
            rfc3339(SystemTime::UNIX_EPOCH + Duration::from_millis(1_500)),
            "1970-01-01T00:00:01.500Z"
        );
    }

    #[test]
    fn milliseconds_count_from_1970() {
        assert_eq!(millis(at_ms(1_500)), 1_500);
        assert_eq!(millis(UNIX_EPOCH - Duration::from_millis(1)), 0);
    }
}
