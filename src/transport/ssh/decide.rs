//! Which way to a host: the pooled library where it provably does what `ssh HOST` does, and OpenSSH itself everywhere else.

use std::path::{Path, PathBuf};

use crate::config::SshBackend;

use super::config::Config;
use super::identity::{Agent, Identity, Private, PublicKey};
use super::known_hosts::{HostKey, Known};

/// Everything the decision depends on, collected before.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What the person wants.
    pub preference: SshBackend,
    /// Why OpenSSH was needed for this host the last time, while that holds.
    pub sticky: Option<String>,
    /// The configuration of the host.
    pub config: Config,
    /// What OpenSSH says about the same name without any configuration.
    pub baseline: Config,
    /// Whether the person's own control master for this host answers.
    pub own_master: bool,
    /// What the files of known hosts say.
    pub known: Known,
    /// The identities of the configuration, in its order.
    pub identities: Vec<Identity>,
    /// Whether an identity's name holds a percent sign that could not be filled in.
    pub odd_identity: bool,
    /// The agent of the configuration.
    pub agent: Agent,
    /// Its socket, where one is configured or known.
    pub agent_path: Option<PathBuf>,
}

/// The one way in which the library will log in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// With the agent's key that this public key file names.
    AgentKey(PathBuf),
    /// With whatever the agent holds.
    Agent,
    /// With this private key.
    File(PathBuf),
}

/// The decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The library: how it logs in, and the host keys it accepts.
    Library {
        /// How it logs in.
        login: Login,
        /// The keys it accepts.
        keys: Vec<HostKey>,
    },
    /// OpenSSH, for these reasons.
    OpenSsh(Vec<String>),
    /// Neither, because only the library is wanted and it is not equivalent, for these reasons.
    Refused(Vec<String>),
}

/// Keywords that may differ from OpenSSH's defaults without changing what a command needs, or that are looked at one by one.
const HARMLESS: &[&str] = &[
    "host",
    "hostname",
    "user",
    "port",
    "addressfamily",
    "identityfile",
    "identitiesonly",
    "identityagent",
    "userknownhostsfile",
    "globalknownhostsfile",
    "hostkeyalias",
    "stricthostkeychecking",
    "connecttimeout",
    "connectionattempts",
    "serveralivecountmax",
    "serveraliveinterval",
    "tcpkeepalive",
    "hashknownhosts",
    "updatehostkeys",
    "addkeystoagent",
    "loglevel",
    "visualhostkey",
    "batchmode",
    "numberofpasswordprompts",
    "passwordauthentication",
    "requesttty",
    "escapechar",
    "sendenv",
    "setenv",
    "compression",
    "exitonforwardfailure",
    "clearallforwardings",
    "permitlocalcommand",
    "localcommand",
    "remotecommand",
    "ipqos",
    "stdinnull",
    "sessiontype",
    "tag",
];

/// Beginnings and ends of further harmless keywords.
const HARMLESS_STARTS: &[&str] = &["gssapi", "kbdinteractive", "forward", "control"];
const HARMLESS_ENDS: &[&str] = &["forward"];

/// How many keys of an agent may be offered one after the other before a server has had enough.
const AGENT_KEYS: usize = 5;

/// Decides.
#[must_use]
pub fn decide(facts: &Facts) -> Choice {
    if facts.preference == SshBackend::Openssh {
        return Choice::OpenSsh(vec!["the configuration of surfaced says so".into()]);
    }
    let mut reasons = Vec::new();
    reasons.extend(facts.sticky.clone());
    reasons.extend(unlike_the_defaults(facts));
    reasons.extend(host_key_needs(facts));
    reasons.extend(identity_needs(facts));
    let login = login(facts);
    if let Err(reason) = &login {
        reasons.push(reason.clone());
    }
    match (login, &facts.known) {
        (Ok(login), Known::Keys(keys)) if reasons.is_empty() => Choice::Library {
            login,
            keys: keys.clone(),
        },
        _ if facts.preference == SshBackend::Library => Choice::Refused(reasons),
        _ => Choice::OpenSsh(reasons),
    }
}

