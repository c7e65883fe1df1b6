//! The phrase that leaves a program.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rustix::termios::{LocalModes, tcgetattr};
use tokio::time::{Instant, sleep};

use super::{PAUSE, Places};
use crate::os::process_table::ProcessTable;
use crate::screen::{Screen, Setup};
use crate::service::agents::record::Process;

/// How long a typed phrase may take to show.
const ECHO: Duration = Duration::from_millis(700);

/// What programs draw in front of what is typed.
const MARKS: &str = ">❯›";

/// The sides of a box.
const SIDES: &str = "│┃|";

/// The top and the bottom of a box.
const RULES: &str = "─━═╭╮╰╯┌┐└┘┏┓┗┛╔╗╚╝";

impl Places {
    /// Types the phrase into a hosted terminal, where nothing else is meant by it: its program reads key by key, and the
    /// cursor is in an input box of its own that is empty. Enter is pressed where the box then holds the phrase and nothing
    /// else. Wherever that is not certain nothing is typed: a question would be answered, a line that the person has begun
    /// would be sent. Whether Enter was pressed.
    pub(super) async fn says_goodbye(
        &self,
        terminal: &str,
        process: Option<Process>,
        phrase: &str,
    ) -> bool {
        let turn = self.terminals.turn(terminal).await;
        if phrase.is_empty() || !process.is_some_and(reads_keys) || !self.holds(terminal, "").await
        {
            return false;
        }
        let typed = self.terminals.write(&turn, terminal, phrase.as_bytes());
        if typed.await.is_err() {
            return false;
        }
        let end = Instant::now() + ECHO;
        while !self.holds(terminal, phrase).await {
            if Instant::now() >= end {
                return false;
            }
            sleep(PAUSE).await;
        }
        self.terminals.write(&turn, terminal, b"\r").await.is_ok()
    }

    /// Whether the input box of a terminal holds this text and nothing else.
    async fn holds(&self, terminal: &str, text: &str) -> bool {
        let Ok(shown) = self.terminals.snapshot(terminal).await else {
            return false;
        };
        let Ok(drawing) = BASE64.decode(&shown.screen) else {
            return false;
        };
        let mut screen = Screen::new(Setup {
            rows: shown.rows,
            cols: shown.cols,
            scrollback: 0,
            title: String::new(),
            cwd: String::new(),
            host: String::new(),
        });
        screen.feed(&drawing);
        let lines = screen.visible_lines(false);
        let (row, col) = (usize::from(shown.cursor.row), usize::from(shown.cursor.col));
        is_alone(&lines, row, col, text)
    }
}

/// Whether the terminal of a process gives every key to its program at once. In lines that the terminal itself edits nobody
/// but the person knows what has been typed.
fn reads_keys(process: Process) -> bool {
    let Some(seen) = ProcessTable::new().get(process.pid) else {
        return false;
    };
    let Some(tty) = seen.tty else {
        return false;
    };
    let flags = rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NONBLOCK;
    let device = OpenOptions::new()
        .read(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or_default())
        .open(tty);
    let modes = device.ok().and_then(|device| tcgetattr(device).ok());
    modes.is_some_and(|modes| !modes.local_modes.contains(LocalModes::ICANON))
}

/// Whether the cursor stands behind this text in a box of one line that holds nothing else: one mark, the text, and a rule
/// above and below.
fn is_alone(lines: &[String], row: usize, col: usize, text: &str) -> bool {
    let line = |row: Option<usize>| {
        row.and_then(|row| lines.get(row))
            .map_or("", String::as_str)
    };
    let is_rule = |line: &str| {
        let line = line.trim();
        !line.is_empty() && line.chars().all(|c| RULES.contains(c))
    };
    if !is_rule(line(row.checked_sub(1))) || !is_rule(line(row.checked_add(1))) {
        return false;
    }
    let bare = |text: &str| {
        let edge = |c: char| c.is_whitespace() || SIDES.contains(c);
        text.trim_matches(edge).to_owned()
    };
    // Before the text all characters are one column wide, or it is not one of these boxes.
    let own: Vec<char> = line(Some(row)).chars().collect();
    let (before, after) = own.split_at(col.min(own.len()));
    let (before, after): (String, String) = (before.iter().collect(), after.iter().collect());
    let held = bare(&before);
    let mut chars = held.chars();
    let marked = chars.next().is_some_and(|c| MARKS.contains(c));
    marked && chars.as_str().trim_start() == text && bare(&after).is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_alone;

    #[test]
    fn a_phrase_is_typed_into_an_empty_box_only() {
        let rule = "────────────";
        let alone = |above: &str, line: &str, below: &str, col: usize, text: &str| {
            let lines = [above, line, below].map(str::to_owned);
            is_alone(&lines, 1, col, text)
        };
        let boxed = ("╭──────────╮", "╰──────────╯");
        for (line, col, text) in [
            (">", 2, ""),
            ("❯\u{a0}", 2, ""),
            ("> /exit", 7, "/exit"),
            ("│ > /exit   │", 9, "/exit"),
            ("│ >         │", 4, ""),
        ] {
            assert!(alone(rule, line, rule, col, text), "{line:?}");
            assert!(alone(boxed.0, line, boxed.1, col, text), "{line:?}");
            assert!(!alone("", line, "", col, text), "{line:?}");
            assert!(!alone("> rm", line, rule, col, text), "{line:?}");
            assert!(!alone(rule, line, "  more", col, text), "{line:?}");
        }
        for (line, col, text) in [
            ("> rm -rf / &&", 13, ""),
            ("> rm -rf / && /exit", 19, "/exit"),
            ("> rm", 2, ""),
            ("> /exitrm", 7, "/exit"),
            ("> > /exit", 9, "/exit"),
            ("❯ 1. Yes", 2, ""),
            ("Continue? ", 10, ""),
            ("", 0, ""),
            ("  /exit", 7, "/exit"),
        ] {
            assert!(!alone(rule, line, rule, col, text), "{line:?}");
        }
        assert!(!is_alone(&[], 0, 0, ""));
    }
}
