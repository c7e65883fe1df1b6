//! Keys of the person, as far as choosing one needs to know them: what kind of file it is, and what an agent holds.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// How a private key file can be used without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Private {
    /// There is none.
    Missing,
    /// It can be read and has no passphrase.
    Open,
    /// It has a passphrase.
    Locked,
    /// Others can read it; OpenSSH refuses such a file.
    Exposed,
    /// It is not a key that can be judged.
    Odd,
}

/// One identity of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The file that the configuration names, expanded.
    pub path: PathBuf,
    /// Its private half.
    pub private: Private,
    /// Type and base64 of its public half, from the `.pub` file or else from the private half, where that tells.
    pub public: Option<PublicKey>,
    /// Whether the `.pub` file is there.
    pub named: bool,
    /// Whether a certificate lies beside it.
    pub certificate: bool,
}

impl Identity {
    /// The file of the public half.
    #[must_use]
    pub fn public_path(&self) -> PathBuf {
        with_suffix(&self.path, ".pub")
    }
}

/// A public key: type and base64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey {
    /// Its type, such as `ssh-ed25519`.
    pub algorithm: String,
    /// The key itself, in base64.
    pub key: String,
}

impl PublicKey {
    /// Reads a line of a `.pub` file or of `ssh-add -L`.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let algorithm = words.next()?;
        let key = words.next()?;
        STANDARD.decode(key).ok()?;
        Some(Self {
            algorithm: algorithm.to_owned(),
            key: key.to_owned(),
        })
    }

    /// Whether it lives in a hardware token.
    #[must_use]
    pub fn is_hardware(&self) -> bool {
        self.algorithm.starts_with("sk-")
    }

    /// Whether it is a certificate.
    #[must_use]
    pub fn is_certificate(&self) -> bool {
        self.algorithm.contains("-cert-v01@")
    }
}

/// What the agent of a host's configuration has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agent {
    /// None is configured or known.
    None,
    /// Nothing listens at its socket, or that is not the person's.
    Gone,
    /// It takes a connection and says nothing, so that nobody knows what it has: stopped, or it hangs.
    Silent,
    /// It has these keys, but the library cannot be pointed at it.
    OutOfReach(Vec<PublicKey>),
    /// It has these keys; the library can use it.
    Keys(Vec<PublicKey>),
}

impl Agent {
    /// The keys that it is known to have.
    #[must_use]
    pub fn keys(&self) -> &[PublicKey] {
        match self {
            Self::Keys(keys) | Self::OutOfReach(keys) => keys,
            Self::None | Self::Gone | Self::Silent => &[],
        }
    }

    /// Whether it is known to have the key of this identity.
    #[must_use]
    pub fn holds(&self, identity: &Identity) -> bool {
        let public = identity.public.as_ref();
        public.is_some_and(|public| self.keys().contains(public))
    }
}

/// The path with `suffix` after its last character.
#[must_use]
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The name of an identity file with `~` and the percent signs filled in that this end knows. `None`: it holds another one.
#[must_use]
pub fn expand(
    name: &str,
    home: &str,
    local_user: &str,
    hostname: &str,
    user: &str,
) -> Option<PathBuf> {
    let name = match name.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None if name.starts_with('~') => return None,
        None => name.to_owned(),
    };
    let mut path = String::new();
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            path.push(c);
            continue;
        }
        match chars.next()? {
            '%' => path.push('%'),
            'd' => path.push_str(home),
            'u' => path.push_str(local_user),
            'h' => path.push_str(hostname),
            'r' => path.push_str(user),
            _ => return None,
        }
    }
    Some(PathBuf::from(path))
}

