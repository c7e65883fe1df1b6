//! A real sshd on loopback, for a test of its own.

use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use rustix::process::Signal;

use super::env::{Sandbox, have};
use super::process::{command_line, descendants, send};
use super::slow_line::SlowLine;
use super::wait;

/// Whether everything is there.
pub fn have_ssh() -> bool {
    ["sshd", "ssh", "ssh-keygen", "ssh-agent", "ssh-add"]
        .into_iter()
        .all(have)
}

/// A port where nothing listens.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

/// Whoever runs the tests.
pub fn user() -> String {
    let uid = rustix::process::getuid().as_raw().to_string();
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
    passwd
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>())
        .find(|fields| fields.get(2) == Some(&uid.as_str()))
        .unwrap()[0]
        .to_owned()
}

/// A server, ended with the test. Its sessions have a HOME of their own.
pub struct Sshd {
    dir: PathBuf,
    port: u16,
    child: Child,
}

impl Sshd {
    /// A server whose sessions run `/bin/sh`-like login shells as they are.
    pub fn start(sandbox: &Sandbox, name: &str) -> Self {
        Self::start_with(sandbox, name, "")
    }

    /// The same, whose sessions have this login shell.
    pub fn with_shell(sandbox: &Sandbox, name: &str, shell: &str) -> Self {
        // The login shell of an account is not for a test to change; a forced command goes the same way: SHELL -c COMMAND.
        let force = format!("ForceCommand exec {shell} -c \"$SSH_ORIGINAL_COMMAND\"\n");
        Self::start_with(sandbox, name, &force)
    }

    /// The same, with more lines of configuration; they count before ours.
    pub fn start_with(sandbox: &Sandbox, name: &str, more: &str) -> Self {
        Self::start_keyed(sandbox, name, more, &["ed25519"])
    }

    /// A server with a key of each type.
    pub fn with_all_keys(sandbox: &Sandbox, name: &str) -> Self {
        Self::start_keyed(sandbox, name, "", &["ed25519", "ecdsa", "rsa"])
    }

    fn start_keyed(sandbox: &Sandbox, name: &str, more: &str, kinds: &[&str]) -> Self {
        let dir = sandbox.root().join(format!("sshd-{name}"));
        let home = dir.join("home");
        std::fs::create_dir_all(&home).unwrap();
        let mut keys = String::new();
        for kind in kinds {
            let path = dir.join(format!("host_{kind}"));
            key(sandbox, &path, kind, "");
            let _ = writeln!(keys, "HostKey {}", path.display());
        }
        let public = user_key(sandbox).with_extension("pub");
        std::fs::copy(public, dir.join("authorized_keys")).unwrap();
        if rustix::process::getuid().is_root() {
            let _ = std::fs::create_dir("/run/sshd");
        }
        let port = free_port();
        let place = dir.display();
        let config = format!(
            "{more}Port {port}\nListenAddress 127.0.0.1\n{keys}\
             AuthorizedKeysFile {place}/authorized_keys\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n\
             KbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\nUseDNS no\nMaxStartups 200:30:400\nLogLevel VERBOSE\n\
             AcceptEnv SURFACED_TEST_*\nSetEnv HOME={place}/home TMUX_TMPDIR={}\n",
            sandbox.tmux_dir().display()
        );
        std::fs::write(dir.join("config"), config).unwrap();
        let child = spawn(sandbox, &dir);
        let sshd = Self { dir, port, child };
        sshd.wait_until_up();
        sshd
    }

