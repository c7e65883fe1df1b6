//! What goes wrong on the way to a host, in words that say what to do.

use std::time::Duration;

use super::answer::printable;
use super::changed::Changed;
use crate::launch::quote::{Style, posix};
use crate::launch::ssh_line::SshLine;
use crate::launch::step::Need;
use crate::proto::{Failure, HostAlias, Kind};

/// The host as messages name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name that the person uses.
    pub alias: HostAlias,
    /// What it resolves to.
    pub hostname: String,
    /// The port.
    pub port: u16,
    /// The name that its host key is recorded under.
    pub key_name: String,
    /// How people call it.
    pub ssh: SshLine,
}

impl Target {
    /// A host as it is in messages before its configuration is known.
    #[must_use]
    pub fn unresolved(alias: &HostAlias, ssh: SshLine) -> Self {
        Self {
            alias: alias.clone(),
            hostname: alias.to_string(),
            port: 22,
            key_name: alias.to_string(),
            ssh,
        }
    }

    fn place(&self) -> String {
        if self.hostname.contains(':') {
            format!("[{}]:{}", self.hostname, self.port)
        } else {
            format!("{}:{}", self.hostname, self.port)
        }
    }
}

/// A class of failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// OpenSSH cannot read the configuration; its own words.
    Config(String),
    /// The name does not resolve.
    Name,
    /// Nothing listens there.
    Refused,
    /// No answer in this time.
    Timeout(Duration),
    /// Something answered, and the login did not come to an end in this time.
    Unfinished(Duration),
    /// The network says that there is no way; its own words.
    NoRoute(String),
    /// The connection was closed before the login.
    Dropped,
    /// No key of the host is recorded.
    HostKeyUnknown,
    /// Another key is recorded.
    HostKeyChanged(Changed),
    /// The host's key is marked as revoked.
    HostKeyRevoked(Option<String>),
    /// The login is refused; what the host would accept, where it said so.
    Denied(Option<String>),
    /// Too many keys were offered.
    TooManyKeys,
    /// A key file cannot be used; OpenSSH's own words.
    KeyFile(String),
    /// The login is refused, and this key was not offered: it has a passphrase and is in no agent.
    KeyLocked(String),
    /// The login is refused, and the agent at this path does not answer or holds no key.
    AgentGone(String),
    /// The agent at this path takes connections and says nothing, and without it there is no login.
    AgentSilent(String),
    /// No algorithm in common; the host's list.
    NoCommonAlgorithm(String),
    /// The jump host could not go on.
    Jump,
    /// Anything else; the last words of ssh.
    Other(String),
}

