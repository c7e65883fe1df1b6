//! Words that arrive as they are, past tmux's three readers: of its argv, of its command language, of its formats.

/// A word of tmux's own argv. A `;` at the end of a word separates commands there, so it is written `\;`
/// (tmux takes exactly one backslash off, whatever stands before it).
#[must_use]
pub fn argument(word: &str) -> String {
    match word.strip_suffix(';') {
        Some(head) => format!("{head}\\;"),
        None => word.to_owned(),
    }
}

/// Text where tmux expects a format (`-c`, `-n`, `-s`, `-F`): `#` begins an expansion, `#(…)` even runs a command, and `##` is
/// a plain one. tmux leaves a run of `#` before `[` alone, so such a run is not doubled.
#[must_use]
pub fn format(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(start) = rest.find('#') {
        let (head, tail) = rest.split_at(start);
        let length = tail.len() - tail.trim_start_matches('#').len();
        let (run, after) = tail.split_at(length);
        out.push_str(head);
        out.push_str(run);
        if !after.starts_with('[') {
            out.push_str(run);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A word of a command line that tmux parses itself (the commands of `if-shell`).
///
/// Single quotes keep everything but a line break, after which tmux drops blanks even inside quotes; a line break is
/// therefore written as `\n` between quotes.
#[must_use]
pub fn quoted(word: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-' | b':');
    if !word.is_empty() && word.bytes().all(bare) {
        return word.to_owned();
    }
    let mut out = String::with_capacity(word.len() + 2);
    out.push('\'');
    for c in word.chars() {
        match c {
            '\'' => out.push_str(r"'\''"),
            '\n' => out.push_str(r"'\n'"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_last_semicolon_is_escaped() {
        for (word, expected) in [
            ("", ""),
            ("a;b", "a;b"),
            ("run it;", r"run it\;"),
            (";", r"\;"),
            (r"x\;", r"x\\;"),
            (";;", r";\;"),
        ] {
            assert_eq!(argument(word), expected, "{word:?}");
        }
    }

    #[test]
    fn formats_are_doubled_except_before_a_style() {
        for (text, expected) in [
            ("/a b", "/a b"),
            ("/d#(touch x)", "/d##(touch x)"),
            ("#{pid}", "##{pid}"),
            ("##", "####"),
            ("a#[b", "a#[b"),
            ("##[#", "##[##"),
        ] {
            assert_eq!(format(text), expected, "{text:?}");
        }
    }

    #[test]
    fn quoting_is_for_tmux_and_not_for_a_shell() {
        for (word, expected) in [
            ("send-keys", "send-keys"),
            ("", "''"),
            ("%3", "'%3'"),
            ("it's", r"'it'\''s'"),
            ("a\n  b", r"'a'\n'  b'"),
            ("~ $HOME #{x};", "'~ $HOME #{x};'"),
        ] {
            assert_eq!(quoted(word), expected, "{word:?}");
        }
    }
}
