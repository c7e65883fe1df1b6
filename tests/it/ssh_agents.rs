//! Hosts that are logged in to with the agent of whoever asks.

use serde_json::json;

use crate::support::agent::Agent;
use crate::support::client::Client;
use crate::support::sshd::{Sshd, key, user};
use crate::support::tmux::Tmux;
use crate::support::world::{World, all_ok, ready};

/// A host `locked` at this server, whose key has a passphrase, and an agent of this name that has the key.
fn opener(world: &World, sshd: &Sshd, agent: &str) -> Agent {
    let locked = world.sandbox.root().join("locked");
    key(&world.sandbox, &locked, "ed25519", "open sesame");
    sshd.authorize(&std::fs::read_to_string(locked.with_extension("pub")).unwrap());
    world.config.append(&format!(
        "Host locked\n  HostName 127.0.0.1\n  Port {}\n  User {}\n  IdentityFile {}\n  IdentitiesOnly yes\n  UserKnownHostsFile {}\n  \
         GlobalKnownHostsFile /dev/null\n",
        sshd.port(),
        user(),
        locked.display(),
        world.config.known_hosts().display()
    ));
    let agent = Agent::start(&world.sandbox, agent);
    agent.add(&world.sandbox, &locked, "open sesame");
    agent
}

#[test]
fn the_agent_of_the_most_recent_caller_logs_in() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sandbox = &world.sandbox;
    let sshd = world.server("zion", "bash");
    let first = Agent::start(sandbox, "first");
    let second = opener(&world, &sshd, "second");
    let tmux = Tmux::absent(sandbox);
    world.prefer("library");
    let daemon = world.daemon();
    let open = |agent: &Agent, client: &mut Client| {
        let context = json!({ "env": { "SSH_AUTH_SOCK": agent.socket } });
        let params =
            json!({ "host": "locked", "items": [{ "command": ["cat"] }], "context": context });
        client.call("open", &params)["results"][0].clone()
    };
    let mut client = daemon.client();
    let refused = open(&first, &mut client);
    assert_eq!(refused["ok"], false, "{refused}");
    let opened = open(&second, &mut client);
    assert_eq!(opened["ok"], true, "{opened}");
    drop(first);
    drop(tmux);
}

#[test]
fn an_agent_that_ends_between_the_look_and_the_login_ends_nothing_else() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sandbox = &world.sandbox;
    let sshd = world.server("zion", "bash");
    let agent = opener(&world, &sshd, "agent");
    // Answers once, to whoever looks which keys it has; then it is gone.
    let brief = sandbox.root().join("brief");
    let listener = std::os::unix::net::UnixListener::bind(&brief).unwrap();
    let (real, path) = (agent.socket.clone(), brief.clone());
    std::thread::spawn(move || {
        let (mut near, _) = listener.accept().unwrap();
        drop(listener);
        std::fs::remove_file(path).unwrap();
        let mut far = std::os::unix::net::UnixStream::connect(real).unwrap();
        let (mut back, mut there) = (far.try_clone().unwrap(), near.try_clone().unwrap());
        std::thread::spawn(move || std::io::copy(&mut back, &mut there));
        let _ = std::io::copy(&mut near, &mut far);
    });
    let tmux = Tmux::absent(sandbox);
    world.prefer("auto");
    let daemon = world.daemon();
    let mut client = daemon.client();
    let context = json!({ "env": { "SSH_AUTH_SOCK": brief } });
    let params = json!({ "host": "locked", "items": [{ "command": ["cat"] }], "context": context });
    let result = client.call("open", &params)["results"][0].clone();
    assert_eq!(result["kind"], "host-auth", "{result}");
    assert!(!brief.exists(), "the agent was asked");
    // The daemon goes on, and other hosts with it.
    let params = json!({ "host": "zion", "items": [{ "command": ["cat"] }] });
    all_ok(&client.call("open", &params));
    drop(tmux);
}

#[test]
fn whoever_asks_lends_the_agent_whatever_is_asked() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sandbox = &world.sandbox;
    let sshd = world.server("zion", "bash");
    let agent = opener(&world, &sshd, "agent");
    let tmux = Tmux::absent(sandbox);
    tmux.ok(&["-f", "/dev/null", "new-session", "-d", "-s", "mine", "cat"]);
    let pane = tmux.get("mine", "#{pid}.#{window_id}.#{pane_id}");
    let surface = format!("tmux:{pane};socket={};host=locked", tmux.socket().display());
    world.prefer("auto");
    let seat =
        json!({ "space": "s", "name": "one", "command": "cat", "cwd": "/", "host": "locked" });
    for (method, params) in [
        (
            "surface.list",
            json!({ "host": "locked", "backend": "tmux" }),
        ),
        ("surface.capture", json!({ "surface": surface })),
        (
            "surface.wait",
            json!({ "surface": surface, "timeoutMs": 1 }),
        ),
        ("seat.spawn", seat),
    ] {
        // A daemon that knows no agent by itself.
        let daemon = world.daemon();
        let answer = sandbox
            .surfaced()
            .args(["call", method, &params.to_string()])
            .env("SSH_AUTH_SOCK", &agent.socket)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&answer.stderr);
        assert!(answer.status.success(), "{method}: {said}");
        drop(daemon);
    }
    drop(tmux);
}
