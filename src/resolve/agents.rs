//! Agents by the names of their processes.

use super::program::{Program, base, is_interpreter};

/// An agent's program, as far as its process shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// The provider, such as `claude`: also the name of its program.
    pub kind: &'static str,
    /// Parts of paths in which its program has another name, such as `index.js`.
    packages: &'static [&'static str],
}

const AGENTS: &[Agent] = &[
    Agent {
        kind: "claude",
        packages: &["/@anthropic-ai/claude-code/", "/claude/versions/"],
    },
    Agent {
        kind: "codex",
        packages: &["/@openai/codex/"],
    },
    Agent {
        kind: "opencode",
        packages: &["/opencode-ai/"],
    },
    Agent {
        kind: "gemini",
        packages: &["/@google/gemini-cli/"],
    },
    Agent {
        kind: "aider",
        packages: &["/aider/__main__.py"],
    },
    Agent {
        kind: "goose",
        packages: &[],
    },
    Agent {
        kind: "cursor-agent",
        packages: &["/cursor-agent/versions/"],
    },
    Agent {
        kind: "droid",
        packages: &[],
    },
    Agent {
        kind: "amp",
        packages: &["/@sourcegraph/amp/"],
    },
    Agent {
        kind: "copilot",
        packages: &["/@github/copilot/"],
    },
];

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

/// The agent that this process is: by its own name, or by the script that its interpreter runs. A version behind `@`, as in
/// `claude@2.1.187`, and a suffix such as `.js` do not matter. `None` too where it serves another program.
#[must_use]
pub fn agent(program: &Program) -> Option<&'static Agent> {
    let script = program.script();
    let found = match script {
        Some(script) => by_name(script).or_else(|| by_package(script)),
        None => by_name(program.bare_name()).or_else(|| by_package(program.path.as_deref()?)),
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

/// Whether a process of this name is worth a closer look: an agent's name, an interpreter's, or a version's.
#[must_use]
pub fn may_be_agent(name: &str) -> bool {
    let program = Program {
        name: name.to_owned(),
        ..Program::default()
    };
    is_interpreter(name)
        || name.starts_with(|c: char| c.is_ascii_digit())
        || by_name(program.bare_name()).is_some()
}

fn by_name(path: &str) -> Option<&'static Agent> {
    let name = base(path);
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let stem = [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    AGENTS.iter().find(|agent| agent.kind == stem)
}

fn by_package(path: &str) -> Option<&'static Agent> {
    let within = |agent: &&Agent| agent.packages.iter().any(|part| path.contains(part));
    AGENTS.iter().find(within)
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
        assert_eq!(agent(&program).map(|agent| agent.kind), expected, "{line}");
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
