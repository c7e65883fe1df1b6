//! Lines, times and texts of transcripts.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The most characters of a title.
const LONGEST: usize = 120;

/// The whole lines of what was read of a file: the last one only where it is complete.
pub(super) fn lines(head: &[u8], whole: bool) -> impl Iterator<Item = &[u8]> {
    let end = match head.iter().rposition(|byte| *byte == b'\n') {
        Some(at) if !whole => at,
        None if !whole => 0,
        _ => head.len(),
    };
    head[..end]
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
}

/// The whole lines of the end of a file: without the first one, which is cut.
pub(super) fn last_lines(tail: &[u8]) -> impl Iterator<Item = &[u8]> {
    let start = tail
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(tail.len(), |at| at + 1);
    tail[start..]
        .split(|byte| *byte == b'\n')
        .rev()
        .filter(|line| !line.trim_ascii().is_empty())
}

/// An RFC 3339 time as milliseconds since 1970.
pub(super) fn millis(time: &str) -> Option<u64> {
    let time: jiff::Timestamp = time.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

/// Text as one short line; `None` where nothing is left of it.
pub(super) fn title(text: &str) -> Option<String> {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length >= LONGEST {
                line.push('…');
                return Some(line);
            }
            line.push(c);
            length += 1;
        }
    }
    (!line.is_empty()).then_some(line)
}

/// A part of a message.
#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

/// What a person said: a text, or parts of which some are texts.
pub(super) fn said(content: &RawValue) -> Option<String> {
    if let Ok(text) = serde_json::from_str::<String>(content.get()) {
        return Some(text);
    }
    let parts: Vec<Part> = serde_json::from_str(content.get()).ok()?;
    let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// The title that something a person said gives. Programs put words of their own between marks like `<command-name>` there.
pub(super) fn prompt(text: &str) -> Option<String> {
    let text = text.trim_start();
    (!text.starts_with('<') && !text.starts_with("Caveat:"))
        .then(|| title(text))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_are_read() {
        let read = |bytes: &'static [u8], whole| -> Vec<_> { lines(bytes, whole).collect() };
        assert_eq!(read(b"a\n\nb\nc", false), [b"a", b"b"]);
        assert_eq!(read(b"a\nb\nc", true), [b"a", b"b", b"c"]);
        assert!(read(b"abc", false).is_empty());
        let last: Vec<_> = last_lines(b"cut\nx\n\ny\n").collect();
        assert_eq!(last, [b"y", b"x"]);
        assert_eq!(last_lines(b"cut").count(), 0);
    }

    #[test]
    fn a_title_is_one_short_line() {
        assert_eq!(
            title(" fix\n\tthe   tests ").as_deref(),
            Some("fix the tests")
        );
        assert_eq!(title(" \n"), None);
        assert_eq!(title("a\u{1b}[31mb").as_deref(), Some("a [31mb"));
        let long = "ü".repeat(500);
        assert_eq!(title(&long).unwrap().chars().count(), LONGEST + 1);
        assert_eq!(prompt("<command-name>/x</command-name>"), None);
    }

    #[test]
    fn times_are_milliseconds() {
        assert_eq!(millis("2026-01-01T00:00:00.250Z"), Some(1_767_225_600_250));
        assert_eq!(millis("yesterday"), None);
    }
}
