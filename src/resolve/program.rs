//! What a process is: its name, the file it runs, and the script that an interpreter runs for it.

/// A process as far as its identity goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its number.
    pub pid: u32,
    /// What the system calls it: on Linux at most 15 bytes.
    pub name: String,
    /// The file that it executes, where it is known.
    pub path: Option<String>,
    /// Its words, where they were read: of interpreters, at least.
    pub argv: Vec<String>,
}

impl Program {
    /// Its name without what Nix puts around it: `.kitty-wrapped` is kitty.
    #[must_use]
    pub fn bare_name(&self) -> &str {
        let inner = self.name.strip_prefix('.');
        inner
            .and_then(|name| Some(&name[..name.rfind("-wrap")?]))
            .unwrap_or(&self.name)
    }

    /// The script or module that it runs, where it is an interpreter that runs one.
    #[must_use]
    pub fn script(&self) -> Option<&str> {
        is_interpreter(&self.name)
            .then(|| script(&self.argv))
            .flatten()
    }
}

/// Interpreters by the name of their process, without versions. Node calls its main thread by its task.
const INTERPRETERS: &[&str] = &[
    "node",
    "nodejs",
    "node-MainThread",
    "MainThread",
    "bun",
    "deno",
    "python",
    "Python",
    "pypy",
    "ruby",
    "perl",
    "electron",
    "sh",
    "ash",
    "bash",
    "dash",
    "ksh",
    "zsh",
    "fish",
    "env",
];

/// Options that take the next word as their value. A long one with `=` is a single word.
const WITH_VALUE: &[&str] = &[
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
    "--env-file",
    "--title",
    "-X",
    "-W",
    "-u",
    "--config",
    "--preload",
    "--cwd",
    "-o",
    "-O",
];

/// Whether a process of this name runs a program that only its words name.
#[must_use]
pub fn is_interpreter(name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&name) || INTERPRETERS.contains(&bare)
}

/// The first word that is neither an option nor the value of one; a module of `python -m`.
fn script(argv: &[String]) -> Option<&str> {
    let mut words = argv.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "-m" => return words.next(),
            "-e" | "--eval" | "-p" | "--print" | "-" | "--" => return None,
            "run" | "x" => {}
            word if WITH_VALUE.contains(&word) => {
                // `-u` of Python and `-o` of shells take none; a script never looks like their value.
                if matches!(word, "-u" | "-o" | "-O") && !shell(argv) {
                    continue;
                }
                words.next();
            }
            word if word.starts_with("--") => {}
            // `-c`, `-lc`, `-ilc`: a line, not a file.
            word if word.starts_with('-') && word.contains('c') => return None,
            word if word.starts_with('-') => {}
            // `env NAME=value program`
            word if word.contains('=') && !word.contains('/') => {}
            word => return Some(word),
        }
    }
    None
}

fn shell(argv: &[String]) -> bool {
    argv.first()
        .is_some_and(|program| base(program).ends_with("sh"))
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpreter_names_its_script() {
        for (line, expected) in [
            ("node /x/claude --resume a", Some("/x/claude")),
            (
                "node --max-old-space-size=8192 /x/claude",
                Some("/x/claude"),
            ),
            ("node -r ts-node/register /x/claude", Some("/x/claude")),
            ("node --import tsx ./gemini", Some("./gemini")),
            ("node -e 1 claude", None),
            ("bun run /x/opencode", Some("/x/opencode")),
            ("bun /x/amp", Some("/x/amp")),
            ("python3 -m aider --model x", Some("aider")),
            ("python3 -X dev -u /x/aider", Some("/x/aider")),
            ("python3 -c claude", None),
            ("bash -ilc claude", None),
            ("sh /x/claude@2.1.187", Some("/x/claude@2.1.187")),
            ("zsh -il", None),
            ("zsh -o extendedglob /x/y", Some("/x/y")),
            ("env A=b node", Some("node")),
            ("node", None),
        ] {
            let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let program = Program {
                name: argv[0].clone(),
                argv,
                ..Program::default()
            };
            assert_eq!(program.script(), expected, "{line}");
        }
    }

    #[test]
    fn a_wrapped_program_keeps_its_name() {
        for (name, expected) in [
            (".kitty-wrapped", "kitty"),
            (".ghostty-wrappe", "ghostty"),
            ("kitty-wrapped", "kitty-wrapped"),
            (".hidden", ".hidden"),
        ] {
            let program = Program {
                name: name.into(),
                ..Program::default()
            };
            assert_eq!(program.bare_name(), expected);
        }
    }

    #[test]
    fn versions_do_not_hide_an_interpreter() {
        for name in [
            "python3.12",
            "node22",
            "node-MainThread",
            "pypy3",
            "electron30",
        ] {
            assert!(is_interpreter(name), "{name}");
        }
        for name in ["claude", "nodeish", "kitty", ""] {
            assert!(!is_interpreter(name), "{name}");
        }
    }
}
