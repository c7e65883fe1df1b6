//! The caller's own place in its terminal: what a split goes beside.

use super::current;
use super::facts::Facts;
use super::tmux_env::InTmux;

/// The caller's place in the terminal it runs in. Variables of other terminals are inherited and say nothing, so they are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The host application, such as `kitty`; `None`: not known.
    pub host: Option<&'static str>,
    /// Its place in tmux.
    pub tmux: Option<InTmux>,
    /// The GUID of its session in iTerm2.
    pub iterm: Option<String>,
    /// Its place in kitty.
    pub kitty: Option<KittyPlace>,
    /// Its place in WezTerm.
    pub wezterm: Option<WezTermPlace>,
}

/// A window of kitty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KittyPlace {
    /// The number of the window.
    pub window: u64,
    /// Where kitty listens for commands, such as `unix:/tmp/kitty-812`; without it nothing but the window itself can.
    pub listen_on: Option<String>,
}

/// A pane of WezTerm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WezTermPlace {
    /// The number of the pane.
    pub pane: u64,
    /// The socket of its GUI or mux server.
    pub socket: Option<String>,
}

/// Where the caller is.
#[must_use]
pub fn place(facts: &Facts) -> Place {
    let host = current::host_id(facts);
    let within = |wanted: &str| host == Some(wanted);
    Place {
        host,
        tmux: current::tmux(facts).ok().cloned(),
        iterm: within("iterm").then(|| iterm_session(facts)).flatten(),
        kitty: within("kitty").then(|| kitty(facts)).flatten(),
        wezterm: within("wezterm").then(|| wezterm(facts)).flatten(),
    }
}

/// `w0t0p0:GUID`, of which the part before the colon goes stale. Only what can be a GUID is taken: it ends up in a script.
fn iterm_session(facts: &Facts) -> Option<String> {
    let value = facts.var("ITERM_SESSION_ID").or_else(|| facts.var("TERM_SESSION_ID"))?;
    let (_, id) = value.split_once(':')?;
    let good = !id.is_empty() && id.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit());
    good.then(|| id.to_owned())
}

fn kitty(facts: &Facts) -> Option<KittyPlace> {
    Some(KittyPlace {
        window: facts.var("KITTY_WINDOW_ID")?.parse().ok()?,
        listen_on: facts.var("KITTY_LISTEN_ON").map(str::to_owned),
    })
}

fn wezterm(facts: &Facts) -> Option<WezTermPlace> {
    Some(WezTermPlace {
        pane: facts.var("WEZTERM_PANE")?.parse().ok()?,
        socket: facts.var("WEZTERM_UNIX_SOCKET").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::proto::launch::Platform;

    use super::super::program::Program;
    use super::*;

    fn facts(env: &[(&str, &str)], chain: Option<&[&str]>) -> Facts {
        let env: BTreeMap<_, _> = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut facts = Facts::pure(Platform::Darwin, env, None);
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
    fn only_the_terminal_that_is_named_has_a_place() {
        let env = [
            ("KITTY_WINDOW_ID", "3"),
            ("KITTY_LISTEN_ON", "unix:/tmp/k"),
            ("WEZTERM_PANE", "7"),
            ("ITERM_SESSION_ID", "w0t0p0:9F3A-12"),
        ];
        let kitty = place(&facts(&env, Some(&["zsh", "kitty"])));
        assert_eq!(kitty.kitty.unwrap().window, 3);
        assert_eq!((kitty.wezterm, kitty.iterm, kitty.tmux), (None, None, None));
        let wezterm = place(&facts(&env, Some(&["zsh", "wezterm-gui"])));
        assert_eq!(wezterm.wezterm.unwrap().pane, 7);
        assert_eq!(wezterm.kitty, None);
        let iterm = place(&facts(&env, Some(&["zsh", "login", "iTermServer-3.5"])));
        assert_eq!(iterm.iterm.as_deref(), Some("9F3A-12"));
        assert_eq!(place(&facts(&env, Some(&["zsh", "xterm"]))).kitty, None);
        assert_eq!(place(&facts(&env, None)), Place::default());
    }

    #[test]
    fn a_session_id_that_is_none_is_left_out() {
        for (id, expected) in [
            ("w0t0p0:9F3A-12", Some("9F3A-12")),
            ("9F3A-12", None),
            ("w0t0p0:", None),
            ("w0t0p0:x\" & do shell script \"touch pwn\" & \"", None),
        ] {
            let facts = facts(&[("TERM_PROGRAM", "iTerm.app"), ("ITERM_SESSION_ID", id)], None);
            assert_eq!(place(&facts).iterm.as_deref(), expected, "{id}");
        }
    }

    #[test]
    fn inherited_tmux_is_no_place() {
        let env = [("TMUX", "/tmp/tmux-0/default,812,0"), ("TMUX_PANE", "%4")];
        assert_eq!(place(&facts(&env, None)).tmux.unwrap().pane, Some(4));
        assert_eq!(place(&facts(&env, Some(&["zsh", "tmux: server"]))).host, Some("tmux"));
        let code = place(&facts(&env, Some(&["zsh", "code", "code"])));
        assert_eq!((code.host, code.tmux), (Some("code"), None));
    }
}
