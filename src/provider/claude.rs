//! Claude Code: `claude [flags] [prompt]` (code.claude.com/docs/en/cli-reference).

use super::cli::{Cli, Piece};
use super::transcript::{self, Format};
use super::version::Version;

/// Claude Code.
pub(super) struct Claude;

/// Words that the program takes for a command of its own.
const SUBCOMMANDS: &[&str] = &[
    "agents",
    "attach",
    "auth",
    "auto-mode",
    "config",
    "doctor",
    "gateway",
    "help",
    "import",
    "install",
    "kill",
    "logs",
    "mcp",
    "migrate-installer",
    "plugin",
    "plugins",
    "project",
    "remote-control",
    "respawn",
    "rm",
    "setup-token",
    "stop",
    "ultrareview",
    "update",
    "upgrade",
];

impl Cli for Claude {
    fn id(&self) -> &'static str {
        "claude"
    }

    fn label(&self) -> &'static str {
        "Claude Code"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/@anthropic-ai/claude-code/", "/claude/versions/"]
    }

    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &["default", "acceptEdits", "plan", "bypassPermissions"]
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--model", model))
    }

    fn mode(&self, mode: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(match mode {
            "default" => Piece::default(),
            // All versions take this one.
            "bypassPermissions" => Piece::words(["--dangerously-skip-permissions"]),
            mode => Piece::flag("--permission-mode", mode),
        })
    }

    fn session_id(&self, id: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--session-id", id))
    }

    fn resume(&self, id: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--resume", id))
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::prompt(prompt, SUBCOMMANDS))
    }

    fn transcripts(&self) -> Option<&'static dyn Format> {
        Some(&transcript::Claude)
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["no conversation found"]
    }

    fn goodbye_words(&self) -> &'static [&'static str] {
        &["resume this session with", "claude --resume"]
    }
}
