//! The decision as a table: variables, process trees and sessions on the left, the terminal on the right. A row is a line, so rustfmt is kept out.

use std::collections::{BTreeMap, BTreeSet};

use crate::backend::registry::Registry;
use crate::backend::{self, Availability, Found};
use crate::proto::resolve::{ResolveResult, SessionSample};
use crate::proto::{BackendId, Platform};

use super::*;

/// The real backends, and before the last visible one a terminal of the configuration file.
pub(super) fn candidates(facts: &backend::Facts) -> Vec<Candidate> {
    let registry = Registry::default();
    let mut candidates: Vec<Candidate> = registry
        .iter()
        .filter(|backend| backend.id() != "foot")
        .map(|backend| Candidate {
            id: backend.id().into(),
            label: backend.label().to_owned(),
            availability: backend.availability(facts),
        })
        .collect();
    let foot = match facts.missing("foot", &[]) {
        None => Availability::yes("foot is installed"),
        Some(missing) => Availability::no(missing.reason("foot"), None),
    };
    let last = candidates
        .iter()
        .position(|candidate| candidate.id.as_str() == "terminal");
    let candidate = Candidate {
        id: "foot".into(),
        label: "foot".into(),
        availability: foot,
    };
    candidates.insert(last.unwrap(), candidate);
    candidates
}

/// A caller. Words are separated by blanks.
#[derive(Clone, Copy, Default)]
struct Row {
    linux: bool,
    /// `NAME=value`
    env: &'static str,
    /// Names of processes, the nearest first; empty: not known.
    tree: &'static str,
    /// Backends; empty: not given.
    apps: &'static str,
    /// `host@time` or `host>viewer@time`
    sessions: &'static str,
}

fn session(text: &str) -> SessionSample {
    let (hosts, at) = text.split_once('@').unwrap_or((text, ""));
    let (host, viewer) = hosts.split_once('>').unwrap_or((hosts, ""));
    let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    SessionSample {
        host: named(host),
        viewing_app: named(viewer),
        last_activity_ms: at.parse().ok(),
        started_at_ms: None,
    }
}

fn facts(row: Row) -> (Facts, Found) {
    let env: BTreeMap<_, _> = row
        .env
        .split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let platform = if row.linux {
        Platform::Linux
    } else {
        Platform::Darwin
    };
    let mut facts = Facts::pure(platform, env);
    facts.sessions = row.sessions.split_whitespace().map(session).collect();
    facts.ancestry = (!row.tree.is_empty()).then(|| {
        let named = |name: &str| Program {
            name: name.replace('_', " "),
            ..Program::default()
        };
        row.tree.split_whitespace().map(named).collect()
    });
    let listed: BTreeSet<_> = row.apps.split_whitespace().map(BackendId::from).collect();
    let mut found = if row.apps.is_empty() {
        inferred(&facts)
    } else {
        listed
    };
    found.insert("tmux".into());
    (facts, Found::Listed(found))
}

fn resolve(row: Row, headless: bool) -> ResolveResult {
    let (facts, found) = facts(row);
    let candidates = candidates(&facts.machine(found));
    decide(&candidates, &facts, Ask::Best { headless })
}

#[track_caller]
fn check(row: Row, backend: &str, source: &str) {
    let result = resolve(row, false);
    let got = (
        result.backend.map_or_else(String::new, |id| id.to_string()),
        result.source.map_or_else(String::new, |source| {
            serde_json::to_value(source)
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        }),
    );
    assert_eq!(
        got,
        (backend.to_owned(), source.to_owned()),
        "{}",
        result.description
    );
}

const ALL: &str = "iterm ghostty vscodium-agent cursor-agent vscode-agent terminal";
const TMUX: &str = "TMUX=/tmp/tmux-501/default,812,0 TMUX_PANE=%3";
const MAC: Row = Row {
    linux: false,
    env: "",
    tree: "",
    apps: "",
    sessions: "",
};
const LINUX: Row = Row { linux: true, ..MAC };

