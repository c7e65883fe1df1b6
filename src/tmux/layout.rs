//! Windows of several panes that are found again by a label.

use super::command::{Command, Verb};
use super::id::{PaneId, SessionId, WindowId};
use super::open::Side;
use super::outcome::{Outcome, garbled};
use super::record::{Record, rows};

/// The option of a window that holds its label; a name is what anybody may change.
const LABEL: &str = "@surfaced_label";

/// Gives a window its label, and its panes their shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrange {
    /// The window.
    pub window: WindowId,
    /// Its label.
    pub label: String,
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
        let of_window = || Verb::new("set-option").flag("-w").option("-t", self.window);
        let mut verbs = vec![
            of_window().rest([LABEL, &self.label]),
            of_window().rest(["automatic-rename", "off"]),
        ];
        if let Some(side) = self.side {
            let (layout, flag) = match side {
                Side::Right => ("even-horizontal", "-x"),
                Side::Below => ("even-vertical", "-y"),
            };
            verbs.push(even(self.window, layout));
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
        vec![even(
            self.window,
            match self.side {
                Side::Right => "even-horizontal",
                Side::Below => "even-vertical",
            },
        )]
    }

    fn read(&self, _output: &str) -> Outcome<()> {
        Outcome::Done(())
    }
}

fn even(window: WindowId, layout: &str) -> Verb {
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
    /// Its label; empty: it has none.
    pub label: String,
    /// Its name.
    pub name: String,
}

/// Lists the windows of a session with their labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLabels(pub SessionId);

impl Command for ListLabels {
    type Output = Vec<LabelRow>;

    fn verbs(&self) -> Vec<Verb> {
        let format = format!(
            "#{{pid}} #{{window_id}} #{{n:{LABEL}}} #{{n:window_name}} #{{{LABEL}}}#{{window_name}}"
        );
        vec![
            Verb::new("list-windows")
                .option("-t", format_args!("{}:", self.0))
                .option("-F", format),
        ]
    }

    fn read(&self, output: &str) -> Outcome<Vec<LabelRow>> {
        let row = |record: &mut Record<'_>| {
            let (server, window) = (record.parse()?, record.parse()?);
            let (label, name): (usize, usize) = (record.parse()?, record.parse()?);
            let row = LabelRow {
                server,
                window,
                label: record.text(label)?.to_owned(),
                name: record.text(name)?.to_owned(),
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
            label: "a;".into(),
            panes: vec![PaneId(7), PaneId(8), PaneId(9)],
            side: Some(Side::Right),
            percent: Some(70),
        };
        let argv = Server::Default.argv(&arrange).join(" ");
        assert!(
            argv.contains(r"set-option -w -t @4 -- @surfaced_label a\;"),
            "{argv}"
        );
        assert!(
            argv.ends_with("select-layout -t @4 -- even-horizontal ; resize-pane -t %7 -x 70% ; resize-pane -t %8 -x 15%"),
            "{argv}"
        );
    }

    #[test]
    fn labels_and_names_hold_everything() {
        let read = ListLabels(SessionId(0)).read("8 @1 3 1 a bx\n8 @2 0 2 zz\n");
        let Outcome::Done(rows) = read else {
            panic!("{read:?}")
        };
        assert_eq!(
            (rows[0].label.as_str(), rows[0].name.as_str()),
            ("a b", "x")
        );
        assert_eq!((rows[1].label.as_str(), rows[1].name.as_str()), ("", "zz"));
    }
}
