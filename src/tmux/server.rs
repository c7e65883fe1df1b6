//! Which server is spoken to.

use crate::launch::step::Invocation;

use super::command::{Command, sequence};

/// The longest argv that a client can hand to its server: everything travels in one message of 16 KiB, and here are the
/// bytes of the words with their ends that are certain to fit.
pub const LONGEST: usize = 16_000;

/// A server of tmux, by its socket.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Server {
    /// The default server of the user (of `TMUX_TMPDIR`).
    Default,
    /// The server at this socket.
    Socket(String),
}

impl Server {
    /// The words that come before every command.
    ///
    /// `-u`: without it, and without a UTF-8 locale, the client writes `_` for every byte that is not plain ASCII, tabs included.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["tmux".to_owned(), "-u".to_owned()];
        if let Self::Socket(path) = self {
            words.extend(["-S".to_owned(), path.clone()]);
        }
        words
    }

    /// The argv that runs `command` there.
    #[must_use]
    pub fn argv(&self, command: &impl Command) -> Vec<String> {
        let mut argv = self.words();
        argv.extend(sequence(&command.verbs()));
        argv
    }

    /// The argv and input that run `command` there.
    #[must_use]
    pub fn invocation(&self, command: &impl Command) -> Invocation {
        Invocation {
            stdin: command.stdin(),
            ..Invocation::new(self.argv(command))
        }
    }
}

/// Whether tmux takes an argv of these words.
#[must_use]
pub fn fits(argv: &[String]) -> bool {
    argv.iter().map(|word| word.len() + 1).sum::<usize>() <= LONGEST
}