#[rustfmt::skip]
#[test]
fn variables_alone() {
    let env = |env| Row {
        env,
        apps: ALL,
        ..MAC
    };
    check(env("TERM_PROGRAM=iTerm.app"), "iterm", "current-terminal");
    check(env("TERM_PROGRAM=ghostty"), "ghostty", "current-terminal");
    check(env("TERM_PROGRAM=Apple_Terminal"), "terminal", "current-terminal");
    check(env(TMUX), "tmux", "current-terminal");
    // $TMUX wins over the terminal around it, whose variables it passes on.
    check(
        env(
            "TMUX=/tmp/t,8,0 TMUX_PANE=%1 TERM_PROGRAM=tmux LC_TERMINAL=iTerm2 ITERM_SESSION_ID=w0t0p0:9F",
        ),
        "tmux",
        "current-terminal",
    );
    check(env("TMUX=/tmp/t,8,0 TERM_PROGRAM=ghostty"), "tmux", "current-terminal");
    // All editors of the family say this.
    check(env("TERM_PROGRAM=vscode"), "iterm", "available");
    check(env("TERM_PROGRAM=WarpTerminal"), "iterm", "available");
    check(env("TERM_PROGRAM=tmux"), "iterm", "available");
    check(env("TMUX="), "iterm", "available");
    check(env("KITTY_WINDOW_ID=3"), "iterm", "available");
    // cmux is made with Ghostty and says so.
    check(env("TERM_PROGRAM=ghostty __CFBundleIdentifier=com.cmuxterm.app"), "iterm", "available");
    check(env("TMUX=/tmp/cmux/x,1,0 TMUX_PANE=%F3A5- TERM_PROGRAM=ghostty CMUX_TAB_ID=1"), "iterm", "available");
    check(env("TMUX=x TERM_PROGRAM=ghostty"), "ghostty", "current-terminal");
    // On Linux tmux is the one of these that can be driven.
    let linux = |env| Row { env, ..LINUX };
    check(linux(TMUX), "tmux", "current-terminal");
    check(linux("TERM_PROGRAM=ghostty"), "", "");
    check(linux(""), "", "");
}

#[rustfmt::skip]
#[test]
fn nothing_said_of_what_is_installed() {
    check(MAC, "terminal", "available");
    check(Row { env: "TERM_PROGRAM=iTerm.app", ..MAC }, "iterm", "current-terminal");
    check(Row { env: "SSH_CONNECTION=a", ..MAC }, "", "");
    check(Row { env: "SSH_TTY=/dev/ttys1", ..MAC }, "", "");
    check(Row { sessions: "ghostty@1", ..MAC }, "ghostty", "active-session");
    check(Row { sessions: "tmux>iterm@1", ..MAC }, "iterm", "active-session");
    check(Row { sessions: "vscodium@1", ..MAC }, "vscodium-agent", "active-session");
    // The editor shows no more than itself: the extension is not proven.
    check(Row { sessions: "cursor@2 ghostty@1", ..MAC }, "ghostty", "active-session");
    check(Row { sessions: "code@1", ..MAC }, "terminal", "available");
}

#[rustfmt::skip]
#[test]
fn what_is_not_installed_is_skipped() {
    let row = Row {
        env: "TERM_PROGRAM=ghostty",
        ..MAC
    };
    check(Row { apps: "iterm terminal", ..row }, "iterm", "available");
    check(Row { apps: "terminal", sessions: "iterm@9", ..row }, "terminal", "available");
    check(Row { apps: "iterm", sessions: "ghostty@9 iterm@1", ..MAC }, "iterm", "active-session");
    check(Row { apps: "terminal ghostty", ..MAC }, "ghostty", "available");
    check(Row { apps: "vscodium-agent", ..MAC }, "vscodium-agent", "available");
    check(Row { apps: "nope", ..MAC }, "", "");
    check(Row { env: "TERM_PROGRAM=Apple_Terminal SSH_TTY=/dev/x", apps: "ghostty terminal", ..MAC }, "ghostty", "available");
    check(Row { apps: "iterm terminal", ..LINUX }, "", "");
}

