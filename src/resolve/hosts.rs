//! Host applications: the programs in which terminals live, by the names of their processes and bundles.

use super::program::{Program, base};

/// What kind of host it is; a more specific kind comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// An editor with a terminal inside.
    Editor,
    /// A terminal application.
    Terminal,
    /// A program that keeps terminals which others show.
    Multiplexer,
    /// A server through which somebody on another machine is here.
    Remote,
}

/// An application that hosts terminals.
#[derive(Debug, PartialEq, Eq)]
pub struct Host {
    /// Its name in sessions, such as `ghostty`.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Its kind.
    pub class: Class,
    /// Names of its processes. The kernel of Linux cuts them to 15 bytes, and so does this comparison. One that ends in `*`
    /// is the beginning of names.
    names: &'static [&'static str],
    /// Beginnings of the names of its bundles on macOS, up to `.app`.
    bundles: &'static [&'static str],
}

const fn host(
    id: &'static str,
    label: &'static str,
    class: Class,
    names: &'static [&'static str],
    bundles: &'static [&'static str],
) -> Host {
    Host {
        id,
        label,
        class,
        names,
        bundles,
    }
}

use Class::{Editor, Multiplexer, Remote, Terminal};

/// The most specific first: forks before what they are forks of, cmux before the Ghostty that it is made with.
#[rustfmt::skip]
const HOSTS: &[Host] = &[
    host("cursor", "Cursor", Editor, &["cursor", "Cursor", "Cursor Helper*"], &["Cursor"]),
    host("windsurf", "Windsurf", Editor, &["windsurf", "Windsurf", "Windsurf Helper*"], &["Windsurf"]),
    host("vscodium", "VSCodium", Editor, &["codium", "vscodium", "VSCodium", "VSCodium Helper*"], &["VSCodium"]),
    host("code", "VS Code", Editor, &["code", "code-insiders", "code-oss", "Code Helper*"], &["Visual Studio Code"]),
    host("zed", "Zed", Editor, &["zed", "zed-editor", "zeditor"], &["Zed"]),
    host("jetbrains", "a JetBrains IDE", Editor,
        &["idea", "pycharm", "webstorm", "goland", "clion", "rustrover", "phpstorm", "rubymine"],
        &["IntelliJ IDEA", "PyCharm", "WebStorm", "GoLand", "CLion", "RustRover", "PhpStorm", "RubyMine"]),
    host("cmux", "cmux", Terminal, &["cmux"], &["cmux"]),
    host("ghostty", "Ghostty", Terminal, &["ghostty"], &["Ghostty"]),
    host("iterm", "iTerm", Terminal, &["iTerm2", "iTermServer*"], &["iTerm"]),
    host("kitty", "kitty", Terminal, &["kitty"], &["kitty"]),
    host("wezterm", "WezTerm", Terminal, &["wezterm-gui", "wezterm-mux-server", "wezterm"], &["WezTerm"]),
    host("alacritty", "Alacritty", Terminal, &["alacritty"], &["Alacritty"]),
    host("warp", "Warp", Terminal, &["warp", "warp-terminal"], &["Warp"]),
    host("hyper", "Hyper", Terminal, &["hyper", "Hyper", "Hyper Helper*"], &["Hyper"]),
    host("tabby", "Tabby", Terminal, &["tabby", "Tabby", "Tabby Helper*"], &["Tabby"]),
    host("rio", "Rio", Terminal, &["rio"], &["Rio", "rio"]),
    host("terminal", "Terminal", Terminal, &[], &["Terminal"]),
    host("konsole", "Konsole", Terminal, &["konsole", "yakuake"], &[]),
    host("gnome-terminal", "GNOME Terminal", Terminal, &["gnome-terminal-server"], &[]),
    host("gnome-console", "GNOME Console", Terminal, &["kgx"], &[]),
    host("ptyxis", "Ptyxis", Terminal, &["ptyxis", "ptyxis-agent"], &[]),
    host("xfce4-terminal", "Xfce Terminal", Terminal, &["xfce4-terminal"], &[]),
    host("tilix", "Tilix", Terminal, &["tilix"], &[]),
    host("terminator", "Terminator", Terminal, &["terminator"], &[]),
    host("foot", "foot", Terminal, &["foot"], &[]),
    host("xterm", "xterm", Terminal, &["xterm"], &[]),
    host("urxvt", "rxvt", Terminal, &["urxvt", "urxvtd", "rxvt"], &[]),
    host("st", "st", Terminal, &["st"], &[]),
    host("tmux", "tmux", Multiplexer, &["tmux: server", "tmux"], &[]),
    host("zellij", "Zellij", Multiplexer, &["zellij"], &[]),
    host("screen", "GNU screen", Multiplexer, &["screen", "SCREEN"], &[]),
    host("surfaced", "surfaced", Multiplexer, &[SURFACED], &[]),
    host("ssh", "an SSH connection", Remote, &["sshd", "sshd-session", "mosh-server", "dropbear"], &[]),
];

