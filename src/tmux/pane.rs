//! What can be done with a pane.

use super::command::{Command, Verb};
use super::id::PaneId;
use super::key::Key;
use super::outcome::{Absent, Outcome, garbled};

/// More lines than any history holds; tmux takes no number that does not fit its own type.
const MOST_LINES: u32 = 1_000_000;

/// What the server prints for a pane whose program has ended. Text that is pasted into one ends the server of tmux 3.3.
const ENDED: &str = "surfaced: ended";

/// The same for a pane whose input was switched off: what is sent there is dropped without a word.
const CLOSED: &str = "surfaced: closed to input";

/// Does something that its program is to read, while a pane has a program that reads. Check and act are one message.
fn to_program(pane: PaneId, act: &[Verb], otherwise: Option<Verb>) -> Verb {
    let reads = "#{&&:#{==:#{pane_dead},0},#{!=:#{pane_input_off},1}}".to_owned();
    // Fails where the pane is gone, which `if-shell` takes for a condition that is false.
    let why = Verb::new("list-panes").option("-t", pane).option(
        "-F",
        format_args!("#{{?#{{==:#{{pane_id}},{pane}}},#{{?pane_input_off,{CLOSED},{ENDED}}},}}"),
    );
    let refuse: Vec<_> = otherwise.into_iter().chain([why]).collect();
    Verb::new("if-shell")
        .flag("-F")
        .option("-t", pane)
        .rest([reads])
        .block(act)
        .block(&refuse)
}

/// Does something in this pane alone, whatever others its input goes to as well (`synchronize-panes`). The setting is as before
/// when it is done: whether it is the pane's own, which `-o` leaves as it is, or that of its window.
fn alone(pane: PaneId, act: Verb) -> Verb {
    let set = || Verb::new("set-option").flag("-p").option("-t", pane);
    let value = |value: &str| set().rest(["synchronize-panes", value]);
    let synchronized = || {
        Verb::new("if-shell")
            .flag("-F")
            .option("-t", pane)
            .rest(["#{pane_synchronized}"])
    };
    let of_window = [act.clone(), set().flag("-u").rest(["synchronize-panes"])];
    let own = [value("off"), act.clone(), value("on")];
    let off = set().flag("-o").flag("-q");
    synchronized()
        .block(&[
            off.rest(["synchronize-panes", "off"]),
            synchronized().block(&own).block(&of_window),
        ])
        .block(&[act])
}

/// Whether a program got it.
fn received(output: &str) -> Outcome<()> {
    output
        .lines()
        .find_map(|line| match line {
            ENDED => Some(Outcome::Absent(Absent::Program)),
            CLOSED => Some(Outcome::Absent(Absent::Input)),
            _ => None,
        })
        .unwrap_or(Outcome::Done(()))
}

/// Writes text to the program in a pane, exactly as it is: a `;` is a `;`, `Enter` is five letters.
///
/// The text goes through a paste buffer that exists only for this: it is in no argv, it may be of any length, and a pane that
/// a person is scrolling in (copy mode) gets it all the same, where keys would be taken for commands of that mode.
/// It is not marked as a paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The pane.
    pub pane: PaneId,
    /// The text; not empty, since tmux makes no empty buffer.
    pub text: String,
    /// A name that no other buffer has.
    pub buffer: String,
}

impl Command for Write {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        let paste = Verb::new("paste-buffer")
            .flag("-d")
            .flag("-r")
            .option("-b", &self.buffer)
            .option("-t", self.pane);
        let drop = Verb::new("delete-buffer").option("-b", &self.buffer);
        vec![
            // Fails where the pane is gone, before there is a buffer that would be left.
            Verb::new("list-panes")
                .option("-t", self.pane)
                .option("-F", ""),
            Verb::new("load-buffer")
                .option("-b", &self.buffer)
                .rest(["-"]),
            // The server did other things while it read the text.
            to_program(self.pane, &[alone(self.pane, paste)], Some(drop)),
        ]
    }

    fn stdin(&self) -> Option<Vec<u8>> {
        Some(self.text.clone().into_bytes())
    }

    fn read(&self, output: &str) -> Outcome<()> {
        received(output)
    }
}