impl Trouble {
    /// Reads the complaints of `ssh` that ended before any command began.
    #[must_use]
    pub fn read(stderr: &str, limit: Duration) -> Self {
        let line = |needle: &str| {
            stderr
                .lines()
                .find(|line| line.contains(needle))
                .map(|line| printable(line.trim()))
        };
        let has = |needle: &str| stderr.contains(needle);
        if let Some(line) =
            line("Bad configuration option").or_else(|| line("Bad owner or permissions"))
        {
            return Self::Config(line);
        }
        if has("REMOTE HOST IDENTIFICATION HAS CHANGED") {
            return Self::HostKeyChanged(Changed::read(stderr));
        }
        if has("marked as revoked") || has("REVOKED HOST KEY") {
            return Self::HostKeyRevoked(None);
        }
        if has("Host key verification failed") || has("host key is known for") {
            return Self::HostKeyUnknown;
        }
        if has("stdio forwarding failed") || has("Connection closed by UNKNOWN port 65535") {
            return Self::Jump;
        }
        if has("Too many authentication failures") {
            return Self::TooManyKeys;
        }
        if let Some(line) = line("UNPROTECTED PRIVATE KEY FILE")
            .or_else(|| line("bad permissions"))
            .or_else(|| line("not accessible"))
            .or_else(|| line("no such identity"))
        {
            let named = stderr
                .lines()
                .find(|line| line.contains("Permissions 0") || line.contains("not accessible"))
                .map_or(line, |line| printable(line.trim()));
            return Self::KeyFile(named);
        }
        if has("Permission denied (") {
            let methods = after(stderr, "Permission denied (")
                .map(|rest| rest.trim_end_matches(['.', ')']).to_owned());
            return Self::Denied(methods);
        }
        if has("Permission denied") {
            return Self::Denied(None);
        }
        if has("Could not resolve hostname") {
            return Self::Name;
        }
        if has("Connection refused") {
            return Self::Refused;
        }
        if has("timed out") || has("during banner exchange") && !has("Connection closed") {
            return Self::Timeout(limit);
        }
        if let Some(line) = line("No route to host").or_else(|| line("Network is unreachable")) {
            return Self::NoRoute(line);
        }
        if has("Unable to negotiate") {
            return Self::NoCommonAlgorithm(after(stderr, "Their offer: ").unwrap_or_default());
        }
        if has("Connection closed")
            || has("Connection reset")
            || has("kex_exchange_identification")
            || has("banner exchange")
        {
            return Self::Dropped;
        }
        let last = stderr
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty())
            .unwrap_or("ssh said nothing");
        Self::Other(printable(last))
    }

    /// What programs branch on.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::HostKeyUnknown | Self::HostKeyChanged(_) | Self::HostKeyRevoked(_) => {
                Kind::HostKey
            }
            Self::Denied(_)
            | Self::TooManyKeys
            | Self::KeyFile(_)
            | Self::KeyLocked(_)
            | Self::AgentGone(_)
            | Self::AgentSilent(_) => Kind::HostAuth,
            _ => Kind::HostUnreachable,
        }
    }

    /// Whether trying again soon could make the host lock this address out.
    #[must_use]
    pub const fn provokes(&self) -> bool {
        matches!(
            self,
            Self::Dropped
                | Self::Denied(_)
                | Self::TooManyKeys
                | Self::KeyLocked(_)
                | Self::AgentGone(_)
                | Self::AgentSilent(_)
                | Self::Timeout(_)
                | Self::Unfinished(_)
                | Self::Jump
        )
    }

    /// The failure that the caller gets.
    #[must_use]
    pub fn failure(&self, target: &Target) -> Failure {
        let alias = &target.alias;
        let place = target.place();
        let file = target.ssh.file();
        let ssh =
            |options: &[&str], command| format!("`{}`", target.ssh.line(options, alias, command));
        let (message, hint) = match self {
            Self::Config(words) => (
                format!("the ssh configuration for {alias} has an error: {words}"),
                format!("correct the named line; {} shows the same error", ssh(&["-G"], None)),
            ),
            Self::Name => (
                format!("cannot resolve {} (host {alias})", target.hostname),
                format!("check the spelling, or add a `Host {alias}` block with its HostName to {file}"),
            ),
            Self::Refused => (
                format!("nothing listens on {place} (host {alias})"),
                format!("start sshd there, or correct Port in {file}"),
            ),
            Self::Timeout(limit) => (
                format!("{place} did not answer in {} s (host {alias})", limit.as_secs_f32().ceil()),
                "is the host up and reachable from here (VPN, firewall)?".into(),
            ),
            Self::Unfinished(limit) => (
                format!("the login to {alias} at {place} did not finish in {} s", limit.as_secs_f32().ceil()),
                format!("the host hangs, or an agent waits for somebody to confirm: {} shows where it stops", ssh(&["-v"], Some("true"))),
            ),
            Self::NoRoute(words) => (
                format!("cannot reach {place} (host {alias}): {words}"),
                "is this machine on the right network?".into(),
            ),
            Self::Dropped => (
                format!("{place} closed the connection before login (host {alias})"),
                "it is not an ssh server, or it blocks this address for a while (PerSourcePenalties, fail2ban, MaxStartups)".into(),
            ),
            Self::HostKeyUnknown => (
                format!("no host key of {alias} is recorded"),
                format!("run {} once in a terminal and confirm the key", ssh(&[], None)),
            ),
            Self::HostKeyChanged(changed) => changed.words(target),
            Self::HostKeyRevoked(place) => (
                match place {
                    Some(place) => format!("the host key of {alias} is revoked in {place}; not connecting"),
                    None => format!("the host key of {alias} is revoked; not connecting"),
                },
                "ask whoever runs the host for its new key".into(),
            ),
            Self::Denied(methods) => (
                match methods {
                    Some(methods) => format!("{alias} refused the login; it accepts {}", methods.replace(',', ", ")),
                    None => format!("{alias} refused the login"),
                },
                format!(
                    "make {} work: add the key with ssh-add if it has a passphrase, and put its public half on the host",
                    ssh(&["-o", "BatchMode=yes"], Some("true"))
                ),
            ),
            Self::TooManyKeys => (
                format!("{alias} ended the login after too many keys"),
                format!("set IdentityFile and `IdentitiesOnly yes` for {alias} in {file}"),
            ),
            Self::KeyFile(words) => (
                format!("a key for {alias} cannot be used: {words}"),
                "a private key has to be there and readable by you alone: chmod 600 FILE".into(),
            ),
            Self::KeyLocked(file) => (
                format!("the key {file} for {alias} has a passphrase and is in no agent"),
                format!("ssh-add {}", posix(file, Style::Bare)),
            ),
            Self::AgentGone(path) => (
                format!("no ssh-agent answers at {path}, or it holds no key, and {alias} refused the login"),
                "start the agent and ssh-add a key, or correct IdentityAgent or SSH_AUTH_SOCK".into(),
            ),
            Self::AgentSilent(path) => (
                format!("the ssh-agent at {path} does not answer, and there is no login to {alias} without it"),
                "it is stopped or hangs: continue it (kill -CONT) or start it anew, or correct IdentityAgent or SSH_AUTH_SOCK; `ssh-add -l` has to answer".into(),
            ),
            Self::NoCommonAlgorithm(list) => (
                format!("{alias} and this machine have no algorithm in common; it offers {list}"),
                "bring the older of the two up to date".into(),
            ),
            Self::Jump => (
                format!("the jump host or proxy of {alias} did not reach {place}"),
                format!("try the steps one by one: the proxyjump or proxycommand that {} shows", ssh(&["-G"], None)),
            ),
            Self::Other(words) => (
                format!("ssh to {alias} failed: {words}"),
                format!("{} shows more", ssh(&["-v"], Some("true"))),
            ),
        };
        Failure::new(self.kind(), message).hint(hint)
    }
}

