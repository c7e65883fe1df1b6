//! The wrapping shell: `<shell> -ilc <line>`, and how a line is written for it.

use std::borrow::Cow;

use super::quote::{self, Style};
use crate::proto::{Argv, Request, Word};

/// The syntax that a shell reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// zsh.
    Zsh,
    /// bash.
    Bash,
    /// dash, or whatever `sh` is.
    Sh,
    /// fish.
    Fish,
    /// A shell that no line is written for: it is replaced by `/bin/sh` and a launch script.
    Other,
}

/// A shell that commands are wrapped in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    program: String,
    syntax: Syntax,
}

/// What runs in a surface.
#[derive(Clone, Copy, Debug)]
pub enum Program<'a> {
    /// Exactly these words.
    Argv(&'a Argv),
    /// One line for the wrapping shell, as it is.
    Line(&'a str),
    /// The person's shell.
    Shell,
}

impl<'a> From<&'a Request> for Program<'a> {
    fn from(request: &'a Request) -> Self {
        match (&request.command, &request.shell_command) {
            (Some(argv), _) => Self::Argv(argv),
            (None, Some(line)) => Self::Line(line),
            (None, None) => Self::Shell,
        }
    }
}

impl Default for Shell {
    fn default() -> Self {
        Self::named("zsh")
    }
}

impl Shell {
    /// The shell of this name or path; its syntax follows from the last part of it.
    #[must_use]
    pub fn named(program: &str) -> Self {
        let name = program.rsplit('/').next().unwrap_or(program);
        let syntax = match name {
            "zsh" => Syntax::Zsh,
            "bash" => Syntax::Bash,
            "sh" | "dash" => Syntax::Sh,
            "fish" => Syntax::Fish,
            _ => Syntax::Other,
        };
        Self {
            program: program.to_owned(),
            syntax,
        }
    }

    /// Its name or path, as it was given.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// What it reads.
    #[must_use]
    pub const fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// The three words that run a line in it. Interactive, because version shims come on PATH in interactive shells.
    #[must_use]
    pub fn wrap(&self, line: String) -> [String; 3] {
        [self.program.clone(), "-ilc".to_owned(), line]
    }

