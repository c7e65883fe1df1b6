//! What a server holds: sessions, panes, clients.

use std::fmt::Display;

use super::command::{Command, Verb};
use super::id::{PaneId, SessionId, WindowId};
use super::outcome::{Outcome, garbled};
use super::record::{Record, rows};

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// The process id of the server.
    pub server: u32,
    /// Its id.
    pub id: SessionId,
    /// How many clients show it.
    pub attached: u32,
    /// When a client was last attached to it, seconds since 1970; absent: never.
    pub last_attached: Option<u64>,
    /// When something last happened in it, seconds since 1970.
    pub activity: u64,
    /// Its name.
    pub name: String,
}

/// Lists the sessions. A server that holds none lists none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListSessions;

impl Command for ListSessions {
    type Output = Vec<SessionRow>;

    fn verbs(&self) -> Vec<Verb> {
        let format = "#{pid} #{session_id} #{session_attached} #{session_last_attached} #{session_activity} \
                      #{session_name}";
        vec![Verb::new("list-sessions").option("-F", format)]
    }

    fn read(&self, output: &str) -> Outcome<Vec<SessionRow>> {
        let row = |record: &mut Record<'_>| {
            Some(SessionRow {
                server: record.parse()?,
                id: record.parse()?,
                attached: record.parse()?,
                last_attached: record.optional()?,
                activity: record.parse()?,
                name: record.line()?.to_owned(),
            })
        };
        rows(output, row).map_or_else(|| garbled(output), Outcome::Done)
    }
}

/// What a row of `list-sessions` has to say so that the host itself can choose as [`most_recently_attached`] does: `session`, whether
/// somebody is attached, when somebody was, when something last happened, the id, the name.
pub const CHOICE: &str = "session #{?session_attached,1,0} #{?session_last_attached,#{session_last_attached},0} \
                          #{?session_activity,#{session_activity},0} #{session_id} #{session_name}";

/// The session that a person attached to last: one that is attached now comes first, then the time of attaching, then
/// activity.
#[must_use]
pub fn most_recently_attached(sessions: &[SessionRow]) -> Option<&SessionRow> {
    sessions.iter().max_by_key(|session| {
        (
            session.attached > 0,
            session.last_attached,
            session.activity,
            session.id,
        )
    })
}

/// The hooks that are set, for all sessions and for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShowHooks(pub SessionId);

impl Command for ShowHooks {
    type Output = String;

    fn verbs(&self) -> Vec<Verb> {
        let show = || Verb::new("show-hooks");
        vec![
            show().flag("-g"),
            show().flag("-g").flag("-w"),
            // Fails where the session is gone, and then the others were shown.
            show().option("-t", self.0),
        ]
    }

    fn read(&self, output: &str) -> Outcome<String> {
        Outcome::Done(output.to_owned())
    }
}

/// How the program of a dead pane ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dead {
    /// Its exit status. Both absent: tmux missed its end.
    pub status: Option<i32>,
    /// The signal that ended it (tmux 3.3).
    pub signal: Option<i32>,
}

/// A pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaneRow {
    /// The process id of the server.
    pub server: u32,
    /// A session it is in.
    pub session: SessionId,
    /// The window it is in.
    pub window: WindowId,
    /// Its id.
    pub pane: PaneId,
    /// The process in it.
    pub pid: u32,
    /// Present: its program ended and the pane was kept.
    pub dead: Option<Dead>,
    /// Whether it is the active pane of its window.
    pub active: bool,
    /// Whether its window is the current one of the session.
    pub window_active: bool,
    /// How many clients show the session.
    pub attached: u32,
    /// When something last happened in its window, seconds since 1970.
    pub activity: u64,
    /// The session's name.
    pub session_name: String,
    /// The window's name.
    pub window_name: String,
    /// Its title, as a program or a person has set it; empty: nobody has, and tmux shows the name of the machine.
    pub title: String,
    /// Its terminal device.
    pub tty: String,
    /// The working directory of what runs in it; empty where tmux does not know it.
    pub cwd: String,
    /// The name of what runs in it.
    pub command: String,
    /// The path of the server's socket.
    pub socket: String,
}

/// Lists panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListPanes {
    /// All of the server.
    All,
    /// Those of the window that this pane is in, itself included.
    Around(PaneId),
}

impl ListPanes {
    const FORMAT: &str = "#{pid} #{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{pane_dead_status} \
        #{pane_dead_signal} #{pane_active} #{window_active} \
        #{!=:#{pane_title},#{host}} #{session_attached} #{window_activity} \
        #{n:session_name} #{n:window_name} #{n:pane_title} #{n:pane_tty} #{n:pane_current_path} \
        #{n:pane_current_command} #{n:socket_path} \
        #{session_name}#{window_name}#{pane_title}#{pane_tty}#{pane_current_path}#{pane_current_command}#{socket_path}";

