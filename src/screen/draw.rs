//! A screen as the escape sequences that draw it in another terminal of the same size.

use std::cmp::Ordering;
use std::fmt::Write;
use std::num::NonZeroU16;

use vt100::{Cell, Parser, Screen};

use super::extra::Extra;
use super::row::Pen;

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For an emulator of its own: the main screen, and where the program uses it the alternate one above.
    Both,
    /// For a terminal that shows this screen on its own alternate one: only what is visible, and no switch.
    Visible,
}

/// A drawn screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Rows of the content.
    pub rows: u16,
    /// Columns of the content.
    pub cols: u16,
    /// The cursor's row, from 0.
    pub row: u16,
    /// The cursor's column, from 0.
    pub col: u16,
    /// Whether the cursor is shown.
    pub visible: bool,
    /// The sequences. They bring a terminal in any state to this one, an unfinished sequence of the program included.
    pub bytes: Vec<u8>,
}

/// Ends an unfinished sequence, leaves the alternate screen, and makes all modes fresh: a viewer that was skipped over
/// some output may be in any state.
fn fresh(scope: Scope, out: &mut String) {
    out.push('\x18');
    if scope == Scope::Both {
        out.push_str("\x1b[?47l");
    }
    out.push_str(
        "\x1b[r\x1b[?6l\x1b[4l\x1b(B\x1b)B\x0f\
         \x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?2004l\x1b[?1l\x1b>\x1b[0 q",
    );
    Extra::reset(out);
}

/// The sequences that give a person's terminal back its usual modes, for when it stops showing a screen.
pub(super) fn leave() -> String {
    let mut out = String::new();
    fresh(Scope::Visible, &mut out);
    out.push_str("\x1b[0m\x1b[?25h");
    out
}

/// Draws `screen`. `tail` is drawn last: further modes, then an unfinished sequence.
pub(super) fn draw(screen: &Screen, scope: Scope, extra: &Extra, tail: &[u8]) -> Drawing {
    let (rows, cols) = screen.size();
    let mut out = String::new();
    fresh(scope, &mut out);
    let mut copy = Parser::new(NonZeroU16::MIN, NonZeroU16::MIN, 0);
    *copy.screen_mut() = screen.clone();
    if screen.alternate_screen() {
        copy.process(b"\x1b[?47l");
        copy.screen_mut().clear_scrollback();
        if scope == Scope::Both {
            grid(copy.screen(), &mut out);
            out.push_str("\x1b[?47h\x1b[r\x1b[?6l");
        }
        copy.process(b"\x1b[?47h");
    } else {
        // More copies are made below, and rows that scrolled away are not drawn.
        copy.screen_mut().clear_scrollback();
    }
    grid(copy.screen(), &mut out);
    Pen::current(screen).set(&mut out);
    out.push_str(&screen.input_mode_formatted());
    out.push_str(if screen.hide_cursor() {
        "\x1b[?25l"
    } else {
        "\x1b[?25h"
    });
    extra.draw(&mut out);
    let (row, col) = screen.cursor_position();
    let mut bytes = out.into_bytes();
    bytes.extend_from_slice(tail);
    Drawing {
        rows: rows.get(),
        cols: cols.get(),
        row,
        col: col.min(cols.get() - 1),
        visible: !screen.hide_cursor(),
        bytes,
    }
}

/// Draws one grid with its saved cursor, scroll region, origin mode and cursor.
fn grid(screen: &Screen, out: &mut String) {
    let hidden = Hidden::of(screen);
    out.push_str(&screen.contents_formatted());
    hidden.region(out);
    place(&hidden.saved, &hidden, hidden.saved_origin, out);
    Pen::current(&hidden.saved).set(out);
    out.push_str("\x1b7");
    place(screen, &hidden, hidden.origin, out);
}

/// Moves the cursor to where it is on `screen`.
///
/// A cursor that waits behind the last column gets there only by writing the character of that column again, on its own
/// row or, where that has none, on another one: vertical moves keep the column. Where no row has one it stays before.
fn place(screen: &Screen, hidden: &Hidden, origin: bool, out: &mut String) {
    let (row, col) = screen.cursor_position();
    let cols = screen.size().1.get();
    out.push_str(if origin { "\x1b[?6h" } else { "\x1b[?6l" });
    let (reach, top) = if origin {
        (hidden.top..=hidden.bottom, hidden.top)
    } else {
        (0..=screen.size().0.get() - 1, 0)
    };
    let mut go = |row: u16, col: u16| {
        let _ = write!(out, "\x1b[{};{}H", row.saturating_sub(top) + 1, col + 1);
    };
    let written = std::iter::once(row)
        .filter(|row| reach.contains(row))
        .chain(reach.clone())
        .find_map(|row| last(screen, row).map(|(col, cell)| (row, col, cell)));
    match written {
        Some((written, column, cell)) if col == cols => {
            go(written, column);
            Pen::of(cell).set(out);
            out.push_str(cell.contents());
            let _ = match written.cmp(&row) {
                Ordering::Equal => Ok(()),
                // Relative moves stop at the margins of the scroll region, absolute ones count from its top in origin
                // mode.
                _ if !origin || !reach.contains(&row) => write!(out, "\x1b[{}d", row + 1),
                Ordering::Less => write!(out, "\x1b[{}B", row - written),
                Ordering::Greater => write!(out, "\x1b[{}A", written - row),
            };
        }
        _ => {
            go(row, col.min(cols - 1));
            if !reach.contains(&row) {
                // It was there before the region was, and the emulator leaves it there.
                let _ = write!(out, "\x1b[{}d", row + 1);
            }
        }
    }
}

/// The cell of the last column of a row, or the wide one that reaches into it, where it has contents.
fn last(screen: &Screen, row: u16) -> Option<(u16, &Cell)> {
    let col = screen.size().1.get() - 1;
    let cell = screen.cell(row, col)?;
    let (col, cell) = if cell.is_wide_continuation() {
        (col - 1, screen.cell(row, col - 1)?)
    } else {
        (col, cell)
    };
    cell.has_contents().then_some((col, cell))
}

/// What the emulator knows and does not tell. It shows it by what it does: a copy is sent sequences and watched.
struct Hidden {
    top: u16,
    bottom: u16,
    origin: bool,
    /// The screen with the cursor that `ESC 8` restores.
    saved: Screen,
    saved_origin: bool,
}

impl Hidden {
    fn of(screen: &Screen) -> Self {
        let after = |sequences: &[u8]| {
            let mut copy = Parser::new(NonZeroU16::MIN, NonZeroU16::MIN, 0);
            *copy.screen_mut() = screen.clone();
            copy.process(sequences);
            copy.screen().clone()
        };
        let row = |sequences: &[u8]| after(sequences).cursor_position().0;
        Self {
            top: row(b"\x1b[?6h\x1b[H"),
            bottom: row(b"\x1b[?6h\x1b[9999;1H"),
            origin: row(b"\x1b[2;3r\x1b[H") == 1,
            saved: after(b"\x1b8"),
            saved_origin: row(b"\x1b8\x1b[2;3r\x1b[H") == 1,
        }
    }

    fn region(&self, out: &mut String) {
        let _ = write!(out, "\x1b[{};{}r", self.top + 1, self.bottom + 1);
    }
}
