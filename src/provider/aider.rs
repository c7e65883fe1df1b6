//! Aider: `aider [flags]` (aider.chat/docs/config/options.html). It keeps one history a directory, without ids, and `--message`
//! ends it after the answer: so it neither resumes nor takes a first prompt.

use super::cli::{Cli, Piece};
use super::version::Version;

/// Aider.
pub(super) struct Aider;

impl Cli for Aider {
    fn id(&self) -> &'static str {
        "aider"
    }

    fn label(&self) -> &'static str {
        "Aider"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/aider/__main__.py"]
    }

    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &["code", "ask", "architect", "help"]
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--model", model))
    }

    fn mode(&self, mode: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(match mode {
            "code" => Piece::default(),
            mode => Piece::flag("--chat-mode", mode),
        })
    }
}
