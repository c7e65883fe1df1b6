//! OpenCode: `opencode [flags]`; everything is a flag, a word by itself is a project (opencode.ai/docs/cli).

use super::cli::{Cli, Piece};
use super::transcript::{self, Format};
use super::version::Version;

/// OpenCode.
pub(super) struct Opencode;

impl Cli for Opencode {
    fn id(&self) -> &'static str {
        "opencode"
    }

    fn label(&self) -> &'static str {
        "OpenCode"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/opencode-ai/"]
    }

    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &["build", "plan"]
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--model", model))
    }

    fn mode(&self, mode: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--agent", mode))
    }

    fn resume(&self, id: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--session", id))
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--prompt", prompt))
    }

    fn ids_are_uuids(&self) -> bool {
        false
    }

    fn id_words(&self) -> &'static [&'static str] {
        &["--session", "-s"]
    }

    fn transcripts(&self) -> Option<&'static dyn Format> {
        Some(&transcript::Opencode)
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["session not found"]
    }
}
