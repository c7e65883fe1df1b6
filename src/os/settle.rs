//! A process becomes one that nobody's circumstances hang on, before it is the daemon.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use super::environment;
use super::paths::Paths;
use super::person::Person;

/// The path of the running program, links resolved.
///
/// # Errors
/// Where the system does not tell it.
pub fn program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    // Linux marks a program whose file was replaced since, as an upgrade does; its successor has the name.
    match path
        .to_str()
        .and_then(|path| path.strip_suffix(" (deleted)"))
    {
        Some(replaced) => Ok(replaced.into()),
        None => Ok(path),
    }
}

/// Leaves behind what came from the caller: variables that are not on the list, stray descriptors, the directory.
///
/// Where there is something that only a new program image gets rid of, this process runs its own program again with the
/// same arguments, once; the pid stays. To be called before anything else is open or runs.
///
/// # Errors
/// Those of the system.
pub fn settle() -> io::Result<()> {
    std::env::set_current_dir("/")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the daemon's environment is decided here, once"
    )]
    let now: environment::Variables = std::env::vars_os().collect();
    // Where there are no paths, the start that follows says so.
    let agent = Paths::current().ok().map(|paths| paths.agent());
    let wanted = environment::for_daemon(now.clone(), Person::current().as_ref(), agent.as_deref());
    if wanted == now && !has_strays() {
        return Ok(());
    }
    close_fds::set_fds_cloexec(3, &[]);
    #[expect(
        clippy::disallowed_methods,
        reason = "this is no child: the process becomes this command"
    )]
    let error = std::process::Command::new(program()?)
        .args(std::env::args_os().skip(1))
        .env_clear()
        .envs(wanted)
        .exec();
    Err(error)
}

fn has_strays() -> bool {
    close_fds::iter_open_fds(3).next().is_some()
}

/// Makes room for as many connections as the limits allow: the usual 256 of macOS are too few.
pub fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // Not more: programs that the daemon starts inherit it, and some still use select().
    const ENOUGH: u64 = 1024;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < ENOUGH) {
        let current = limit.maximum.map_or(ENOUGH, |most| most.min(ENOUGH));
        let _ = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(current),
                maximum: limit.maximum,
            },
        );
    }
}
