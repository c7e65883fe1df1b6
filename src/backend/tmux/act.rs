//! Verbs on one pane. The server is checked in the same breath: ids begin again with each server.

use uuid::Uuid;

use crate::backend::sequence::Sequence;
use crate::backend::{Act, Done};
use crate::launch::step::{BoxedConversation, Invocation, Once};
use crate::proto::surfaces::SurfaceInfo;
use crate::proto::{BackendId, Failure, SurfaceRef, TmuxPane};
use crate::tmux::list::{ListPanes, PaneRow};
use crate::tmux::pane::{Capture, KillPane, Press, Select, Show, Write};
use crate::tmux::{Absent, Command, Key, OnServer, Outcome, PaneId, Server};

/// The commands of a verb.
pub(super) fn plan(surface: &SurfaceRef, act: &Act) -> Result<Sequence<Done>, Failure> {
    let SurfaceRef::Tmux(place) = surface else {
        return Err(Failure::params(
            "surface",
            format!("{surface} is no surface of tmux"),
        ));
    };
    let Some(pane) = place.pane.map(PaneId) else {
        return Err(Failure::params(
            "surface",
            format!("{surface} names a window, not a pane"),
        ));
    };
    let verb = Verb {
        place: place.clone(),
        doing: format!("{} {surface}", act.verb()),
    };
    let done = Sequence::new(Done::Nothing);
    Ok(match act {
        Act::Inject {
            text,
            enter,
            combined,
        } => inject(&verb, pane, text, *enter, *combined),
        Act::Keys(names) => verb.then(done, press(pane, names)?, |(), _| {}),
        Act::Capture(lines) => {
            let capture = Capture {
                pane,
                lines: *lines,
            };
            verb.then(done, capture, |text, done| *done = Done::Text(text))
        }
        Act::Focus => {
            let sequence = verb.then(done, Select(pane), |_, _| {});
            verb.show(sequence, pane)
        }
        Act::Close => verb.then(done, KillPane(pane), |(), _| {}),
    })
}

/// The panes of the default server; none where no server runs.
pub(super) fn list() -> BoxedConversation<Vec<SurfaceInfo>> {
    let invocation = Server::Default.invocation(&ListPanes::All);
    Box::new(Once::new(invocation, |answer| {
        match Outcome::of(&ListPanes::All, &answer) {
            Outcome::Absent(Absent::Server) => Ok(Vec::new()),
            outcome => Ok(outcome
                .on_surface("list the panes of tmux")?
                .iter()
                .map(info)
                .collect()),
        }
    }))
}

/// A pane as a surface of this machine. Its title is its own where somebody has given it one, else that of its tab.
#[must_use]
pub fn info(row: &PaneRow) -> SurfaceInfo {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    SurfaceInfo {
        surface: SurfaceRef::Tmux(TmuxPane {
            server: row.server,
            window: row.window.0,
            pane: Some(row.pane.0),
            socket: row.socket.clone(),
            host: None,
        }),
        backend: BackendId::from("tmux"),
        title: some(&row.title).or_else(|| some(&row.window_name)),
        cwd: some(&row.cwd),
        command: some(&row.command),
        active: Some(row.active && row.window_active),
        exit: None,
    }
}

/// A verb on the way: where, and how it is told in a failure.
struct Verb {
    place: TmuxPane,
    doing: String,
}

impl Verb {
    fn invocation(&self, command: &impl Command) -> Invocation {
        Server::Socket(self.place.socket.clone()).invocation(command)
    }

    fn then<C>(
        &self,
        sequence: Sequence<Done>,
        command: C,
        read: impl Fn(C::Output, &mut Done) + Send + 'static,
    ) -> Sequence<Done>
    where
        C: Command + Send + 'static,
    {
        let command = OnServer {
            pid: self.place.server,
            command,
        };
        let doing = self.doing.clone();
        sequence.then(self.invocation(&command), move |answer, done| {
            read(Outcome::of(&command, &answer).on_surface(&doing)?, done);
            Ok(())
        })
    }

    /// Shows the pane in the client that was used last. That nobody is attached is no failure of the pane.
    fn show(&self, sequence: Sequence<Done>, pane: PaneId) -> Sequence<Done> {
        let command = OnServer {
            pid: self.place.server,
            command: Show(pane),
        };
        let doing = self.doing.clone();
        sequence.then(
            self.invocation(&command),
            move |answer, _| match Outcome::of(&command, &answer) {
                Outcome::Unknown(why) if why == "no current client" => Ok(()),
                outcome => outcome.on_surface(&doing),
            },
        )
    }
}

/// Text and Enter are two writes: a program that takes pasted text swallows an Enter that is fused to it.
fn inject(verb: &Verb, pane: PaneId, text: &str, enter: bool, combined: bool) -> Sequence<Done> {
    let fused = combined && enter;
    let text = if fused {
        format!("{text}\r")
    } else {
        text.to_owned()
    };
    let mut writes = 0;
    let mut sequence = Sequence::new(Done::Nothing);
    if !text.is_empty() {
        writes += 1;
        let write = Write {
            pane,
            text,
            buffer: format!("surfaced-{}", Uuid::new_v4().simple()),
        };
        sequence = verb.then(sequence, write, move |(), done| {
            *done = Done::Writes(writes);
        });
    }
    if enter && !fused {
        writes += 1;
        let keys = vec![Key::enter()];
        sequence = verb.then(sequence, Press { pane, keys }, move |(), done| {
            *done = Done::Writes(writes);
        });
    }
    if writes == 0 {
        Sequence::new(Done::Writes(0))
    } else {
        sequence
    }
}

fn press(pane: PaneId, names: &[String]) -> Result<Press, Failure> {
    let keys = Key::all("keys", names)?;
    Ok(Press { pane, keys })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(act: &Act) -> Vec<Invocation> {
        let surface = "tmux:812.@3.%7;socket=/t/s".parse().unwrap();
        plan(&surface, act).unwrap().into_invocations()
    }

    #[test]
    fn text_and_enter_are_two_writes_unless_combined() {
        let inject = |text: &str, enter, combined| {
            steps(&Act::Inject {
                text: text.into(),
                enter,
                combined,
            })
        };
        assert_eq!(inject("hi", true, false).len(), 2);
        assert_eq!(inject("", true, false).len(), 1);
        assert_eq!(inject("", false, false).len(), 0);
        let combined = inject("hi", true, true);
        assert_eq!(combined.len(), 1);
        assert_eq!(combined[0].stdin.as_deref(), Some(&b"hi\r"[..]));
    }

    #[test]
    fn every_verb_names_the_server_and_the_pane() {
        for act in [
            Act::Keys(vec!["C-c".into()]),
            Act::Capture(None),
            Act::Focus,
            Act::Close,
        ] {
            for step in steps(&act) {
                assert_eq!(step.argv[..4], ["tmux", "-u", "-S", "/t/s"]);
                let line = step.argv.join(" ");
                assert!(
                    line.contains("#{==:#{pid},812}") && line.contains("%7"),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn unknown_keys_are_refused_with_their_place() {
        let surface = "tmux:812.@3.%7;socket=/t/s".parse().unwrap();
        let keys = Act::Keys(vec!["Enter".into(), "Entr".into()]);
        let failure = plan(&surface, &keys).err().unwrap();
        assert_eq!(failure.data.path.as_deref(), Some("keys[1]"));
    }
}