/// Presses keys in a pane. A pane that a person is scrolling in, or chooses in, leaves that mode first, so that the program gets
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Press {
    /// The pane.
    pub pane: PaneId,
    /// The keys; at least one.
    pub keys: Vec<Key>,
}

impl Command for Press {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        let leave = Verb::new("copy-mode").flag("-q").option("-t", self.pane);
        let leave = Verb::new("if-shell")
            .flag("-F")
            .option("-t", self.pane)
            .rest(["#{pane_in_mode}"])
            .block(&[leave]);
        let press = Verb::new("send-keys")
            .option("-t", self.pane)
            .rest(self.keys.iter().map(Key::as_str));
        vec![to_program(
            self.pane,
            &[leave, alone(self.pane, press)],
            None,
        )]
    }

    fn read(&self, output: &str) -> Outcome<()> {
        received(output)
    }
}

/// Reads the text of a pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The pane.
    pub pane: PaneId,
    /// The last so many lines, the history included; absent: what is visible.
    pub lines: Option<u32>,
}

impl Command for Capture {
    type Output = String;

    fn verbs(&self) -> Vec<Verb> {
        let start = self
            .lines
            .map(|lines| format!("-{}", lines.min(MOST_LINES)));
        vec![
            Verb::new("capture-pane")
                .flag("-p")
                .option("-t", self.pane)
                .option_if("-S", start),
        ]
    }

    fn read(&self, output: &str) -> Outcome<String> {
        let mut lines: Vec<_> = output.lines().map(str::trim_end).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let skipped = self.lines.map_or(0, |wanted| {
            lines
                .len()
                .saturating_sub(usize::try_from(wanted).unwrap_or(usize::MAX))
        });
        let mut text = lines.split_off(skipped).join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        Outcome::Done(text)
    }
}

/// Makes a pane the active one of its session. Says how many clients show that session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Select(pub PaneId);

impl Command for Select {
    type Output = u32;

    fn verbs(&self) -> Vec<Verb> {
        vec![
            Verb::new("select-window").option("-t", self.0),
            Verb::new("select-pane").option("-t", self.0),
            Verb::new("display-message")
                .option("-t", self.0)
                .flag("-p")
                .rest(["#{session_attached}"]),
        ]
    }

    fn read(&self, output: &str) -> Outcome<u32> {
        output
            .trim()
            .parse()
            .map_or_else(|_| garbled(output), Outcome::Done)
    }
}

/// Shows a pane in the client that was used last. `no current client`: nobody is attached to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show(pub PaneId);

impl Command for Show {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        vec![Verb::new("switch-client").option("-t", self.0)]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

/// Closes a pane, and its window when it is the last one in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KillPane(pub PaneId);

impl Command for KillPane {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        vec![Verb::new("kill-pane").option("-t", self.0)]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_lines_are_the_last_ones_without_the_empty_rest_of_the_screen() {
        let output = "one  \n\n two\nthree\n\n\n";
        for (lines, expected) in [
            (None, "one\n\n two\nthree\n"),
            (Some(0), ""),
            (Some(1), "three\n"),
            (Some(2), " two\nthree\n"),
            (Some(99), "one\n\n two\nthree\n"),
        ] {
            let capture = Capture {
                pane: PaneId(1),
                lines,
            };
            assert_eq!(
                capture.read(output),
                Outcome::Done(expected.to_owned()),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn text_travels_outside_the_argv() {
        let write = Write {
            pane: PaneId(1),
            text: "s3cret;".into(),
            buffer: "b".into(),
        };
        assert!(
            write
                .verbs()
                .iter()
                .flat_map(Verb::words)
                .all(|word| !word.contains("s3cret"))
        );
        assert_eq!(write.stdin().as_deref(), Some(&b"s3cret;"[..]));
    }
}
