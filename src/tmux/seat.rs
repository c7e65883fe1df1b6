//! Seats: panes that a supervisor's programs run in, marked by options of their own so that they are found again.

use super::command::{Command, Verb};
use super::escape;
use super::id::{PaneId, SessionId, WindowId};
use super::list::Dead;
use super::outcome::{Outcome, garbled};
use super::record::{Record, rows};

/// The option of a window that names its seat.
const SEAT: &str = "@surfaced_seat";

/// The option of a window that holds the id of the session its seat was spawned in.
const HOME: &str = "@surfaced_home";

/// The option of a session that holds the space as the caller wrote it: its name cannot, since tmux writes `_` for `.`.
const SPACE: &str = "@surfaced_space";

/// Where a seat lives: all of it must hold when something is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The session.
    pub session: SessionId,
    /// The window.
    pub window: WindowId,
    /// The pane.
    pub pane: PaneId,
}

/// Marks a session as that of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkSpace {
    /// The session.
    pub session: SessionId,
    /// The space as the caller wrote it.
    pub space: String,
}

impl Command for MarkSpace {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        vec![
            Verb::new("set-option")
                .option("-t", self.session)
                .rest([SPACE, &self.space]),
        ]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

/// Turns a pane that holds a placeholder into a seat: names it, keeps the pane when its program ends so that the end can be
/// read, and only then starts the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupy {
    /// The pane.
    pub place: Place,
    /// The seat's name.
    pub name: String,
    /// Where tmux starts the program; the launch script enters the real directory itself.
    pub cwd: String,
    /// The argv, at least two words.
    pub argv: Vec<String>,
}

impl Command for Occupy {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        let Place {
            session,
            window,
            pane,
        } = self.place;
        let of_window = || Verb::new("set-option").flag("-w").option("-t", window);
        vec![
            of_window().rest([SEAT, &self.name]),
            of_window().rest([HOME.to_owned(), session.to_string()]),
            of_window().rest(["automatic-rename", "off"]),
            of_window().rest(["allow-rename", "off"]),
            Verb::new("set-option")
                .flag("-p")
                .option("-t", pane)
                .rest(["remain-on-exit", "on"]),
            Verb::new("respawn-pane")
                .flag("-k")
                .option("-t", pane)
                .option("-c", escape::format(&self.cwd))
                .rest(self.argv.iter().cloned()),
        ]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

/// A pane of a server as far as seats need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatRow {
    /// The process id of the server.
    pub server: u32,
    /// Where the pane is now.
    pub place: Place,
    /// The process in it.
    pub pid: u32,
    /// Present: its program ended.
    pub dead: Option<Dead>,
    /// The session's name.
    pub session_name: String,
    /// The space of its session; empty: the session is no space.
    pub space: String,
    /// The seat of its window; empty: the window is no seat.
    pub seat: String,
    /// The session that the seat was spawned in; absent: the window is no seat.
    pub home: Option<SessionId>,
    /// The window's name.
    pub window_name: String,
}

/// Lists all panes of a server as far as seats need them. A pane whose window is linked to several sessions is listed once
/// for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListSeats;

impl ListSeats {
    fn row(record: &mut Record<'_>) -> Option<SeatRow> {
        let server = record.parse()?;
        let place = Place {
            session: record.parse()?,
            window: record.parse()?,
            pane: record.parse()?,
        };
        let pid = record.parse()?;
        let dead = record.flag()?;
        let ended = Dead {
            status: record.optional()?,
            signal: record.optional()?,
        };
        let mut lengths = [0_usize; 5];
        for length in &mut lengths {
            *length = record.parse()?;
        }
        let mut lengths = lengths.into_iter();
        let mut text = || record.text(lengths.next()?).map(str::to_owned);
        let row = SeatRow {
            server,
            place,
            pid,
            dead: dead.then_some(ended),
            session_name: text()?,
            space: text()?,
            seat: text()?,
            home: text()?.parse().ok(),
            window_name: text()?,
        };
        record.end()?;
        Some(row)
    }
}

impl Command for ListSeats {
    type Output = Vec<SeatRow>;

