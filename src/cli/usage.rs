//! Words that the command line does not understand, told as every other error is.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::CliError;
use super::args::Cli;
use crate::launch::quote::{Style, posix};

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
    let (joined, error) = (
        joined(error, args),
        CliError::usage(message.trim_end_matches('.')),
    );
    match joined.or(tip).or(usage) {
        Some(hint) => error.hint(hint),
        None => error.hint(help(args)),
    }
}

/// What to write where a value that begins with `-` was taken for an option.
fn joined(error: &clap::Error, args: &[OsString]) -> Option<String> {
    let blamed = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(blamed) => blamed.split([' ', '=']).next()?,
        _ => return None,
    };
    let line = Cli::command();
    let (_, command) = meant(&line, args);
    let words: Vec<&str> = args.iter().filter_map(|word| word.to_str()).collect();
    words.windows(2).find_map(|pair| {
        let [option, value] = *pair else { return None };
        let is_it = |arg: &&clap::Arg| {
            let long = arg.get_long().map(|long| format!("--{long}"));
            let short = arg.get_short().map(|short| format!("-{short}"));
            arg.get_action().takes_values()
                && (long.as_deref() == Some(option) || short.as_deref() == Some(option))
        };
        let long = command.get_arguments().find(is_it)?.get_long()?;
        let is_meant = match error.kind() {
            ErrorKind::InvalidValue => blamed == format!("--{long}"),
            ErrorKind::UnknownArgument => value.starts_with(blamed),
            _ => false,
        };
        (is_meant && value.starts_with('-')).then(|| {
            let value = posix(value, Style::Quoted);
            format!("a value that begins with - is joined to its option: --{long}={value}")
        })
    })
}

/// Where to read about what was meant.
fn help(args: &[OsString]) -> String {
    let line = Cli::command();
    let (names, _) = meant(&line, args);
    if names.len() == 1 {
        return "surfaced --help lists the commands".to_owned();
    }
    format!("{} --help says how it is used", names.join(" "))
}

/// The command that was meant, and the names that lead to it.
fn meant<'a>(line: &'a clap::Command, args: &[OsString]) -> (Vec<String>, &'a clap::Command) {
    let mut command = line;
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
    (names, command)
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
                &["agent", "new", "claude", "-m", "-m"],
                "a value is required for '--model <MODEL>' but none was supplied",
                "a value that begins with - is joined to its option: --model='-m'",
            ),
            (
                &["agent", "new", "claude", "-m", "-x"],
                "unexpected argument '-x' found",
                "a value that begins with - is joined to its option: --model='-x'",
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
