//! Times as people and programs read them.

use std::time::SystemTime;

/// A time as RFC 3339 in UTC with milliseconds, such as `2026-01-31T08:00:00.000Z`. Times out of range are the epoch.
#[must_use]
pub fn rfc3339(time: SystemTime) -> String {
    let time = jiff::Timestamp::try_from(time).unwrap_or_default();
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_in_utc() {
        assert_eq!(
            rfc3339(SystemTime::UNIX_EPOCH + Duration::from_millis(1_500)),
            "1970-01-01T00:00:01.500Z"
        );
    }
}