/// The rest of the line after `needle`.
fn after(text: &str, needle: &str) -> Option<String> {
    text.lines()
        .find_map(|line| line.split_once(needle))
        .map(|(_, rest)| printable(rest))
}

/// A program is missing on the host.
#[must_use]
pub fn missing(alias: &HostAlias, program: &str, path: &str) -> Failure {
    Failure::new(
        Kind::HostToolMissing,
        format!("{program} is not installed on {alias}"),
    )
    .hint(format!(
        "install it there, or put it into one of {}",
        printable(path)
    ))
}

/// A program of macOS is missing on the host, which is of another system. The detail names it for whoever knows the application.
#[must_use]
pub fn no_mac(alias: &HostAlias, system: &str) -> Failure {
    Failure::new(
        Kind::HostToolMissing,
        format!("applications of macOS cannot be driven on {alias}, which runs {system}"),
    )
    .hint(format!(
        "leave the backend out to use tmux there; `surfaced backends -H {alias}` lists what can be driven"
    ))
    .detail(serde_json::json!({ "system": system }))
}

/// A file could not be put on the host.
#[must_use]
pub fn no_file(alias: &HostAlias, root: &str) -> Failure {
    Failure::new(
        Kind::Permission,
        format!("cannot write a launch script on {alias}"),
    )
    .hint(format!(
        "{root} there has to be a directory of yours with room in it, and not a link"
    ))
}

/// A command was handed over and the link broke: it may have done its work.
#[must_use]
pub fn lost(alias: &HostAlias, program: &str) -> Failure {
    let program = printable(program);
    Failure::new(
        Kind::StateUnknown,
        format!("the connection to {alias} broke before {program} answered"),
    )
    .hint(look_first(alias))
}

