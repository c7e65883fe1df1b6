//! Cursor's agent: `cursor-agent [flags] [prompt]` (cursor.com/docs/cli/reference/parameters).

use super::cli::{Cli, Piece};
use super::version::Version;

/// Cursor's agent.
pub(super) struct CursorAgent;

/// Words that the program takes for a command of its own.
const SUBCOMMANDS: &[&str] = &[
    "about",
    "acp",
    "agent",
    "bugbot",
    "create-chat",
    "generate-rule",
    "help",
    "install-shell-integration",
    "login",
    "logout",
    "ls",
    "mcp",
    "models",
    "resume",
    "rule",
    "sandbox",
    "status",
    "uninstall-shell-integration",
    "update",
    "upgrade",
    "whoami",
    "worker",
    "worktree",
];

impl Cli for CursorAgent {
    fn id(&self) -> &'static str {
        "cursor-agent"
    }

    fn label(&self) -> &'static str {
        "Cursor Agent"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/cursor-agent/versions/"]
    }

    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &["default", "plan", "ask", "force"]
    }

    fn exit_phrase(&self) -> &'static str {
        "/quit"
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--model", model))
    }

    fn mode(&self, mode: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(match mode {
            "default" => Piece::default(),
            "force" => Piece::words(["--force"]),
            mode => Piece::flag("--mode", mode),
        })
    }

    fn resume(&self, id: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--resume", id))
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::prompt(prompt, SUBCOMMANDS))
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &["chat not found", "no chat found", "session not found"]
    }
}
