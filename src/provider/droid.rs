//! Factory's droid: `droid [flags] [prompt]` (docs.factory.ai/reference/cli-reference).

use super::cli::{Cli, Piece};
use super::version::Version;

/// Factory's droid.
pub(super) struct Droid;

/// Words that the program takes for a command of its own.
const SUBCOMMANDS: &[&str] = &[
    "computer", "daemon", "exec", "find", "help", "login", "logout", "mcp", "plugin", "search",
    "update",
];

impl Cli for Droid {
    fn id(&self) -> &'static str {
        "droid"
    }

    fn label(&self) -> &'static str {
        "Droid"
    }

    fn exit_phrase(&self) -> &'static str {
        "/quit"
    }

    fn resume(&self, id: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--resume", id))
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::prompt(prompt, SUBCOMMANDS))
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["session not found", "no session found"]
    }
}
