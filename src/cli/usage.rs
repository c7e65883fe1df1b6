//! Words that the command line does not understand, told as every other error is.

use std::ffi::OsString;

use clap::CommandFactory;

use super::CliError;
use super::args::Cli;

/// The error of a command line that could not be read: what is wrong in one line, and clap's tip or the usage as the hint.
/// `args`: the whole line, the program first.
pub(super) fn error(error: &clap::Error, args: &[OsString]) -> CliError {
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
        None => error.hint(help(args)),
    }
}

/// Where to read about what was meant.
fn help(args: &[OsString]) -> String {
    let line = Cli::command();
    let mut command = &line;
    let mut names = vec![line.get_name().to_owned()];
    for word in args.iter().skip(1) {
        let Some(found) = command.find_subcommand(word) else {
            // Options come before a command too.
            if word.as_encoded_bytes().starts_with(b"-") {
                continue;
            }
            break;
        };
        names.push(found.get_name().to_owned());
        command = found;
    }
    if names.len() == 1 {
        return "surfaced --help lists the commands".to_owned();
    }
    format!("{} --help says how it is used", names.join(" "))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

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
            (
                &["--json", "plan", "x"],
                "invalid value 'x' for '[COUNT]': invalid digit found in string",
                "surfaced plan --help says how it is used",
            ),
            (
                &["open", "--split", "up"],
                "invalid value 'up' for '--split <DIRECTION>' [possible values: right, down]",
                "surfaced open --help says how it is used",
            ),
        ] {
            let words: Vec<OsString> = ["surfaced"].iter().chain(words).map(Into::into).collect();
            let error = error(&Cli::try_parse_from(&words).unwrap_err(), &words);
            assert_eq!(error.message, message);
            assert_eq!(error.hint.as_deref(), Some(hint));
            assert_eq!(error.exit, super::super::Exit::Usage);
        }
    }
}
