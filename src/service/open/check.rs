//! What is checked before anything opens: most terminals say nothing when they launched nothing.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::backend::Job;
use crate::proto::text::plain;
use crate::proto::{Argv, Failure, Kind};
use crate::service::path_capture::{Lookup, PathCapture, search};

/// Checks the items of one call on this machine.
pub(super) struct Checker<'a> {
    paths: &'a PathCapture,
    /// PATH of the caller, on which it would find the program itself.
    caller: Option<&'a str>,
    known: HashMap<String, Lookup>,
}

impl<'a> Checker<'a> {
    pub(super) fn new(paths: &'a PathCapture, caller: Option<&'a str>) -> Self {
        Self {
            paths,
            caller,
            known: HashMap::new(),
        }
    }

    /// Checks the directory and the program of a job. Whether only a launch script can tell more.
    ///
    /// # Errors
    /// `cwd-missing`, `program-missing`.
    pub(super) async fn check(&mut self, job: &Job) -> Result<bool, Failure> {
        let cwd = job.cwd().map(Path::new);
        if let Some(cwd) = cwd {
            directory(cwd)?;
        }
        let Some(program) = job.request.command.as_ref().map(Argv::program) else {
            return Ok(false);
        };
        if program.contains('/') {
            file(&cwd.unwrap_or(Path::new("/")).join(program), program)?;
            return Ok(false);
        }
        let own = job
            .request
            .env
            .iter()
            .flatten()
            .find(|(name, _)| name.as_str() == "PATH");
        if let Some((_, path)) = own {
            return search(path, program)
                .map(|_| false)
                .ok_or_else(|| missing(program, path));
        }
        match self.find(job.shell.program(), program).await {
            Lookup::Found(_) => Ok(false),
            // The terminal may have got its PATH from where the caller got it.
            Lookup::Missing(path) => match self.caller.and_then(|caller| search(caller, program)) {
                Some(_) => Ok(true),
                None => Err(missing(program, &path)),
            },
            Lookup::Unknown => Ok(true),
        }
    }

    /// Each name is looked up once, and where one is not known yet the others are not waited for either.
    async fn find(&mut self, shell: &str, program: &str) -> Lookup {
        if let Some(known) = self.known.get(program) {
            return known.clone();
        }
        if self.known.values().any(|known| *known == Lookup::Unknown) {
            return Lookup::Unknown;
        }
        let found = self.paths.find(shell, program).await;
        self.known.insert(program.to_owned(), found.clone());
        found
    }
}

/// Whether a directory can be worked in.
fn directory(cwd: &Path) -> Result<(), Failure> {
    let refused = |why: &str| {
        Failure::new(
            Kind::CwdMissing,
            format!(
                "the working directory {} {why}",
                plain(&cwd.to_string_lossy())
            ),
        )
        .hint("create the directory or name another one in cwd")
    };
    match cwd.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(refused("does not exist"))
        }
        Err(error) => Err(refused(&format!("cannot be used: {error}"))),
        Ok(found) if !found.is_dir() => Err(refused("is not a directory")),
        Ok(_) => access(cwd, Access::EXEC_OK)
            .map_err(|error| refused(&format!("cannot be entered: {error}"))),
    }
}

/// Whether a file can be run.
fn file(path: &PathBuf, program: &str) -> Result<(), Failure> {
    let refused = |why: &str| {
        let words = format!("the program {} {why}", plain(program));
        Failure::new(Kind::ProgramMissing, words).hint(
            "check the path, or name the program without a slash so that it is looked for on PATH",
        )
    };
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(refused("does not exist"))
        }
        Err(error) => Err(refused(&format!("cannot be used: {error}"))),
        Ok(found) if !found.is_file() => Err(refused("is not a file")),
        Ok(_) => access(path, Access::EXEC_OK).map_err(|_| refused("is not executable")),
    }
}

/// Whether the shell that a caller wants is there: a path, or a name on this PATH.
///
/// # Errors
/// `program-missing`, about the parameter `shell`.
pub(super) fn shell(shell: &str, path: &str) -> Result<(), Failure> {
    let refused = |message: String| {
        let failure = Failure::new(Kind::ProgramMissing, message);
        failure
            .about("shell")
            .hint("name a shell that is installed, by its path or its name, or leave `shell` out")
    };
    if shell.contains('/') {
        return file(&PathBuf::from(shell), shell)
            .map_err(|failure| refused(failure.message.replacen("program", "shell", 1)));
    }
    match search(path, shell) {
        Some(_) => Ok(()),
        None => Err(refused(format!(
            "the shell {} was not found on PATH",
            plain(shell)
        ))),
    }
}

fn missing(program: &str, path: &str) -> Failure {
    Failure::new(
        Kind::ProgramMissing,
        format!(
            "the program {} was not found on the PATH of the interactive shell",
            plain(program)
        ),
    )
    .hint(format!(
        "install it, or put its directory on PATH in the rc file of your shell; PATH is {path}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_that_cannot_be_worked_in_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(directory(dir.path()), Ok(()));
        for (path, words) in [
            (dir.path().join("none"), "does not exist"),
            (file, "is not a directory"),
        ] {
            let failure = directory(&path).unwrap_err();
            assert_eq!(failure.kind(), Kind::CwdMissing);
            assert!(failure.message.ends_with(words), "{failure}");
        }
    }

    #[test]
    fn programs_that_cannot_be_run_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let plain = dir.path().join("plain");
        std::fs::write(&plain, "").unwrap();
        assert_eq!(file(&"/bin/sh".into(), "/bin/sh"), Ok(()));
        for (path, words) in [
            (dir.path().join("none"), "does not exist"),
            (dir.path().to_owned(), "is not a file"),
            (plain, "is not executable"),
        ] {
            let failure = file(&path, "x/y").unwrap_err();
            assert_eq!(failure.kind(), Kind::ProgramMissing);
            assert!(failure.message.ends_with(words), "{failure}");
        }
    }
}
