//! Agents that say nothing, and agents that the configuration names: what is told of them, and what is not.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use surfaced::proto::{Failure, Kind};

use crate::support::agent::Agent;
use crate::support::env::{Sandbox, have};
use crate::support::ssh::{Ways, run};
use crate::support::sshd::{SshConfig, Sshd, have_ssh, key};
use crate::support::world;

/// A key with a passphrase that a server lets in.
fn locked_key(sandbox: &Sandbox, sshd: &Sshd) -> PathBuf {
    let locked = sandbox.root().join("locked");
    key(sandbox, &locked, "ed25519", "open sesame");
    sshd.authorize(&std::fs::read_to_string(locked.with_extension("pub")).unwrap());
    locked
}

#[track_caller]
fn told_as_the_agent(failure: &Failure, socket: &Path, what: &str) {
    assert_eq!(failure.kind(), Kind::HostAuth, "{what}: {failure}");
    let words = format!("the ssh-agent at {} does not answer", socket.display());
    assert!(failure.message.starts_with(&words), "{what}: {failure}");
    let hint = failure.data.hint.as_deref().unwrap();
    assert!(hint.contains("kill -CONT"), "{what}: {hint}");
}

#[tokio::test]
async fn a_frozen_agent_is_told_as_the_agent() {
    if !have_ssh() {
        return;
    }
    let mut ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    let locked = locked_key(&ways.sandbox, &sshd);
    let agent = Agent::start(&ways.sandbox, "agent");
    agent.add(&ways.sandbox, &locked, "open sesame");
    // The same agent, by the variable of whoever asks and by the configuration.
    ways.settings.agent_is_link = true;
    ways.settings.caller_agent.set(&agent.socket);
    let identity = format!("  IdentityFile {}\n", locked.display());
    ways.config
        .place_without_key("variable", sshd.port(), &identity);
    ways.config.place_without_key(
        "named",
        sshd.port(),
        &format!("{identity}  IdentityAgent {}\n", agent.socket.display()),
    );
    ways.config
        .place_without_key("any", sshd.port(), "  IdentityFile none\n");
    // A key in a file is enough without it.
    ways.config.host("file", &sshd, "");
    agent.freeze();
    for kind in ["auto", "library", "openssh"] {
        ways.prefer(kind);
        for name in ["variable", "named", "any"] {
            let failure = run(&ways.host(name), &["true"]).await.unwrap_err();
            told_as_the_agent(&failure, &agent.socket, &format!("{kind} {name}"));
        }
        let answer = run(&ways.host("file"), &["true"]).await;
        assert!(answer.unwrap().ok(), "{kind}");
    }
    // Whoever lets it go on and asks anew is let in.
    ways.prefer("openssh");
    let host = ways.host("named");
    assert!(run(&host, &["true"]).await.is_err());
    agent.thaw();
    host.reconnect().await.unwrap();
    assert!(run(&host, &["true"]).await.unwrap().ok());
    ways.end().await;
}

/// An agent that answers whoever asks first, and nobody later.
fn answers_once(real: &Path, path: PathBuf) {
    let listener = UnixListener::bind(path).unwrap();
    let real = real.to_owned();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for (index, near) in listener.incoming().flatten().enumerate() {
            if index > 0 {
                kept.push(near);
                continue;
            }
            let (mut far, mut near) = (UnixStream::connect(&real).unwrap(), near);
            let (mut back, mut there) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut back, &mut there));
            let _ = std::io::copy(&mut near, &mut far);
        }
    });
}