fn harmless(key: &str) -> bool {
    HARMLESS.contains(&key)
        || HARMLESS_STARTS.iter().any(|start| key.starts_with(start))
        || HARMLESS_ENDS.iter().any(|end| key.ends_with(end))
}

fn unlike_the_defaults(facts: &Facts) -> Vec<String> {
    let mut reasons = facts
        .config
        .differing(&facts.baseline)
        .into_iter()
        .filter(|key| !harmless(key))
        .map(|key| match facts.config.get(&key) {
            Some(value) if value.len() <= 60 => format!("{key} is {value}"),
            Some(_) => format!("{key} is set"),
            None => format!("{key} is unset"),
        })
        .collect::<Vec<_>>();
    if facts.own_master {
        reasons.push("a control master of the person's own is up".into());
    }
    reasons
}

fn host_key_needs(facts: &Facts) -> Option<String> {
    let strict = facts.config.get("stricthostkeychecking").unwrap_or("ask");
    if matches!(strict, "no" | "off" | "false") {
        return Some(format!("stricthostkeychecking is {strict}"));
    }
    match &facts.known {
        Known::Keys(_) => None,
        Known::Nothing => Some("no key of the host is recorded".into()),
        Known::Special(what) => Some(format!("in known hosts {what}")),
        Known::Revoked(place) => Some(format!("{place} is marked @revoked")),
    }
}

fn identity_needs(facts: &Facts) -> Vec<String> {
    let mut reasons = Vec::new();
    if facts.odd_identity {
        reasons.push("the name of an identity file has parts that only OpenSSH can fill in".into());
    }
    for identity in &facts.identities {
        let path = identity.path.display();
        let hardware = identity.public.as_ref().is_some_and(PublicKey::is_hardware);
        let in_agent = facts.agent.holds(identity);
        if identity.certificate {
            reasons.push(format!("{path} has a certificate"));
        } else if hardware {
            reasons.push(format!("{path} is a hardware key"));
        } else if identity.private == Private::Exposed {
            reasons.push(format!("{path} can be read by others"));
        } else if identity.private == Private::Odd {
            reasons.push(format!("{path} is not a plain key"));
        } else if identity.private == Private::Locked && !in_agent {
            reasons.push(format!("{path} has a passphrase and {}", lack(facts)));
        }
    }
    let keys = facts.agent.keys();
    if matches!(facts.agent, Agent::OutOfReach(_)) && !keys.is_empty() {
        reasons.push("the library cannot be pointed at the agent".into());
    }
    if keys.iter().any(PublicKey::is_certificate) {
        reasons.push("the agent holds a certificate".into());
    }
    if keys.first().is_some_and(PublicKey::is_hardware) {
        reasons.push("the agent's first key is a hardware key".into());
    }
    reasons
}

/// Why the agent does not help with a key: what is not known is not said to be absent.
fn lack(facts: &Facts) -> String {
    let path = facts.agent_path.as_deref().unwrap_or(Path::new(""));
    match &facts.agent {
        Agent::None => "there is no agent".into(),
        Agent::Gone => format!("no agent listens at {}", path.display()),
        Agent::Silent => format!("the agent at {} does not answer", path.display()),
        Agent::OutOfReach(_) | Agent::Keys(_) => "is not in the agent".into(),
    }
}

