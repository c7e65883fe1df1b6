//! A surface that tmux closes in the same breath was not opened, and one whose command was not seen to start says so.

use serde_json::json;
use surfaced::proto::Kind;
use surfaced::proto::open::{OpenResult, Started};

use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::secret::secret;
use crate::support::tmux::Tmux;

#[track_caller]
fn refused(result: &OpenResult, word: &str) {
    assert!(!result.ok, "{result:?}");
    assert_eq!(result.kind, Some(Kind::SpawnFailed), "{result:?}");
    let said = format!("{:?} {:?}", result.error, result.hint);
    assert!(said.contains(word), "{said}");
}

#[tokio::test]
async fn a_session_of_ours_stays_whatever_is_set_for_those_that_nobody_looks_at() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::write(
        sandbox.home().join(".tmux.conf"),
        "set -g destroy-unattached on\n",
    )
    .unwrap();
    let tmux = Tmux::absent(&sandbox);
    let bench = Bench::new(&sandbox);
    let items = json!([{ "command": ["cat"] }, { "command": ["cat"] }, { "command": ["cat"] }]);
    let params = json!({ "backend": "tmux", "context": {}, "items": items });
    for result in bench.open(params).await {
        assert!(result.ok, "{result:?}");
    }
    assert_eq!(tmux.panes(), 3);
    // The person's own setting is as it was.
    assert_eq!(
        tmux.ok(&["show-options", "-gv", "destroy-unattached"]),
        "on"
    );
}

#[tokio::test]
async fn a_server_that_ends_with_nobody_attached_opens_nothing() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::write(
        sandbox.home().join(".tmux.conf"),
        "set -s exit-unattached on\n",
    )
    .unwrap();
    let _tmux = Tmux::absent(&sandbox);
    let bench = Bench::new(&sandbox);
    let items = json!([{ "command": ["cat"] }]);
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": items }))
        .await;
    refused(&results[0], "exit-unattached");
}

#[tokio::test]
async fn a_hook_that_closes_what_opens_is_named() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    tmux.ok(&["set-hook", "-g", "after-new-window", "kill-window"]);
    let cat = json!({ "command": ["cat"] });
    for items in [json!([cat]), json!([cat, cat, cat, cat])] {
        let params = json!({ "backend": "tmux", "context": {}, "packing": "tabs", "items": items });
        for result in bench.open(params).await {
            refused(&result, "after-new-window");
        }
    }
    // A hook that closes nothing is no reason, and nor is a program that ends at once.
    tmux.ok(&["set-hook", "-g", "after-new-window", "select-layout tiled"]);
    let params = json!({ "backend": "tmux", "context": {}, "shell": "/bin/sh", "items": [{ "command": ["/bin/true"] }, cat] });
    for result in bench.open(params).await {
        assert!(result.ok, "{result:?}");
    }
}

/// Rc files that never come to the command: the surface is there, and nobody knows whether the command runs.
#[tokio::test]
async fn a_script_that_is_waited_for_in_vain_is_told() {
    if !have("tmux") || !have("zsh") {
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.home().join(".zshrc"), "exec cat\n").unwrap();
    let _tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let items = json!([{ "command": ["cat"], "env": { "A": "1" } }]);
    let params = json!({ "backend": "tmux", "context": {}, "shell": "zsh", "items": items, "startTimeoutMs": 200 });
    let result = bench.open(params).await.remove(0);
    assert!(result.ok, "{result:?}");
    assert_eq!(result.started, Some(Started::Seen));
    let warnings = result.warnings.unwrap_or_default();
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("not seen to start within 200 ms")),
        "{warnings:?}"
    );
}

/// Variables may be secrets: whoever listens hears their names, and the one who asked gets back what it asked.
#[test]
fn events_hold_the_names_of_variables_alone() {
    let sandbox = Sandbox::new();
    let secret = secret();
    let daemon = Daemon::start(&sandbox);
    let (mut client, mut listener) = (daemon.client(), daemon.client());
    listener.call("events.subscribe", &json!({}));
    let env = json!({ "API_KEY": secret });
    let tmux = have("tmux").then(|| Tmux::start(&sandbox, "main"));
    let backends: &[&str] = if tmux.is_some() {
        &["builtin", "tmux"]
    } else {
        &["builtin"]
    };
    for backend in backends {
        let params = json!({ "backend": backend, "context": {}, "items": [{ "command": ["cat"], "env": env }] });
        let answer = client.call("open", &params);
        assert_eq!(answer["results"][0]["request"]["env"], env, "{answer}");
    }
    let terminal = json!({ "command": "cat", "cwd": "/", "env": env });
    let last = client.call("terminal.create", &terminal);
    let mut opened = 0;
    loop {
        let item = listener.read();
        assert!(!item.to_string().contains(&secret), "{item}");
        let event = &item["params"]["result"];
        if event["topic"] == "surface.opened" {
            assert_eq!(event["payload"]["envNames"], json!(["API_KEY"]), "{item}");
            assert_eq!(
                event["payload"]["request"]["command"],
                json!(["cat"]),
                "{item}"
            );
            opened += 1;
        }
        if event["topic"] == "terminal.created" && event["payload"]["id"] == last["id"] {
            break;
        }
    }
    assert_eq!(opened, backends.len());
}
