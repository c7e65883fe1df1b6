//! The daemon inherits nothing of its first caller.

use std::collections::BTreeMap;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use crate::support::daemon::Daemon;
use crate::support::ensured::Ensured;
use crate::support::env::Sandbox;
use crate::support::process;

/// The environment of a process.
fn environ(pid: u64) -> BTreeMap<String, String> {
    String::from_utf8(std::fs::read(format!("/proc/{pid}/environ")).unwrap())
        .unwrap()
        .split_terminator('\0')
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap();
            (name.to_owned(), value.to_owned())
        })
        .collect()
}

/// What the descriptors of a process are.
fn descriptors(pid: u64) -> Vec<PathBuf> {
    std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
        .collect()
}

const FOREIGN: &[(&str, &str)] = &[
    ("CLAUDECODE", "1"),
    ("API_TOKEN", "secret"),
    ("TMUX", "/tmp/x,1,0"),
    ("TMUX_PANE", "%0"),
    ("TERM_PROGRAM", "iTerm.app"),
    ("LD_LIBRARY_PATH", "/nowhere"),
    ("LC_TIME", "C"),
    ("XDG_SESSION_ID", "7"),
    ("DISPLAY", ":99"),
];

#[test]
fn ensure_starts_it_with_the_listed_variables_only() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    let output = sandbox
        .surfaced()
        .args(["ensure", "--json"])
        .envs(FOREIGN.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success());
    check(u64::from(ensured.pid().unwrap()), &sandbox);
}

#[test]
fn a_daemon_that_was_run_by_hand_has_them_only_too() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start_with(&sandbox, |command| {
        command.envs(FOREIGN.iter().copied());
    });
    check(u64::from(daemon.pid()), &sandbox);
}

fn check(pid: u64, sandbox: &Sandbox) {
    let found = environ(pid);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "DISPLAY",
            "HOME",
            "LANG",
            "LC_TIME",
            "LOGNAME",
            "PATH",
            "SHELL",
            "SSH_AUTH_SOCK",
            "SURFACED_HOME",
            "TMUX_TMPDIR",
            "USER",
            "XDG_SESSION_ID"
        ]
    );
    assert_eq!(found["HOME"], sandbox.home().to_str().unwrap());
    // Not the caller's, which ends with its login, but a link of the daemon's own.
    let agent = sandbox.state().join("d.agent");
    assert_eq!(found["SSH_AUTH_SOCK"], agent.to_str().unwrap());
    let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap();
    assert_eq!(cwd, PathBuf::from("/"));
}

#[test]
fn without_any_environment_it_gets_what_it_needs() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    let output = sandbox
        .surfaced()
        .env_clear()
        .env("SURFACED_HOME", sandbox.state())
        .args(["ensure", "--json"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let found = environ(u64::from(ensured.pid().unwrap()));
    for name in ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LC_CTYPE"] {
        assert!(
            found.get(name).is_some_and(|value| !value.is_empty()),
            "{name} in {found:?}"
        );
    }
    assert!(found["LC_CTYPE"].contains("UTF-8"));
}

#[test]
fn it_has_no_descriptor_of_its_caller_and_a_session_of_its_own() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    let secret = sandbox.root().join("open-file");
    let file = std::fs::File::create(&secret).unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let number = file.as_raw_fd();
    assert!(number > 2);
    ensured.ensure();
    drop(file);
    let pid = u64::from(ensured.pid().unwrap());
    let open = descriptors(pid);
    assert!(!open.contains(&secret), "{open:?}");
    let own = |path: &PathBuf| {
        path.starts_with(sandbox.state())
            || !path.starts_with("/")
            || path.as_path() == Path::new("/dev/null")
    };
    assert!(open.iter().all(own), "{open:?}");
    let session = process::stat(u32::try_from(pid).unwrap()).unwrap().session;
    assert_eq!(u64::try_from(session).unwrap(), pid);
}

#[test]
fn a_daemon_that_was_run_by_hand_has_no_stray_descriptor_either() {
    let sandbox = Sandbox::new();
    let secret = sandbox.root().join("open-file");
    let file = std::fs::File::create(&secret).unwrap();
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let daemon = Daemon::start(&sandbox);
    let open = descriptors(u64::from(daemon.pid()));
    assert!(!open.contains(&secret), "{open:?}");
}
