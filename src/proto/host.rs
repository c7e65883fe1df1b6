//! Names of hosts: the only form in which a host travels towards ssh.

use super::text::shown;
use super::text::{TextError, text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::net::Ipv6Addr;
use std::ops::Deref;

text! {
    /// An alias of the person's ssh configuration, a host name or an IPv6 address, with an optional `user@`.
    ///
    /// The grammar is narrower than OpenSSH's on purpose: no leading `-`, no blanks, no `%`, nothing that a shell or an
    /// option parser could read as something else.
    HostAlias, check,
    { "type": "string", "pattern": "^([A-Za-z0-9_][A-Za-z0-9._-]{0,63}@)?([A-Za-z0-9_][A-Za-z0-9._-]{0,254}|[0-9A-Fa-f:]+(%[A-Za-z0-9]+)?)$" }
}

fn check(text: &str) -> Result<(), TextError> {
    let (user, host) = match text.split_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, text),
    };
    let good = user.is_none_or(|user| name(user, 64)) && (name(host, 255) || ipv6(host));
    if good {
        Ok(())
    } else {
        Err(TextError(format!(
            "{text} is not a valid ssh host name",
            text = shown(text)
        )))
    }
}

fn name(text: &str, longest: usize) -> bool {
    let mut bytes = text.bytes();
    text.len() <= longest
        && bytes
            .next()
            .is_some_and(|b| b == b'_' || b.is_ascii_alphanumeric())
        && bytes.all(|b| matches!(b, b'.' | b'_' | b'-') || b.is_ascii_alphanumeric())
}

/// An IPv6 address, with an optional zone of letters and digits.
fn ipv6(text: &str) -> bool {
    let (address, zone) = text
        .split_once('%')
        .map_or((text, None), |(address, zone)| (address, Some(zone)));
    address.parse::<Ipv6Addr>().is_ok()
        && zone
            .is_none_or(|zone| !zone.is_empty() && zone.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_ssh_can_read_one_way_are_hosts() {
        for good in [
            "zion",
            "me@zion",
            "10.0.0.1",
            "a_b-c.example",
            "fe80::1",
            "fe80::1%eth0",
            "u@::1",
            "_x",
        ] {
            assert!(HostAlias::parse(good).is_ok(), "{good:?}");
        }
        for bad in [
            "",
            "-oProxyCommand=x",
            "-lroot",
            "a;b",
            "a`id`",
            "a b",
            "a\nb",
            "a\0b",
            "u@-oX",
            "[-oX]",
            "u@h@i",
            "@h",
            "u@",
            "ssh://h",
            "h:22",
            "a%b",
            "~",
            "*",
            "ünï",
            "fe80::1%",
            "fe80::1%e;x",
        ] {
            assert!(HostAlias::parse(bad).is_err(), "{bad:?}");
        }
        assert!(HostAlias::parse("a".repeat(255)).is_ok());
        assert!(HostAlias::parse("a".repeat(256)).is_err());
    }
}
