//! Who is where on a server, in one question: the processes of all panes and the clients that show them.

use super::command::{Command, Verb};
use super::id::{PaneId, SessionId, WindowId};
use super::outcome::{Outcome, garbled};
use super::record::{Record, rows};

/// A pane as it is found by its process. A pane whose window is linked into several sessions has a row for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The process id of the server.
    pub server: u32,
    /// The session.
    pub session: SessionId,
    /// The window.
    pub window: WindowId,
    /// The pane.
    pub pane: PaneId,
    /// The process in it.
    pub pid: u32,
    /// Its program ended and the pane was kept: its process id and its terminal may be those of others by now.
    pub dead: bool,
    /// When something last happened in its window, seconds since 1970.
    pub activity: u64,
    /// Its terminal device.
    pub tty: String,
    /// The name of the session.
    pub session_name: String,
}

/// A client that shows a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    /// Its process.
    pub pid: u32,
    /// The session that it shows.
    pub session: SessionId,
    /// When it was last used, seconds since 1970.
    pub activity: u64,
}

/// All panes and clients of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// The panes.
    pub places: Vec<Place>,
    /// The clients.
    pub viewers: Vec<Viewer>,
}

/// Asks for the census.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakeCensus;

impl Command for TakeCensus {
    type Output = Census;

    fn verbs(&self) -> Vec<Verb> {
        // tmux keeps line breaks out of names of sessions, so the name may end the line.
        let panes = "pane #{pid} #{session_id} #{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{window_activity} \
                     #{pane_tty} #{session_name}";
        let clients = "client #{client_pid} #{session_id} #{client_activity} ";
        vec![
            Verb::new("list-panes").flag("-a").option("-F", panes),
            Verb::new("list-clients").option("-F", clients),
        ]
    }

    fn read(&self, output: &str) -> Outcome<Census> {
        let mut census = Census::default();
        let read = rows(output, |record| match record.word()? {
            "pane" => {
                census.places.push(place(record)?);
                Some(())
            }
            "client" => {
                census.viewers.push(viewer(record)?);
                Some(())
            }
            _ => None,
        });
        match read {
            Some(_) => Outcome::Done(census),
            None => garbled(output),
        }
    }
}

fn place(record: &mut Record<'_>) -> Option<Place> {
    Some(Place {
        server: record.parse()?,
        session: record.parse()?,
        window: record.parse()?,
        pane: record.parse()?,
        pid: record.parse()?,
        dead: record.flag()?,
        activity: record.parse()?,
        tty: record.word()?.to_owned(),
        session_name: record.line()?.to_owned(),
    })
}

fn viewer(record: &mut Record<'_>) -> Option<Viewer> {
    let viewer = Viewer {
        pid: record.parse()?,
        session: record.parse()?,
        activity: record.parse()?,
    };
    record.line()?;
    Some(viewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_and_clients_are_told_apart() {
        let output = "pane 8 $0 @1 %2 99 0 1700000000 /dev/pts/3 my work\n\
                      pane 8 $1 @1 %2 99 1 1700000000 /dev/pts/3 0\n\
                      client 77 $0 1700000009 \n";
        let Outcome::Done(census) = TakeCensus.read(output) else {
            panic!("unreadable")
        };
        assert_eq!(census.places[0].session_name, "my work");
        assert_eq!(census.places[0].tty, "/dev/pts/3");
        assert!(census.places[1].dead && !census.places[0].dead);
        assert_eq!(census.viewers[0].pid, 77);
        assert!(matches!(TakeCensus.read("pane_8_$0"), Outcome::Unknown(_)));
        assert_eq!(TakeCensus.read(""), Outcome::Done(Census::default()));
    }
}