    fn verbs(&self) -> Vec<Verb> {
        let format = format!(
            "#{{pid}} #{{session_id}} #{{window_id}} #{{pane_id}} #{{pane_pid}} #{{pane_dead}} #{{pane_dead_status}} \
             #{{pane_dead_signal}} #{{n:session_name}} #{{n:{SPACE}}} #{{n:{SEAT}}} #{{n:{HOME}}} #{{n:window_name}} \
             #{{session_name}}#{{{SPACE}}}#{{{SEAT}}}#{{{HOME}}}#{{window_name}}"
        );
        vec![Verb::new("list-panes").flag("-a").option("-F", format)]
    }

    fn read(&self, output: &str) -> Outcome<Vec<SeatRow>> {
        // A server that runs has a pane: an empty answer is no answer.
        match rows(output, Self::row) {
            Some(rows) if !rows.is_empty() => Outcome::Done(rows),
            _ => garbled(output),
        }
    }
}

/// What a guarded command on a seat found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarded {
    /// The pane was in its place, and it was done.
    Done,
    /// The pane is elsewhere, and nothing was done.
    Moved,
}

/// Runs a command only while a pane is in its place. Check and act are one message to the server, so a pane that moves in
/// between is not hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InPlace<C> {
    /// Where the pane must be.
    pub place: Place,
    /// What is then done.
    pub command: C,
}

/// What the server prints where the pane is elsewhere.
const MOVED: &str = "surfaced: moved";

/// Says that a pane or window is elsewhere, or that it does not exist: `if-shell` itself takes a target that is gone for a
/// condition that is false.
fn otherwise(target: impl std::fmt::Display) -> Verb {
    Verb::new("list-panes")
        .option("-t", target)
        .option("-F", MOVED)
}

/// Whether that was said, once for each pane of the window.
fn is_moved(output: &str) -> bool {
    output.lines().next() == Some(MOVED)
}

impl<C: Command<Output = ()>> Command for InPlace<C> {
    type Output = Guarded;

    fn verbs(&self) -> Vec<Verb> {
        let Place {
            session,
            window,
            pane,
        } = self.place;
        let condition =
            format!("#{{&&:#{{==:#{{window_id}},{window}}},#{{==:#{{session_id}},{session}}}}}");
        vec![
            Verb::new("if-shell")
                .flag("-F")
                .option("-t", pane)
                .rest([condition])
                .block(&self.command.verbs())
                .block(&[otherwise(pane)]),
        ]
    }

    fn stdin(&self) -> Option<Vec<u8>> {
        self.command.stdin()
    }

    fn read(&self, output: &str) -> Outcome<Guarded> {
        if is_moved(output) {
            return Outcome::Done(Guarded::Moved);
        }
        match self.command.read(output) {
            Outcome::Done(()) => Outcome::Done(Guarded::Done),
            Outcome::Absent(absent) => Outcome::Absent(absent),
            Outcome::Unknown(why) => Outcome::Unknown(why),
        }
    }
}

/// Closes a window with all its panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KillWindow(pub WindowId);

impl Command for KillWindow {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        vec![Verb::new("kill-window").option("-t", self.0)]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

/// Closes the pane of a seat, and with it its window where that holds nothing else. A window that somebody has divided is given
/// back: it is no seat any more, and tmux names it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacate {
    /// The window.
    pub window: WindowId,
    /// The pane.
    pub pane: PaneId,
}

impl Command for Vacate {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        let mut leave: Vec<Verb> = [SEAT, HOME, "automatic-rename", "allow-rename"]
            .into_iter()
            .map(|name| {
                Verb::new("set-option")
                    .flag("-w")
                    .flag("-u")
                    .option("-t", self.window)
                    .rest([name])
            })
            .collect();
        leave.push(Verb::new("kill-pane").option("-t", self.pane));
        vec![
            Verb::new("if-shell")
                .flag("-F")
                .option("-t", self.pane)
                .rest(["#{==:#{window_panes},1}"])
                .block(&KillWindow(self.window).verbs())
                .block(&leave),
        ]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

/// Closes a window while a session still holds it; for windows whose own pane is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KillWindowOf {
    /// The session.
    pub session: SessionId,
    /// The window.
    pub window: WindowId,
}