/// What kind of private key a file's text is.
#[must_use]
pub fn judge(text: &str) -> Private {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else {
        return Private::Odd;
    };
    if !first.starts_with("-----BEGIN ") || !first.contains("PRIVATE KEY") {
        return Private::Odd;
    }
    if first.contains("OPENSSH") {
        let body = lines
            .take_while(|line| !line.starts_with("-----"))
            .collect::<String>();
        return STANDARD
            .decode(body)
            .ok()
            .and_then(|bytes| cipher(&bytes))
            .map_or(Private::Odd, |cipher| {
                if cipher == b"none" {
                    Private::Open
                } else {
                    Private::Locked
                }
            });
    }
    if first.contains("ENCRYPTED") || text.contains("Proc-Type: 4,ENCRYPTED") {
        Private::Locked
    } else {
        Private::Open
    }
}

/// The name of the cipher in OpenSSH's own key format: a magic word, then the name with its length before it.
fn cipher(bytes: &[u8]) -> Option<Vec<u8>> {
    let rest = bytes.strip_prefix(MAGIC)?;
    string(rest).map(|(cipher, _)| cipher.to_vec())
}

/// How OpenSSH's own key format begins.
const MAGIC: &[u8] = b"openssh-key-v1\0";

/// A string with its length before it, and what follows.
fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

/// The public half in the text of a private key of OpenSSH's own format, which needs no passphrase: cipher, derivation and its
/// options, the number of keys, then the public key (PROTOCOL.key of OpenSSH).
#[must_use]
pub fn public_half(text: &str) -> Option<PublicKey> {
    let body = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("-----"))
        .collect::<String>();
    let bytes = STANDARD.decode(body).ok()?;
    let (_, rest) = string(bytes.strip_prefix(MAGIC)?)?;
    let (_, rest) = string(rest)?;
    let (_, rest) = string(rest)?;
    let (_, rest) = rest.split_first_chunk::<4>()?;
    let (blob, _) = string(rest)?;
    let (algorithm, _) = string(blob)?;
    Some(PublicKey {
        algorithm: String::from_utf8(algorithm.to_vec()).ok()?,
        key: STANDARD.encode(blob),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_expanded_as_far_as_they_can_be() {
        let cases = [
            ("~/.ssh/id", Some("/h/.ssh/id")),
            ("/k/a b", Some("/k/a b")),
            ("%d/.ssh/%u-%r@%h%%", Some("/h/.ssh/me-you@zion%")),
            ("~root/id", None),
            ("/k/%C", None),
            ("/k/%", None),
        ];
        for (name, expected) in cases {
            assert_eq!(
                expand(name, "/h", "me", "zion", "you"),
                expected.map(PathBuf::from),
                "{name}"
            );
        }
    }

    #[test]
    fn a_passphrase_is_seen_without_asking_for_it() {
        let openssh = |cipher: &str| {
            let mut bytes = b"openssh-key-v1\0".to_vec();
            bytes.extend(u32::try_from(cipher.len()).unwrap().to_be_bytes());
            bytes.extend(cipher.as_bytes());
            bytes.extend(b"rest");
            format!(
                "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n",
                STANDARD.encode(bytes)
            )
        };
        let cases = [
            (openssh("none"), Private::Open),
            (openssh("aes256-ctr"), Private::Locked),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n".into(),
                Private::Open,
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n".into(),
                Private::Locked,
            ),
            (
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\n".into(),
                Private::Locked,
            ),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n".into(),
                Private::Odd,
            ),
            ("ssh-ed25519 AAAA".into(), Private::Odd),
            (String::new(), Private::Odd),
        ];
        for (text, expected) in cases {
            assert_eq!(judge(&text), expected, "{text}");
        }
    }

    #[test]
    fn lines_of_public_keys_are_read() {
        let key = PublicKey::parse("ssh-ed25519-cert-v01@openssh.com AAAA me@here").unwrap();
        assert!(key.is_certificate() && !key.is_hardware());
        assert!(
            PublicKey::parse("sk-ssh-ed25519@openssh.com AAAA")
                .unwrap()
                .is_hardware()
        );
        assert_eq!(PublicKey::parse("The agent has no identities."), None);
    }
}
