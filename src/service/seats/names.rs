//! Names of spaces and seats.

use crate::proto::text::shown;
use crate::proto::{Failure, Kind};

/// How the sessions of spaces are called in tmux.
const PREFIX: &str = "surfaced-";

/// The longest name, in bytes: longer ones serve nobody, and tmux cuts what it shows.
const LONGEST: usize = 200;

/// A space whose name is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space(String);

impl Space {
    /// Reads the name of a space.
    ///
    /// # Errors
    /// `seat-refused`.
    pub fn parse(name: &str) -> Result<Self, Failure> {
        check("space", name).map(|()| Self(name.to_owned()))
    }

    /// The name as the caller wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its tmux session. tmux allows no `.` in it and would write `_` itself.
    #[must_use]
    pub fn session(&self) -> String {
        format!("{PREFIX}{}", self.0.replace('.', "_"))
    }
}

/// Checks the name of a seat.
///
/// # Errors
/// `seat-refused`.
pub fn check_seat(name: &str) -> Result<(), Failure> {
    check("seat", name)
}

fn check(what: &str, name: &str) -> Result<(), Failure> {
    let first = name
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphanumeric());
    let rest = name
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    if first && rest && name.len() <= LONGEST {
        return Ok(());
    }
    Err(Failure::new(Kind::SeatRefused, format!("{name} cannot be the name of a {what}", name = shown(name))).hint(format!(
        "begin with a letter or digit and use letters, digits, _, . and -, at most {LONGEST} of them"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_nothing_that_tmux_reads() {
        for (name, ok) in [
            ("a", true),
            ("0", true),
            ("a.b-c_9", true),
            ("", false),
            (".a", false),
            ("-a", false),
            ("_a", false),
            ("a:b", false),
            ("a b", false),
            ("a#{b}", false),
            ("ä", false),
            ("a\n", false),
        ] {
            assert_eq!(Space::parse(name).is_ok(), ok, "{name:?}");
            assert_eq!(check_seat(name).is_ok(), ok, "{name:?}");
        }
        assert_eq!(Space::parse("a.b").unwrap().session(), "surfaced-a_b");
        assert!(check_seat(&"a".repeat(201)).is_err());
    }
}
