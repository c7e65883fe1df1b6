//! What to do where the system has run out of something.

use std::io;

use rustix::io::Errno;

/// What a person can do about an error, where something has run out: room on a disk, open files, processes.
#[must_use]
pub fn advice(error: &io::Error) -> Option<&'static str> {
    const ROOM: &str = "make room there: `df` shows which disk is full, and nothing was begun";
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => return Some(ROOM),
        _ => {}
    }
    Some(match Errno::from_io_error(error)? {
        Errno::NOSPC | Errno::DQUOT => ROOM,
        Errno::MFILE => {
            "the daemon has as many files open as it may: close terminals or connections that nobody needs, or raise the \
             limit (`ulimit -n`) where it is started and run `surfaced daemon restart`"
        }
        Errno::NFILE => {
            "the machine has as many files open as it can: end programs that nobody needs"
        }
        Errno::AGAIN | Errno::NOMEM => {
            "the machine has no room for another process: end programs that nobody needs, or raise the limit (`ulimit -u`)"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_run_out_is_told_from_what_is_wrong() {
        for (errno, word) in [
            (Errno::NOSPC, Some("df")),
            (Errno::DQUOT, Some("df")),
            (Errno::MFILE, Some("ulimit -n")),
            (Errno::NFILE, Some("files open")),
            (Errno::AGAIN, Some("process")),
            (Errno::ACCESS, None),
        ] {
            let found = advice(&errno.into());
            assert_eq!(found.is_some(), word.is_some(), "{errno:?}");
            assert!(
                word.is_none_or(|word| found.unwrap().contains(word)),
                "{found:?}"
            );
        }
        // Those that carry a path have lost the number.
        let full = io::Error::from(Errno::NOSPC).kind();
        assert!(advice(&io::Error::new(full, "of a file")).is_some());
    }
}
