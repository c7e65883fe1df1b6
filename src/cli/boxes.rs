//! A plan as boxes: one for each tab, divided as its panes are.

use crate::proto::Layout;

/// A pane inside a tab that is drawn.
struct Pane {
    label: String,
    layout: Layout,
}

/// Draws the tabs that a batch makes, several beside each other as far as `width` columns reach.
///
/// A split divides the tab before it; one that has none is drawn as a tab. Labels are cut to fit. No layouts: the empty text.
#[must_use]
pub fn draw(layouts: &[Layout], labels: &[String], width: usize) -> String {
    let mut tabs: Vec<Vec<Pane>> = Vec::new();
    for (index, &layout) in layouts.iter().enumerate() {
        let label = labels
            .get(index)
            .cloned()
            .unwrap_or_else(|| format!("{}", index + 1));
        let pane = Pane { label, layout };
        match tabs.last_mut() {
            Some(tab) if layout.is_split() => tab.push(pane),
            _ => tabs.push(vec![pane]),
        }
    }
    let drawn: Vec<Vec<String>> = tabs
        .iter()
        .enumerate()
        .map(|(index, panes)| tab(index + 1, panes))
        .collect();
    let mut text = String::new();
    let mut row: Vec<&Vec<String>> = Vec::new();
    let mut used = 0;
    for tab in &drawn {
        let columns = tab[0].chars().count() + 2;
        if used + columns > width && !row.is_empty() {
            text.push_str(&beside(&row));
            row.clear();
            used = 0;
        }
        used += columns;
        row.push(tab);
    }
    text.push_str(&beside(&row));
    text
}

/// The widest label; longer ones are cut.
const LABEL: usize = 18;

fn tab(number: usize, panes: &[Pane]) -> Vec<String> {
    let cell = |pane: &Pane| {
        let label: String = if pane.label.chars().count() > LABEL {
            pane.label.chars().take(LABEL - 1).chain(['…']).collect()
        } else {
            pane.label.clone()
        };
        super::render::plain(&label.replace(|c: char| c.is_control(), " "))
    };
    let labels: Vec<String> = panes.iter().map(cell).collect();
    let wide = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let stacked = panes.len() > 1
        && panes[1..]
            .iter()
            .all(|pane| pane.layout == Layout::SplitDown);
    let kind = if panes[0].layout == Layout::Window {
        "window"
    } else {
        "tab"
    };
    let bar = "─".repeat(wide + 2);
    let mut lines = Vec::new();
    if stacked {
        lines.push(format!("┌{bar}┐"));
        for (index, label) in labels.iter().enumerate() {
            if index > 0 {
                lines.push(format!("├{bar}┤"));
            }
            lines.push(format!("│ {label:<wide$} │"));
        }
        lines.push(format!("└{bar}┘"));
    } else {
        let bars = vec![bar; labels.len()];
        lines.push(format!("┌{}┐", bars.join("┬")));
        let cells: Vec<String> = labels
            .iter()
            .map(|label| format!(" {label:<wide$} "))
            .collect();
        lines.push(format!("│{}│", cells.join("│")));
        lines.push(format!("└{}┘", bars.join("┴")));
    }
    let columns = lines[0].chars().count();
    lines.insert(0, format!("{:<columns$}", format!("{kind} {number}")));
    lines
}

fn beside(tabs: &[&Vec<String>]) -> String {
    let height = tabs.iter().map(|tab| tab.len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..height {
        let line: Vec<String> = tabs
            .iter()
            .map(|tab| {
                let columns = tab[0].chars().count();
                tab.get(row).cloned().unwrap_or_else(|| " ".repeat(columns))
            })
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use Layout::{SplitDown, SplitRight, Tab};

    fn labels(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn five_surfaces_make_three_tabs() {
        let drawn = draw(
            &[Tab, SplitRight, Tab, SplitRight, Tab],
            &labels(&["s1", "s2", "s3", "s4", "s5"]),
            80,
        );
        assert_eq!(
            drawn,
            "tab 1            tab 2            tab 3\n\
             ┌──────┬──────┐  ┌──────┬──────┐  ┌──────┐\n\
             │ s1   │ s2   │  │ s3   │ s4   │  │ s5   │\n\
             └──────┴──────┘  └──────┴──────┘  └──────┘\n"
        );
    }

    #[test]
    fn a_split_downwards_is_stacked_and_long_labels_are_cut() {
        let drawn = draw(
            &[Tab, SplitDown],
            &labels(&["a", "a name that is too long\n"]),
            80,
        );
        assert_eq!(
            drawn,
            "tab 1\n\
             ┌────────────────────┐\n\
             │ a                  │\n\
             ├────────────────────┤\n\
             │ a name that is to… │\n\
             └────────────────────┘\n"
        );
    }

    #[test]
    fn a_narrow_terminal_gets_rows_and_nothing_draws_nothing() {
        assert_eq!(draw(&[], &[], 80), "");
        assert_eq!(
            draw(&[Tab, Tab], &labels(&["a", "b"]), 9).lines().count(),
            8
        );
    }
}
