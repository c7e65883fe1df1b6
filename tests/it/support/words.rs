//! What a program received, byte for byte: a program that writes it down, a person whose rc files are in the way, and
//! what a hostile caller may send.

use std::path::PathBuf;
use std::process::Command;

use proptest::prelude::*;

use super::env::Sandbox;

/// Words that some parser on the way could read as something else.
pub const WORDS: [&str; 26] = [
    "",
    "a b",
    "it's",
    "\"q\"",
    "$(touch pwn)",
    "`touch pwn`",
    "a\nb",
    "run it;",
    ";",
    "x\\;",
    "\\",
    "a\\",
    "#{pid}",
    "#(touch pwn)",
    "##[x]",
    "-x",
    "--",
    "=ls",
    "~",
    "*",
    "!!",
    "%self",
    "ünï─😀",
    "\t\u{1b}[A",
    "\\(1+1) $$HOME$$",
    "{script}",
];

/// Words that a global alias of [`Person`] would change where they stand bare.
pub const ALIASES: [&str; 2] = ["L", "--resume"];

/// A word without NUL: mostly one of [`WORDS`], else anything.
pub fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        prop::collection::vec(any::<char>().prop_filter("no NUL", |c| *c != '\0'), 0..12)
            .prop_map(|chars| chars.into_iter().collect()),
    ]
}

/// The name of one directory.
pub fn name() -> impl Strategy<Value = String> {
    word().prop_map(|word| format!("d{}", word.replace('/', "_")))
}

/// A person with a home, rc files for every shell, and a program that only their interactive shell has on its PATH.
pub struct Person {
    /// Where everything is.
    pub sandbox: Sandbox,
}

/// What the program saw.
#[derive(Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its directory.
    pub cwd: String,
    /// The variable `SECRET`, and whether it was set.
    pub secret: String,
    /// Its words, its own name not among them.
    pub words: Vec<String>,
}

impl Person {
    /// A new one. `printargs` writes down what it sees.
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        let bin = sandbox.script(
            "printargs",
            &format!(
                "#!/bin/sh\ncd -P . && printf '%s\\0' \"$PWD\" \"${{SECRET-unset}}\" \"$@\" >'{0}.new' && mv '{0}.new' '{0}'\n",
                sandbox.root().join("seen").display()
            ),
        );
        let home = sandbox.home();
        let path = format!(
            "PATH='{}':$PATH\nexport PATH\nSECRET=rc\nexport SECRET\n",
            bin.display()
        );
        let aliases = ALIASES
            .map(|word| format!("alias -g -- {word}='| less'\n"))
            .concat();
        let zsh =
            format!("{path}{aliases}cd() {{ builtin cd /; }}\nsetopt extendedglob rcquotes\n");
        for (name, text) in [
            (".zshrc", zsh.as_str()),
            (
                ".bash_profile",
                &format!("{path}cd() {{ builtin cd /; }}\n"),
            ),
            (".profile", &path),
        ] {
            std::fs::write(home.join(name), text).unwrap();
        }
        let fish = home.join(".config/fish");
        std::fs::create_dir_all(&fish).unwrap();
        let text = format!(
            "set -gx PATH '{}' $PATH\nset -gx SECRET rc\nfunction cd; builtin cd /; end\n",
            bin.display()
        );
        std::fs::write(fish.join("config.fish"), text).unwrap();
        Self { sandbox }
    }

    /// A directory of this name.
    pub fn dir(&self, name: &str) -> PathBuf {
        let dir = self.sandbox.cwd().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    /// Where a launch script may be written: a fresh directory and the path of the script in it.
    pub fn launch_path(&self) -> PathBuf {
        let dir = tempfile::Builder::new()
            .prefix("l")
            .tempdir_in(self.sandbox.root())
            .unwrap();
        dir.keep().join("launch")
    }

    /// A command of these words, with the person's home.
    pub fn command(&self, words: &[String]) -> Command {
        let mut command = self.sandbox.command(&words[0]);
        command.args(&words[1..]).stdin(std::process::Stdio::null());
        command
    }

    /// Runs a command to its end and returns what `printargs` saw; `Err`: what was said instead.
    pub fn seen(&self, command: &mut Command) -> Result<Seen, String> {
        let file = self.sandbox.root().join("seen");
        let _ = std::fs::remove_file(&file);
        let output = command.output().unwrap();
        self.read().ok_or_else(|| format!("{output:?}"))
    }

    /// What `printargs` saw last.
    pub fn read(&self) -> Option<Seen> {
        let bytes = std::fs::read(self.sandbox.root().join("seen")).ok()?;
        let text = String::from_utf8(bytes).unwrap();
        let mut parts = text.strip_suffix('\0')?.split('\0').map(str::to_owned);
        Some(Seen {
            cwd: parts.next()?,
            secret: parts.next()?,
            words: parts.collect(),
        })
    }
}