impl Command for KillWindowOf {
    type Output = Guarded;

    fn verbs(&self) -> Vec<Verb> {
        let condition = format!("#{{==:#{{session_id}},{}}}", self.session);
        vec![
            Verb::new("if-shell")
                .flag("-F")
                .option("-t", self.window)
                .rest([condition])
                .block(&KillWindow(self.window).verbs())
                .block(&[otherwise(self.window)]),
        ]
    }

    fn read(&self, output: &str) -> Outcome<Guarded> {
        Outcome::Done(if is_moved(output) {
            Guarded::Moved
        } else {
            Guarded::Done
        })
    }
}

/// Whether the person's own configuration keeps panes whose program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeepsDeadPanes;

impl Command for KeepsDeadPanes {
    type Output = bool;

    fn verbs(&self) -> Vec<Verb> {
        vec![
            Verb::new("show-options")
                .flag("-g")
                .flag("-w")
                .flag("-v")
                .rest(["remain-on-exit"]),
        ]
    }

    fn read(&self, output: &str) -> Outcome<bool> {
        match output.trim_end() {
            // `failed` keeps those that ended badly, which is asking for them all the same.
            "on" | "failed" => Outcome::Done(true),
            "off" => Outcome::Done(false),
            _ => garbled(output),
        }
    }
}

/// Makes tmux look at its children again: Debian's 3.3a misses the end of some, and notices it when the next one ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nudge;

impl Command for Nudge {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        vec![Verb::new("run-shell").rest(["true"])]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::server::Server;
    use super::*;

    const PLACE: Place = Place {
        session: SessionId(1),
        window: WindowId(2),
        pane: PaneId(3),
    };

    #[test]
    fn a_seat_is_marked_and_kept_before_its_program_starts() {
        let command = Occupy {
            place: PLACE,
            name: "a".into(),
            cwd: "/#(x)".into(),
            argv: vec!["/bin/sh".into(), "/tmp/s;".into()],
        };
        let argv = Server::Default.argv(&command).join(" ");
        let keep = argv.find("-p -t %3 -- remain-on-exit on").unwrap();
        let start = argv
            .find("respawn-pane -k -t %3 -c /##(x) -- /bin/sh /tmp/s\\;")
            .unwrap();
        assert!(keep < start, "{argv}");
    }

    #[test]
    fn a_pane_that_moved_is_told_apart() {
        let command = InPlace {
            place: PLACE,
            command: KillWindow(WindowId(2)),
        };
        assert_eq!(
            Server::Default.argv(&command)[2..],
            [
                "if-shell",
                "-F",
                "-t",
                "%3",
                "--",
                "#{&&:#{==:#{window_id},@2},#{==:#{session_id},$1}}",
                "kill-window -t '@2'",
                "list-panes -t '%3' -F 'surfaced: moved'"
            ]
        );
        assert_eq!(
            command.read("surfaced: moved\nsurfaced: moved\n"),
            Outcome::Done(Guarded::Moved)
        );
        assert_eq!(command.read(""), Outcome::Done(Guarded::Done));
    }

    #[test]
    fn a_row_holds_names_with_separators() {
        let Outcome::Done(rows) =
            ListSeats.read("8 $1 @2 %3 99 1  9 12 3 2 2 1 surfaced-a_ba.ba $1c\n")
        else {
            panic!("unreadable")
        };
        assert_eq!(rows[0].session_name, "surfaced-a_b");
        assert_eq!(
            (rows[0].space.as_str(), rows[0].seat.as_str()),
            ("a.b", "a ")
        );
        assert_eq!(rows[0].home, Some(SessionId(1)));
        assert_eq!(
            rows[0].dead,
            Some(Dead {
                status: None,
                signal: Some(9)
            })
        );
        assert!(matches!(ListSeats.read("nonsense\n"), Outcome::Unknown(_)));
    }
}
