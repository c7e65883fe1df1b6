//! Looking again at what was just opened: tmux may close it in the same breath, by an option or a hook of the person's.

use crate::launch::step::{Answer, Invocation};
use crate::proto::{Failure, Kind};
use crate::tmux::list::{ListPanes, ShowHooks};
use crate::tmux::open::NewPane;
use crate::tmux::{Absent, Outcome, PaneId, Server};

/// A second look at new panes of one server. A pane that is gone may be that of a program which has ended, and that is no
/// failure: what closed it is looked for before anything is said.
#[derive(Clone, Debug)]
pub(super) struct Lookout {
    server: Server,
    panes: Vec<NewPane>,
    lost: Vec<PaneId>,
}

/// What a look comes to.
pub(super) enum Look {
    /// Look at this too.
    Next(Invocation),
    /// All are there, or ended by themselves.
    Fine,
    /// tmux closed these, and why.
    Lost(Vec<PaneId>, Failure),
}

impl Lookout {
    /// A look at these, and its first question. `None`: they are on a host, where a look costs a round trip, and nothing is known
    /// against them.
    pub(super) fn begin(panes: Vec<NewPane>, on_host: bool) -> Option<(Self, Invocation)> {
        let socket = panes.first()?.socket.clone();
        if on_host && !panes.iter().any(|pane| pane.exits_unattached) {
            return None;
        }
        let server = Server::Socket(socket);
        let question = server.invocation(&ListPanes::All);
        let lookout = Self {
            server,
            panes,
            lost: Vec::new(),
        };
        Some((lookout, question))
    }

    /// Reads an answer.
    pub(super) fn next(&mut self, answer: &Answer) -> Look {
        if !self.lost.is_empty() {
            return self.hooks(&answer.text());
        }
        match Outcome::of(&ListPanes::All, answer) {
            Outcome::Done(rows) => {
                let is_lost = |pane: &&NewPane| {
                    let is = |row: &crate::tmux::list::PaneRow| {
                        row.pane == pane.pane && row.server == pane.server
                    };
                    !rows.iter().any(is)
                };
                let lost = self.panes.iter().filter(is_lost).map(|pane| pane.pane);
                self.lost = lost.collect();
                match self.panes.first() {
                    Some(pane) if !self.lost.is_empty() => {
                        let hooks = ShowHooks(pane.session);
                        Look::Next(self.server.invocation(&hooks))
                    }
                    _ => Look::Fine,
                }
            }
            Outcome::Absent(Absent::Server) => self.ended(),
            Outcome::Unknown(why)
                if why.starts_with("server exited") || why.starts_with("lost server") =>
            {
                self.ended()
            }
            // That it cannot be looked at is no word against what tmux said before.
            Outcome::Absent(_) | Outcome::Unknown(_) => Look::Fine,
        }
    }

    /// A server ends with its last program too.
    fn ended(&self) -> Look {
        if !self.panes.iter().any(|pane| pane.exits_unattached) {
            return Look::Fine;
        }
        let panes = self.panes.iter().map(|pane| pane.pane).collect();
        Look::Lost(
            panes,
            closed("its option exit-unattached is on and nobody is attached").hint(
                "attach to tmux first, or switch the option off: tmux set -s exit-unattached off",
            ),
        )
    }

    fn hooks(&self, text: &str) -> Look {
        // Each line is a hook's name and its command; the names of some speak of killing too.
        let closing = text.lines().find_map(|line| {
            let (name, command) = line.split_once(' ')?;
            command.contains("kill-").then_some(name)
        });
        match closing {
            None => Look::Fine,
            Some(name) => {
                let name = name.split('[').next().unwrap_or_default();
                Look::Lost(
                    self.lost.clone(),
                    closed(&format!("its hook {name} closes what opens")).hint(format!(
                        "see it with `tmux show-hooks -g` and remove it: tmux set-hook -gu {name}"
                    )),
                )
            }
        }
    }
}

fn closed(why: &str) -> Failure {
    Failure::new(
        Kind::SpawnFailed,
        format!("tmux closed the surface as soon as it was open: {why}"),
    )
}
