//! Windows of several panes that are found again by a label.

use super::command::{Command, Verb};
use super::escape;
use super::id::{PaneId, SessionId, WindowId};
use super::open::{NewPane, NewWindow, Side, Start};
use super::outcome::{Outcome, garbled};
use super::record::{Record, rows};

/// The option of a window that holds its label and marks it as a layout; a name is what anybody may change.
const LABEL: &str = "@surfaced_label";

/// The option of a pane that holds the window in whose layout it was made: others may divide that window too.
const PART: &str = "@surfaced_part";

/// Opens the window of a layout with its first pane. It is marked in the same breath: no window is a layout by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLayout {
    /// The session.
    pub session: SessionId,
    /// A name that no window has: what the window is found by until it has its own.
    pub token: String,
    /// Its label, which becomes its name.
    pub label: String,
    /// The pane.
    pub start: Start,
}

impl NewLayout {
    fn window(&self) -> NewWindow {
        NewWindow {
            session: self.session.to_string(),
            name: Some(self.token.clone()),
            start: self.start.clone(),
        }
    }
}

impl Command for NewLayout {
    type Output = NewPane;

    fn verbs(&self) -> Vec<Verb> {
        let made = format!("{}:={}", self.session, self.token);
        let mut verbs = self.window().verbs();
        verbs.push(
            Verb::new("set-option")
                .flag("-w")
                .option("-t", &made)
                .rest([LABEL, &self.label]),
        );
        verbs.push(
            Verb::new("rename-window")
                .option("-t", &made)
                .rest([escape::format(&self.label)]),
        );
        verbs
    }

    fn read(&self, output: &str) -> Outcome<NewPane> {
        self.window().read(output)
    }
}

/// A pane of a window, as far as closing a layout needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The pane.
    pub pane: PaneId,
    /// Whether its window is a layout.
    pub layout: bool,
    /// The window in whose layout it was made; absent: it was not made for one.
    pub made_for: Option<WindowId>,
}

/// Lists the panes of a window with what they were made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListParts(pub WindowId);

impl Command for ListParts {
    type Output = Vec<Part>;

    fn verbs(&self) -> Vec<Verb> {
        let format = format!("#{{pane_id}} #{{!=:#{{{LABEL}}},}} #{{{PART}}}");
        vec![
            Verb::new("list-panes")
                .option("-t", self.0)
                .option("-F", format),
        ]
    }

    fn read(&self, output: &str) -> Outcome<Vec<Part>> {
        let row = |record: &mut Record<'_>| {
            Some(Part {
                pane: record.parse()?,
                layout: record.flag()?,
                made_for: record.line()?.parse().ok(),
            })
        };
        rows(output, row).map_or_else(|| garbled(output), Outcome::Done)
    }
}

/// Closes the panes of a layout, and with them its window where nobody has a pane of their own there. What somebody has added
/// lives on, and the window is no layout any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CloseParts {
    /// The window.
    pub window: WindowId,
    /// Those of its panes that were made for it.
    pub panes: Vec<PaneId>,
}

impl Command for CloseParts {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        let leave = [LABEL, "automatic-rename"].map(|name| {
            Verb::new("set-option")
                .flag("-w")
                .flag("-u")
                .option("-t", self.window)
                .rest([name])
        });
        let all = format!("#{{!=:#{{window_panes}},{}}}", self.panes.len());
        let mut verbs = vec![
            Verb::new("if-shell")
                .flag("-F")
                .option("-t", self.window)
                .rest([all])
                .block(&leave),
        ];
        verbs.extend(self.panes.iter().map(|pane| {
            // One that has moved or gone since is none.
            Verb::new("if-shell")
                .flag("-F")
                .option("-t", pane)
                .rest([format!("#{{==:#{{window_id}},{}}}", self.window)])
                .block(&[Verb::new("kill-pane").option("-t", pane)])
        }));
        verbs
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

/// Gives the panes of a window their shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrange {
    /// The window.
    pub window: WindowId,
    /// Its panes, in order; at least one.
    pub panes: Vec<PaneId>,
    /// How its panes lie; absent: it has one.
    pub side: Option<Side>,
    /// The part of the first pane in percent; absent: all the same.
    pub percent: Option<u8>,
}

