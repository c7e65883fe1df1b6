//! The kept lines: those that scrolled away, then those of the screen.

use std::num::NonZeroU16;
use std::ops::Range;

use vt100::Parser;

use super::row;

/// Lines as text, in two forms of the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Plain text.
    pub plain: Vec<String>,
    /// With colours and attributes as SGR sequences; each line stands by itself.
    pub ansi: Vec<String>,
}

/// The lines `start..end` of `total`, as `terminal.capture` counts them: from the oldest, negative numbers from the end,
/// absent ones all. What lies outside is left out.
#[must_use]
pub fn range(start: Option<i64>, end: Option<i64>, total: usize) -> Range<usize> {
    let index = |at: i64| {
        let at = if at < 0 {
            i64::try_from(total).unwrap_or(i64::MAX).saturating_add(at)
        } else {
            at
        };
        usize::try_from(at).unwrap_or(0).min(total)
    };
    let end = end.map_or(total, index);
    let start = start.map_or(0, index).min(end);
    start..end
}

/// The lines on the screen, blank ones at its end left out.
pub(super) fn visible(parser: &Parser, ansi: bool) -> Vec<String> {
    let mut lines = Vec::new();
    screen(parser, ansi, &mut lines);
    trim(&mut lines);
    lines
}

/// All lines, blank ones at the end left out. While a program uses the alternate screen, its lines follow those that
/// scrolled away on the main one.
pub(super) fn kept(parser: &mut Parser, ansi: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if parser.screen().alternate_screen() {
        on_main_screen(parser, |parser| scrolled(parser, ansi, &mut lines));
    } else {
        scrolled(parser, ansi, &mut lines);
    }
    screen(parser, ansi, &mut lines);
    trim(&mut lines);
    lines
}

/// Calls `read` with the main screen active and puts the alternate one back. The sequences go to an emulator without an
/// unfinished sequence of its own, which borrows the screen.
pub(super) fn on_main_screen(parser: &mut Parser, read: impl FnOnce(&mut Parser)) {
    let mut other = Parser::new(NonZeroU16::MIN, NonZeroU16::MIN, 0);
    std::mem::swap(parser.screen_mut(), other.screen_mut());
    other.process(b"\x1b[?47l");
    read(&mut other);
    other.process(b"\x1b[?47h");
    std::mem::swap(parser.screen_mut(), other.screen_mut());
}

fn scrolled(parser: &mut Parser, ansi: bool, lines: &mut Vec<String>) {
    let screen = parser.screen_mut();
    let total = screen.scrollback_len();
    let page = usize::from(screen.size().0.get());
    let mut done = 0;
    while done < total {
        screen.set_scrollback(total - done);
        let count = page.min(total - done);
        for row in 0..count {
            lines.push(row::text(screen, u16::try_from(row).unwrap_or(0), ansi));
        }
        done += count;
    }
    screen.set_scrollback(0);
}

fn screen(parser: &Parser, ansi: bool, lines: &mut Vec<String>) {
    let screen = parser.screen();
    for row in 0..screen.size().0.get() {
        lines.push(row::text(screen, row, ansi));
    }
}

fn trim(lines: &mut Vec<String>) {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_from_both_ends() {
        for (start, end, expected) in [
            (None, None, 0..10),
            (Some(3), None, 3..10),
            (Some(-3), None, 7..10),
            (None, Some(-3), 0..7),
            (Some(-4), Some(-2), 6..8),
            (Some(8), Some(2), 2..2),
            (Some(-99), Some(99), 0..10),
            (Some(i64::MIN), Some(i64::MAX), 0..10),
        ] {
            assert_eq!(range(start, end, 10), expected);
        }
    }
}