/// The link ended before the login shell came to anything.
#[must_use]
pub fn dropped(alias: &HostAlias, ssh: &SshLine) -> Failure {
    Failure::new(
        Kind::StateUnknown,
        format!("{alias} closed the connection after the login, before a command answered"),
    )
    .hint(format!(
        "{}{ALSO}`{}` has to work: a ForceCommand, a login shell or a limit there may end it",
        look_first(alias),
        ssh.line(&[], alias, Some("true"))
    ))
}

/// Nothing at all came back in this time, not even from the login shell.
#[must_use]
pub fn silent(alias: &HostAlias, limit: Duration) -> Failure {
    Failure::new(
        Kind::StateUnknown,
        format!(
            "{alias} did not answer in {} s: the link, the host or its login shell hangs",
            limit.as_secs_f32().ceil()
        ),
    )
    .hint(look_first(alias))
}

/// Between the two things to do.
pub(super) const ALSO: &str = "; if it happens again: ";

pub(super) fn look_first(alias: &HostAlias) -> String {
    format!(
        "it may be done, or be done yet; look before you repeat it: `surfaced surfaces -H {alias}`"
    )
}

/// The same of a command that only asked: nothing is left open.
#[must_use]
pub fn nothing_was_done(failure: Failure) -> Failure {
    if failure.kind() != Kind::StateUnknown {
        return failure;
    }
    let hint = failure
        .data
        .hint
        .as_deref()
        .and_then(|hint| hint.split_once(ALSO))
        .map_or(
            "nothing was done; try again once `ssh` to it answers",
            |(_, rest)| rest,
        )
        .to_owned();
    Failure::new(Kind::HostUnreachable, failure.message).hint(hint)
}

/// What a command needs is not on the host; the command was not begun.
#[must_use]
pub fn lacking(alias: &HostAlias, what: &str, need: Option<&Need>) -> Failure {
    let named = |value: fn(&Need) -> Option<&String>| {
        need.and_then(value).map(String::as_str).unwrap_or_default()
    };
    if what == "cwd" {
        let cwd = printable(named(|need| need.cwd.as_ref()));
        return Failure::new(
            Kind::CwdMissing,
            format!("the working directory {cwd} does not exist on {alias}, or cannot be entered"),
        )
        .hint("create the directory there, or name another one in cwd");
    }
    let program = printable(named(|need| need.program.as_ref()));
    Failure::new(
        Kind::ProgramMissing,
        format!("the program {program} was not found on {alias}, or cannot be run"),
    )
    .hint("install it there, or put its directory on PATH in the rc file of your shell there")
}

