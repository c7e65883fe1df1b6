//! A host whose key is not the recorded one: what a person needs to tell a new machine from an attack.

use super::answer::printable;
use super::errors::Target;
use crate::launch::quote::{Style, posix};

/// Both keys, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Where the other key is recorded: a file and a line.
    pub place: Option<String>,
    /// The recorded key: its kind and its fingerprint.
    pub recorded: Option<String>,
    /// The host's own: the same.
    pub offered: Option<String>,
}

impl Changed {
    /// Reads the complaints of `ssh` about it, which tell all but the fingerprint of the recorded key.
    #[must_use]
    pub fn read(stderr: &str) -> Self {
        let mut changed = Self::default();
        let mut lines = stderr.lines().map(str::trim);
        while let Some(line) = lines.next() {
            if let Some((_, rest)) = line.split_once("Offending ") {
                let place = rest.split_once("key in ").map_or(rest, |(_, place)| place);
                changed.place.get_or_insert_with(|| printable(place));
            } else if let Some((_, rest)) = line.split_once("The fingerprint for the ") {
                let kind = rest.split(' ').next().unwrap_or_default();
                let print = lines.next().unwrap_or_default().trim_end_matches('.');
                changed.offered = Some(printable(&format!("{kind} {print}")));
            }
        }
        changed
    }

    /// The file and the line, where both are known.
    #[must_use]
    pub fn file_and_line(&self) -> Option<(&str, &str)> {
        let (file, line) = self.place.as_deref()?.rsplit_once(':')?;
        let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some((file, line))
    }

    /// The message and what to do.
    #[must_use]
    pub fn words(&self, target: &Target) -> (String, String) {
        let alias = &target.alias;
        let mut message = match &self.place {
            Some(place) => format!("the host key of {alias} is not the one recorded in {place}"),
            None => format!("the host key of {alias} is not the recorded one"),
        };
        let keys = [
            self.recorded.as_ref().map(|key| format!("recorded: {key}")),
            self.offered.as_ref().map(|key| format!("offered: {key}")),
        ];
        let keys = keys.into_iter().flatten().collect::<Vec<_>>();
        if !keys.is_empty() {
            message = format!("{message} ({})", keys.join(", "));
        }
        message.push_str("; not connecting");
        let file = self.file_and_line().map_or(String::new(), |(file, _)| {
            format!(" -f {}", posix(file, Style::Bare))
        });
        let hint = format!(
            "if the change is expected: ssh-keygen -R {}{file}",
            posix(&target.key_name, Style::Quoted)
        );
        (message, hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "@@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\n@@@@\r\nThe fingerprint for the ED25519 key sent by the remote host is\r\n\
        SHA256:abc.\r\nPlease contact your system administrator.\r\nAdd correct host key in /h/a b/known to get rid of this message.\r\n\
        Offending RSA key in /h/a b/known:3\r\n  remove with:\r\n  ssh-keygen -f \"/h/a b/known\" -R \"h\"\r\nHost key verification failed.\r\n";

    #[test]
    fn the_place_and_both_keys_are_told() {
        let mut changed = Changed::read(WORDS);
        assert_eq!(
            changed,
            Changed {
                place: Some("/h/a b/known:3".into()),
                recorded: None,
                offered: Some("ED25519 SHA256:abc".into()),
            }
        );
        changed.recorded = Some("RSA SHA256:xyz".into());
        let target = Target::of("zion", "10.0.0.7", 2222);
        assert_eq!(
            changed.words(&target),
            (
                "the host key of zion is not the one recorded in /h/a b/known:3 (recorded: RSA SHA256:xyz, offered: ED25519 SHA256:abc); \
                 not connecting"
                    .into(),
                "if the change is expected: ssh-keygen -R '[10.0.0.7]:2222' -f '/h/a b/known'"
                    .into()
            )
        );
        assert_eq!(
            Changed::default().words(&target).0,
            "the host key of zion is not the recorded one; not connecting"
        );
    }
}