/// This program, as a process.
pub const SURFACED: &str = "surfaced";

/// The subcommand that makes this program the host of a terminal. Its one argument is the id, by which its process is known.
pub const TERMINAL_HOST: &str = "terminal-host";

/// Hosts and the backends that drive them. Partial on purpose: a wrong entry opens the wrong application and looks like
/// success. An editor's fork has a backend of its own or none.
const BACKENDS: &[(&str, &str)] = &[
    ("iterm", "iterm"),
    ("ghostty", "ghostty"),
    ("tmux", "tmux"),
    ("vscodium", "vscodium-agent"),
    ("cursor", "cursor-agent"),
    ("code", "vscode-agent"),
    ("kitty", "kitty"),
    ("wezterm", "wezterm"),
    ("zellij", "zellij"),
    ("konsole", "konsole"),
    ("gnome-terminal", "gnome-terminal"),
    ("terminal", "terminal"),
];

/// The id of the backend that drives this host. Hosts are data: a name that is not listed names nothing.
#[must_use]
pub fn backend_of(host: &str) -> Option<&'static str> {
    let (_, backend) = BACKENDS.iter().find(|(name, _)| *name == host)?;
    Some(backend)
}

/// Whether the backend of this id drives this host: by the map, or as one of the configuration file that has the host's name.
#[must_use]
pub fn drives(host: &str, backend: &str) -> bool {
    let mapped = BACKENDS.iter().any(|(_, known)| *known == backend);
    match backend_of(host) {
        Some(known) => known == backend,
        None => host == backend && !mapped,
    }
}

impl Host {
    /// The host application that this process belongs to.
    #[must_use]
    pub fn of(program: &Program) -> Option<&'static Self> {
        if let Some(bundle) = program.path.as_deref().and_then(bundle) {
            let begins = |host: &&Self| host.bundles.iter().any(|name| bundle.starts_with(name));
            return HOSTS.iter().find(begins);
        }
        let by_name = |name: &str| HOSTS.iter().find(|host| host.is_called(name));
        // The command line and the daemon are no terminals; only the process that hosts one is.
        if program.bare_name() == SURFACED
            && program.argv.get(1).map(String::as_str) != Some(TERMINAL_HOST)
        {
            return None;
        }
        match program.script() {
            // An interpreter is what it runs: Terminator is a Python program.
            Some(script) => by_name(base(script)),
            None => by_name(program.bare_name()),
        }
    }

    fn is_called(&self, name: &str) -> bool {
        const KERNEL: usize = 15;
        self.names
            .iter()
            .any(|known| match known.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == *known || (name.len() == KERNEL && known.starts_with(name)),
            })
    }
}

/// The outermost application of a path inside a bundle: helpers have bundles of their own within it.
fn bundle(path: &str) -> Option<&str> {
    let end = path.find(".app/Contents/")?;
    Some(base(&path[..end]))
}

/// The nearest host of a chain of ancestors, the nearest first, and its place in the chain. What lies beyond a connection
/// from another machine is not looked at.
#[must_use]
pub fn nearest(chain: &[Program]) -> Option<(usize, &'static Host)> {
    hosts(chain).next()
}

/// The application in which something with these ancestors is seen: the nearest editor or terminal application, else the
/// nearest multiplexer, else the connection it came through.
#[must_use]
pub fn seen_in(chain: &[Program]) -> Option<&'static Host> {
    let of = |wanted: &[Class]| {
        hosts(chain)
            .map(|(_, host)| host)
            .find(|host| wanted.contains(&host.class))
    };
    of(&[Editor, Terminal])
        .or_else(|| of(&[Multiplexer]))
        .or_else(|| of(&[Remote]))
}

