//! Opening windows and panes.

use super::command::{Command, Verb};
use super::escape;
use super::id::{PaneId, SessionId, WindowId};
use super::outcome::{Outcome, garbled};
use super::record::Record;

/// What is asked of tmux for each new pane. A session's name never holds `:` (tmux writes `_`), so it can end in one.
const FORMAT: &str = "#{pid} #{session_id} #{window_id} #{pane_id} #{pane_pid} \
                      #{session_attached}#{?exit-unattached,!,} #{session_name}:#{socket_path}";

/// A pane that was just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPane {
    /// The process id of the server.
    pub server: u32,
    /// The session it is in.
    pub session: SessionId,
    /// The window it is in.
    pub window: WindowId,
    /// The pane.
    pub pane: PaneId,
    /// The process in it.
    pub pid: u32,
    /// How many clients show the session.
    pub attached: u32,
    /// The server ends as soon as nobody is attached to it (`exit-unattached`).
    pub exits_unattached: bool,
    /// The session's name.
    pub session_name: String,
    /// The path of the server's socket.
    pub socket: String,
}

impl NewPane {
    fn read(output: &str) -> Outcome<Self> {
        Self::parse(output).map_or_else(|| garbled(output), Outcome::Done)
    }

    /// Reads the line that tmux prints for it.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut record = Record::new(line);
        let (server, session, window) = (record.parse()?, record.parse()?, record.parse()?);
        let (pane, pid, clients) = (record.parse()?, record.parse()?, record.word()?);
        Some(Self {
            server,
            session,
            window,
            pane,
            pid,
            attached: clients.trim_end_matches('!').parse().ok()?,
            exits_unattached: clients.ends_with('!'),
            session_name: record.until(':')?.to_owned(),
            // No reference could be made with another, that anybody could read.
            socket: record
                .line()
                .filter(|path| path.starts_with('/'))?
                .to_owned(),
        })
    }
}

/// What every new pane is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The directory; absent: tmux's own choice. It is replaced silently where it cannot be entered.
    pub cwd: Option<String>,
    /// The argv: empty (the person's shell) or at least two words, since tmux hands a single one to a shell.
    pub argv: Vec<String>,
    /// Whether the new pane gets the focus.
    pub focus: bool,
}

impl Start {
    fn on(&self, verb: Verb) -> Verb {
        let verb = verb
            .option_if("-c", self.cwd.as_deref().map(escape::format))
            .flag("-P")
            .option("-F", FORMAT);
        if self.argv.is_empty() {
            verb
        } else {
            verb.rest(self.argv.iter().cloned())
        }
    }
}

/// Opens a window in a session, behind its last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewWindow {
    /// The session's id, or a slot that stands for it.
    pub session: String,
    /// The window's name; absent: tmux's own choice.
    pub name: Option<String>,
    /// The pane.
    pub start: Start,
}

impl Command for NewWindow {
    type Output = NewPane;

    fn verbs(&self) -> Vec<Verb> {
        // The colon makes it a session for certain: a bare `$3` or `0` can be read as a window.
        let verb = Verb::new("new-window")
            .flag_if(!self.start.focus, "-d")
            .option("-t", format_args!("{}:", self.session))
            .option_if("-n", self.name.as_deref().map(escape::format));
        vec![self.start.on(verb)]
    }

    fn read(&self, output: &str) -> Outcome<NewPane> {
        NewPane::read(output)
    }
}

/// Which way a pane is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The new pane is to the right.
    Right,
    /// The new pane is below.
    Below,
}

/// Divides a pane in two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitPane {
    /// The pane's id, or a slot that stands for it.
    pub pane: String,
    /// Where the new one goes.
    pub side: Side,
    /// The new pane.
    pub start: Start,
}

impl Command for SplitPane {
    type Output = NewPane;

    fn verbs(&self) -> Vec<Verb> {
        let verb = Verb::new("split-window")
            .flag(match self.side {
                Side::Right => "-h",
                Side::Below => "-v",
            })
            .flag_if(!self.start.focus, "-d")
            .option("-t", &self.pane);
        vec![self.start.on(verb)]
    }

    fn read(&self, output: &str) -> Outcome<NewPane> {
        NewPane::read(output)
    }
}

/// Makes a detached session, and the server where none runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSession {
    /// Its name; tmux writes `_` for `.` and `:` in it.
    pub name: String,
    /// The name of its first window; absent: tmux's own choice.
    pub window: Option<String>,
    /// Columns and rows, which hold until a client attaches.
    pub size: (u16, u16),
    /// The first pane.
    pub start: Start,
}

impl Command for NewSession {
    type Output = NewPane;

    fn verbs(&self) -> Vec<Verb> {
        let (columns, rows) = self.size;
        let verb = Verb::new("new-session")
            .flag("-d")
            .option("-s", escape::format(&self.name))
            .option_if("-n", self.window.as_deref().map(escape::format))
            .option("-x", columns)
            .option("-y", rows);
        vec![self.start.on(verb)]
    }

    fn read(&self, output: &str) -> Outcome<NewPane> {
        NewPane::read(output)
    }
}

/// Gives a pane a title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetTitle {
    /// The pane.
    pub pane: PaneId,
    /// Its title.
    pub title: String,
}

impl Command for SetTitle {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        vec![
            Verb::new("select-pane")
                .option("-t", self.pane)
                .option("-T", escape::format(&self.title)),
        ]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::server::Server;
    use super::*;

    #[test]
    fn a_window_goes_into_a_session_by_id() {
        let command = NewWindow {
            session: SessionId(3).to_string(),
            name: None,
            start: Start {
                cwd: Some("/d#(x);".into()),
                argv: vec!["zsh".into(), "-ilc".into(), "exec a;".into()],
                focus: false,
            },
        };
        assert_eq!(
            Server::Default.argv(&command)[2..],
            [
                "new-window",
                "-d",
                "-t",
                "$3:",
                "-c",
                r"/d##(x)\;",
                "-P",
                "-F",
                FORMAT,
                "--",
                "zsh",
                "-ilc",
                r"exec a\;"
            ]
        );
    }

    #[test]
    fn the_answer_names_the_new_pane() {
        let read = NewPane::read("812 $3 @4 %7 901 1 my proj:/tmp/a b/default\n");
        let expected = NewPane {
            server: 812,
            session: SessionId(3),
            window: WindowId(4),
            pane: PaneId(7),
            pid: 901,
            attached: 1,
            exits_unattached: false,
            session_name: "my proj".into(),
            socket: "/tmp/a b/default".into(),
        };
        assert_eq!(read, Outcome::Done(expected));
        let ends = NewPane::parse("812 $3 @4 %7 901 0! p:/s\n").unwrap();
        assert!(ends.exits_unattached && ends.attached == 0);
        for garbled in ["", "\n", "812 $3 @4 7 901 1 p:/s\n", "812_$3_@4"] {
            assert!(
                matches!(NewPane::read(garbled), Outcome::Unknown(_)),
                "{garbled:?}"
            );
        }
    }
}