#[tokio::test]
async fn slow_an_agent_that_freezes_on_the_way_is_told_as_the_agent() {
    if !have_ssh() {
        return;
    }
    let mut ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    let bastion = Sshd::start(&ways.sandbox, "b");
    let locked = locked_key(&ways.sandbox, &sshd);
    let agent = Agent::start(&ways.sandbox, "agent");
    agent.add(&ways.sandbox, &locked, "open sesame");
    ways.settings.agent_is_link = true;
    ways.config.know(&sshd.known("ed25519"));
    ways.config.know(&bastion.known("ed25519"));
    let brief = ways.sandbox.root().join("brief");
    answers_once(&agent.socket, brief.clone());
    let more = format!(
        "  ConnectTimeout 1\n  IdentityFile {}\n  IdentityAgent {}\n",
        locked.display(),
        brief.display()
    );
    ways.config.place_without_key("zion", sshd.port(), &more);
    ways.prefer("openssh");
    let failure = run(&ways.host("zion"), &["true"]).await.unwrap_err();
    told_as_the_agent(&failure, &brief, "openssh");
    // The jump host has it in its own configuration, where options for the host behind it do not reach.
    let identity = format!("  IdentityAgent {}\n", agent.socket.display());
    ways.config.place("bastion", bastion.port(), &identity);
    ways.config.place(
        "inner",
        sshd.port(),
        &format!("{identity}  ProxyJump bastion\n  ConnectTimeout 1\n"),
    );
    agent.freeze();
    ways.prefer("auto");
    let failure = run(&ways.host("inner"), &["true"]).await.unwrap_err();
    told_as_the_agent(&failure, &agent.socket, "jump");
    ways.end().await;
}

#[test]
fn an_agent_that_freezes_under_the_library_is_told_as_the_agent() {
    if !have_ssh() {
        return;
    }
    // The library takes agents by a variable of its process, so it is that of a daemon.
    let world = world::World::new();
    let sandbox = &world.sandbox;
    let sshd = Sshd::start(sandbox, "a");
    world.config.know(&sshd.known("ed25519"));
    let locked = locked_key(sandbox, &sshd);
    let agent = Agent::start(sandbox, "agent");
    agent.add(sandbox, &locked, "open sesame");
    let brief = sandbox.root().join("brief");
    answers_once(&agent.socket, brief.clone());
    let more = format!("  ConnectTimeout 1\n  IdentityFile {}\n", locked.display());
    world.config.place_without_key("zion", sshd.port(), &more);
    world.prefer("library");
    let daemon = world.daemon();
    let context = json!({ "env": { "SSH_AUTH_SOCK": brief } });
    let params = json!({ "host": "zion", "items": [{ "command": ["cat"] }], "context": context });
    let result = daemon.client().call("open", &params)["results"][0].clone();
    assert_eq!(result["kind"], "host-auth", "{result}");
    let words = format!("the ssh-agent at {} does not answer", brief.display());
    let error = result["error"].as_str().unwrap();
    assert!(error.contains(&words), "{result}");
}

/// `surfaced hosts` with a configuration of ssh.
struct World {
    sandbox: Sandbox,
    config: SshConfig,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let config = SshConfig::new(&sandbox);
        let text = format!("[ssh]\nconfigFile = \"{}\"\n", config.path().display());
        std::fs::write(sandbox.state().join("config.toml"), text).unwrap();
        Self { sandbox, config }
    }

    fn json(&self, args: &[&str], env: &[(&str, &Path)]) -> Value {
        let mut command = self.sandbox.surfaced();
        command.args(args).arg("--json").env_remove("SSH_AUTH_SOCK");
        for (name, value) in env {
            command.env(name, value);
        }
        let output = command.output().unwrap();
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
    }

    /// How a host is reached, and why.
    #[track_caller]
    fn listed(&self, name: &str, env: &[(&str, &Path)]) -> (String, String) {
        let listed = self.json(&["hosts"], env);
        let hosts = listed["hosts"].as_array().unwrap();
        let host = hosts.iter().find(|host| host["name"] == name).unwrap();
        let reasons = host["reasons"].as_array().unwrap().iter();
        let reasons = reasons.map(|reason| reason.as_str().unwrap());
        (
            host["way"].as_str().unwrap().to_owned(),
            reasons.collect::<Vec<_>>().join("; "),
        )
    }
}

