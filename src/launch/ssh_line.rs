//! `ssh` as people call it, with the configuration file that counts.

use super::quote;
use crate::proto::{AbsolutePath, HostAlias};

/// Makes every line with `ssh` that is shown to a person, so that all of them mean the host that the daemon means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshLine {
    config: Option<String>,
}

impl SshLine {
    /// With this file in the place of `~/.ssh/config`; `None`: with that one.
    #[must_use]
    pub fn new(config: Option<&AbsolutePath>) -> Self {
        Self {
            config: config.map(ToString::to_string),
        }
    }

    /// The first words: the program, and the file where it is another one.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["ssh".to_owned()];
        if let Some(file) = &self.config {
            words.extend(["-F".to_owned(), file.clone()]);
        }
        words
    }

    /// A line to read and paste: options, the host, and the one word that its login shell gets, where there is one.
    #[must_use]
    pub fn line(&self, options: &[&str], host: &HostAlias, command: Option<&str>) -> String {
        let mut words = self.words();
        words.extend(options.iter().map(ToString::to_string));
        words.push(host.to_string());
        words.extend(command.map(str::to_owned));
        quote::line(words)
    }

    /// The line that shows something on a host to whoever pastes it: with a terminal there.
    #[must_use]
    pub fn in_terminal(&self, host: &HostAlias, command: &str) -> String {
        self.line(&["-t"], host, Some(command))
    }

    /// The name of the file, for people.
    #[must_use]
    pub fn file(&self) -> String {
        self.config.as_ref().map_or_else(
            || "~/.ssh/config".to_owned(),
            |file| quote::line([file.as_str()]),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_that_counts_is_in_every_line() {
        let zion = HostAlias::parse("zion").unwrap();
        let usual = SshLine::default();
        let path = AbsolutePath::parse("/etc/my ssh/config").unwrap();
        let own = SshLine::new(Some(&path));
        for (line, expected) in [
            (usual.line(&[], &zion, None), "ssh zion"),
            (
                usual.line(&["-o", "BatchMode=yes"], &zion, Some("true")),
                "ssh -o BatchMode=yes zion true",
            ),
            (
                usual.in_terminal(&zion, "tmux attach"),
                "ssh -t zion 'tmux attach'",
            ),
            (usual.file(), "~/.ssh/config"),
            (
                own.line(&["-v"], &zion, Some("true")),
                "ssh -F '/etc/my ssh/config' -v zion true",
            ),
            (
                own.in_terminal(&zion, "a b"),
                "ssh -F '/etc/my ssh/config' -t zion 'a b'",
            ),
            (own.file(), "'/etc/my ssh/config'"),
        ] {
            assert_eq!(line, expected);
        }
    }
}
