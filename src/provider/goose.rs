//! Goose: `goose session …`, and `goose run --interactive --text PROMPT` where there is a first prompt
//! (block.github.io/goose/docs/guides/goose-cli-commands). Model and mode are variables.

use super::cli::{Cli, Piece};
use super::version::{Version, since};

/// Goose.
pub(super) struct Goose;

impl Cli for Goose {
    fn id(&self) -> &'static str {
        "goose"
    }

    fn label(&self) -> &'static str {
        "Goose"
    }

    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &["auto", "approve", "smart_approve", "chat"]
    }

    fn lead(&self, prompt: bool) -> Piece {
        if prompt {
            Piece::words(["run", "--interactive"])
        } else {
            Piece::words(["session"])
        }
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::variable("GOOSE_MODEL", model))
    }

    fn mode(&self, mode: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::variable("GOOSE_MODE", mode))
    }

    fn resume(&self, id: &str, version: Option<&Version>) -> Option<Piece> {
        let flag = if since(version, &[1, 10]) {
            "--session-id"
        } else {
            "--id"
        };
        Some(Piece::words(["--resume", flag, id]))
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--text", prompt))
    }

    fn ids_are_uuids(&self) -> bool {
        false
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["no session found", "cannot resume session"]
    }

    fn goodbye_words(&self) -> &'static [&'static str] {
        &["closing session"]
    }
}