impl Command for Arrange {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        let mut verbs = vec![
            Verb::new("set-option")
                .flag("-w")
                .option("-t", self.window)
                .rest(["automatic-rename", "off"]),
        ];
        verbs.extend(self.panes.iter().map(|pane| {
            let mark = Verb::new("set-option")
                .flag("-p")
                .option("-t", pane)
                .rest([PART.to_owned(), self.window.to_string()]);
            // One whose program could not be started may be gone, which is told by its launch script.
            Verb::new("if-shell")
                .flag("-F")
                .option("-t", pane)
                .rest([format!("#{{==:#{{pane_id}},{pane}}}")])
                .block(&[mark])
        }));
        if let Some(side) = self.side {
            let flag = match side {
                Side::Right => "-x",
                Side::Below => "-y",
            };
            verbs.push(even(self.window, side));
            if let (Some(percent), Some((first, others))) = (self.percent, self.panes.split_first())
            {
                // From the first on, each resize moves one border; the last pane has what is left.
                let rest =
                    u16::from(100 - percent) / u16::try_from(others.len()).unwrap_or(1).max(1);
                let shares = std::iter::once((first, u16::from(percent)))
                    .chain(others.iter().map(|pane| (pane, rest)));
                verbs.extend(shares.take(others.len().max(1)).map(|(pane, share)| {
                    Verb::new("resize-pane")
                        .option("-t", pane)
                        .option(flag, format_args!("{share}%"))
                }));
            }
        }
        verbs
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

/// Gives the panes of a window equal parts, so that there is room for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Even {
    /// The window.
    pub window: WindowId,
    /// How its panes lie.
    pub side: Side,
}

impl Command for Even {
    type Output = ();

    fn verbs(&self) -> Vec<Verb> {
        vec![even(self.window, self.side)]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

fn even(window: WindowId, side: Side) -> Verb {
    let layout = match side {
        Side::Right => "even-horizontal",
        Side::Below => "even-vertical",
    };
    Verb::new("select-layout")
        .option("-t", window)
        .rest([layout])
}

/// A window of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRow {
    /// The process id of the server.
    pub server: u32,
    /// The window.
    pub window: WindowId,
    /// Its label; empty: it is no layout.
    pub label: String,
}

/// Lists the windows of a session with their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLabels(pub SessionId);

impl Command for ListLabels {
    type Output = Vec<LabelRow>;

    fn verbs(&self) -> Vec<Verb> {
        let format = format!("#{{pid}} #{{window_id}} #{{n:{LABEL}}} #{{{LABEL}}}");
        vec![
            Verb::new("list-windows")
                .option("-t", format_args!("{}:", self.0))
                .option("-F", format),
        ]
    }

    fn read(&self, output: &str) -> Outcome<Vec<LabelRow>> {
        let row = |record: &mut Record<'_>| {
            let (server, window) = (record.parse()?, record.parse()?);
            let label = record.parse()?;
            let row = LabelRow {
                server,
                window,
                label: record.text(label)?.to_owned(),
            };
            record.end()?;
            Some(row)
        };
        rows(output, row).map_or_else(|| garbled(output), Outcome::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::super::server::Server;
    use super::*;

    #[test]
    fn the_first_pane_gets_its_share_after_all_were_made_equal() {
        let arrange = Arrange {
            window: WindowId(4),
            panes: vec![PaneId(7), PaneId(8), PaneId(9)],
            side: Some(Side::Right),
            percent: Some(70),
        };
        let argv = Server::Default.argv(&arrange).join(" ");
        assert!(
            argv.ends_with("select-layout -t @4 -- even-horizontal ; resize-pane -t %7 -x 70% ; resize-pane -t %8 -x 15%"),
            "{argv}"
        );
    }

    #[test]
    fn labels_hold_everything() {
        let read = ListLabels(SessionId(0)).read("8 @1 3 a b\n8 @2 0 \n");
        let Outcome::Done(rows) = read else {
            panic!("{read:?}")
        };
        assert_eq!(
            (rows[0].label.as_str(), rows[1].label.as_str()),
            ("a b", "")
        );
    }
}
