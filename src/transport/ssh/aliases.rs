//! The names in the person's ssh configuration. OpenSSH has no way to ask for them; only `Host` and `Include` lines are read, and
//! what a name means is left to `ssh -G`.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use crate::os::person::Person;
use crate::proto::HostAlias;

/// How many files are read at most.
const MOST_FILES: usize = 1000;

/// How many names are taken at most.
const MOST_NAMES: usize = 5000;

/// A line that matters here.
#[derive(Debug, PartialEq, Eq)]
enum Line {
    Hosts(Vec<String>),
    Include(Vec<String>),
}

/// The names, in the order of the files, each once.
#[must_use]
pub fn read(settings: &Settings) -> Vec<HostAlias> {
    found(settings).names
}

/// What keeps the person's ssh configuration from being read: files that may never end, such as FIFOs and devices, and the one that
/// the configuration of surfaced names where there is none.
#[must_use]
pub fn troubles(settings: &Settings) -> Vec<String> {
    found(settings).troubles
}

fn found(settings: &Settings) -> Found {
    let ssh = Person::current().map_or_else(PathBuf::new, |person| person.home.join(".ssh"));
    let mut found = Found::default();
    if let Some(file) = &settings.config.config_file {
        let file = Path::new(file.as_str());
        if let Err(error) = fs_err::metadata(file) {
            found.troubles.push(error.to_string());
        }
        found.collect(file, &ssh);
    } else {
        found.collect(&ssh.join("config"), &ssh);
        let system = Path::new("/etc/ssh");
        found.collect(&system.join("ssh_config"), system);
    }
    found
}

#[derive(Default)]
struct Found {
    names: Vec<HostAlias>,
    /// Files that were read: they may include each other in a ring.
    files: Vec<PathBuf>,
    /// Why some were not read.
    troubles: Vec<String>,
}

impl Found {
    fn collect(&mut self, file: &Path, relative_to: &Path) {
        if self.files.len() >= MOST_FILES || self.files.iter().any(|read| read == file) {
            return;
        }
        self.files.push(file.to_owned());
        // Opening a FIFO waits for whoever writes to it, and a device may never end.
        if fs_err::metadata(file).is_ok_and(|found| !found.is_file()) {
            let trouble = format!("{} is no regular file and was not read", file.display());
            self.troubles.push(trouble);
            return;
        }
        let Ok(text) = fs_err::read_to_string(file) else {
            return;
        };
        for line in lines(&text) {
            match line {
                Line::Hosts(patterns) => {
                    for name in patterns.into_iter().flat_map(HostAlias::parse) {
                        if self.names.len() < MOST_NAMES && !self.names.contains(&name) {
                            self.names.push(name);
                        }
                    }
                }
                Line::Include(patterns) => {
                    for pattern in patterns {
                        for file in expand(&pattern, relative_to) {
                            self.collect(&file, relative_to);
                        }
                    }
                }
            }
        }
    }
}

fn lines(text: &str) -> Vec<Line> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim();
            let end = line.find(|c: char| c.is_whitespace() || c == '=')?;
            let (key, rest) = line.split_at(end);
            let rest = rest.trim_start().strip_prefix('=').unwrap_or(rest).trim();
            match key.to_ascii_lowercase().as_str() {
                "host" => Some(Line::Hosts(words(rest))),
                "include" => Some(Line::Include(words(rest))),
                _ => None,
            }
        })
        .collect()
}

/// Words, with double quotes around those that hold blanks, up to a comment.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted && word.is_empty() => break,
            c if c.is_whitespace() && !quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            c => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The files that a pattern of `Include` names, sorted. Wildcards are understood in the last part of a path.
fn expand(pattern: &str, relative_to: &Path) -> Vec<PathBuf> {
    let path = match pattern.strip_prefix("~/") {
        Some(rest) => relative_to.parent().unwrap_or(relative_to).join(rest),
        None => relative_to.join(pattern),
    };
    let (Some(dir), Some(name)) = (
        path.parent(),
        path.file_name().and_then(|name| name.to_str()),
    ) else {
        return Vec::new();
    };
    if !name.contains(['*', '?']) {
        return vec![path];
    }
    let mut files = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            entry
                .file_name()
                .to_str()
                .is_some_and(|found| !found.starts_with('.') && matches(name, found))
        })
        .map(|entry| entry.path())
        .collect::<Vec<_>>();
    files.sort();
    files
}

/// Whether a name fits a pattern with `*` and `?`.
fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('*') => (0..=name.len())
            .filter(|at| name.is_char_boundary(*at))
            .any(|at| matches(rest.as_str(), &name[at..])),
        Some(c) => {
            let mut name = name.chars();
            name.next().is_some_and(|found| {
                (c == '?' || c == found) && matches(rest.as_str(), name.as_str())
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SshConfig;
    use crate::launch::step::Invocation;
    use crate::proto::AbsolutePath;
    use crate::transport::{Local, Transport};

    #[test]
    fn names_are_read_through_includes() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: String| fs_err::write(dir.path().join(name), text).unwrap();
        fs_err::create_dir(dir.path().join("d")).unwrap();
        let root = dir.path().display();
        write(
            "config",
            format!(
                "# Host no\nInclude {root}/d/*.conf\nhost zion  trinity # morpheus\nHost=neo\nHost * !x a?b -bad\nMatch host y\nHost \"zion\"\n"
            ),
        );
        write("d/2.conf", "Host second\n".into());
        write(
            "d/1.conf",
            format!("Host first\nInclude \"{root}/config\"\n"),
        );
        write("d/1.bak", "Host no\n".into());
        let mut settings = Settings::new("/nonexistent", "");
        settings.config = SshConfig {
            config_file: AbsolutePath::parse(dir.path().join("config").to_str().unwrap()).ok(),
            ..SshConfig::default()
        };
        let names = read(&settings);
        let names = names.iter().map(HostAlias::as_str).collect::<Vec<_>>();
        assert_eq!(names, ["first", "second", "zion", "trinity", "neo"]);
    }

    #[tokio::test]
    async fn what_may_never_end_is_named_and_not_read() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        let made = Local::new("/usr/bin:/bin")
            .run(Invocation::new([
                "mkfifo".to_owned(),
                fifo.display().to_string(),
            ]))
            .await;
        assert!(made.unwrap().ok());
        let config = dir.path().join("config");
        let text = format!(
            "Include {}\nInclude /dev/zero\nInclude none\nHost zion\n",
            fifo.display()
        );
        fs_err::write(&config, text).unwrap();
        let not_read =
            |path: &Path| format!("{} is no regular file and was not read", path.display());
        let gone = dir.path().join("gone");
        for (file, names, troubles) in [
            (
                &config,
                &["zion"][..],
                vec![not_read(&fifo), not_read(Path::new("/dev/zero"))],
            ),
            (&fifo, &[], vec![not_read(&fifo)]),
            (
                &gone,
                &[],
                vec![fs_err::metadata(&gone).unwrap_err().to_string()],
            ),
        ] {
            let mut settings = Settings::new("/nonexistent", "");
            settings.config.config_file = AbsolutePath::parse(file.to_str().unwrap()).ok();
            let found = found(&settings);
            let found_names = found
                .names
                .iter()
                .map(HostAlias::as_str)
                .collect::<Vec<_>>();
            assert_eq!((&found_names[..], found.troubles), (names, troubles));
        }
    }

    #[test]
    fn wildcards_fit_names() {
        for (pattern, name, fits) in [
            ("*", "a", true),
            ("*.conf", "a.conf", true),
            ("*.conf", "a.conf~", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*b*c", "a1b2c", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
