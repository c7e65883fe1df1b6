//! Codex: `codex [flags] [resume ID] [prompt]`; the flags of the root stand before the word (developers.openai.com/codex/cli/reference).

use super::cli::{Cli, Piece};
use super::transcript::{self, Format};
use super::version::{Version, since};

/// Codex.
pub(super) struct Codex;

/// With this version the program was written anew: before it took `--approval-mode` and `--resume`.
const REWRITTEN: &[u64] = &[0, 2];

/// Words that the program takes for a command of its own.
const SUBCOMMANDS: &[&str] = &[
    "a",
    "app",
    "app-server",
    "apply",
    "archive",
    "cloud",
    "cloud-tasks",
    "completion",
    "debug",
    "delete",
    "doctor",
    "e",
    "exec",
    "exec-server",
    "execpolicy",
    "features",
    "feedback",
    "fork",
    "generate-ts",
    "help",
    "login",
    "logout",
    "mcp",
    "mcp-server",
    "plugin",
    "proto",
    "p",
    "remote-control",
    "responses-api-proxy",
    "resume",
    "review",
    "sandbox",
    "stdio-to-uds",
    "unarchive",
    "update",
];

impl Cli for Codex {
    fn id(&self) -> &'static str {
        "codex"
    }

    fn label(&self) -> &'static str {
        "Codex"
    }

    fn packages(&self) -> &'static [&'static str] {
        &["/@openai/codex/"]
    }

    fn modes(&self, version: Option<&Version>) -> &'static [&'static str] {
        if since(version, REWRITTEN) {
            &[
                "untrusted",
                "on-request",
                "never",
                "read-only",
                "workspace-write",
                "danger-full-access",
                "yolo",
            ]
        } else {
            &["suggest", "auto-edit", "full-auto"]
        }
    }

    fn model(&self, model: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::flag("--model", model))
    }

    fn mode(&self, mode: &str, version: Option<&Version>) -> Option<Piece> {
        Some(match mode {
            mode if !since(version, REWRITTEN) => Piece::flag("--approval-mode", mode),
            "read-only" | "workspace-write" | "danger-full-access" => {
                Piece::flag("--sandbox", mode)
            }
            "yolo" => Piece::words(["--dangerously-bypass-approvals-and-sandbox"]),
            mode => Piece::flag("--ask-for-approval", mode),
        })
    }

    fn resume(&self, id: &str, version: Option<&Version>) -> Option<Piece> {
        Some(if since(version, REWRITTEN) {
            Piece::words(["resume", id])
        } else {
            Piece::flag("--resume", id)
        })
    }

    fn prompt(&self, prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        Some(Piece::prompt(prompt, SUBCOMMANDS))
    }

    fn id_words(&self) -> &'static [&'static str] {
        &["resume", "--resume"]
    }

    fn transcripts(&self) -> Option<&'static dyn Format> {
        Some(&transcript::Codex)
    }

    fn missing_words(&self) -> &'static [&'static str] {
        &[
            "no saved session found",
            "no rollout found",
            "no session found",
        ]
    }

    fn goodbye_words(&self) -> &'static [&'static str] {
        &["to continue this session", "token usage:"]
    }
}
