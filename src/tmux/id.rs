//! The ids that tmux gives and never reuses while its server lives.

use std::fmt;
use std::str::FromStr;

/// Declares an id: a number behind a sigil.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $sigil:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($sigil, "{}"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let digits = text.strip_prefix($sigil).ok_or(NotAnId)?;
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(NotAnId);
                }
                digits.parse().map(Self).map_err(|_| NotAnId)
            }
        }
    };
}

/// The text is not an id of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id of tmux")]
pub struct NotAnId;

id! {
    /// A session, written `$3`.
    SessionId, "$"
}
id! {
    /// A window, written `@3`.
    WindowId, "@"
}
id! {
    /// A pane, written `%3`.
    PaneId, "%"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_they_are_written_and_nothing_else_is() {
        assert_eq!("%17".parse(), Ok(PaneId(17)));
        assert_eq!(PaneId(17).to_string(), "%17");
        assert_eq!("$0".parse(), Ok(SessionId(0)));
        for bad in ["", "%", "17", "@17", "%-1", "%+1", "%F3A5-", "%99999999999"] {
            assert_eq!(bad.parse::<PaneId>(), Err(NotAnId), "{bad:?}");
        }
    }
}
