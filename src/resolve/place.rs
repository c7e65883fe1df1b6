//! The caller's own place in its terminal, as the variables by which that terminal knows it.

use std::collections::BTreeMap;

use super::current;
use super::facts::Facts;

/// The id of the host application that the caller runs in, such as `kitty`, whether anything drives it or not.
#[must_use]
pub fn host_id(facts: &Facts) -> Option<&'static str> {
    current::host_id(facts)
}

/// Variables by which terminals know a surface, and the host they belong to. One that ends in `*` is the beginning of names.
const MARKERS: &[(&str, &[&str])] = &[
    ("tmux", &["TMUX", "TMUX_PANE"]),
    ("iterm", &["ITERM_SESSION_ID"]),
    ("terminal", &["TERM_SESSION_ID"]),
    ("ghostty", &["GHOSTTY_SURFACE_ID"]),
    (
        "kitty",
        &[
            "KITTY_WINDOW_ID",
            "KITTY_LISTEN_ON",
            "KITTY_PID",
            "KITTY_PUBLIC_KEY",
        ],
    ),
    ("wezterm", &["WEZTERM_PANE", "WEZTERM_UNIX_SOCKET"]),
    (
        "zellij",
        &["ZELLIJ", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID"],
    ),
    ("screen", &["STY", "WINDOW"]),
    ("konsole", &["KONSOLE_DBUS_*"]),
    ("gnome-terminal", &["GNOME_TERMINAL_*"]),
    ("tilix", &["TILIX_ID"]),
    ("terminator", &["TERMINATOR_*"]),
    ("alacritty", &["ALACRITTY_SOCKET", "ALACRITTY_WINDOW_ID"]),
    ("cmux", &["CMUX_*"]),
];

/// The caller's variables without those of terminals that it is not in: they are inherited from terminal to terminal, and a
/// stale one names another surface than the caller's. A place in tmux that was found otherwise is written in.
#[must_use]
pub fn caller_env(facts: &Facts) -> BTreeMap<String, String> {
    let here = current::host_id(facts);
    // Not every terminal sets `TERM_PROGRAM`: where that is all there is and it names none, the markers are all there is.
    let unknown = here.is_none() && facts.ancestry.is_none();
    let kept = |name: &str| {
        MARKERS
            .iter()
            .find(|(_, names)| names.iter().any(|marker| is(marker, name)))
            .is_none_or(|(host, _)| here == Some(host) || (unknown && *host != "tmux"))
    };
    let mut env = facts.env.clone();
    env.retain(|name, _| kept(name));
    let iterm = env
        .get("ITERM_SESSION_ID")
        .is_some_and(|id| !is_iterm_session(id));
    if iterm {
        env.remove("ITERM_SESSION_ID");
    }
    if let Ok(place) = current::tmux(facts) {
        let session = place.session.unwrap_or(0);
        let tmux = format!("{},{},{session}", place.socket, place.server);
        env.insert("TMUX".into(), tmux);
        match place.pane {
            Some(pane) => env.insert("TMUX_PANE".into(), format!("%{pane}")),
            None => env.remove("TMUX_PANE"),
        };
    }
    env
}

fn is(marker: &str, name: &str) -> bool {
    match marker.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == marker,
    }
}

/// `w0t0p0:GUID`. It ends up in a script, so only what can be a GUID is let through.
fn is_iterm_session(value: &str) -> bool {
    value.split_once(':').is_some_and(|(place, id)| {
        place.bytes().all(|b| b.is_ascii_alphanumeric())
            && !id.is_empty()
            && id.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use crate::proto::Platform;

    use super::super::program::Program;
    use super::*;

    fn facts(env: &[(&str, &str)], chain: Option<&[&str]>) -> Facts {
        let env: BTreeMap<_, _> = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut facts = Facts::pure(Platform::Darwin, env);
        facts.ancestry = chain.map(|chain| {
            let named = |name: &&str| Program {
                name: (*name).to_owned(),
                ..Program::default()
            };
            chain.iter().map(named).collect()
        });
        facts
    }

    #[test]
    fn only_variables_of_the_terminal_that_is_named_are_kept() {
        let env = [
            ("HOME", "/h"),
            ("ITERM_SESSION_ID", "w0t0p0:9F3A-12"),
            ("KITTY_WINDOW_ID", "3"),
            ("TMUX", "/tmp/tmux-0/default,812,0"),
            ("TMUX_PANE", "%4"),
            ("WEZTERM_PANE", "7"),
            ("KONSOLE_DBUS_SESSION", "/Sessions/6"),
        ];
        let check = |chain: Option<&[&str]>, expected: &[&str]| {
            let kept = caller_env(&facts(&env, chain));
            let mut expected = expected.to_vec();
            expected.insert(0, "HOME");
            expected.sort_unstable();
            assert_eq!(kept.keys().collect::<Vec<_>>(), expected, "{chain:?}");
        };
        check(Some(&["zsh", "kitty"]), &["KITTY_WINDOW_ID"]);
        check(Some(&["zsh", "wezterm-gui"]), &["WEZTERM_PANE"]);
        check(
            Some(&["zsh", "login", "iTermServer-3.5"]),
            &["ITERM_SESSION_ID"],
        );
        check(Some(&["zsh", "konsole"]), &["KONSOLE_DBUS_SESSION"]);
        check(Some(&["zsh", "tmux: server"]), &["TMUX", "TMUX_PANE"]);
        check(Some(&["zsh", "code", "code"]), &[]);
        check(Some(&["zsh", "sshd"]), &[]);
        check(None, &["TMUX", "TMUX_PANE"]);
        let alone = [("KITTY_WINDOW_ID", "3"), ("TMUX", "/tmp/cmux/x,1,0")];
        let kept = caller_env(&facts(&alone, None));
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["KITTY_WINDOW_ID"]);
    }

    #[test]
    fn a_session_id_that_is_none_is_left_out() {
        for (id, kept) in [
            ("w0t0p0:9F3A-12", true),
            ("9F3A-12", false),
            ("w0t0p0:", false),
            ("w0t0p0:x\" & do shell script \"touch pwn\" & \"", false),
        ] {
            let facts = facts(
                &[("TERM_PROGRAM", "iTerm.app"), ("ITERM_SESSION_ID", id)],
                None,
            );
            assert_eq!(
                caller_env(&facts).contains_key("ITERM_SESSION_ID"),
                kept,
                "{id}"
            );
        }
    }

    #[test]
    fn a_place_in_tmux_that_was_found_is_written_in() {
        let mut facts = facts(&[], Some(&["nc", "sh", "tmux: server"]));
        facts.tmux = super::super::facts::TmuxFact::Inside(super::super::tmux_env::InTmux {
            socket: "/tmp/s".into(),
            server: 8,
            session: Some(1),
            window: Some(2),
            pane: Some(3),
        });
        let env = caller_env(&facts);
        assert_eq!(env["TMUX"], "/tmp/s,8,1");
        assert_eq!(env["TMUX_PANE"], "%3");
    }
}
