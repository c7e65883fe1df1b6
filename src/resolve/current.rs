//! The terminal that the caller runs in.

use super::facts::{Facts, TmuxFact};
use super::hosts::{self, Class, Host};
use super::tmux_env::InTmux;

/// The host that the caller's ancestors name. `None`: they name none, or are not known.
pub(super) fn host(facts: &Facts) -> Option<&'static Host> {
    let (_, host) = hosts::nearest(facts.ancestry.as_deref()?)?;
    Some(host)
}

/// The tmux that the caller is inside, or why it is inside none.
///
/// Ancestors outrank variables: a program that was started from tmux keeps `$TMUX`, and so does every shell in the
/// terminal that it opens. Where they name nothing (the caller has left its parents) the variables count, as far as the server
/// confirmed them.
///
/// # Errors
/// The reason, a sentence without its end.
pub fn tmux(facts: &Facts) -> Result<&InTmux, String> {
    match (&facts.tmux, host(facts)) {
        (TmuxFact::Refused(reason) | TmuxFact::Silent(reason), _) => Err(reason.clone()),
        (TmuxFact::Outside, _) => Err("you are not inside tmux".into()),
        (TmuxFact::Inside(_), Some(host)) if host.id != "tmux" => {
            Err(format!("$TMUX is inherited: you are in {}", host.label))
        }
        (TmuxFact::Inside(place), _) => Ok(place),
    }
}

/// Why the tmux that the caller is inside cannot be asked; `None`: it is inside none, or that one answered.
#[must_use]
pub fn silent(facts: &Facts) -> Option<&str> {
    match (&facts.tmux, host(facts)) {
        (TmuxFact::Silent(_), Some(host)) if host.id != "tmux" => None,
        (TmuxFact::Silent(reason), _) => Some(reason),
        _ => None,
    }
}

/// The host application that the caller runs in, as its id in sessions: by its ancestors where they are known, else by its
/// variables. A host that nothing drives is named too.
pub(super) fn host_id(facts: &Facts) -> Option<&'static str> {
    if tmux(facts).is_ok() {
        return Some("tmux");
    }
    if facts.ancestry.is_some() {
        return host(facts)
            .filter(|host| host.class != Class::Remote && host.id != "tmux")
            .map(|host| host.id);
    }
    // A shell that came over SSH may carry the variables of a terminal on another machine.
    if facts.over_ssh() {
        return None;
    }
    by_variables(facts)
}

/// What `TERM_PROGRAM` names. All editors of one family say `vscode`, so that word names none of them.
fn by_variables(facts: &Facts) -> Option<&'static str> {
    let cmux = facts.var("__CFBundleIdentifier") == Some("com.cmuxterm.app")
        || facts.env.keys().any(|name| name.starts_with("CMUX_"));
    if cmux {
        return Some("cmux");
    }
    match facts.var("TERM_PROGRAM")? {
        "iTerm.app" => Some("iterm"),
        "ghostty" => Some("ghostty"),
        "Apple_Terminal" => Some("terminal"),
        "WezTerm" => Some("wezterm"),
        "WarpTerminal" => Some("warp"),
        _ => None,
    }
}
