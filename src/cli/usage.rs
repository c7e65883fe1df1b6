//! Words that the command line does not understand, told as every other error is.

use super::CliError;

/// The error of a command line that could not be read: what is wrong in one line, and clap's tip or the usage as the hint.
pub(super) fn error(error: &clap::Error) -> CliError {
    let text = error.render().to_string();
    let mut paragraphs = text
        .split("\n\n")
        .map(|paragraph| {
            let lines = paragraph.lines().map(str::trim);
            lines
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|paragraph| !paragraph.is_empty());
    let first = paragraphs.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first);
    let (mut tip, mut usage) = (None, None);
    for paragraph in paragraphs {
        if let Some(words) = paragraph.strip_prefix("tip: ") {
            tip = tip.or_else(|| Some(words.to_owned()));
        } else if let Some(words) = paragraph.strip_prefix("Usage: ") {
            usage = Some(format!("usage: {words}"));
        }
    }
    let error = CliError::usage(message.trim_end_matches('.'));
    match tip.or(usage) {
        Some(hint) => error.hint(hint),
        None => error.hint("surfaced --help lists the commands"),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::args::Cli;
    use super::*;

    #[test]
    fn what_is_wrong_is_one_line_and_what_to_do_another() {
        for (words, message, hint) in [
            (
                &["opne"][..],
                "unrecognized subcommand 'opne'",
                "a similar subcommand exists: 'open'",
            ),
            (
                &["call"],
                "the following required arguments were not provided: <METHOD>",
                "usage: surfaced call <METHOD> [JSON]",
            ),
            (
                &["call", "--jsn", "x"],
                "unexpected argument '--jsn' found",
                "a similar argument exists: '--json'",
            ),
            (
                &["daemon", "run", "x"],
                "unexpected argument 'x' found",
                "usage: surfaced daemon run [OPTIONS]",
            ),
        ] {
            let words = ["surfaced"].iter().chain(words);
            let error = error(&Cli::try_parse_from(words).unwrap_err());
            assert_eq!(error.message, message);
            assert_eq!(error.hint.as_deref(), Some(hint));
            assert_eq!(error.exit, super::super::Exit::Usage);
        }
    }
}