    fn wait_until_up(&self) {
        wait::until("sshd to listen", || {
            TcpStream::connect(("127.0.0.1", self.port)).ok()
        });
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// HOME of its sessions.
    pub fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    /// A file of its own.
    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Lets another key in.
    pub fn authorize(&self, line: &str) {
        let path = self.dir.join("authorized_keys");
        let mut text = std::fs::read_to_string(&path).unwrap();
        writeln!(text, "{}", line.trim()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The line of known hosts for one of its keys: `ed25519`, `ecdsa` or `rsa`.
    pub fn known(&self, kind: &str) -> String {
        let public = std::fs::read_to_string(self.dir.join(format!("host_{kind}.pub"))).unwrap();
        let mut words = public.split_whitespace();
        format!(
            "[127.0.0.1]:{} {} {}\n",
            self.port,
            words.next().unwrap(),
            words.next().unwrap()
        )
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.dir.join("log")).unwrap_or_default()
    }

    /// How many logins it saw.
    pub fn logins(&self) -> usize {
        self.log().matches("Accepted publickey for").count()
    }

    /// Ends the listener and every session.
    pub fn stop(&mut self) {
        let sessions = descendants(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
        for pid in sessions {
            send(pid, Signal::KILL);
        }
    }

    /// Ends every session, not the listener.
    pub fn drop_sessions(&self) {
        for pid in descendants(self.child.id()) {
            send(pid, Signal::KILL);
        }
    }

    /// Processes of its sessions that have this in their command line.
    pub fn running(&self, needle: &str) -> Vec<u32> {
        descendants(self.child.id())
            .into_iter()
            .filter(|pid| command_line(*pid).contains(needle))
            .collect()
    }

    /// Starts it again at the same port. It blocks: connections are not looked after meanwhile.
    pub fn restart(&mut self, sandbox: &Sandbox) {
        self.stop();
        self.child = spawn(sandbox, &self.dir);
        self.wait_until_up();
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn(sandbox: &Sandbox, dir: &Path) -> Child {
    let log = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(dir.join("log"))
        .unwrap();
    sandbox
        .command("/usr/sbin/sshd")
        .args(["-D", "-e", "-f"])
        .arg(dir.join("config"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Makes a key pair where there is none.
pub fn key(sandbox: &Sandbox, path: &Path, kind: &str, passphrase: &str) {
    if path.exists() {
        return;
    }
    let bits: &[&str] = if kind == "rsa" { &["-b", "2048"] } else { &[] };
    let done = sandbox
        .command("ssh-keygen")
        .args(["-q", "-t", kind, "-N", passphrase, "-f"])
        .arg(path)
        .args(bits)
        .status()
        .unwrap();
    assert!(done.success());
}

/// The key that every server lets in.
pub fn user_key(sandbox: &Sandbox) -> PathBuf {
    let path = sandbox.root().join("user_key");
    key(sandbox, &path, "ed25519", "");
    path
}

/// The person's ssh configuration: hosts are added to it.
pub struct SshConfig {
    path: PathBuf,
    known_hosts: PathBuf,
    identity: PathBuf,
}

impl SshConfig {
    /// An empty one.
    pub fn new(sandbox: &Sandbox) -> Self {
        let config = Self {
            path: sandbox.root().join("ssh_config"),
            known_hosts: sandbox.root().join("known_hosts"),
            identity: user_key(sandbox),
        };
        config.append("");
        std::fs::write(&config.known_hosts, "").unwrap();
        config
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of known hosts.
    pub fn known_hosts(&self) -> &Path {
        &self.known_hosts
    }

    /// Adds text.
    pub fn append(&self, text: &str) {
        let mut all = std::fs::read_to_string(&self.path).unwrap_or_default();
        all.push_str(text);
        std::fs::write(&self.path, all).unwrap();
        std::fs::set_permissions(&self.path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }

    /// Adds lines of known hosts.
    pub fn know(&self, lines: &str) {
        let mut all = std::fs::read_to_string(&self.known_hosts).unwrap();
        all.push_str(lines);
        std::fs::write(&self.known_hosts, all).unwrap();
    }

    /// Adds a host at a port of this machine that logs in with the key that every server lets in, with more lines first.
    pub fn place(&self, alias: &str, port: u16, more: &str) {
        self.append(&format!(
            "Host {alias}\n{more}  HostName 127.0.0.1\n  Port {port}\n  User {}\n  IdentityFile {}\n  IdentitiesOnly yes\n  \
             UserKnownHostsFile {}\n  GlobalKnownHostsFile /dev/null\n",
            user(),
            self.identity.display(),
            self.known_hosts.display()
        ));
    }

    /// The same without a key in a file.
    pub fn place_without_key(&self, alias: &str, port: u16, more: &str) {
        self.append(&format!(
            "Host {alias}\n{more}  HostName 127.0.0.1\n  Port {port}\n  User {}\n  UserKnownHostsFile {}\n  \
             GlobalKnownHostsFile /dev/null\n",
            user(),
            self.known_hosts.display()
        ));
    }

    /// Adds a server at the far end of a line, with its key known.
    pub fn far(&self, alias: &str, sshd: &Sshd, line: &SlowLine) {
        self.place(alias, line.port(), "");
        let known = sshd.known("ed25519");
        let key = known.split_once(' ').unwrap().1;
        self.know(&format!("[127.0.0.1]:{} {key}", line.port()));
    }

    /// Adds a server, with its key known.
    pub fn host(&self, alias: &str, sshd: &Sshd, more: &str) {
        self.place(alias, sshd.port(), more);
        self.know(&sshd.known("ed25519"));
    }
}
