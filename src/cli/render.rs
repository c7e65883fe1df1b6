//! Printing: results to standard output, troubles to standard error.

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
        serde_json::to_string_pretty(value)
    } else {
        serde_json::to_string(value)
    };
    line(text.map_err(|error| CliError::failed(error.to_string()))?)
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
        .map(|(name, value)| format!("{name:width$}  {value}"))
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

/// A text on one line, in which nothing is left that a terminal would carry out: names and titles are anybody's.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            plain.extend(c.escape_default());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Tables end their lines with blanks, which show when they are pasted.
fn trimmed(text: &str) -> String {
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}