/// The first candidate in OpenSSH's own order: the agent's keys that the configuration names, other keys of the agent, files.
fn login(facts: &Facts) -> Result<Login, String> {
    if let Agent::Keys(keys) | Agent::OutOfReach(keys) = &facts.agent {
        let held = |identity: &&Identity| facts.agent.holds(identity);
        match facts.identities.iter().find(held) {
            Some(identity) if identity.named => {
                return Ok(Login::AgentKey(identity.public_path()));
            }
            // Its file says the same, and the library needs no name for that.
            Some(identity) if identity.private == Private::Open => {
                return Ok(Login::File(identity.path.clone()));
            }
            Some(identity) => {
                return Err(format!(
                    "the agent's key is named by {}, which is not there",
                    identity.public_path().display()
                ));
            }
            None => {}
        }
        if !facts.config.is_on("identitiesonly") && !keys.is_empty() {
            return if keys.len() <= AGENT_KEYS {
                Ok(Login::Agent)
            } else {
                Err(format!(
                    "the agent holds {} keys and none is named by identityfile",
                    keys.len()
                ))
            };
        }
    }
    facts
        .identities
        .iter()
        .find(|identity| identity.private == Private::Open)
        .map(|identity| Login::File(identity.path.clone()))
        .ok_or_else(|| match facts.agent {
            Agent::Silent => format!("{}, and no key file can be used without it", lack(facts)),
            _ => "no key that can be used without the person".into(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "hostname zion\nuser me\nport 22\nstricthostkeychecking ask\nidentitiesonly no\nciphers a\n";

    fn public(key: &str) -> PublicKey {
        PublicKey {
            algorithm: "ssh-ed25519".into(),
            key: key.into(),
        }
    }

    fn identity(path: &str, private: Private, key: Option<&str>) -> Identity {
        Identity {
            path: path.into(),
            private,
            public: key.map(public),
            named: key.is_some(),
            certificate: false,
        }
    }

    fn host_keys() -> Vec<HostKey> {
        vec![HostKey {
            algorithm: "ssh-ed25519".into(),
            key: "AAAA".into(),
        }]
    }

    fn facts() -> Facts {
        Facts {
            preference: SshBackend::Auto,
            sticky: None,
            config: Config::parse(BASE),
            baseline: Config::parse(BASE),
            own_master: false,
            known: Known::Keys(host_keys()),
            identities: vec![identity("/k/id", Private::Open, Some("A"))],
            odd_identity: false,
            agent: Agent::None,
            agent_path: Some("/run/agent".into()),
        }
    }

    #[track_caller]
    fn openssh(change: impl FnOnce(&mut Facts), reason: &str) {
        let mut facts = facts();
        change(&mut facts);
        match decide(&facts) {
            Choice::OpenSsh(reasons) => {
                assert!(
                    reasons.iter().any(|given| given.contains(reason)),
                    "{reasons:?} has no {reason:?}"
                );
            }
            other => panic!("{reason}: {other:?}"),
        }
        facts.preference = SshBackend::Library;
        if reason != "says so" {
            assert!(matches!(decide(&facts), Choice::Refused(_)), "{reason}");
        }
    }

    #[track_caller]
    fn library(change: impl FnOnce(&mut Facts), login: Login) {
        let mut facts = facts();
        change(&mut facts);
        assert_eq!(
            decide(&facts),
            Choice::Library {
                login,
                keys: host_keys()
            }
        );
    }

    fn with(lines: &str) -> impl FnOnce(&mut Facts) {
        let lines = lines.to_owned();
        move |facts| facts.config = Config::parse(&format!("{BASE}{lines}"))
    }

    #[test]
    fn what_the_library_cannot_do_goes_to_openssh() {
        openssh(|f| f.preference = SshBackend::Openssh, "says so");
        openssh(|f| f.sticky = Some("login was refused".into()), "refused");
        for line in [
            "proxyjump bast",
            "proxycommand nc %h %p",
            "certificatefile /k/id-cert.pub",
            "pkcs11provider /lib/x.so",
            "knownhostscommand /bin/x",
            "canonicaldomains example",
            "bindaddress 10.0.0.1",
            "preferredauthentications password",
            "requiredrsasize 4096",
            "somethingnew yes",
        ] {
            openssh(with(line), line.split(' ').next().unwrap());
        }
        openssh(
            |f| f.config = Config::parse(&BASE.replace("ciphers a", "ciphers b")),
            "ciphers is b",
        );
        openssh(
            |f| f.config = Config::parse(&BASE.replace("ask", "no")),
            "stricthostkeychecking is no",
        );
        openssh(|f| f.own_master = true, "control master");
        openssh(|f| f.known = Known::Nothing, "no key of the host");
        openssh(
            |f| f.known = Known::Revoked("/h/known:7".into()),
            "@revoked",
        );
        openssh(|f| f.odd_identity = true, "fill in");
        openssh(|f| f.identities[0].certificate = true, "certificate");
        openssh(|f| f.identities[0].private = Private::Exposed, "by others");
        openssh(|f| f.identities[0].private = Private::Locked, "passphrase");
        openssh(|f| f.identities.clear(), "no key that can be used");
        openssh(
            |f| f.agent = Agent::OutOfReach(vec![public("A")]),
            "cannot be pointed at the agent",
        );
        openssh(
            |f| f.agent = Agent::Keys((0..6).map(|n| public(&n.to_string())).collect()),
            "6 keys",
        );
        openssh(
            |f| {
                f.agent = Agent::Keys(vec![PublicKey {
                    algorithm: "ssh-ed25519-cert-v01@openssh.com".into(),
                    key: "C".into(),
                }]);
            },
            "certificate",
        );
    }

    #[test]
    fn what_is_not_known_of_an_agent_is_not_said() {
        for (agent, reason) in [
            (Agent::None, "/k/id has a passphrase and there is no agent"),
            (
                Agent::Gone,
                "/k/id has a passphrase and no agent listens at /run/agent",
            ),
            (
                Agent::Silent,
                "/k/id has a passphrase and the agent at /run/agent does not answer",
            ),
            (
                Agent::OutOfReach(vec![public("B")]),
                "/k/id has a passphrase and is not in the agent",
            ),
            (
                Agent::OutOfReach(vec![public("A")]),
                "the library cannot be pointed at the agent",
            ),
        ] {
            let mut facts = facts();
            facts.identities[0].private = Private::Locked;
            facts.agent = agent;
            let choice = decide(&facts);
            let Choice::OpenSsh(reasons) = &choice else {
                panic!("{choice:?}");
            };
            assert_eq!(reasons[0], reason, "{reasons:?}");
        }
        // A key that is in reach of nobody is no reason against one that lies open.
        library(
            |f| f.agent = Agent::OutOfReach(Vec::new()),
            Login::File("/k/id".into()),
        );
        library(|f| f.agent = Agent::Silent, Login::File("/k/id".into()));
        // The agent has it, and only the private file says which one it is.
        openssh(
            |f| {
                f.identities = vec![identity("/k/locked", Private::Locked, Some("A"))];
                f.identities[0].named = false;
                f.agent = Agent::Keys(vec![public("A")]);
            },
            "/k/locked.pub, which is not there",
        );
    }

    #[test]
    fn keys_are_tried_in_the_order_of_openssh() {
        library(|_| {}, Login::File("/k/id".into()));
        library(
            |f| f.agent = Agent::Keys(vec![public("B"), public("A")]),
            Login::AgentKey("/k/id.pub".into()),
        );
        library(|f| f.agent = Agent::Keys(vec![public("B")]), Login::Agent);
        library(
            |f| {
                f.config = Config::parse(&BASE.replace("identitiesonly no", "identitiesonly yes"));
                f.agent = Agent::Keys(vec![public("B")]);
            },
            Login::File("/k/id".into()),
        );
        library(
            |f| {
                f.identities = vec![identity("/k/locked", Private::Locked, Some("A"))];
                f.agent = Agent::Keys(vec![public("A")]);
            },
            Login::AgentKey("/k/locked.pub".into()),
        );
        library(|f| f.agent = Agent::Gone, Login::File("/k/id".into()));
        library(
            |f| {
                f.identities
                    .insert(0, identity("/k/none", Private::Missing, None));
            },
            Login::File("/k/id".into()),
        );
    }

    #[test]
    fn what_changes_nothing_for_a_command_stays_with_the_library() {
        for line in [
            "gssapiauthentication yes",
            "hashknownhosts yes",
            "sendenv LANG LC_*",
            "localforward 8080 h:80",
            "remotecommand tmux attach",
            "requesttty force",
            "controlpath /tmp/x",
            "serveraliveinterval 30",
            "compression yes",
        ] {
            library(with(line), Login::File("/k/id".into()));
        }
    }
}
