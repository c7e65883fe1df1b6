//! What the code of a provider says of its program, and the words that commands are made of.

use super::transcript::Format;
use super::version::Version;

/// Words of a command, and the variables that stand for words where a program has no flag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
}

impl Piece {
    /// These words.
    pub(super) fn words<const N: usize>(words: [&str; N]) -> Self {
        Self {
            args: words.map(str::to_owned).to_vec(),
            env: Vec::new(),
        }
    }

    /// A long flag and its value. A value that begins with `-` is joined to the flag, so that it is not read as another.
    pub(super) fn flag(flag: &str, value: &str) -> Self {
        if value.starts_with('-') {
            Self::words([&format!("{flag}={value}")])
        } else {
            Self::words([flag, value])
        }
    }

    /// A word by itself. Behind `--` where it begins with `-`.
    pub(super) fn positional(word: &str) -> Self {
        if word.starts_with('-') {
            Self::words(["--", word])
        } else {
            Self::words([word])
        }
    }

    /// A prompt by itself, for programs that look for subcommands even behind `--`: a blank stands before a prompt that is the
    /// name of one. Every other prompt arrives as it is.
    pub(super) fn prompt(prompt: &str, subcommands: &[&str]) -> Self {
        if subcommands.contains(&prompt) {
            Self::words([&format!(" {prompt}")])
        } else {
            Self::positional(prompt)
        }
    }

    /// A variable.
    pub(super) fn variable(name: &str, value: &str) -> Self {
        Self {
            args: Vec::new(),
            env: vec![(name.to_owned(), value.to_owned())],
        }
    }
}

/// One program. `None` of a piece: it has no such thing. `version` absent: the program of today.
pub(super) trait Cli: Send + Sync {
    /// Its id, which is also the name of its program.
    fn id(&self) -> &'static str;

    /// Its name for people.
    fn label(&self) -> &'static str;

    /// Parts of paths in which its program has another name, such as `index.js`.
    fn packages(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its modes.
    fn modes(&self, _version: Option<&Version>) -> &'static [&'static str] {
        &[]
    }

    /// What the person types to leave it.
    fn exit_phrase(&self) -> &'static str {
        "/exit"
    }

    /// The words that come first, with or without a first prompt.
    fn lead(&self, _prompt: bool) -> Piece {
        Piece::default()
    }

    /// The words that choose a model.
    fn model(&self, _model: &str, _version: Option<&Version>) -> Option<Piece> {
        None
    }

    /// The words that choose a mode. Also asked for modes that the configuration adds.
    fn mode(&self, _mode: &str, _version: Option<&Version>) -> Option<Piece> {
        None
    }

    /// The words that give a new conversation its id.
    fn session_id(&self, _id: &str, _version: Option<&Version>) -> Option<Piece> {
        None
    }

    /// The words that take up a conversation.
    fn resume(&self, _id: &str, _version: Option<&Version>) -> Option<Piece> {
        None
    }

    /// The words that give the first prompt.
    fn prompt(&self, _prompt: &str, _version: Option<&Version>) -> Option<Piece> {
        None
    }

    /// Whether ids that are set beforehand must be UUIDs.
    fn ids_are_uuids(&self) -> bool {
        true
    }

    /// The words of its command line that an id of a conversation follows.
    fn id_words(&self) -> &'static [&'static str] {
        &["--session-id", "--resume", "-r"]
    }

    /// How its conversations are kept.
    fn transcripts(&self) -> Option<&'static dyn Format> {
        None
    }

    /// Parts of the lines with which it says that it has no such conversation, in lowercase.
    fn missing_words(&self) -> &'static [&'static str] {
        &[]
    }

    /// Parts of the lines that it leaves behind when the person leaves it, in lowercase.
    fn goodbye_words(&self) -> &'static [&'static str] {
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_is_read_as_a_flag() {
        assert_eq!(Piece::flag("--model", "x").args, ["--model", "x"]);
        assert_eq!(Piece::flag("--model", "-x").args, ["--model=-x"]);
        assert_eq!(Piece::positional("-p").args, ["--", "-p"]);
        for (prompt, expected) in [
            ("fix it", vec!["fix it"]),
            ("mcp", vec![" mcp"]),
            ("mcp ", vec!["mcp "]),
            ("hi", vec!["hi"]),
            ("-p", vec!["--", "-p"]),
            ("/continue x", vec!["/continue x"]),
            ("--help me", vec!["--", "--help me"]),
        ] {
            assert_eq!(Piece::prompt(prompt, &["mcp"]).args, expected);
        }
    }
}
