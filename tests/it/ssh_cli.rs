//! `surfaced hosts`, and what the doctor says of them.

use serde_json::{Value, json};

use crate::support::env::{Sandbox, have};
use crate::support::sshd::{SshConfig, Sshd, have_ssh};

struct World {
    sandbox: Sandbox,
    sshd: Sshd,
}

impl World {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let config = SshConfig::new(&sandbox);
        let sshd = Sshd::start(&sandbox, "a");
        config.host("zion", &sshd, "");
        config.host("inner", &sshd, "  ProxyJump zion\n");
        config.append("Host *\n  Compression yes\n");
        let text = format!("[ssh]\nconfigFile = \"{}\"\n", config.path().display());
        std::fs::write(sandbox.state().join("config.toml"), text).unwrap();
        Self { sandbox, sshd }
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let output = self.sandbox.surfaced().args(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    fn json(&self, args: &[&str]) -> Value {
        let (_, out, err) = self.run(args);
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out:?} {err:?}"))
    }
}

#[test]
fn hosts_are_listed_with_the_way_to_each_and_why() {
    if !have_ssh() {
        return;
    }
    let world = World::new();
    let listed = world.json(&["hosts", "--json"]);
    let hosts = listed["hosts"].as_array().unwrap();
    let of = |index: usize, key: &str| hosts[index][key].clone();
    assert_eq!(
        (of(0, "name"), of(0, "way"), of(0, "reasons")),
        (json!("zion"), json!("library"), json!([]))
    );
    assert_eq!(
        (of(1, "name"), of(1, "way"), of(1, "reasons")),
        (
            json!("inner"),
            json!("openssh"),
            json!(["proxyjump is zion"])
        )
    );
    assert_eq!(hosts.len(), 2);
    assert!(
        of(0, "address")
            .as_str()
            .unwrap()
            .ends_with(&format!("@127.0.0.1:{}", world.sshd.port()))
    );

    let (code, out, _) = world.run(&["hosts"]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with("HOST") && out.contains("proxyjump is zion"),
        "{out}"
    );
    // Nothing was connected to.
    assert_eq!(world.sshd.logins(), 0);

    let checks = world.json(&["doctor", "--json"]);
    let line = checks["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|line| line["section"] == "hosts" && line["name"] == "configuration")
        .unwrap();
    assert_eq!(line["text"], "1 through the library, 1 through OpenSSH");
    let _ = world.run(&["daemon", "stop"]);
}

#[test]
fn a_check_connects_and_tells_tool_by_tool() {
    if !have_ssh() || !have("tmux") {
        return;
    }
    let world = World::new();
    let found = world.json(&["hosts", "check", "zion", "--json"]);
    assert_eq!(
        (&found["host"], &found["way"], &found["system"]),
        (&json!("zion"), &json!("library"), &json!("Linux"))
    );
    assert!(
        found["tmux"].as_str().unwrap().starts_with("tmux "),
        "{found}"
    );
    assert!(
        found["tools"]["tmux"].as_str().unwrap().ends_with("/tmux"),
        "{found}"
    );
    let (code, out, _) = world.run(&["hosts", "check", "inner"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("openssh: proxyjump is zion"), "{out}");
    assert_eq!(world.sshd.logins(), 3);

    let (code, _, err) = world.run(&["hosts", "check", "--", "-oProxyCommand=touch /tmp/x"]);
    assert_eq!(
        (code, &*err),
        (
            Some(2),
            "error: \"-oProxyCommand=touch /tmp/x\" is not a valid ssh host name\nhint: name a host of the ssh configuration: surfaced hosts \
             lists them\n"
        )
    );
    let (code, _, err) = world.run(&["hosts", "check", "nowhere.invalid"]);
    assert_eq!(code, Some(1));
    assert!(
        err.starts_with("error: cannot resolve nowhere.invalid (host nowhere.invalid)\nhint: "),
        "{err}"
    );
}