fn hosts(chain: &[Program]) -> impl Iterator<Item = (usize, &'static Host)> {
    let mut beyond = false;
    chain
        .iter()
        .enumerate()
        .filter_map(|(at, program)| Some((at, Host::of(program)?)))
        .take_while(move |(_, host)| {
            let within = !beyond;
            beyond |= host.class == Remote;
            within
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Program {
        Program {
            name: name.to_owned(),
            ..Program::default()
        }
    }

    fn at(path: &str) -> Program {
        Program {
            name: base(path).to_owned(),
            path: Some(path.to_owned()),
            ..Program::default()
        }
    }

    #[test]
    fn only_the_process_that_hosts_a_terminal_is_one() {
        let program = |words: &[&str]| Program {
            name: SURFACED.into(),
            argv: words.iter().map(|&word| word.to_owned()).collect(),
            ..Program::default()
        };
        assert!(Host::of(&program(&["surfaced", "resolve"])).is_none());
        assert!(Host::of(&program(&["surfaced", "daemon", "run"])).is_none());
        let host = Host::of(&program(&["surfaced", TERMINAL_HOST, "0198"]));
        assert_eq!(host.map(|host| host.id), Some("surfaced"));
    }

    #[test]
    fn processes_of_linux_are_known_by_their_cut_names() {
        for (name, expected) in [
            ("gnome-terminal-", Some("gnome-terminal")),
            ("wezterm-gui", Some("wezterm")),
            ("wezterm-mux-ser", Some("wezterm")),
            ("kitty", Some("kitty")),
            ("alacritty", Some("alacritty")),
            ("ghostty", Some("ghostty")),
            ("konsole", Some("konsole")),
            ("terminator", Some("terminator")),
            ("tmux: server", Some("tmux")),
            ("tmux: client", None),
            ("zellij", Some("zellij")),
            ("screen", Some("screen")),
            ("SCREEN", Some("screen")),
            ("code", Some("code")),
            ("codium", Some("vscodium")),
            ("cursor", Some("cursor")),
            ("cursor-agent", None),
            ("sshd", Some("ssh")),
            ("bash", None),
            ("Terminal", None),
            ("constructor", None),
            ("", None),
        ] {
            assert_eq!(
                Host::of(&named(name)).map(|host| host.id),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn applications_of_macos_are_known_by_their_bundle() {
        for (path, expected) in [
            (
                "/Applications/iTerm.app/Contents/MacOS/iTerm2",
                Some("iterm"),
            ),
            (
                "/Users/a/Library/Application Support/iTerm2/iTermServer-3.5.4",
                Some("iterm"),
            ),
            (
                "/Applications/Ghostty.app/Contents/MacOS/ghostty",
                Some("ghostty"),
            ),
            (
                "/Applications/cmux.app/Contents/MacOS/ghostty",
                Some("cmux"),
            ),
            (
                "/System/Applications/Utilities/Terminal.app/Contents/MacOS/Terminal",
                Some("terminal"),
            ),
            (
                "/Applications/WezTerm.app/Contents/MacOS/wezterm-gui",
                Some("wezterm"),
            ),
            (
                "/Applications/Cursor.app/Contents/Frameworks/Cursor Helper (Plugin).app/Contents/MacOS/Cursor Helper (Plugin)",
                Some("cursor"),
            ),
            (
                "/Applications/Visual Studio Code - Insiders.app/Contents/MacOS/Electron",
                Some("code"),
            ),
            (
                "/Applications/VSCodium.app/Contents/MacOS/Electron",
                Some("vscodium"),
            ),
            ("/Applications/Slack.app/Contents/MacOS/Slack", None),
            ("/usr/bin/login", None),
        ] {
            assert_eq!(Host::of(&at(path)).map(|host| host.id), expected, "{path}");
        }
    }

    #[test]
    fn an_interpreter_is_what_it_runs() {
        let terminator = Program {
            name: "python3".into(),
            argv: vec!["python3".into(), "/usr/bin/terminator".into()],
            ..Program::default()
        };
        assert_eq!(
            Host::of(&terminator).map(|host| host.id),
            Some("terminator")
        );
    }

    #[test]
    fn the_nearest_application_wins_over_those_that_started_it() {
        let chain = |names: &[&str]| names.iter().map(|name| named(name)).collect::<Vec<_>>();
        for (names, nearest_id, seen_id) in [
            (&["zsh", "code", "zsh", "tmux: server"][..], "code", "code"),
            (&["zsh", "kitty", "zsh", "code"], "kitty", "kitty"),
            (&["zsh", "tmux: server"], "tmux", "tmux"),
            (&["zsh", "tmux: server", "kitty"], "tmux", "kitty"),
            (&["zsh", "sshd", "kitty"], "ssh", "ssh"),
            (&["zsh", "tmux: server", "sshd"], "tmux", "tmux"),
        ] {
            let chain = chain(names);
            assert_eq!(nearest(&chain).unwrap().1.id, nearest_id, "{names:?}");
            assert_eq!(seen_in(&chain).unwrap().id, seen_id, "{names:?}");
        }
        assert_eq!(nearest(&chain(&["zsh", "systemd"])), None);
    }

    #[test]
    fn hosts_name_backends_only_where_one_drives_them() {
        assert_eq!(backend_of("ghostty"), Some("ghostty"));
        assert_eq!(backend_of("cursor"), Some("cursor-agent"));
        for host in [
            "windsurf",
            "warp",
            "alacritty",
            "hyper",
            "screen",
            "constructor",
            "__proto__",
            "",
        ] {
            assert_eq!(backend_of(host), None, "{host}");
        }
    }
}
