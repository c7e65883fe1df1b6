//! The person's own terminal while it shows another.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::termios::{OptionalActions, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr};

use crate::host::wire::Size;
use crate::proto::terminal::MAX_SIZE;
use crate::screen::Screen;

/// Its alternate screen, raw; given back as it was when dropped. The title is put on the terminal's stack meanwhile.
pub(super) struct Raw {
    input: OwnedFd,
    output: File,
    before: Termios,
}

impl Raw {
    /// `None`: standard input or output is no terminal.
    pub(super) fn enter(title: &str) -> io::Result<Option<Self>> {
        let (input, output) = (io::stdin(), io::stdout());
        if !isatty(&input) || !isatty(&output) {
            return Ok(None);
        }
        let input = input.as_fd().try_clone_to_owned()?;
        let output = File::from(output.as_fd().try_clone_to_owned()?);
        let before = tcgetattr(&input)?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&input, OptionalActions::Flush, &raw)?;
        let mut entered = Self {
            input,
            output,
            before,
        };
        let title: String = title.chars().filter(|c| !c.is_control()).collect();
        entered.output.write_all(
            format!("\x1b[22;2t\x1b[?1049h\x1b[2J\x1b[H\x1b]2;{title}\x1b\\").as_bytes(),
        )?;
        Ok(Some(entered))
    }

    /// What is typed.
    pub(super) fn input(&self) -> io::Result<File> {
        Ok(File::from(self.input.try_clone()?))
    }

    /// Where it is shown.
    pub(super) fn output(&self) -> io::Result<File> {
        self.output.try_clone()
    }

    /// Its size now; `None`: it has none, as some serial lines.
    pub(super) fn size(&self) -> Option<Size> {
        let size = tcgetwinsize(&self.output).ok()?;
        (size.ws_row > 0 && size.ws_col > 0).then(|| Size {
            rows: size.ws_row.min(MAX_SIZE),
            cols: size.ws_col.min(MAX_SIZE),
        })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing any more.
        let leave = format!("{}\x1b[?1049l\x1b[23;2t", Screen::leave());
        let _ = self.output.write_all(leave.as_bytes());
        // Answers to questions of the program that are still on their way are not for the shell.
        let _ = tcsetattr(&self.input, OptionalActions::Flush, &self.before);
    }
}
