//! GitHub Copilot CLI: `copilot [flags]` (docs.github.com/copilot/reference/cli-command-reference).

use super::cli::{Cli, Piece};
use super::version::Version;

/// GitHub Copilot CLI.
pub(super) struct Copilot;

impl Cli for Copilot {
    fn id(&self) -> &'static str {
        "copilot"
    }

    fn label(&self) -> &'static str {
        "GitHub Copilot"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/@github/copilot/"]
    }

    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &["default", "plan", "autopilot", "allow-all-tools"]
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--model", model))
    }

    fn mode(&self, mode: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(match mode {
            "default" => Piece::default(),
            "allow-all-tools" => Piece::words(["--allow-all-tools"]),
            mode => Piece::flag("--mode", mode),
        })
    }

    fn resume(&self, id: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--resume", id))
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--interactive", prompt))
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["no session or task matched", "session not found"]
    }
}
