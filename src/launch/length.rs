//! How long a word may be.

use crate::proto::{Env, Failure, Kind};

/// The longest single word or variable that Linux hands to a program (`MAX_ARG_STRLEN`, execve(2)), its final NUL left out.
///
/// A launch script runs into it too: its last act is to run the command.
pub const LONGEST_WORD: usize = 128 * 1024 - 1;

/// Checks the words and variables of a command; `what` begins the sentence, such as `items[2]`.
///
/// # Errors
/// `spawn-failed`: one is longer than [`LONGEST_WORD`].
pub fn check<'a>(
    what: &str,
    words: impl IntoIterator<Item = &'a str>,
    env: Option<&Env>,
) -> Result<(), Failure> {
    let words = words.into_iter().map(str::len);
    let variables = env
        .into_iter()
        .flatten()
        .map(|(name, value)| name.len() + 1 + value.len());
    match words.chain(variables).max() {
        Some(longest) if longest > LONGEST_WORD => Err(Failure::new(
            Kind::SpawnFailed,
            format!(
                "{what} has a word of {longest} bytes, and the system hands over at most {LONGEST_WORD}"
            ),
        )
        .hint("put it into a file")),
        _ => Ok(()),
    }
}
