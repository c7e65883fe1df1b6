//! Start-up files of a login shell that keep commands from running or from being heard.

use super::errors::{ALSO, look_first};
use crate::proto::{Failure, HostAlias, Kind};

/// The login shell ended in good order and no mark came back: it never came to the command, or the start-up files of the host
/// send output elsewhere. The command may have run.
#[must_use]
pub fn noise(alias: &HostAlias, said: &str) -> Failure {
    let message = if said.is_empty() {
        format!("the login shell of {alias} ended and nothing came back of a command")
    } else {
        format!("nothing came back of a command from the login shell of {alias}; it said: {said}")
    };
    Failure::new(Kind::StateUnknown, message).hint(format!("{}{ALSO}{START_UP}", look_first(alias)))
}

/// The start-up files of the host took its input away before the command; it was not begun.
#[must_use]
pub fn no_input(alias: &HostAlias) -> Failure {
    Failure::new(
        Kind::HostUnreachable,
        format!("the login shell of {alias} took the input away before it ran a command"),
    )
    .hint(START_UP)
}

/// What hosts have to do for commands.
const START_UP: &str = "its start-up file must not end a shell without a terminal, nor redirect its input or output; hosts whose \
    login shell cannot start /bin/sh are not supported";
