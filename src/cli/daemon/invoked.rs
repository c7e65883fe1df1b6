//! The path by which this program was called, links not resolved.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The absolute path that a later start can use: as it was typed or found on PATH, since the file that a link leads to may
/// be of one version and go away with the next upgrade. `real` where the typed one leads elsewhere.
pub(super) fn path(argv0: &OsStr, search: &OsStr, cwd: &Path, real: &Path) -> PathBuf {
    let typed = Path::new(argv0);
    let found = if typed.components().count() > 1 {
        // No `..` is taken away: with links that would be another place.
        Some(cwd.join(typed))
    } else {
        std::env::split_paths(search)
            .filter(|dir| dir.is_absolute())
            .map(|dir| dir.join(typed))
            .find(|path| path.is_file())
    };
    let canonical = real.canonicalize().ok();
    found
        .map(|path| path.components().collect::<PathBuf>())
        .filter(|path| canonical.is_some() && path.canonicalize().ok() == canonical)
        .unwrap_or_else(|| real.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_stay_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["1.0", "bin", "other"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        let real = root.join("1.0/surfaced");
        std::fs::write(&real, "").unwrap();
        std::fs::write(root.join("other/surfaced"), "").unwrap();
        let link = root.join("bin/surfaced");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let bin = root.join("bin");
        let other = root.join("other");
        for (argv0, search, expected) in [
            (OsStr::new("surfaced"), bin.as_os_str(), &link),
            (OsStr::new("./bin/surfaced"), OsStr::new(""), &link),
            (link.as_os_str(), OsStr::new(""), &link),
            (OsStr::new("surfaced"), other.as_os_str(), &real),
            (OsStr::new("surfaced"), OsStr::new(""), &real),
        ] {
            assert_eq!(&path(argv0, search, &root, &real), expected, "{argv0:?}");
        }
    }
}