    fn row(record: &mut Record<'_>) -> Option<PaneRow> {
        let (server, session, window, pane, pid) = (
            record.parse()?,
            record.parse()?,
            record.parse()?,
            record.parse()?,
            record.parse()?,
        );
        let dead = record.flag()?;
        let ended = Dead {
            status: record.optional()?,
            signal: record.optional()?,
        };
        let (active, window_active) = (record.flag()?, record.flag()?);
        let titled = record.flag()?;
        let (attached, activity) = (record.parse()?, record.parse()?);
        let mut lengths = [0_usize; 7];
        for length in &mut lengths {
            *length = record.parse()?;
        }
        let mut lengths = lengths.into_iter();
        let mut text = || record.text(lengths.next()?).map(str::to_owned);
        let row = PaneRow {
            server,
            session,
            window,
            pane,
            pid,
            dead: dead.then_some(ended),
            active,
            window_active,
            attached,
            activity,
            session_name: text()?,
            window_name: text()?,
            title: text().map(|title| if titled { title } else { String::new() })?,
            tty: text()?,
            cwd: text()?,
            command: text()?,
            socket: text()?,
        };
        record.end()?;
        Some(row)
    }
}

impl Command for ListPanes {
    type Output = Vec<PaneRow>;

    fn verbs(&self) -> Vec<Verb> {
        let verb = Verb::new("list-panes");
        let verb = match self {
            Self::All => verb.flag("-a"),
            Self::Around(pane) => verb.option("-t", pane),
        };
        vec![verb.option("-F", Self::FORMAT)]
    }

    fn read(&self, output: &str) -> Outcome<Vec<PaneRow>> {
        rows(output, Self::row).map_or_else(|| garbled(output), Outcome::Done)
    }
}

/// A client: a terminal in which a person sees a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientRow {
    /// Its process.
    pub pid: u32,
    /// The session it shows.
    pub session: SessionId,
    /// The pane that has its focus.
    pub pane: PaneId,
    /// When it was last used, seconds since 1970.
    pub activity: u64,
    /// Its terminal device.
    pub tty: String,
}

/// Lists the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListClients;

impl Command for ListClients {
    type Output = Vec<ClientRow>;

    fn verbs(&self) -> Vec<Verb> {
        let format = "#{client_pid} #{session_id} #{pane_id} #{client_activity} #{client_tty}";
        vec![Verb::new("list-clients").option("-F", format)]
    }

    fn read(&self, output: &str) -> Outcome<Vec<ClientRow>> {
        let row = |record: &mut Record<'_>| {
            Some(ClientRow {
                pid: record.parse()?,
                session: record.parse()?,
                pane: record.parse()?,
                activity: record.parse()?,
                tty: record.line()?.to_owned(),
            })
        };
        rows(output, row).map_or_else(|| garbled(output), Outcome::Done)
    }
}

/// Reads one format of a pane, such as `#{pane_in_mode}`. tmux prints an empty line for a pane that does not exist, so its
/// absence is not seen here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Show<T> {
    /// The pane, window or session.
    pub target: T,
    /// The format.
    pub format: String,
}

impl<T: Display> Command for Show<T> {
    type Output = String;

    fn verbs(&self) -> Vec<Verb> {
        vec![
            Verb::new("display-message")
                .option("-t", &self.target)
                .flag("-p")
                .rest([self.format.clone()]),
        ]
    }

    fn read(&self, output: &str) -> Outcome<String> {
        Outcome::Done(output.strip_suffix('\n').unwrap_or(output).to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pane_is_read_whatever_its_texts_hold() {
        let texts = [
            "a b",
            "w:1",
            "t\tu|é",
            "/dev/pts/3",
            "/d\n/e",
            "zsh",
            "/tmp/s",
        ];
        let lengths: Vec<_> = texts.iter().map(|text| text.len().to_string()).collect();
        let output = format!(
            "8 $0 @1 %2 99 1  9 1 0 1 2 1700000000 {} {}\n",
            lengths.join(" "),
            texts.concat()
        );
        let Outcome::Done(panes) = ListPanes::All.read(&output.repeat(2)) else {
            panic!("{output:?}")
        };
        assert_eq!(panes.len(), 2);
        assert_eq!(panes[1].title, "t\tu|é");
        assert_eq!(panes[1].cwd, "/d\n/e");
        assert_eq!(panes[1].socket, "/tmp/s");
        assert_eq!(
            panes[1].dead,
            Some(Dead {
                status: None,
                signal: Some(9)
            })
        );
        assert!(panes[1].active && !panes[1].window_active);
        let untitled = output.replacen(" 1 0 1 2 ", " 1 0 0 2 ", 1);
        assert!(
            matches!(ListPanes::All.read(&untitled), Outcome::Done(panes) if panes[0].title.is_empty())
        );
    }

    #[test]
    fn the_most_recently_attached_session_is_one_that_a_person_sees() {
        let Outcome::Done(sessions) = ListSessions.read(
            "8 $0 0 1700000005 1700000009 old\n8 $1 1 1700000002 1700000002 shown now\n8 $2 0  1700000099 never\n",
        ) else {
            panic!("unreadable")
        };
        assert_eq!(
            most_recently_attached(&sessions).map(|s| s.name.as_str()),
            Some("shown now")
        );
        assert_eq!(
            most_recently_attached(&sessions[2..]).map(|s| s.id),
            Some(SessionId(2))
        );
        assert_eq!(most_recently_attached(&[]), None);
        assert!(matches!(ListSessions.read("8_$0_0"), Outcome::Unknown(_)));
    }
}
