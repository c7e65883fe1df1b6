//! Printing: results to standard output, troubles to standard error.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use comfy_table::{Table, presets};
use serde::Serialize;

use super::exit::{CliError, Exit};

/// Prints a text and a line end.
///
/// # Errors
/// Standard output's.
pub fn line(text: impl AsRef<str>) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref().as_bytes())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Prints bytes as they are.
///
/// # Errors
/// Standard output's.
pub fn bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Prints JSON: indented for a person at a terminal, else one line.
///
/// # Errors
/// Standard output's.
pub fn json<T: Serialize>(value: &T) -> Result<(), CliError> {
    let text = if io::stdout().is_terminal() {
        serde_json::to_string_pretty(value).map(|text| escaped(&text))
    } else {
        serde_json::to_string(value)
    };
    line(text.map_err(|error| CliError::failed(error.to_string()))?)
}

/// Prints JSON in one line, for items of a stream.
///
/// # Errors
/// Standard output's.
pub fn json_line<T: Serialize>(value: &T) -> Result<(), CliError> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|error| CliError::failed(error.to_string()))?;
    line(if io::stdout().is_terminal() {
        escaped(&text)
    } else {
        text
    })
}

/// Prints a table without borders. No rows: nothing.
///
/// # Errors
/// Standard output's.
pub fn table<const N: usize>(header: [&str; N], rows: Vec<[String; N]>) -> Result<(), CliError> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for row in rows {
        table.add_row(row.map(|cell| plain(&cell)));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    line(trimmed(&table.to_string()))
}

/// Prints pairs of a name and a value, aligned.
///
/// # Errors
/// Standard output's.
pub fn pairs(rows: &[(&str, String)]) -> Result<(), CliError> {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines: Vec<String> = rows
        .iter()
        .map(|(name, value)| {
            let value: Vec<String> = value.lines().map(plain).collect();
            format!("{name:width$}  {}", value.join("\n"))
        })
        .collect();
    line(lines.join("\n"))
}

/// The columns of the terminal that is printed to; 80 where it is none.
#[must_use]
pub fn width() -> usize {
    rustix::termios::tcgetwinsize(io::stdout())
        .ok()
        .map(|size| usize::from(size.ws_col))
        .filter(|columns| *columns > 0)
        .unwrap_or(80)
}

/// Prints a note for the person.
pub fn note(text: impl AsRef<str>) {
    // Standard error that is closed has nobody to be told so.
    let _ = writeln!(io::stderr(), "note: {}", plain(text.as_ref()));
}

/// Prints why a command failed, and returns its exit status.
#[must_use]
pub fn fail(error: &CliError) -> Exit {
    if !error.quiet {
        let mut err = io::stderr().lock();
        let _ = writeln!(err, "error: {}", plain(&error.message));
        if let Some(hint) = &error.hint {
            let _ = writeln!(err, "hint: {}", plain(hint));
        }
    }
    error.exit
}

/// The same, for programs too where they read the output: they get the error as a method of the daemon tells it.
#[must_use]
pub fn refuse(error: &CliError, is_json: bool) -> Exit {
    if is_json && !error.quiet {
        // Standard output that cannot be written to leaves the text.
        let _ = json(&error.to_json());
    }
    fail(error)
}

/// A text on one line, in which nothing is left that a terminal would carry out: names and titles are anybody's.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_unseen(c) {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Whether a character is not seen itself and changes how others look: it turns the direction of a line around, joins, parts or
/// hides. A text with one of these can look like another text.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Prints a text that is not ours as one line: see [`plain`].
///
/// # Errors
/// Standard output's.
pub fn told(text: impl AsRef<str>) -> Result<(), CliError> {
    line(plain(text.as_ref()))
}

/// JSON in which nothing is left that a terminal would carry out, or that is not seen. It is the same JSON.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        // serde escapes what is below the blank; a line end is its own.
        if (c.is_control() && c != '\n') || is_unseen(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// Tables end their lines with blanks, which show when they are pasted.
fn trimmed(text: &str) -> String {
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_shown() {
        for (text, expected) in [
            ("fix it", "fix it"),
            ("naïve 漢字 👍🏽 ✔\u{fe0f}", "naïve 漢字 👍🏽 ✔\u{fe0f}"),
            ("a\u{1b}[31mb\nc", "a\\u{1b}[31mb\\nc"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("exe.\u{202e}gpj", "exe.\\u{202e}gpj"),
            ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
            ("pay\u{200b}pal", "pay\\u{200b}pal"),
            ("\u{feff}x\u{e0041}", "\\u{feff}x\\u{e0041}"),
        ] {
            assert_eq!(plain(text), expected);
            assert_eq!(plain(&plain(text)), plain(text), "once is enough");
        }
    }

    #[test]
    fn escaped_json_says_the_same() {
        let value = serde_json::json!({ "title": "a\u{202e}b\u{9b}c\u{e0041}\u{7f}\n漢" });
        let text = escaped(&serde_json::to_string_pretty(&value).unwrap());
        assert!(
            text.contains("a\\u202eb\\u009bc\\udb40\\udc41\\u007f\\n漢"),
            "{text}"
        );
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read, value);
    }
}
