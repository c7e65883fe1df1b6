//! Which terminals are in a directory, however that is written.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use crate::proto::terminal::Terminal;

/// How long the file system may take to say what directories are the same. A network that is away takes minutes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Those of `all`, each with the directory that it started in, that started in `cwd` or are there now. What the paths lead
/// to counts; where that cannot be found out, their words.
pub(super) async fn only(all: Vec<(Terminal, String)>, cwd: String) -> Vec<Terminal> {
    let paths = all.clone();
    let wanted = cwd.clone();
    let found = tokio::task::spawn_blocking(move || {
        let wanted = real(&wanted);
        let is = |path: &str| real(path) == wanted;
        let found: Vec<bool> = paths
            .iter()
            .map(|(terminal, start)| is(&terminal.cwd) || is(start))
            .collect();
        found
    });
    let found = match tokio::time::timeout(PATIENCE, found).await {
        Ok(Ok(found)) => found,
        _ => all
            .iter()
            .map(|(terminal, start)| {
                words(&terminal.cwd) == words(&cwd) || words(start) == words(&cwd)
            })
            .collect(),
    };
    all.into_iter()
        .zip(found)
        .filter_map(|((terminal, _), found)| found.then_some(terminal))
        .collect()
}

/// Where a path leads; of one that leads nowhere, the path.
fn real(path: &str) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| words(path))
}

/// A path without `.`, doubled slashes and a slash at its end. `..` stays: what it means depends on links.
fn words(path: &str) -> PathBuf {
    Path::new(path)
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_directory_is_written_in_many_ways() {
        let dir = tempfile::tempdir().unwrap();
        let at = |text: &str| format!("{}/{text}", dir.path().display());
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::os::unix::fs::symlink(at("a/b"), at("link")).unwrap();
        for same in [
            "a/b/",
            "a/./b",
            "a//b/.",
            "a/b/../b",
            "link",
            "link/",
            "link/../b",
        ] {
            assert_eq!(real(&at(same)), real(&at("a/b")), "{same}");
        }
        for other in ["a", "a/b/..", "link/..", "ab", "a/b/c"] {
            assert_ne!(real(&at(other)), real(&at("a/b")), "{other}");
        }
        assert_eq!(real("/no/such//place/./"), Path::new("/no/such/place"));
        assert_ne!(real("/no/such/place"), real("/no/such/../place"));
    }
}
