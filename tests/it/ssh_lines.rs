//! Lines with `ssh` that people are shown: they mean the host that the daemon means, and the settings that it read.

use serde_json::json;
use surfaced::proto::Kind;

use crate::support::ssh::{Ways, run};
use crate::support::sshd::{Sshd, free_port, have_ssh, key};
use crate::support::tmux::Tmux;
use crate::support::world::{World, all_ok, ready};

#[tokio::test]
async fn hints_name_the_configuration_file_that_counts() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    let root = ways.sandbox.root().display();
    let wrong = ways.sandbox.root().join("wrong");
    key(&ways.sandbox, &wrong, "ed25519", "");
    ways.config.place("unknown", sshd.port(), "");
    ways.config.place("closed", free_port(), "");
    ways.config
        .append("Host nowhere\n  HostName nowhere.invalid\n");
    ways.config.append("Host odd\n  HostName h\n  User -x\n");
    let known = sshd.known("ed25519");
    std::fs::write(
        ways.sandbox.root().join("own_known"),
        format!("{known}wrong {}", known.split_once(' ').unwrap().1),
    )
    .unwrap();
    ways.config.place_without_key(
        "wrong",
        sshd.port(),
        &format!(
            "  IdentityFile {}\n  IdentitiesOnly yes\n  UserKnownHostsFile {root}/own_known\n",
            wrong.display()
        ),
    );
    let file = ways.config.path().display();
    for kind in ["auto", "openssh"] {
        ways.prefer(kind);
        for (name, words) in [
            ("unknown", format!("run `ssh -F {file} unknown` once")),
            ("closed", format!("correct Port in {file}")),
            ("nowhere", format!("with its HostName to {file}")),
            ("odd", format!("correct HostName and User in {file}")),
            (
                "wrong",
                format!("make `ssh -F {file} -o BatchMode=yes wrong true` work"),
            ),
        ] {
            let failure = run(&ways.host(name), &["true"]).await.unwrap_err();
            let hint = failure.data.hint.unwrap();
            assert!(hint.contains(&words), "{kind} {name}: {hint}");
            assert!(!hint.contains("~/.ssh/config"), "{kind} {name}: {hint}");
        }
    }
    ways.config.append("Host *\n  Nonsense yes\n");
    let failure = run(&ways.host("unknown"), &["true"]).await.unwrap_err();
    let hint = failure.data.hint.unwrap();
    assert!(
        hint.contains(&format!("`ssh -F {file} -G unknown`")),
        "{hint}"
    );
    ways.end().await;
}

#[tokio::test]
async fn a_refusal_of_the_library_names_the_table_that_asks_for_it() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    ways.config.place("zion", free_port(), "");
    let file = ways.config.path().display();
    for (alias, text, table) in [
        ("zion", "backend = \"library\"\n", "[ssh]"),
        (
            "zion",
            "[ssh.hosts.zion]\nbackend = \"library\"\n",
            "[ssh.hosts.zion]",
        ),
        ("zion", "backend = \"library\"\n[ssh.hosts.zion]\n", "[ssh]"),
        (
            "me@zion",
            "[ssh.hosts.\"me@zion\"]\nbackend = \"library\"\n",
            "[ssh.hosts.\"me@zion\"]",
        ),
    ] {
        let text = format!("[ssh]\nconfigFile = \"{file}\"\n{text}");
        std::fs::write(ways.sandbox.root().join("config.toml"), text).unwrap();
        let failure = run(&ways.host(alias), &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::NotSupported, "{failure}");
        let hint = failure.data.hint.unwrap();
        assert!(
            hint.starts_with(&format!("set backend = \"auto\" in {table} of")),
            "{hint}"
        );
    }
    ways.end().await;
}

#[test]
fn lines_to_paste_read_the_same_configuration() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let daemon = world.daemon();
    let mut client = daemon.client();
    let start = format!("ssh -F {} zion 'tmux", world.config.path().display());
    let item = json!({ "host": "zion", "items": [{ "command": ["cat"], "cwd": "/" }] });
    let dry =
        json!({ "host": "zion", "items": [{ "command": ["cat"], "cwd": "/" }], "dryRun": true });
    for (method, params) in [("build", &item), ("open", &dry)] {
        let spec = client.call(method, params)["specs"][0].clone();
        let display = spec["display"].as_str().unwrap();
        assert!(display.starts_with(&start), "{method}: {display}");
    }
    let answer = client.call("open", &item);
    let surface = all_ok(&answer)[0].to_owned();
    let attach = answer["results"][0]["attach"].as_str().unwrap();
    let interactive = format!("ssh -F {} -t zion ", world.config.path().display());
    assert!(attach.starts_with(&interactive), "{attach}");
    let verb = json!({ "surface": surface, "dryRun": true });
    for method in ["surface.focus", "surface.close", "surface.capture"] {
        let shown = client.call(method, &verb);
        let display = shown["spec"]["display"].as_str().unwrap();
        let start = start.trim_end_matches("tmux");
        assert!(display.starts_with(start), "{method}: {display}");
    }
    client.call("surface.close", &json!({ "surface": surface }));
    drop((tmux, sshd));
}
