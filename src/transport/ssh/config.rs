//! What `ssh -G` says about a host: the configuration as OpenSSH itself understands it, `Include`, `Match` and all.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The resolved configuration of one host: each keyword, in lower case, with its values in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    values: BTreeMap<String, Vec<String>>,
    text: String,
}

impl Config {
    /// Reads the output of `ssh -G`: a keyword and its value a line. Lines without a value count as empty ones.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut values = BTreeMap::<String, Vec<String>>::new();
        for line in text.lines() {
            let (key, value) = line.split_once(' ').unwrap_or((line, ""));
            if !key.is_empty() {
                values
                    .entry(key.to_ascii_lowercase())
                    .or_default()
                    .push(value.to_owned());
            }
        }
        Self {
            values,
            text: text.to_owned(),
        }
    }

    /// The text it was read from; two of the same text are the same configuration.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first value of a keyword. `none` is a value.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.all(key).first().map(String::as_str)
    }

    /// Every value of a keyword, in order.
    #[must_use]
    pub fn all(&self, key: &str) -> &[String] {
        self.values.get(key).map_or(&[], Vec::as_slice)
    }

    /// Whether a keyword is on; `ssh -G` writes some as `yes` and some as `true`.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        matches!(self.get(key), Some("yes" | "true"))
    }

    /// A number of seconds or tries; `None` where it is unset, zero or no number.
    #[must_use]
    pub fn number(&self, key: &str) -> Option<u32> {
        self.get(key)?.parse().ok().filter(|number| *number > 0)
    }

    /// The name or address to connect to.
    #[must_use]
    pub fn hostname(&self) -> &str {
        self.get("hostname").unwrap_or_default()
    }

    /// The port to connect to.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.get("port")
            .and_then(|port| port.parse().ok())
            .unwrap_or(22)
    }

    /// The user to log in as.
    #[must_use]
    pub fn user(&self) -> &str {
        self.get("user").unwrap_or_default()
    }

    /// The files of known host keys, the person's before the system's. `ssh -G` has expanded their names.
    #[must_use]
    pub fn known_hosts_files(&self) -> Vec<PathBuf> {
        ["userknownhostsfile", "globalknownhostsfile"]
            .into_iter()
            .filter_map(|key| self.get(key))
            .flat_map(names_of_files)
            .filter(|file| file != "none")
            .map(PathBuf::from)
            .collect()
    }

    /// The keywords whose values differ from those of `other`, in order of their names.
    #[must_use]
    pub fn differing(&self, other: &Self) -> Vec<String> {
        let mut keys = self
            .values
            .keys()
            .chain(other.values.keys())
            .filter(|key| self.all(key) != other.all(key))
            .cloned()
            .collect::<Vec<_>>();
        keys.sort();
        keys.dedup();
        keys
    }

    /// Whether host name, port and user are such that they can go on a command line and into messages.
    ///
    /// They came through the person's configuration, and versions of OpenSSH differ in what they let through.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let plain = |text: &str, more: &str| {
            !text.is_empty()
                && !text.starts_with('-')
                && text
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || more.contains(c))
        };
        plain(self.hostname(), "._-:%") && plain(self.user(), "._-@+\\$")
    }
}

/// The names in a list that `ssh -G` writes without quotes: a blank may be part of one. Where the one before begins with a slash, only
/// a word that does so too begins another.
fn names_of_files(list: &str) -> Vec<String> {
    let mut names = Vec::<String>::new();
    for word in list.split(' ') {
        match names.last_mut() {
            Some(name) if name.starts_with('/') && !word.starts_with('/') => {
                name.push(' ');
                name.push_str(word);
            }
            _ => names.push(word.to_owned()),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "host zion\nuser me\nhostname 10.0.0.7\nport 2222\nidentitiesonly yes\npubkeyauthentication true\nidentityfile ~/.ssh/a\nidentityfile /k/b c\n\
        userknownhostsfile /h/known_hosts /h/known_hosts2\nglobalknownhostsfile none\nserveraliveinterval 0\nconnecttimeout none\nproxyjump bast\n";

    #[test]
    fn output_of_ssh_is_read() {
        let config = Config::parse(TEXT);
        assert_eq!(
            (config.hostname(), config.port(), config.user()),
            ("10.0.0.7", 2222, "me")
        );
        assert!(config.is_on("identitiesonly") && config.is_on("pubkeyauthentication"));
        assert_eq!(config.all("identityfile"), ["~/.ssh/a", "/k/b c"]);
        assert_eq!(
            config.known_hosts_files(),
            [
                PathBuf::from("/h/known_hosts"),
                PathBuf::from("/h/known_hosts2")
            ]
        );
        assert_eq!(config.number("serveraliveinterval"), None);
        assert_eq!(config.number("connecttimeout"), None);
        assert!(config.is_sound());
    }

    #[test]
    fn differences_are_named() {
        let base = Config::parse("port 22\nuser me\nciphers a\n");
        let config = Config::parse("port 2222\nuser me\nciphers a\nproxyjump bast\n");
        assert_eq!(config.differing(&base), ["port", "proxyjump"]);
        assert_eq!(base.differing(&config), ["port", "proxyjump"]);
    }

    #[test]
    fn what_a_configuration_resolves_to_is_checked_again() {
        for (host, user) in [
            ("a;b", "me"),
            ("-oX", "me"),
            ("", "me"),
            ("h", "-l"),
            ("h", "a b"),
            ("h", "`id`"),
        ] {
            let config = Config::parse(&format!("hostname {host}\nuser {user}\n"));
            assert!(!config.is_sound(), "{host:?} {user:?}");
        }
        assert!(Config::parse("hostname fe80::1%eth0\nuser DOM\\me\n").is_sound());
    }
}
