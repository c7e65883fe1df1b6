//! Amp: `amp [flags] [threads continue ID]` (ampcode.com/manual). A first prompt is taken from standard input only, which is the
//! terminal here, so it takes none.

use super::cli::{Cli, Piece};
use super::version::Version;

/// Amp.
pub(super) struct Amp;

impl Cli for Amp {
    fn id(&self) -> &'static str {
        "amp"
    }

    fn label(&self) -> &'static str {
        "Amp"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/@sourcegraph/amp/", "/@ampcode/cli/"]
    }

    fn exit_phrase(&self) -> &'static str {
        "/quit"
    }

    fn resume(&self, id: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::words(["threads", "continue", id]))
    }

    fn ids_are_uuids(&self) -> bool {
        false
    }

    fn id_words(&self) -> &'static [&'static str] {
        &["continue"]
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["thread not found", "no thread found"]
    }
}