#[test]
fn the_agent_that_is_looked_at_is_the_one_that_openssh_would_use() {
    if !have_ssh() || !have("tmux") {
        return;
    }
    let world = World::new();
    let sshd = Sshd::start(&world.sandbox, "a");
    let locked = locked_key(&world.sandbox, &sshd);
    let full = Agent::start(&world.sandbox, "full");
    full.add(&world.sandbox, &locked, "open sesame");
    let empty = Agent::start(&world.sandbox, "empty");
    world.config.know(&sshd.known("ed25519"));
    let place = |name: &str, agent: &str| {
        let identity = format!("  IdentityFile {}\n", locked.display());
        let agent = match agent {
            "" => String::new(),
            agent => format!("  IdentityAgent {agent}\n"),
        };
        let more = format!("{identity}  IdentitiesOnly yes\n{agent}");
        world.config.place_without_key(name, sshd.port(), &more);
    };
    place("path", &full.socket.display().to_string());
    place("unset", "");
    place("none", "none");
    place("word", "SSH_AUTH_SOCK");
    place("dollar", "$MY_AGENT");
    place(
        "gone",
        &world.sandbox.root().join("gone").display().to_string(),
    );
    let (variable, own) = ("SSH_AUTH_SOCK", "MY_AGENT");
    let locked = locked.display();
    let has_none = format!("{locked} has a passphrase and there is no agent");
    let not_in_it = format!("{locked} has a passphrase and is not in the agent");
    let gone = format!(
        "{locked} has a passphrase and no agent listens at {}/gone",
        world.sandbox.root().display()
    );
    for (name, env, expected) in [
        ("path", vec![], None),
        ("path", vec![(variable, &*empty.socket)], None),
        ("unset", vec![(variable, &*full.socket)], None),
        ("unset", vec![(variable, &*empty.socket)], Some(&not_in_it)),
        ("unset", vec![], Some(&has_none)),
        ("word", vec![(variable, &*full.socket)], None),
        ("word", vec![], Some(&has_none)),
        ("none", vec![(variable, &*full.socket)], Some(&has_none)),
        (
            "dollar",
            vec![(own, &*full.socket), (variable, &*empty.socket)],
            None,
        ),
        ("dollar", vec![(variable, &*full.socket)], Some(&has_none)),
        ("gone", vec![(variable, &*full.socket)], Some(&gone)),
    ] {
        let (way, reasons) = world.listed(name, &env);
        if let Some(reason) = expected {
            assert_eq!(way, "openssh", "{name}: {reasons}");
            assert!(reasons.starts_with(reason), "{name}: {reasons}");
        } else {
            assert_eq!((&*way, &*reasons), ("library", ""), "{name}");
            // And what is listed is what is done.
            let found = world.json(&["hosts", "check", name], &env);
            assert_eq!(found["way"], "library", "{name}: {found}");
        }
    }
}

#[test]
fn what_a_frozen_agent_has_is_not_known() {
    if !have_ssh() {
        return;
    }
    let world = World::new();
    let sshd = Sshd::start(&world.sandbox, "a");
    let locked = locked_key(&world.sandbox, &sshd);
    let agent = Agent::start(&world.sandbox, "agent");
    agent.add(&world.sandbox, &locked, "open sesame");
    world.config.know(&sshd.known("ed25519"));
    let identity = format!("  IdentityFile {}\n", locked.display());
    // Many hosts with one agent cost the wait for it once.
    for index in 0..20 {
        let name = format!("h{index}");
        world
            .config
            .place_without_key(&name, sshd.port(), &identity);
    }
    agent.freeze();
    let (way, reasons) = world.listed("h19", &[("SSH_AUTH_SOCK", &agent.socket)]);
    assert_eq!(way, "openssh");
    let socket = agent.socket.display();
    assert!(
        reasons.contains(&format!("the agent at {socket} does not answer")),
        "{reasons}"
    );
    assert!(!reasons.contains("is not in the agent"), "{reasons}");
}
