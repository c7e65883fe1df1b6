//! The environment of the daemon: what it keeps of its caller's, and what it adds where that lacks it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::person::Person;

/// Names and values.
pub type Variables = BTreeMap<OsString, OsString>;

const NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TMUX_TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    // Where agents' programs keep their conversations.
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
    "OPENCODE_DB",
];

/// The variable that names an agent of ssh.
pub const AGENT: &str = "SSH_AUTH_SOCK";

const PREFIXES: &[&str] = &["LC_", "XDG_", "SURFACED_"];

/// Where programs are looked for when nobody said where.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// What applications started from the Dock miss: their PATH is the system's alone.
const MACOS_PATHS: &[&str] = &["/opt/homebrew/bin", "/usr/local/bin"];

/// Where people have tools that a daemon started by launchd or systemd does not find: after its own PATH these are looked at.
const USUAL_PLACES: &[&str] = &[
    "/opt/homebrew/bin",
    "/usr/local/bin",
    "/opt/local/bin",
    "/home/linuxbrew/.linuxbrew/bin",
    "/run/current-system/sw/bin",
    "/nix/var/nix/profiles/default/bin",
    "/snap/bin",
];

/// The same below the home directory.
const USUAL_PLACES_OF_A_PERSON: &[&str] = &[".local/bin", "bin", ".nix-profile/bin"];

/// A PATH on which terminals' tools are found: this one, then the usual places that exist and are not on it yet.
///
/// For the tools that the daemon itself runs. What is opened for a person gets their own PATH.
#[must_use]
pub fn with_usual_places(path: &str, home: &Path) -> String {
    let mut dirs: Vec<PathBuf> = std::env::split_paths(path).collect();
    let persons = USUAL_PLACES_OF_A_PERSON.iter().map(|dir| home.join(dir));
    for dir in persons.chain(USUAL_PLACES.iter().map(PathBuf::from)) {
        if !dirs.contains(&dir) && dir.is_dir() {
            dirs.push(dir);
        }
    }
    std::env::join_paths(dirs)
        .ok()
        .and_then(|path| path.into_string().ok())
        .unwrap_or_else(|| path.to_owned())
}

/// A locale of UTF-8 that every system has. Without one tmux and others write `_` for every letter outside of ASCII.
const LOCALE: &str = if cfg!(target_os = "macos") {
    "UTF-8"
} else {
    "C.UTF-8"
};

/// `SURFACED_LOG`: what the daemon's log has, such as `debug` or `surfaced::rpc=trace`.
#[must_use]
pub fn log_filter() -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "one of the variables that are the daemon's own"
    )]
    std::env::var("SURFACED_LOG").ok()
}

/// A variable of this process, which `for_daemon` made in the daemon; absent where it is empty or not UTF-8.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the daemon reads what it kept"
    )]
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A variable of this process, whatever it holds.
#[must_use]
pub fn exported(name: &str) -> Option<OsString> {
    // No system has such names, and the standard library may panic at them.
    if name.is_empty() || name.contains(['=', '\0']) {
        return None;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "the command line hands over a variable that it was told to"
    )]
    std::env::var_os(name)
}

/// How the names of variables begin by which terminals are known.
const TERMINALS: &[&str] = &[
    "TMUX",
    "TERM",
    "ITERM_",
    "LC_TERMINAL",
    "GHOSTTY_",
    "KITTY_",
    "WEZTERM_",
    "ZELLIJ",
    "STY",
    "KONSOLE_",
    "GNOME_TERMINAL_",
    "TILIX_",
    "WINDOWID",
    "VSCODE_",
    "CURSOR_",
    "CMUX_",
    "SSH_",
    "__CFBundleIdentifier",
];

/// The variables of this process by which terminals are known.
#[must_use]
pub fn of_terminals() -> BTreeMap<String, String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command line tells the daemon where it is"
    )]
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| TERMINALS.iter().any(|prefix| name.starts_with(prefix)))
        .collect()
}

/// What [`for_daemon`] makes of the environment of this process; in the daemon that is what it has.
#[must_use]
pub fn current(person: Option<&Person>) -> Variables {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the daemon reads what it kept"
    )]
    for_daemon(std::env::vars_os(), person, None)
}

