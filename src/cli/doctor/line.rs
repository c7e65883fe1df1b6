//! What the doctor finds.

use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// It works.
    Good,
    /// It does not, and need not: a terminal that is not installed.
    Off,
    /// It works, and not as it was meant to.
    Warning,
    /// It does not.
    Bad,
}

impl Verdict {
    /// A sign for the first column.
    pub(super) const fn mark(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Off => "-",
            Self::Warning => "!",
            Self::Bad => "BAD",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Line {
    /// The part of the program.
    pub(super) section: &'static str,
    /// What was looked at.
    pub(super) name: String,
    /// How bad it is.
    #[serde(rename = "status")]
    pub(super) verdict: Verdict,
    /// What was found.
    pub(super) text: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
}

impl Line {
    pub(super) fn new(
        section: &'static str,
        name: impl Into<String>,
        verdict: Verdict,
        text: impl Into<String>,
    ) -> Self {
        Self {
            section,
            name: name.into(),
            verdict,
            text: text.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: Option<impl Into<String>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }
}
