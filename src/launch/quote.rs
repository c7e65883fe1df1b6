//! The only place that makes text for another parser: POSIX shells, fish, AppleScript. (tmux has its own in
//! `tmux::escape`.)
//!
//! Everything else hands words on as words. Each function here is fed to the real parser by a property test.

use std::borrow::Cow;

use shell_escape::unix::escape;

/// Whether a word is quoted where it would be safe without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Words of `A-Za-z0-9_./:=@%+-` stay as they are: for people, and where no alias can change them.
    Bare,
    /// Every word is quoted: an interactive shell replaces bare words that are global aliases.
    Quoted,
}

/// A word for sh, dash, bash and zsh.
#[must_use]
pub fn posix(word: &str, style: Style) -> Cow<'_, str> {
    if style == Style::Bare && bare(word) {
        Cow::Borrowed(word)
    } else {
        match escape(Cow::Borrowed(word)) {
            // It had no reason to quote: its set of safe characters is not ours.
            Cow::Borrowed(word) => Cow::Owned(format!("'{word}'")),
            quoted @ Cow::Owned(_) => quoted,
        }
    }
}

/// A word for fish, which knows two escapes inside single quotes: `\\` and `\'`.
#[must_use]
pub fn fish(word: &str, style: Style) -> Cow<'_, str> {
    if style == Style::Bare && bare(word) && !word.contains('%') {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!(
            "'{}'",
            word.replace('\\', r"\\").replace('\'', r"\'")
        ))
    }
}

/// A command as one line for a POSIX shell, to read and paste: words bare where safe.
pub fn line<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    let words: Vec<String> = words
        .into_iter()
        .map(|word| posix(word.as_ref(), Style::Bare).into_owned())
        .collect();
    words.join(" ")
}

/// A string literal of AppleScript. Everything but `"` and `\` stands for itself there, line breaks too.
#[must_use]
pub fn applescript(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

/// Whether every POSIX shell and zsh read the word as itself. A leading `=` is a path search in zsh.
fn bare(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('=')
        && word.bytes().all(|b| {
            b.is_ascii_alphanumeric()
                || matches!(
                    b,
                    b'_' | b'.' | b'/' | b':' | b'=' | b'@' | b'%' | b'+' | b'-'
                )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_bare_only_where_every_shell_reads_them_so() {
        for (word, expected) in [
            ("claude@2.1.187", "claude@2.1.187"),
            ("/x/y_z-1:2=%+", "/x/y_z-1:2=%+"),
            ("", "''"),
            ("=ls", "'=ls'"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("a,b", "'a,b'"),
            ("~", "'~'"),
            ("#x", "'#x'"),
            ("ünï", "'ünï'"),
            ("hi!", r"'hi'\!''"),
        ] {
            assert_eq!(posix(word, Style::Bare), expected, "{word:?}");
        }
        assert_eq!(posix("L", Style::Quoted), "'L'");
        assert_eq!(posix("", Style::Quoted), "''");
    }

    #[test]
    fn fish_has_its_own_quotes() {
        assert_eq!(fish(r"a\'b", Style::Bare), r"'a\\\'b'");
        assert_eq!(fish("%self", Style::Bare), "'%self'");
        assert_eq!(fish("x", Style::Bare), "x");
        assert_eq!(fish("x", Style::Quoted), "'x'");
    }

    #[test]
    fn a_line_can_be_pasted() {
        assert_eq!(line(["tmux", "new-window", "a b"]), "tmux new-window 'a b'");
    }

    #[test]
    fn applescript_literals_escape_the_escape_first() {
        assert_eq!(applescript("a\"b\\\n"), "\"a\\\"b\\\\\n\"");
    }
}
