//! A process becomes one that nobody's circumstances hang on, before it is the daemon.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

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

/// The mode of files that programs make without saying which: the system's own default. The daemon's files are made with theirs.
const UMASK: rustix::fs::RawMode = 0o022;

/// Leaves behind what came from the caller: variables that are not on the list, stray descriptors, the directory, the umask, a
/// priority below the usual where the system lets it be raised.
///
/// Where there is something that only a new program image gets rid of, this process runs its own program again with the
/// same arguments, once; the pid stays. To be called before anything else is open or runs.
///
/// # Errors
/// Those of the system.
pub fn settle() -> io::Result<()> {
    std::env::set_current_dir("/")?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(UMASK));
    // Only a privileged process may, or one whose RLIMIT_NICE says so.
    let _ = rustix::process::setpriority_process(None, 0);
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

/// Takes back limits that the caller lowered for itself, as far as the system lets it: programs that the daemon starts inherit them.
///
/// Those that end or starve a program go up to their hard limits. Of descriptors there are as many as the limits of
/// connections ask for (the usual 256 of macOS are too few), and of the stack as much as systems give, not more: some
/// programs still use `select`, and some lay out their memory by the stack. Core dumps are the caller's choice.
pub fn lift_limits() {
    for resource in [
        Resource::Cpu,
        Resource::Fsize,
        Resource::Data,
        Resource::As,
        Resource::Nproc,
    ] {
        let limit = getrlimit(resource);
        raise(resource, limit, limit.maximum);
    }
    for (resource, enough) in [(Resource::Nofile, 1024), (Resource::Stack, 8 << 20)] {
        let limit = getrlimit(resource);
        if limit.current.is_some_and(|current| current < enough) {
            raise(resource, limit, Some(enough));
        }
    }
}

/// Raises a soft limit to `wanted`, the hard one with it where that is lower and the process may.
fn raise(resource: Resource, limit: Rlimit, wanted: Option<u64>) {
    let below = |value: Option<u64>, other: Option<u64>| match (value, other) {
        (Some(value), Some(other)) => value < other,
        (Some(_), None) => true,
        (None, _) => false,
    };
    if !below(limit.current, wanted) {
        return;
    }
    let within = if below(limit.maximum, wanted) {
        let both = Rlimit {
            current: wanted,
            maximum: wanted,
        };
        if setrlimit(resource, both).is_ok() {
            return;
        }
        limit.maximum
    } else {
        wanted
    };
    let _ = setrlimit(
        resource,
        Rlimit {
            current: within,
            maximum: limit.maximum,
        },
    );
}
