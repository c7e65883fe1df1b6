//! Gemini CLI: `gemini [flags]`; a word by itself is a prompt without a terminal (geminicli.com/docs/cli/cli-reference).

use super::cli::{Cli, Piece};
use super::transcript::{self, Format};
use super::version::{Version, since};

/// Gemini CLI.
pub(super) struct Gemini;

impl Cli for Gemini {
    fn id(&self) -> &'static str {
        "gemini"
    }

    fn label(&self) -> &'static str {
        "Gemini CLI"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/@google/gemini-cli/"]
    }

    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &["default", "auto_edit", "plan", "yolo"]
    }

    fn exit_phrase(&self) -> &'static str {
        "/quit"
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--model", model))
    }

    fn mode(&self, mode: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--approval-mode", mode))
    }

    fn session_id(&self, id: &str, version: Option<&Version>) -> Option<Piece> {
        since(version, &[0, 41]).then(|| Piece::flag("--session-id", id))
    }

    fn resume(&self, id: &str, version: Option<&Version>) -> Option<Piece> {
        since(version, &[0, 20]).then(|| Piece::flag("--resume", id))
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--prompt-interactive", prompt))
    }

    fn transcripts(&self) -> Option<&'static dyn Format> {
        Some(&transcript::Gemini)
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["invalid session identifier", "no previous sessions found"]
    }

    fn goodbye_words(&self) -> &'static [&'static str] {
        &["agent powering down", "goodbye"]
    }
}
