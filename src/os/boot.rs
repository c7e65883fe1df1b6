//! Which start of the machine this is.

/// An id that each start of the machine has for itself (`random(4)`); `None` where the system has none.
#[must_use]
pub fn id() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_until_the_next_start() {
        assert_eq!(id(), id());
        assert_eq!(id().is_some(), cfg!(target_os = "linux"));
    }
}
