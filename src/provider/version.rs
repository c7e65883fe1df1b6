//! Versions as far as they order forms of a command.

/// A version: its numbers, from the left.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(Vec<u64>);

impl Version {
    /// The first dotted number in what a program says of itself: `2.1.187 (Claude Code)`, `codex-cli 0.46.0`, `v1.2`.
    /// `None` where there is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let words = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        let mut numbers = words.map(|word| {
            let parts = word.trim_matches('.').split('.').map(str::parse::<u64>);
            parts.collect::<Result<Vec<_>, _>>().ok()
        });
        numbers.find_map(|found| found.filter(|parts| parts.len() > 1).map(Self))
    }

    /// A version that somebody names: as [`Version::read`], or a number alone.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let alone = || text.trim().parse().ok().map(|number| Self(vec![number]));
        Self::read(text).or_else(alone)
    }

    /// Whether it is at least this one.
    #[must_use]
    pub fn at_least(&self, numbers: &[u64]) -> bool {
        self.0.as_slice() >= numbers
    }

    /// Its text: the numbers with dots.
    #[must_use]
    pub fn text(&self) -> String {
        let parts: Vec<String> = self.0.iter().map(u64::to_string).collect();
        parts.join(".")
    }
}

/// Whether a form that came with these numbers is taken. Absent: today's program, which takes it.
pub(super) fn since(version: Option<&Version>, numbers: &[u64]) -> bool {
    version.is_none_or(|version| version.at_least(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_what_a_program_says() {
        for (text, expected) in [
            ("2.1.187 (Claude Code)", Some("2.1.187")),
            ("codex-cli 0.46.0", Some("0.46.0")),
            ("aider 0.86.1", Some("0.86.1")),
            ("v1.2", Some("1.2")),
            ("GitHub Copilot CLI 1.0.77.\nCommit: 99", Some("1.0.77")),
            ("GitHub Copilot CLI 1.0.77\nCommit: 99", Some("1.0.77")),
            ("2025.09.18-39624ef", Some("2025.9.18")),
            ("no numbers", None),
            ("7", None),
            ("", None),
        ] {
            let read = Version::read(text).map(|version| version.text());
            assert_eq!(read.as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let version = |text| Version::read(text).unwrap();
        assert!(version("0.10.0") > version("0.9.9"));
        assert!(version("1.2").at_least(&[1, 2]));
        assert!(!version("1.1.9").at_least(&[1, 2]));
        assert!(since(None, &[99]));
    }
}
