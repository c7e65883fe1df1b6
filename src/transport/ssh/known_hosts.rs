//! Known host keys, as `ssh-keygen -F` finds them.
//!
//! The library's own reading of known-hosts files is wrong in both directions: it takes keys that are marked as revoked, and
//! refuses many that OpenSSH takes (wildcards, ports, several spaces). So the lookup is left to OpenSSH, and the library is given a file
//! of our own that holds nothing but plain entries.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use sha2::{Digest, Sha256};

/// A recorded key of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKey {
    /// Its type, such as `ssh-ed25519`.
    pub algorithm: String,
    /// The key itself, in base64.
    pub key: String,
}

/// What the person's files say about a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// These keys, at least one, at most one of each type.
    Keys(Vec<HostKey>),
    /// Nothing.
    Nothing,
    /// Something that only OpenSSH can judge; the text says what.
    Special(String),
    /// A key that is marked as revoked, at this place: a file and a line.
    Revoked(String),
}

/// The types of keys that the library knows how to check.
const PLAIN: &[&str] = &[
    "ssh-ed25519",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
];

/// The names a host may be recorded under, most telling first: its alias for host keys, else `[name]:port` where the port is not
/// 22, and the name alone.
#[must_use]
pub fn names(hostname: &str, port: u16, alias: Option<&str>) -> Vec<String> {
    if let Some(alias) = alias {
        return vec![alias.to_owned()];
    }
    let hostname = hostname.to_ascii_lowercase();
    if port == 22 {
        vec![hostname]
    } else {
        vec![format!("[{hostname}]:{port}"), hostname]
    }
}

/// Reads what `ssh-keygen -F NAME -f FILE` printed: each file with what was found in it.
#[must_use]
pub fn read(found: &[(String, String)]) -> Known {
    for (file, output) in found {
        let revoked = output
            .lines()
            .filter_map(|line| line.strip_prefix("# Host ")?.strip_suffix(" REVOKED"))
            .find_map(|line| line.rsplit_once("found: line "));
        if let Some((_, line)) = revoked {
            return Known::Revoked(format!("{file}:{line}"));
        }
    }
    let mut keys = Vec::<HostKey>::new();
    let lines = found
        .iter()
        .flat_map(|(_, output)| output.lines())
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    for line in lines {
        let mut words = line.split_whitespace();
        let hosts = words.next().unwrap_or_default();
        if hosts.starts_with('@') {
            return Known::Special(format!("an entry is marked {hosts}"));
        }
        let (Some(algorithm), Some(key)) = (words.next(), words.next()) else {
            return Known::Special("an entry cannot be read".into());
        };
        if !PLAIN.contains(&algorithm) {
            return Known::Special(format!("a key is of type {algorithm}"));
        }
        if STANDARD.decode(key).is_err() {
            return Known::Special("an entry cannot be read".into());
        }
        let new = HostKey {
            algorithm: algorithm.to_owned(),
            key: key.to_owned(),
        };
        if keys.contains(&new) {
            continue;
        }
        if keys.iter().any(|old| old.algorithm == new.algorithm) {
            return Known::Special(format!("two different {algorithm} keys are recorded"));
        }
        keys.push(new);
    }
    if keys.is_empty() {
        Known::Nothing
    } else {
        Known::Keys(keys)
    }
}

/// The key at a line, of what `ssh-keygen -F NAME -f FILE` printed about its file: its kind and its fingerprint as ssh writes them.
#[must_use]
pub fn fingerprint_at(output: &str, line: &str) -> Option<String> {
    let mut lines = output.lines();
    lines.find(|text| {
        let at = text.split_once(" found: line ").map(|(_, at)| at);
        text.starts_with('#') && at.and_then(|at| at.split_whitespace().next()) == Some(line)
    })?;
    let mut words = lines
        .next()?
        .split_whitespace()
        .skip_while(|word| word.starts_with('@'));
    let (_, algorithm, key) = (words.next()?, words.next()?, words.next()?);
    let kind = match algorithm {
        "ssh-rsa" => "RSA".to_owned(),
        ecdsa if ecdsa.starts_with("ecdsa-sha2-") => "ECDSA".to_owned(),
        other => other.trim_start_matches("ssh-").to_ascii_uppercase(),
    };
    let digest = Sha256::digest(STANDARD.decode(key).ok()?);
    Some(format!("{kind} SHA256:{}", STANDARD_NO_PAD.encode(digest)))
}