#[rustfmt::skip]
#[test]
fn sessions() {
    let row = |sessions| Row {
        sessions,
        apps: ALL,
        ..MAC
    };
    check(row("iterm@1 ghostty@2"), "ghostty", "active-session");
    check(row("iterm@2 ghostty@1"), "iterm", "active-session");
    check(row("ghostty iterm@1"), "iterm", "active-session");
    check(row("ghostty@1 iterm@1"), "ghostty", "active-session");
    check(row("tmux>ghostty@1"), "ghostty", "active-session");
    check(row("iterm>ghostty@1"), "ghostty", "active-session");
    // A detached session has no viewer, and a caller outside tmux cannot be shown it.
    check(row("tmux@1"), "iterm", "available");
    check(row("tmux@2 ghostty@1"), "ghostty", "active-session");
    for unknown in [
        "windsurf",
        "warp",
        "alacritty",
        "hyper",
        "screen",
        "constructor",
        "__proto__",
        "ssh",
    ] {
        let sessions: &'static str = format!("{unknown}@2 ghostty@1").leak();
        check(row(sessions), "ghostty", "active-session");
    }
    check(row("warp>kitty@1"), "iterm", "available");
    check(row("cursor@1"), "cursor-agent", "active-session");
    check(row("code@1"), "vscode-agent", "active-session");
    check(Row { apps: "vscodium-agent", ..row("cursor@1") }, "vscodium-agent", "available");
    // A backend of the configuration file that has the host's name.
    check(Row { apps: "foot", ..row("foot@1") }, "foot", "active-session");
    check(row("@1"), "iterm", "available");
    // The terminal that the caller is in comes first.
    check(Row { env: TMUX, ..row("ghostty@1") }, "tmux", "current-terminal");
}

#[rustfmt::skip]
#[test]
fn process_trees() {
    let row = |tree, env| Row {
        tree,
        env,
        apps: ALL,
        ..MAC
    };
    check(row("nc zsh ghostty", ""), "ghostty", "current-terminal");
    check(row("nc zsh login iTermServer-3.5.4", ""), "iterm", "current-terminal");
    check(row("nc zsh tmux:_server", TMUX), "tmux", "current-terminal");
    // Nearer than the terminal that it was started from, whatever the variables say.
    check(row("nc zsh code code", TMUX), "vscode-agent", "current-terminal");
    check(row("nc zsh Cursor_Helper_(Plugin)", "TERM_PROGRAM=iTerm.app"), "cursor-agent", "current-terminal");
    check(row("nc zsh codium zsh tmux:_server", TMUX), "vscodium-agent", "current-terminal");
    check(row("nc zsh ghostty zsh code", "TERM_PROGRAM=vscode"), "ghostty", "current-terminal");
    check(row("nc zsh tmux:_server ghostty", TMUX), "tmux", "current-terminal");
    // Nothing drives it, and the variables of others do not count.
    check(row("nc zsh alacritty", "TERM_PROGRAM=ghostty KITTY_WINDOW_ID=1"), "iterm", "available");
    check(row("nc zsh alacritty", TMUX), "iterm", "available");
    check(row("nc zsh zellij", "TERM_PROGRAM=ghostty"), "iterm", "available");
    // The server is there, and where it is could not be found out.
    check(row("nc zsh tmux:_server", ""), "iterm", "available");
    // It left its parents, and the server said that its pane lives.
    check(row("nc systemd", TMUX), "tmux", "current-terminal");
    check(row("nc systemd", "TERM_PROGRAM=ghostty"), "iterm", "available");
    check(Row { sessions: "ghostty@1", ..row("helper launchd", "") }, "ghostty", "active-session");
}

#[rustfmt::skip]
#[test]
fn somebody_on_another_machine() {
    let env = "SSH_CONNECTION=10.0.0.2_5_10.0.0.1_22 TERM=screen-256color LC_TERMINAL=iTerm2";
    check(Row { env, ..LINUX }, "", "");
    check(Row { env, tree: "nc zsh sshd", ..LINUX }, "", "");
    check(Row { env, tree: "nc zsh sshd kitty ghostty", apps: ALL, ..MAC }, "iterm", "available");
    let env = "SSH_TTY=/dev/ttys1 TERM_PROGRAM=ghostty";
    check(Row { env, apps: ALL, ..MAC }, "iterm", "available");
    let nothing = resolve(Row { env, ..LINUX }, false);
    assert_eq!(
        nothing.description,
        "no terminal (you came over SSH: start tmux here)"
    );
}

