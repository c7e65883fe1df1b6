//! What programs and shells say about themselves in operating system commands (OSC).

use percent_encoding::percent_decode;

/// The longest title, directory or command line that is kept, in bytes.
const LONGEST: usize = 4096;

/// Something that a program said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Its title (OSC 0 and 2).
    Title(String),
    /// Its working directory, an absolute path (OSC 7, and `Cwd` of OSC 633).
    Cwd(String),
    /// Where a command begins or ends (OSC 133 and 633).
    Mark(Mark),
}

/// A mark of shell integration, as `FinalTerm` (OSC 133) and VS Code (OSC 633) define it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The prompt is drawn; the shell waits for a person.
    Prompt,
    /// The command line that runs next (OSC 633 `E` only).
    Line(String),
    /// A command starts.
    Started,
    /// It ended, with this exit status where the shell tells it.
    Finished(Option<i32>),
}

/// Reads the text of an OSC. `host` is this machine's name: a directory of another one says nothing about this one.
pub(super) fn read(text: &[u8], host: &str) -> Option<Said> {
    let mut parts = text.splitn(2, |byte| *byte == b';');
    let number = parts.next()?;
    let rest = parts.next().unwrap_or_default();
    match number {
        b"0" | b"2" => Some(Said::Title(clean(rest))),
        b"7" => directory(rest, host).map(Said::Cwd),
        b"133" | b"633" => mark(rest, number == b"633"),
        _ => None,
    }
}

/// Text without control characters, so that it can be shown and sent again.
fn clean(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut clean: String = text.chars().filter(|c| !c.is_control()).collect();
    let mut end = clean.len().min(LONGEST);
    while !clean.is_char_boundary(end) {
        end -= 1;
    }
    clean.truncate(end);
    clean
}

fn directory(url: &[u8], host: &str) -> Option<String> {
    let rest = url.strip_prefix(b"file://")?;
    let slash = rest.iter().position(|byte| *byte == b'/')?;
    let (authority, path) = rest.split_at(slash);
    let local = authority.is_empty()
        || authority.eq_ignore_ascii_case(b"localhost")
        || authority.eq_ignore_ascii_case(host.as_bytes());
    let path = percent_decode(path).decode_utf8().ok()?;
    (local && absolute(&path)).then(|| path.into_owned())
}

fn absolute(path: &str) -> bool {
    path.starts_with('/') && path.len() <= LONGEST && !path.chars().any(char::is_control)
}

fn mark(text: &[u8], vscode: bool) -> Option<Said> {
    let mut parts = text.split(|byte| *byte == b';');
    let mark = match parts.next()? {
        b"A" => Mark::Prompt,
        b"C" => Mark::Started,
        b"D" => Mark::Finished(
            parts
                .next()
                .and_then(|status| std::str::from_utf8(status).ok()?.parse().ok()),
        ),
        b"E" if vscode => Mark::Line(clean(&unescape(parts.next()?))),
        b"P" if vscode => {
            let path = unescape(parts.next()?.strip_prefix(b"Cwd=")?);
            let path = String::from_utf8(path).ok()?;
            return absolute(&path).then_some(Said::Cwd(path));
        }
        _ => return None,
    };
    Some(Said::Mark(mark))
}

/// Undoes VS Code's escapes: `\\` and `\xAB`.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        (rest, out) = match tail {
            [b'\\', after @ ..] if *first == b'\\' => (after, push(out, b'\\')),
            [b'x', a, b, after @ ..] if *first == b'\\' => match hex(&[*a, *b]) {
                Some(byte) => (after, push(out, byte)),
                None => (tail, push(out, *first)),
            },
            _ => (tail, push(out, *first)),
        };
    }
    out
}

fn push(mut out: Vec<u8>, byte: u8) -> Vec<u8> {
    out.push(byte);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_read() {
        let title = |text: &str| Some(Said::Title(text.into()));
        let cwd = |text: &str| Some(Said::Cwd(text.into()));
        let mark = |mark| Some(Said::Mark(mark));
        for (text, said) in [
            ("0;vim – a.rs", title("vim – a.rs")),
            ("2;a;b", title("a;b")),
            ("2;", title("")),
            ("2;a\tb", title("ab")),
            ("1;icon", None),
            ("7;file:///tmp/a%20b", cwd("/tmp/a b")),
            ("7;file://zion/tmp", cwd("/tmp")),
            ("7;file://localhost/", cwd("/")),
            ("7;file://elsewhere/tmp", None),
            ("7;/tmp", None),
            ("7;file:///a%0Ab", None),
            ("7;file:///a%ffb", None),
            ("133;A;cl=m", mark(Mark::Prompt)),
            ("133;B", None),
            ("133;C", mark(Mark::Started)),
            ("133;D", mark(Mark::Finished(None))),
            ("133;D;130;aid=1", mark(Mark::Finished(Some(130)))),
            ("133;E;ls", None),
            (
                "633;E;echo a\\x3bb \\\\n;nonce",
                mark(Mark::Line("echo a;b \\n".into())),
            ),
            ("633;P;Cwd=/home/me", cwd("/home/me")),
            ("633;P;Cwd=C:\\\\x", None),
            ("8;;http://x", None),
            ("", None),
        ] {
            assert_eq!(read(text.as_bytes(), "zion"), said, "{text}");
        }
    }

    #[test]
    fn a_long_title_is_cut_between_characters() {
        let Some(Said::Title(title)) = read(format!("2;{}", "é".repeat(5000)).as_bytes(), "")
        else {
            panic!("no title")
        };
        assert_eq!(title.len(), LONGEST);
    }
}