/// The text of a known-hosts file that holds these keys, in the one spelling that the library looks for.
#[must_use]
pub fn file(name: &str, port: u16, keys: &[HostKey]) -> String {
    let mut text = String::new();
    for HostKey { algorithm, key } in keys {
        let _ = if port == 22 {
            writeln!(text, "{name} {algorithm} {key}")
        } else {
            writeln!(text, "[{name}]:{port} {algorithm} {key}")
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ED: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIAyJ";
    const ED2: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIBzK";

    fn key(algorithm: &str, key: &str) -> HostKey {
        HostKey {
            algorithm: algorithm.into(),
            key: key.into(),
        }
    }

    #[test]
    fn entries_are_judged() {
        let cases: &[(&str, Known)] = &[
            ("", Known::Nothing),
            ("# Host h found: line 1 \n", Known::Nothing),
            (
                &format!("# Host h found: line 1 \nh ssh-ed25519 {ED}\n"),
                Known::Keys(vec![key("ssh-ed25519", ED)]),
            ),
            (
                &format!("|1|salt=|hash= ssh-ed25519 {ED} a comment\r\n"),
                Known::Keys(vec![key("ssh-ed25519", ED)]),
            ),
            (
                &format!("h  ssh-ed25519   {ED}\nh\tssh-rsa\t{ED2}\nh ssh-ed25519 {ED}\n"),
                Known::Keys(vec![key("ssh-ed25519", ED), key("ssh-rsa", ED2)]),
            ),
            (
                &format!("h ssh-ed25519 {ED}\nh ssh-ed25519 {ED2}\n"),
                Known::Special("two different ssh-ed25519 keys are recorded".into()),
            ),
            (
                &format!(
                    "# Host h found: line 3 \nh ssh-ed25519 {ED}\n# Host h found: line 7 REVOKED\n@revoked h ssh-ed25519 {ED}\n"
                ),
                Known::Revoked("/h/known:7".into()),
            ),
            (
                &format!("@cert-authority *.x ssh-ed25519 {ED}\n"),
                Known::Special("an entry is marked @cert-authority".into()),
            ),
            (
                "h sk-ssh-ed25519@openssh.com AAAA\n",
                Known::Special("a key is of type sk-ssh-ed25519@openssh.com".into()),
            ),
            (
                "h ssh-ed25519 !!!\n",
                Known::Special("an entry cannot be read".into()),
            ),
            (
                "h ssh-ed25519\n",
                Known::Special("an entry cannot be read".into()),
            ),
        ];
        for (output, expected) in cases {
            let found = [("/h/known".to_owned(), (*output).to_owned())];
            assert_eq!(&read(&found), expected, "{output:?}");
        }
    }

    #[test]
    fn a_recorded_key_is_shown_as_openssh_shows_it() {
        // `ssh-keygen -l` of these very bytes said so.
        let key = "AAAAC3NzaC1lZDI1NTE5AAAAIE8puMfxLKsbLmUcrDUbGEpZPu6qP/MyniwmM/Yp4TeA";
        let output = format!(
            "# Host h found: line 2 \nh ssh-ed25519 AAAA\n# Host h found: line 12 \n|1|a=|b= ssh-ed25519 {key} c\r\n"
        );
        assert_eq!(
            fingerprint_at(&output, "12").as_deref(),
            Some("ED25519 SHA256:73kpjKb7dxsnTKJWEl3mnC6149yRrDancX1YP708Uw0")
        );
        assert_eq!(fingerprint_at(&output, "1"), None);
        assert_eq!(fingerprint_at("", "1"), None);
    }

    #[test]
    fn a_host_is_looked_up_as_openssh_does() {
        assert_eq!(names("Zion", 22, None), ["zion"]);
        assert_eq!(names("zion", 2222, None), ["[zion]:2222", "zion"]);
        assert_eq!(names("zion", 2222, Some("inner")), ["inner"]);
    }

    #[test]
    fn the_file_is_spelled_for_the_library() {
        let keys = [key("ssh-ed25519", ED)];
        assert_eq!(
            file("inner", 2222, &keys),
            format!("[inner]:2222 ssh-ed25519 {ED}\n")
        );
        assert_eq!(file("h", 22, &keys), format!("h ssh-ed25519 {ED}\n"));
    }
}
