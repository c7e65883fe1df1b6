//! Directories that nobody else can enter or swap.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::person;

/// Why a directory is not private.
#[derive(Debug, thiserror::Error)]
pub enum DirError {
    /// A symbolic link.
    #[error("{0} is a symbolic link, not a directory of its own")]
    Linked(PathBuf),
    /// Something else than a directory.
    #[error("{0} is not a directory")]
    NotADirectory(PathBuf),
    /// Another user's.
    #[error("{path} belongs to user {owner}")]
    Foreign {
        /// The directory.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// A place that is meant for everybody, such as `/tmp` itself.
    #[error("{0} is shared with other users")]
    Shared(PathBuf),
    /// Other users may look into it, and it holds more than the daemon's things: closing it is its owner's to decide.
    #[error("{path} is open to other users (mode {mode:o}) and holds other files")]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Other users may write into it, and something is there, which may be theirs.
    #[error(
        "{path} can be written by other users (mode {mode:o}), and what is in it may be theirs"
    )]
    Writable {
        /// The directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The system refused.
    #[error("cannot make {path} a private directory: {source}")]
    Io {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Makes sure that a directory exists, is ours and has mode 0700; parents that are missing are made the same way.
///
/// A looser mode of a directory of ours is tightened: for places whose names are ours. [`ensure_chosen`] is for others.
///
/// # Errors
/// A symbolic link, another user's directory and one with the sticky bit are refused and left as they are.
pub fn ensure(path: &Path) -> Result<(), DirError> {
    make(path, |_| true).map(|_| ())
}

/// The same for a place that a person chose. A looser mode is tightened only where every entry has one of these names, or
/// one of them is `mark`, by which a directory is known as ours. One that others may write into is only used while it is empty.
/// True: a looser mode was tightened.
///
/// # Errors
/// As [`ensure`], [`DirError::Occupied`] and [`DirError::Writable`]; the directory is left as it is.
pub fn ensure_chosen(path: &Path, mark: &str, names: &[&str]) -> Result<bool, DirError> {
    if let Ok(found) = path.symlink_metadata()
        && found.is_dir()
        && found.uid() == person::uid()
        && found.mode() & 0o022 != 0
        && found.mode() & 0o1000 == 0
        && path
            .read_dir()
            .is_ok_and(|mut entries| entries.next().is_some())
    {
        return Err(DirError::Writable {
            path: path.to_owned(),
            mode: found.mode() & 0o777,
        });
    }
    make(path, |path| {
        let Ok(entries) = path.read_dir() else {
            return false;
        };
        let mut others = false;
        for entry in entries {
            match entry {
                Ok(entry) if entry.file_name() == mark => return true,
                Ok(entry) => others |= !names.iter().any(|name| entry.file_name() == *name),
                Err(_) => others = true,
            }
        }
        !others
    })
}

fn make(path: &Path, may_be_closed: impl FnOnce(&Path) -> bool) -> Result<bool, DirError> {
    let failed = |source: io::Error| DirError::Io {
        path: path.to_owned(),
        source,
    };
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .map_err(failed)?;
            path.symlink_metadata()
        }
        found => found,
    };
    let found = found.map_err(failed)?.file_type();
    if found.is_symlink() {
        return Err(DirError::Linked(path.to_owned()));
    }
    if !found.is_dir() {
        return Err(DirError::NotADirectory(path.to_owned()));
    }
    // What was looked at may have been swapped since: the opened directory decides.
    let dir: std::fs::File = rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(|errno| failed(errno.into()))?
    .into();
    let meta = dir.metadata().map_err(failed)?;
    if meta.uid() != person::uid() {
        return Err(DirError::Foreign {
            path: path.to_owned(),
            owner: meta.uid(),
        });
    }
    if meta.mode() & 0o1000 != 0 || path == Path::new("/") {
        return Err(DirError::Shared(path.to_owned()));
    }
    if meta.mode() & 0o777 != 0o700 {
        if !may_be_closed(path) {
            return Err(DirError::Occupied {
                path: path.to_owned(),
                mode: meta.mode() & 0o777,
            });
        }
        rustix::fs::fchmod(&dir, Mode::from_raw_mode(0o700))
            .map_err(|errno| failed(errno.into()))?;
        return Ok(true);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn directories_are_made_and_tightened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        ensure(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&dir.path().join("a")), 0o700);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        ensure(&path).unwrap();
        assert_eq!(mode(&path), 0o700);
    }

    #[test]
    fn a_chosen_directory_is_closed_only_where_nobody_elses_files_are_in_it() {
        let dir = tempfile::tempdir().unwrap();
        let open = || {
            std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        let ensure = || ensure_chosen(dir.path(), "mark", &["known"]);
        for (name, closed) in [
            (None, true),
            (Some("known"), true),
            (Some("letter"), false),
            (Some("mark"), true),
        ] {
            if let Some(name) = name {
                std::fs::write(dir.path().join(name), "").unwrap();
            }
            open();
            let result = ensure();
            assert_eq!(result.is_ok(), closed, "{name:?}: {result:?}");
            assert_eq!(
                mode(dir.path()),
                if closed { 0o700 } else { 0o755 },
                "{name:?}"
            );
        }
    }

    #[test]
    fn a_chosen_directory_that_others_may_write_into_is_used_only_while_it_is_empty() {
        for mask in [0o777, 0o720, 0o702] {
            let dir = tempfile::tempdir().unwrap();
            let open = || {
                let open = std::fs::Permissions::from_mode(mask);
                std::fs::set_permissions(dir.path(), open).unwrap();
            };
            let ensure = || ensure_chosen(dir.path(), "mark", &["known"]);
            open();
            assert!(ensure().unwrap(), "it was open");
            assert!(!ensure().unwrap(), "it is closed");
            std::fs::write(dir.path().join("mark"), "").unwrap();
            open();
            let refused = ensure();
            assert!(
                matches!(refused, Err(DirError::Writable { .. })),
                "{refused:?}"
            );
            assert_eq!(mode(dir.path()), mask);
        }
    }

    #[test]
    fn what_is_not_ours_alone_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/nonexistent", &link).unwrap();
        assert!(matches!(ensure(&link), Err(DirError::Linked(_))));
        std::fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink(dir.path(), &link).unwrap();
        assert!(matches!(ensure(&link), Err(DirError::Linked(_))));
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(ensure(&file), Err(DirError::NotADirectory(_))));
        let shared = dir.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(matches!(ensure(&shared), Err(DirError::Shared(_))));
        assert_eq!(mode(&shared), 0o1777);
    }
}
