//! Whether a backend can be driven here, and why.

use crate::proto::launch::Platform;

use super::catalog::Candidate;
use super::current;
use super::facts::{Facts, Installed, Lack};
use super::hosts;

/// Why a backend can be driven, or what it lacks.
pub type Availability = Result<String, Lack>;

/// Whether this backend can be driven with these facts. `named`: the person asked for it by name, which tmux needs no more for
/// than the program.
#[must_use]
pub fn availability(candidate: &Candidate, facts: &Facts, named: bool) -> Availability {
    match candidate.id.as_str() {
        "builtin" => Ok("always there".into()),
        "tmux" => tmux(candidate, facts, named),
        "iterm" | "ghostty" | "terminal" if facts.platform != Platform::Darwin => Err(Lack::new(
            format!("{} is driven on macOS only", candidate.label),
        )),
        "terminal" if facts.over_ssh() => Err(Lack::new(
            "over SSH, AppleScript does not reach the person who is logged in",
        )
        .remedy("start tmux in this connection and ask again")),
        _ => installed(candidate, facts),
    }
}

fn tmux(candidate: &Candidate, facts: &Facts, named: bool) -> Availability {
    match current::tmux(facts) {
        Ok(place) => Ok(format!("you are inside it ({})", place.socket)),
        Err(_) if named => match &facts.installed {
            Installed::Looked(found) => match found.get(&candidate.id) {
                Some(found) => found.clone(),
                None => Err(Lack::new("tmux is not installed").remedy("install tmux")),
            },
            Installed::Named(_) | Installed::Inferred => Ok("it needs only the program".into()),
        },
        Err(reason) => Err(Lack::new(reason)
            .remedy("start tmux and ask from inside it, or name it: surfaced open -b tmux")),
    }
}

fn installed(candidate: &Candidate, facts: &Facts) -> Availability {
    let id = candidate.id.as_str();
    let missing = || Lack::new(format!("{} is not installed", candidate.label));
    match &facts.installed {
        Installed::Named(apps) if apps.contains(&candidate.id) => Ok("installed".into()),
        Installed::Named(_) => Err(missing()),
        Installed::Looked(found) => found.get(&candidate.id).cloned().unwrap_or_else(|| Err(missing())),
        Installed::Inferred if named_by_facts(id, facts) => {
            Ok("named by your variables or by a session".into())
        }
        // It is on every Mac.
        Installed::Inferred if id == "terminal" => Ok("it is on every Mac".into()),
        Installed::Inferred => Err(Lack::new("nothing says that it is installed")
            .remedy("name the installed terminals in context.apps")),
    }
}

fn named_by_facts(id: &str, facts: &Facts) -> bool {
    let drives = |host: &str| hosts::drives(host, id);
    if current::host_id(facts).is_some_and(drives) {
        return true;
    }
    // An editor also needs an extension, and a session shows no more than the editor. VSCodium is taken at its word: it is
    // the one that the launch engine was made for.
    if matches!(id, "cursor-agent" | "vscode-agent") {
        return false;
    }
    facts
        .sessions
        .iter()
        .flat_map(|session| [&session.host, &session.viewing_app])
        .flatten()
        .any(|host| drives(host))
}
