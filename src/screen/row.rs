//! One row of the screen as text, plain or with colours.

use std::fmt::Write;

use vt100::{Cell, Color, Screen};

/// The attributes that text is written with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an attribute that is on or off by itself"
)]
pub(super) struct Pen {
    foreground: Color,
    background: Color,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    inverse: bool,
}

impl Pen {
    /// Of a cell.
    pub(super) fn of(cell: &Cell) -> Self {
        Self {
            foreground: cell.fgcolor(),
            background: cell.bgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        }
    }

    /// Of what will be written next.
    pub(super) fn current(screen: &Screen) -> Self {
        Self {
            foreground: screen.fgcolor(),
            background: screen.bgcolor(),
            bold: screen.bold(),
            dim: screen.dim(),
            italic: screen.italic(),
            underline: screen.underline(),
            inverse: screen.inverse(),
        }
    }

    /// The sequence that sets exactly these, whatever was set before.
    pub(super) fn set(self, out: &mut String) {
        out.push_str("\x1b[0");
        for (on, code) in [
            (self.bold, 1),
            (self.dim, 2),
            (self.italic, 3),
            (self.underline, 4),
            (self.inverse, 7),
        ] {
            if on {
                let _ = write!(out, ";{code}");
            }
        }
        color(out, self.foreground, 30);
        color(out, self.background, 40);
        out.push('m');
    }
}

fn color(out: &mut String, color: Color, base: u8) {
    let _ = match color {
        Color::Default => Ok(()),
        Color::Idx(index @ 0..=7) => write!(out, ";{}", base + index),
        Color::Idx(index @ 8..=15) => write!(out, ";{}", base + 52 + index),
        Color::Idx(index) => write!(out, ";{};5;{index}", base + 8),
        Color::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
    };
}

/// The text of a visible row without blanks at its end. With `ansi`, attributes as SGR sequences, ended where the row ends.
pub(super) fn text(screen: &Screen, row: u16, ansi: bool) -> String {
    let mut out = String::new();
    let mut pen = Pen::default();
    let mut blanks = 0;
    // A row that scrolled away keeps the width it had.
    for cell in (0..).map_while(|col| screen.cell(row, col)) {
        if cell.is_wide_continuation() {
            continue;
        }
        let its = if ansi { Pen::of(cell) } else { Pen::default() };
        let blank = !cell.has_contents() || cell.contents() == " ";
        if blank && its == Pen::default() && pen == its {
            blanks += 1;
            continue;
        }
        out.extend(std::iter::repeat_n(' ', std::mem::take(&mut blanks)));
        if its != pen {
            if its == Pen::default() {
                out.push_str("\x1b[0m");
            } else {
                its.set(&mut out);
            }
            pen = its;
        }
        if blank && pen == Pen::default() {
            blanks = 1;
        } else {
            out.push_str(if cell.has_contents() {
                cell.contents()
            } else {
                " "
            });
        }
    }
    if pen != Pen::default() {
        out.push_str("\x1b[0m");
    }
    out
}