/// Whether the daemon keeps a variable of its caller.
#[must_use]
pub fn is_kept(name: &OsStr) -> bool {
    NAMES.iter().any(|kept| name == *kept)
        || PREFIXES
            .iter()
            .any(|prefix| name.as_bytes().starts_with(prefix.as_bytes()))
}

/// The daemon's environment, made from the caller's. Making it twice changes nothing more.
///
/// `agent` becomes its `SSH_AUTH_SOCK`, a link of its own: the caller's agent ends with the caller's login.
pub fn for_daemon(
    caller: impl IntoIterator<Item = (OsString, OsString)>,
    person: Option<&Person>,
    agent: Option<&Path>,
) -> Variables {
    let mut variables: Variables = caller
        .into_iter()
        .filter(|(name, _)| is_kept(name))
        .collect();
    let mut add = |name: &str, value: &OsStr| {
        let entry = variables.entry(name.into()).or_default();
        if entry.is_empty() {
            value.clone_into(entry);
        }
    };
    add("PATH", OsStr::new(PATH));
    if let Some(person) = person {
        add("HOME", person.home.as_os_str());
        add("USER", OsStr::new(&person.name));
        add("LOGNAME", OsStr::new(&person.name));
        add("SHELL", person.shell.as_os_str());
    }
    if let Some(agent) = agent {
        variables.insert(AGENT.into(), agent.into());
    }
    let has_locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().any(|name| {
        variables
            .get(OsStr::new(name))
            .is_some_and(|v| !v.is_empty())
    });
    if !has_locale {
        variables.insert("LC_CTYPE".into(), LOCALE.into());
    }
    if cfg!(target_os = "macos")
        && let Some(path) = variables.get_mut(OsStr::new("PATH"))
    {
        for dir in MACOS_PATHS {
            if !std::env::split_paths(path).any(|known| known == OsStr::new(dir)) {
                path.push(":");
                path.push(dir);
            }
        }
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vars(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    fn person() -> Person {
        Person {
            uid: 7,
            name: "me".into(),
            home: "/home/me".into(),
            shell: "/bin/fish".into(),
        }
    }

    #[test]
    fn only_the_listed_variables_are_kept() {
        for (name, kept) in [
            ("PATH", true),
            ("LC_TIME", true),
            ("XDG_RUNTIME_DIR", true),
            ("SURFACED_HOME", true),
            ("TMUX_TMPDIR", true),
            ("TMUX", false),
            ("TMUX_PANE", false),
            ("TERM", false),
            ("CLAUDECODE", false),
            ("ANTHROPIC_API_KEY", false),
            ("LD_PRELOAD", false),
            ("LANGUAGE", false),
            ("PATHS", false),
        ] {
            assert_eq!(is_kept(OsStr::new(name)), kept, "{name}");
        }
    }

    #[test]
    fn an_empty_environment_is_filled() {
        let made = for_daemon([], Some(&person()), None);
        let get = |name: &str| made[OsStr::new(name)].to_str().unwrap();
        assert_eq!(get("HOME"), "/home/me");
        assert_eq!(get("USER"), "me");
        assert_eq!(get("SHELL"), "/bin/fish");
        assert_eq!(get("LC_CTYPE"), LOCALE);
        assert!(get("PATH").contains("/usr/bin"));
    }

    #[test]
    fn what_the_caller_says_stays() {
        let made = for_daemon(
            vars(&[("HOME", "/elsewhere"), ("LANG", "de_DE.UTF-8")]),
            Some(&person()),
            None,
        );
        assert_eq!(made[OsStr::new("HOME")], "/elsewhere");
        assert!(!made.contains_key(OsStr::new("LC_CTYPE")));
    }

    #[test]
    fn making_it_twice_changes_nothing_more() {
        let once = for_daemon(
            vars(&[("LANG", ""), ("SSH_AUTH_SOCK", "/theirs"), ("A", "b")]),
            Some(&person()),
            Some(Path::new("/ours")),
        );
        assert_eq!(once[OsStr::new(AGENT)], "/ours");
        let agent = Some(Path::new("/ours"));
        assert_eq!(for_daemon(once.clone(), Some(&person()), agent), once);
    }
}
