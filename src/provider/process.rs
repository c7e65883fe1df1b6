//! Agents by the names of their processes.

use super::registry::{Provider, Providers};
use crate::resolve::{Program, is_interpreter};

/// First words after the program with which an agent serves another program instead of a person.
const SERVING: &[&str] = &[
    "acp",
    "--acp",
    "app-server",
    "exec-server",
    "mcp",
    "mcp-server",
    "proto",
    "serve",
];

/// Programs that run others, beside interpreters: their own name says nothing.
const RUNNERS: &[&str] = &[
    "npx", "npm", "pnpm", "yarn", "bunx", "uv", "uvx", "pipx", "mise", "sudo", "nice", "nohup",
    "ssh",
];

/// Whether a program of this name runs a program that only its words name.
pub(super) fn runs_others(name: &str) -> bool {
    is_interpreter(name) || RUNNERS.contains(&name)
}

/// The provider whose agent a process is.
pub(super) fn find<'a>(providers: &'a Providers, program: &Program) -> Option<&'a Provider> {
    let script = program.script();
    let found = match script {
        Some(script) => by_name(providers, script).or_else(|| by_package(providers, script)),
        None => by_name(providers, program.bare_name())
            .or_else(|| by_package(providers, program.path.as_deref()?)),
    }?;
    let after = match script {
        Some(script) => program.argv.iter().position(|word| word == script)? + 1,
        None => 1,
    };
    let serving = program
        .argv
        .get(after)
        .is_some_and(|word| SERVING.contains(&word.as_str()));
    (!serving).then_some(found)
}

/// Whether a process of this name is worth a closer look.
pub(super) fn may_be(providers: &Providers, name: &str) -> bool {
    let program = Program {
        name: name.to_owned(),
        ..Program::default()
    };
    is_interpreter(name)
        || name.starts_with(|c: char| c.is_ascii_digit())
        || by_name(providers, program.bare_name()).is_some()
}

/// The last part of a path.
pub(super) fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn by_name<'a>(providers: &'a Providers, path: &str) -> Option<&'a Provider> {
    let name = name_of(path);
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let stem = [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    let called = |provider: &&Provider| {
        let mut names = provider.processes().iter();
        names.any(|known| known == stem || is_cut(known, stem))
    };
    providers.iter().find(called)
}

/// Whether `name` is what Linux leaves of a longer name: 15 bytes.
fn is_cut(known: &str, name: &str) -> bool {
    name.len() == 15 && known.starts_with(name)
}

fn by_package<'a>(providers: &'a Providers, path: &str) -> Option<&'a Provider> {
    let within = |provider: &&Provider| provider.packages().iter().any(|part| path.contains(part));
    providers.iter().find(within)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, line: &str, expected: Option<&str>) {
        let program = Program {
            pid: 1,
            name: name.to_owned(),
            path: None,
            argv: line.split(' ').map(str::to_owned).collect(),
        };
        let providers = Providers::default();
        let found = providers.of_process(&program).map(Provider::id);
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn agents_are_known_by_their_own_name_and_by_their_script() {
        check("claude", "claude --resume x", Some("claude"));
        check("claude@2.1.187", "claude@2.1.187", Some("claude"));
        check(
            "cursor-agent@1.",
            "cursor-agent@1.2.3",
            Some("cursor-agent"),
        );
        check("claude", "/bin/sh /x/claude", Some("claude"));
        check("node", "node /x/bin/claude", Some("claude"));
        check("node-MainThread", "node /x/bin/codex.js", Some("codex"));
        check(
            "node",
            "/opt/node --no-warnings /l/node_modules/@anthropic-ai/claude-code/cli.js",
            Some("claude"),
        );
        check(
            "node",
            "/h/.local/share/cursor-agent/versions/1/node --use-system-ca /h/.local/share/cursor-agent/versions/1/index.js",
            Some("cursor-agent"),
        );
        check("python3.12", "python3 -m aider", Some("aider"));
        check("bun", "bun /x/opencode", Some("opencode"));
        for kind in [
            "gemini", "aider", "goose", "droid", "amp", "copilot", "opencode",
        ] {
            check(kind, kind, Some(kind));
        }
    }

    #[test]
    fn what_only_mentions_an_agent_is_none() {
        check("zsh", "zsh -ilc claude", None);
        check("vim", "vim claude", None);
        check("node", "node /x/server.js claude", None);
        check(
            "Claude",
            "/Applications/Claude.app/Contents/MacOS/Claude",
            None,
        );
        check("tail", "tail -f claude", None);
        check("claudette", "claudette", None);
    }

    #[test]
    fn an_agent_that_serves_a_program_is_no_session() {
        check("codex", "codex app-server", None);
        check("node", "node /x/codex.js mcp-server", None);
        check("opencode", "opencode serve --port 1", None);
        check("claude", "claude mcp serve", None);
        check("claude", "claude fix-the-mcp", Some("claude"));
    }
}
