//! This machine as the daemon sees it: what is installed, and where tmux has its sockets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::backend::Need;
use crate::os::process_table::ProcessTable;

/// Directories for applications of macOS; one more is in the home directory.
const APPLICATIONS: &[&str] = &[
    "/Applications",
    "/System/Applications",
    "/System/Applications/Utilities",
];

/// What the daemon's own environment says of the machine, read once at its start.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The home directory of its user.
    pub home: PathBuf,
    /// The PATH on which programs are looked for: that of the transport that runs them.
    pub path: String,
    /// The directory in which tmux makes its own directory of sockets.
    pub tmux_dir: PathBuf,
    /// The number of its user, which is in the name of that.
    pub uid: u32,
}

impl Machine {
    /// The machine. `tmux_dir` is `TMUX_TMPDIR`; tmux itself uses `/tmp` without one.
    #[must_use]
    pub fn new(
        home: impl Into<PathBuf>,
        path: impl Into<String>,
        tmux_dir: Option<PathBuf>,
    ) -> Self {
        Self {
            home: home.into(),
            path: path.into(),
            tmux_dir: tmux_dir
                .filter(|dir| dir.is_absolute())
                .unwrap_or_else(|| "/tmp".into()),
            uid: ProcessTable::me(),
        }
    }

    /// A host, of which only its user's number is known: where tmux has its sockets unless it is told otherwise.
    #[must_use]
    pub fn of_host(uid: u32) -> Self {
        Self {
            uid,
            ..Self::new("/", "", None)
        }
    }

    /// The socket of the server of this name; `default` is the one that tmux uses when it is told nothing.
    #[must_use]
    pub fn tmux_socket(&self, dir: Option<&Path>, name: &str) -> String {
        let dir = dir.unwrap_or(&self.tmux_dir);
        let uid = self.uid;
        format!("{}/tmux-{uid}/{name}", dir.display())
    }

    /// Those of the needed things that are there. It looks into directories, so it blocks for a moment.
    pub fn look_for(&self, needs: impl IntoIterator<Item = Need>) -> BTreeSet<Need> {
        needs.into_iter().filter(|need| self.has(need)).collect()
    }

    fn has(&self, need: &Need) -> bool {
        match need {
            Need::Program(name) => {
                std::env::split_paths(&self.path).any(|dir| is_program(&dir.join(name)))
            }
            Need::App(name) => APPLICATIONS
                .iter()
                .map(PathBuf::from)
                .chain([self.home.join("Applications")])
                .any(|dir| dir.join(name).is_dir()),
            Need::HomeEntry { dir, prefix } => {
                let begins = |name: &std::ffi::OsStr| {
                    name.to_str()
                        .is_some_and(|name| name.starts_with(prefix.as_str()))
                };
                fs_err::read_dir(self.home.join(dir))
                    .is_ok_and(|entries| entries.flatten().any(|entry| begins(&entry.file_name())))
            }
        }
    }
}

/// Whether it is a file that may be executed.
pub(super) fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_there_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, mode: u32| {
            let path = dir.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(&path, "").unwrap();
            fs_err::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        };
        file("bin/code", 0o755);
        file("bin/codium", 0o644);
        file("Applications/Ghostty.app/x", 0o644);
        file(".vscode/extensions/swarmify.swarm-ext-1.2/x", 0o644);
        let path = format!("/nowhere:{}", dir.path().join("bin").display());
        let machine = Machine::new(dir.path(), path, None);
        let extension = |dir: &str| Need::HomeEntry {
            dir: dir.into(),
            prefix: "swarmify.swarm-ext-".into(),
        };
        let program = |name: &str| Need::Program(name.into());
        let needs = [
            (program("code"), true),
            (program("codium"), false),
            (program("nope"), false),
            (Need::App("Ghostty.app".into()), true),
            (Need::App("Nope.app".into()), false),
            (extension(".vscode/extensions"), true),
            (extension(".cursor/extensions"), false),
        ];
        let found = machine.look_for(needs.iter().map(|(need, _)| need.clone()));
        for (need, there) in &needs {
            assert_eq!(found.contains(need), *there, "{need:?}");
        }
    }

    #[test]
    fn sockets_of_tmux_are_where_tmux_makes_them() {
        let machine = Machine::new("/h", "", Some("/run/x".into()));
        let uid = ProcessTable::me();
        assert_eq!(
            machine.tmux_socket(None, "default"),
            format!("/run/x/tmux-{uid}/default")
        );
        assert_eq!(
            machine.tmux_socket(Some(Path::new("/t")), "a"),
            format!("/t/tmux-{uid}/a")
        );
        assert_eq!(Machine::new("/h", "", None).tmux_dir, Path::new("/tmp"));
    }
}