    /// A word in its syntax.
    #[must_use]
    pub fn quote<'a>(&self, word: &'a str, style: Style) -> Cow<'a, str> {
        match self.syntax {
            Syntax::Fish => quote::fish(word, style),
            _ => quote::posix(word, style),
        }
    }

    /// The line that goes to `cwd`, where one is given, and then runs `program`.
    ///
    /// With [`Style::Quoted`] nothing that people define in their rc files changes it: words are quoted against global
    /// aliases and `cd` is the shell's own. A directory that cannot be entered ends the shell before the program starts.
    /// `None`: the shell needs a launch script.
    #[must_use]
    pub fn line(&self, cwd: Option<&str>, program: Program<'_>, style: Style) -> Option<String> {
        let cd = match cwd {
            Some(cwd) => format!("{} {}", self.cd(style)?, self.quote(cwd, style)),
            None => String::new(),
        };
        let run = match program {
            Program::Argv(argv) => self.exec(argv, style),
            Program::Line(line) => {
                let and = if cd.is_empty() { "" } else { " || exit; " };
                return (self.syntax != Syntax::Other).then(|| format!("{cd}{and}{line}"));
            }
            // The quotes are the same in every syntax, and so is the variable: the login shell sets it.
            Program::Shell => format!("exec \"$SHELL\" {}", self.quote("-il", style)),
        };
        let and = if cd.is_empty() { "" } else { " && " };
        (self.syntax != Syntax::Other).then(|| format!("{cd}{and}{run}"))
    }

    /// `exec` and the words. A program whose name begins with `-` is run through `env`, since `exec` would read an option
    /// and not every shell's knows `--`.
    #[must_use]
    pub fn exec(&self, argv: &Argv, style: Style) -> String {
        let mut line = "exec".to_owned();
        let env: &[&str] = if argv.program().starts_with('-') {
            &["env", "--"]
        } else {
            &[]
        };
        for word in env
            .iter()
            .copied()
            .chain(argv.words().iter().map(Word::as_str))
        {
            line.push(' ');
            line.push_str(&self.quote(word, style));
        }
        line
    }

    /// The command that enters a directory, or ends the shell. `None`: see [`Shell::line`].
    #[must_use]
    pub fn enter(&self, cwd: &str) -> Option<String> {
        let cd = self.cd(Style::Quoted)?;
        Some(format!("{cd} {} || exit", self.quote(cwd, Style::Quoted)))
    }

    /// The command that changes the directory.
    fn cd(&self, style: Style) -> Option<&'static str> {
        match (self.syntax, style) {
            (Syntax::Other, _) => None,
            (_, Style::Bare) => Some("cd"),
            // -q: no hooks, which may print or change the directory again.
            (Syntax::Zsh, Style::Quoted) => Some("builtin cd -q"),
            (Syntax::Bash | Syntax::Fish, Style::Quoted) => Some("builtin cd"),
            (Syntax::Sh, Style::Quoted) => Some("command cd"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Argv {
        let words: Vec<_> = words.iter().map(|w| Word::parse(*w).unwrap()).collect();
        Argv::try_from(words).unwrap()
    }

    #[test]
    fn each_shell_gets_a_line_in_its_own_words() {
        let words = argv(&["printargs", "L", "it's"]);
        for (shell, expected) in [
            (
                "zsh",
                r"builtin cd -q '/a b' && exec 'printargs' 'L' 'it'\''s'",
            ),
            (
                "/bin/bash",
                r"builtin cd '/a b' && exec 'printargs' 'L' 'it'\''s'",
            ),
            (
                "dash",
                r"command cd '/a b' && exec 'printargs' 'L' 'it'\''s'",
            ),
            (
                "/usr/bin/fish",
                r"builtin cd '/a b' && exec 'printargs' 'L' 'it\'s'",
            ),
        ] {
            let line = Shell::named(shell).line(Some("/a b"), Program::Argv(&words), Style::Quoted);
            assert_eq!(line.as_deref(), Some(expected));
        }
    }

    #[test]
    fn the_launch_engines_lines_are_bare_where_that_is_safe() {
        let words = argv(&["claude@2.1.187", "--resume", "cad0e546"]);
        let line = |cwd| {
            Shell::default()
                .line(cwd, Program::Argv(&words), Style::Bare)
                .unwrap()
        };
        assert_eq!(line(None), "exec claude@2.1.187 --resume cad0e546");
        assert_eq!(
            line(Some("/x/y")),
            "cd /x/y && exec claude@2.1.187 --resume cad0e546"
        );
    }

    #[test]
    fn lines_are_passed_on_as_they_are() {
        let shell = Shell::default();
        let line = |cwd| {
            shell
                .line(cwd, Program::Line("a 'b' | c;"), Style::Quoted)
                .unwrap()
        };
        assert_eq!(line(None), "a 'b' | c;");
        assert_eq!(line(Some("/x")), "builtin cd -q '/x' || exit; a 'b' | c;");
        assert_eq!(
            shell.line(None, Program::Shell, Style::Quoted).unwrap(),
            "exec \"$SHELL\" '-il'"
        );
    }

    #[test]
    fn a_shell_with_another_syntax_gets_no_line() {
        for name in ["nu", "/bin/tcsh", "elvish", ""] {
            assert_eq!(
                Shell::named(name).line(None, Program::Line("x"), Style::Quoted),
                None
            );
            assert_eq!(
                Shell::named(name).line(Some("/x"), Program::Shell, Style::Quoted),
                None
            );
        }
    }

    #[test]
    fn a_program_that_looks_like_an_option_is_no_option_of_exec() {
        let line = Shell::default().exec(&argv(&["-prog", "x"]), Style::Bare);
        assert_eq!(line, "exec env -- -prog x");
    }
}