#[cfg(test)]
impl Target {
    /// A host of a test.
    pub(super) fn of(alias: &str, hostname: &str, port: u16) -> Self {
        Self {
            alias: HostAlias::parse(alias).unwrap(),
            hostname: hostname.into(),
            port,
            key_name: format!("[{hostname}]:{port}"),
            ssh: SshLine::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_ssh_are_understood() {
        let limit = Duration::from_secs(10);
        let cases: &[(&str, Trouble)] = &[
            (
                "/h/config: line 3: Bad configuration option: nonsense\n/h/config: terminating, 1 bad configuration options\n",
                Trouble::Config("/h/config: line 3: Bad configuration option: nonsense".into()),
            ),
            (
                "Bad owner or permissions on /h/.ssh/config\n",
                Trouble::Config("Bad owner or permissions on /h/.ssh/config".into()),
            ),
            (
                "ssh: Could not resolve hostname nowhere.invalid: Name or service not known\n",
                Trouble::Name,
            ),
            (
                "ssh: connect to host h port 22: Connection refused\r\n",
                Trouble::Refused,
            ),
            (
                "ssh: connect to host h port 22: Connection timed out\r\n",
                Trouble::Timeout(limit),
            ),
            (
                "Connection timed out during banner exchange\r\nConnection to 127.0.0.1 port 1 timed out\r\n",
                Trouble::Timeout(limit),
            ),
            (
                "kex_exchange_identification: Connection closed by remote host\r\nConnection closed by 127.0.0.1 port 1\r\n",
                Trouble::Dropped,
            ),
            (
                "kex_exchange_identification: banner line contains invalid characters\r\nbanner exchange: Connection to 127.0.0.1 port 1: invalid format\r\n",
                Trouble::Dropped,
            ),
            (
                "No ED25519 host key is known for [h]:1 and you have requested strict checking.\r\nHost key verification failed.\r\n",
                Trouble::HostKeyUnknown,
            ),
            (
                "@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nOffending ED25519 key in /h/known_hosts:3\r\nHost key verification failed.\r\n",
                Trouble::HostKeyChanged(Changed {
                    place: Some("/h/known_hosts:3".into()),
                    ..Changed::default()
                }),
            ),
            (
                "@ WARNING: REVOKED HOST KEY DETECTED! @\nThe ED25519 host key for h is marked as revoked.\nHost key verification failed.\r\n",
                Trouble::HostKeyRevoked(None),
            ),
            (
                "me@h: Permission denied (publickey,password).\r\n",
                Trouble::Denied(Some("publickey,password".into())),
            ),
            (
                "Received disconnect from 127.0.0.1 port 1:2: Too many authentication failures\r\nDisconnected\r\n",
                Trouble::TooManyKeys,
            ),
            (
                "Permissions 0644 for '/k/id' are too open.\nLoad key \"/k/id\": bad permissions\nme@h: Permission denied (publickey).\r\n",
                Trouble::KeyFile("Permissions 0644 for '/k/id' are too open.".into()),
            ),
            (
                "no such identity: /k/id: No such file or directory\r\nme@h: Permission denied (publickey).\r\n",
                Trouble::KeyFile("no such identity: /k/id: No such file or directory".into()),
            ),
            (
                "Unable to negotiate with 127.0.0.1 port 1: no matching key exchange method found. Their offer: diffie-hellman-group1-sha1\r\n",
                Trouble::NoCommonAlgorithm("diffie-hellman-group1-sha1".into()),
            ),
            (
                "channel 0: open failed: connect failed: Connection refused\r\nstdio forwarding failed\r\nConnection closed by UNKNOWN port 65535\r\n",
                Trouble::Jump,
            ),
            (
                "banner\n\nsomething new\n",
                Trouble::Other("something new".into()),
            ),
            ("", Trouble::Other("ssh said nothing".into())),
        ];
        for (stderr, expected) in cases {
            assert_eq!(&Trouble::read(stderr, limit), expected, "{stderr:?}");
        }
    }

    #[test]
    fn messages_name_the_host_and_say_what_to_do() {
        let target = Target::of("zion", "10.0.0.7", 2222);
        let troubles = [
            Trouble::Config("x".into()),
            Trouble::Name,
            Trouble::Refused,
            Trouble::Timeout(Duration::from_secs(10)),
            Trouble::NoRoute("x".into()),
            Trouble::Dropped,
            Trouble::HostKeyUnknown,
            Trouble::HostKeyChanged(Changed::default()),
            Trouble::HostKeyRevoked(None),
            Trouble::Denied(None),
            Trouble::TooManyKeys,
            Trouble::KeyFile("x".into()),
            Trouble::KeyLocked("x".into()),
            Trouble::AgentGone("x".into()),
            Trouble::AgentSilent("x".into()),
            Trouble::Unfinished(Duration::from_secs(15)),
            Trouble::NoCommonAlgorithm("x".into()),
            Trouble::Jump,
            Trouble::Other("x".into()),
        ];
        for trouble in troubles {
            let failure = trouble.failure(&target);
            assert!(failure.message.contains("zion"), "{}", failure.message);
            assert!(!failure.message.ends_with('.'), "{}", failure.message);
            assert!(failure.data.hint.is_some(), "{}", failure.message);
        }
        assert_eq!(
            Trouble::Timeout(Duration::from_secs(10))
                .failure(&target)
                .message,
            "10.0.0.7:2222 did not answer in 10 s (host zion)"
        );
    }
}
