//! Providers of the configuration file: words with holes instead of code.

use super::cli::{Cli, Piece};
use crate::config::{Hole, Piece as Part, Template};
use crate::proto::Failure;
use crate::proto::text::shown;

/// A program of which only the configuration knows anything.
pub(super) struct Described;

impl Cli for Described {
    fn id(&self) -> &'static str {
        ""
    }

    fn label(&self) -> &'static str {
        ""
    }

    fn ids_are_uuids(&self) -> bool {
        false
    }
}

/// The words of a template with its hole filled.
///
/// A value that begins with `-` must not be read as a flag: it is joined to the long flag before it, or stands behind `--`
/// where it is a prompt by itself.
///
/// # Errors
/// `invalid-params` of `what` where neither is possible.
pub(super) fn fill(
    template: &Template,
    hole: Hole,
    value: &str,
    what: &str,
) -> Result<Piece, Failure> {
    let mut args: Vec<String> = Vec::new();
    for word in &template.0 {
        let text: String = word
            .0
            .iter()
            .map(|piece| match piece {
                Part::Text(text) => text.as_str(),
                Part::Hole(found) if *found == hole => value,
                Part::Hole(_) => "",
            })
            .collect();
        let is_value = matches!(word.0.first(), Some(Part::Hole(_)));
        if !(is_value && text.starts_with('-')) {
            args.push(text);
            continue;
        }
        match args.last_mut() {
            Some(flag) if flag.starts_with("--") && !flag.contains('=') => {
                flag.push('=');
                flag.push_str(&text);
            }
            last if hole == Hole::Prompt
                && last.as_ref().is_none_or(|last| !last.starts_with('-')) =>
            {
                args.extend(["--".to_owned(), text]);
            }
            _ => {
                return Err(Failure::params(
                    what,
                    format!(
                        "{text} begins with - and would be read as an option",
                        text = shown(text)
                    ),
                ));
            }
        }
    }
    Ok(Piece {
        args,
        env: Vec::new(),
    })
}
