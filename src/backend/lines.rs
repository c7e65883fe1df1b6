//! Text of a screen as `surface.capture` gives it.

/// The last so many lines (absent: all), without the blanks at their ends and the empty lines at the end of the screen.
pub(super) fn last(output: &str, wanted: Option<u32>) -> String {
    let mut lines: Vec<_> = output.lines().map(str::trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let wanted = wanted.map_or(usize::MAX, |wanted| {
        usize::try_from(wanted).unwrap_or(usize::MAX)
    });
    let mut text = lines
        .split_off(lines.len().saturating_sub(wanted))
        .join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::last;

    #[test]
    fn the_empty_rest_of_a_screen_is_no_text() {
        for (wanted, expected) in [
            (None, "a\n\n b\n"),
            (Some(0), ""),
            (Some(1), " b\n"),
            (Some(9), "a\n\n b\n"),
        ] {
            assert_eq!(last("a  \n\n b\n\n \n", wanted), expected, "{wanted:?}");
        }
    }
}
