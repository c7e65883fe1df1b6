//! A command as a value: its words, what it reads, and how its answer is understood.

use std::fmt::Display;

use super::escape;
use super::outcome::Outcome;

/// One command of tmux as literal words, its name first. Nothing in it is escaped yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verb {
    words: Vec<String>,
    /// Which of the words are commands themselves.
    blocks: Vec<usize>,
}

impl Verb {
    /// The command of this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            words: vec![name.to_owned()],
            blocks: Vec::new(),
        }
    }

    /// With a flag that takes no value.
    #[must_use]
    pub fn flag(mut self, flag: &str) -> Self {
        self.words.push(flag.to_owned());
        self
    }

    /// With a flag that takes no value, if `wanted`.
    #[must_use]
    pub fn flag_if(self, wanted: bool, flag: &str) -> Self {
        if wanted { self.flag(flag) } else { self }
    }

    /// With a flag and its value.
    #[must_use]
    pub fn option(mut self, flag: &str, value: impl Display) -> Self {
        self.words.push(flag.to_owned());
        self.words.push(value.to_string());
        self
    }

    /// With a flag and its value, where there is one.
    #[must_use]
    pub fn option_if(self, flag: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.option(flag, value),
            None => self,
        }
    }

    /// With words that are no flags, whatever they begin with.
    #[must_use]
    pub fn rest<S: Into<String>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.words.push("--".to_owned());
        self.words.extend(words.into_iter().map(Into::into));
        self
    }

    /// With commands as its next word.
    #[must_use]
    pub fn block(mut self, verbs: &[Self]) -> Self {
        let lines: Vec<_> = verbs.iter().map(Self::line).collect();
        self.blocks.push(self.words.len());
        self.words.push(lines.join(" ; "));
        self
    }

    /// The literal words.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// As a line for tmux's own parser. Commands within commands stand in braces: quoted again and again they would soon be
    /// longer than a message.
    #[must_use]
    pub fn line(&self) -> String {
        let word = |(index, word): (usize, &String)| {
            if self.blocks.contains(&index) {
                format!("{{ {word} }}")
            } else {
                escape::quoted(word)
            }
        };
        let words: Vec<_> = self.words.iter().enumerate().map(word).collect();
        words.join(" ")
    }
}

/// What tmux is told in one go, and the reading of its own answer.
pub trait Command {
    /// What it results in.
    type Output;

    /// The commands, run in order until one fails.
    fn verbs(&self) -> Vec<Verb>;

    /// Bytes for its standard input.
    fn stdin(&self) -> Option<Vec<u8>> {
        None
    }

    /// Reads what it printed when every command succeeded.
    fn read(&self, output: &str) -> Outcome<Self::Output>;
}

/// Joins commands into the words of one argv.
pub(super) fn sequence(verbs: &[Verb]) -> Vec<String> {
    let mut words = Vec::new();
    for verb in verbs {
        if !words.is_empty() {
            words.push(";".to_owned());
        }
        words.extend(verb.words().iter().map(|word| escape::argument(word)));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_separator_is_bare_and_a_word_that_looks_like_one_is_not() {
        let verbs = [
            Verb::new("send-keys")
                .option("-t", "%1")
                .flag("-l")
                .rest([";"]),
            Verb::new("kill-pane").option("-t", "%1"),
        ];
        assert_eq!(
            sequence(&verbs),
            [
                "send-keys",
                "-t",
                "%1",
                "-l",
                "--",
                r"\;",
                ";",
                "kill-pane",
                "-t",
                "%1"
            ]
        );
        assert_eq!(verbs[0].line(), "send-keys -t '%1' -l -- ';'");
    }
}