#[test]
fn descriptions() {
    let described = |row: Row| resolve(row, false).description;
    let row = Row {
        sessions: "ghostty@1",
        apps: ALL,
        ..MAC
    };
    assert_eq!(described(row), "Ghostty (where your ghostty sessions run)");
    let row = Row {
        env: "TERM_PROGRAM=iTerm.app",
        ..MAC
    };
    assert_eq!(described(row), "iTerm (the terminal you're in)");
    assert_eq!(
        described(MAC),
        "Terminal (no running session named a terminal)"
    );
    assert_eq!(
        described(LINUX),
        "no terminal (none can be driven here: start tmux)"
    );
    let headless = resolve(LINUX, true);
    assert_eq!(headless.backend, Some("builtin".into()));
    assert_eq!(
        headless.description,
        "the daemon's own terminal (no visible terminal can be driven here)"
    );
    let session = resolve(
        Row {
            sessions: "tmux>ghostty@1",
            ..MAC
        },
        true,
    );
    assert_eq!(session.host.as_deref(), Some("ghostty"));
}

#[test]
fn every_candidate_has_its_reason() {
    let row = Row {
        env: "TMUX=/tmp/cmux/x,1,0 TMUX_PANE=%F3A5-",
        apps: "iterm ghostty",
        sessions: "ghostty@1 tmux>ghostty@2",
        ..MAC
    };
    let result = resolve(row, false);
    let reasons: BTreeMap<_, _> = result
        .considered
        .iter()
        .map(|considered| {
            (
                considered.backend.as_str(),
                (considered.ok, considered.reason.as_str()),
            )
        })
        .collect();
    assert_eq!(reasons["iterm"], (true, "iTerm is installed"));
    assert_eq!(
        reasons["ghostty"],
        (true, "Ghostty is installed; 2 live sessions run there")
    );
    assert_eq!(
        reasons["tmux"],
        (
            false,
            "$TMUX is \"/tmp/cmux/x,1,0\", which cmux sets without being tmux"
        )
    );
    assert!(!reasons["terminal"].0);
    let order: Vec<_> = result
        .considered
        .iter()
        .map(|c| c.backend.as_str())
        .collect();
    assert_eq!(order.first(), Some(&"iterm"));
    assert_eq!(order.last(), Some(&"builtin"));
    let inherited = resolve(
        Row {
            tree: "nc zsh code",
            env: TMUX,
            ..MAC
        },
        false,
    );
    assert_eq!(
        inherited.considered[2].reason,
        "$TMUX is inherited: you are in VS Code"
    );
}

#[test]
fn a_forced_one_is_used_or_refused() {
    let forced = |row: Row, id: &str| {
        let (facts, found) = facts(row);
        let candidates = candidates(&facts.machine(found));
        let wanted = find(&candidates, &id.into(), "forced")?;
        Ok(decide(&candidates, &facts, Ask::Forced(wanted)))
    };
    let iterm = forced(Row { apps: ALL, ..MAC }, "iterm").unwrap();
    assert_eq!(iterm.backend, Some("iterm".into()));
    assert_eq!(iterm.description, "iTerm (you asked for it)");
    let missing = forced(
        Row {
            apps: "ghostty",
            ..MAC
        },
        "iterm",
    )
    .unwrap();
    assert_eq!(missing.backend, None);
    assert_eq!(missing.source, Some(crate::proto::open::Source::Forced));
    assert_eq!(
        missing.description,
        "iTerm (you asked for it, but iTerm is not among the caller's applications)"
    );
    // tmux needs to be entered only where nobody named it.
    assert_eq!(forced(LINUX, "tmux").unwrap().backend, Some("tmux".into()));
    let unknown: crate::proto::Failure = forced(MAC, "nope").unwrap_err();
    assert_eq!(unknown.code, -32602);
    assert!(unknown.message.contains("unknown backend: nope"));
    assert!(unknown.message.contains("ghostty, tmux"));
}
