//! `resolveBackend` over the socket, from where callers sit.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::actors::{self, App};
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

#[test]
fn nc_in_a_pane_is_in_tmux() {
    if !have("tmux") || !have("nc") {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let tmux = Tmux::start(&sandbox, "0");
    let answer = sandbox.root().join("answer");
    let line = format!(
        r#"printf '{{"jsonrpc":"2.0","id":1,"method":"resolveBackend","params":{{}}}}\n' | nc -N -U {} > {}"#,
        daemon.socket().unwrap().display(),
        answer.display()
    );
    tmux.ok(&["new-window", "-d", &line]);
    let reply: Value = wait::until("the answer", || {
        serde_json::from_str(&std::fs::read_to_string(&answer).ok()?).ok()
    });
    assert_eq!(reply["result"]["backend"], "tmux", "{reply:#}");
    assert_eq!(reply["result"]["source"], "current-terminal");
    assert_eq!(
        reply["result"]["description"],
        "tmux (the terminal you're in)"
    );
}

#[test]
fn sessions_over_the_socket() {
    if !have("tmux") || !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let codex = actors::agent(&sandbox, "codex");
    let tmux = Tmux::start(&sandbox, "one");
    tmux.ok(&["new-window", "-d", codex.to_str().unwrap()]);
    let attach = format!("exec tmux -S {} attach -t =one", tmux.socket().display());
    let _app = App::start(&sandbox, "kitty", &attach);
    let mut client = daemon.client();
    let session = wait::until("the session", || {
        let answer = client.call("sessions", &json!({}));
        let sessions = answer["sessions"].as_array().unwrap().clone();
        let ours = |session: &Value| session["tmux"]["socket"] == tmux.socket().to_str().unwrap();
        sessions
            .into_iter()
            .find(|session| ours(session) && session["viewingApp"] == "kitty")
    });
    assert_eq!(session["kind"], "codex");
    assert_eq!(session["host"], "tmux");
    assert_eq!(session["viewers"], json!(["kitty"]));
    let surface = session["surface"].as_str().unwrap();
    let text = client.call("surface.capture", &json!({ "surface": surface }));
    assert!(text["text"].is_string());
}

#[test]
fn an_explicit_context_gives_the_same_answer_everywhere() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut check = |params: Value, backend: Value, source: Value| {
        let result = client.call("resolveBackend", &params);
        assert_eq!(
            (&result["backend"], &result["source"]),
            (&backend, &source),
            "{params} {result:#}"
        );
    };
    let apps = json!(["iterm", "ghostty", "vscodium-agent", "terminal"]);
    let at = |env: Value| json!({ "context": { "platform": "darwin", "env": env, "apps": apps } });
    check(
        at(json!({ "TERM_PROGRAM": "iTerm.app" })),
        json!("iterm"),
        json!("current-terminal"),
    );
    check(
        at(json!({ "TERM_PROGRAM": "vscode" })),
        json!("iterm"),
        json!("available"),
    );
    check(
        at(json!({ "TMUX": "/t,1,0", "TERM_PROGRAM": "tmux" })),
        json!("tmux"),
        json!("current-terminal"),
    );
    check(
        json!({ "context": { "platform": "darwin" } }),
        json!("terminal"),
        json!("available"),
    );
    check(
        json!({ "context": { "platform": "linux" } }),
        Value::Null,
        Value::Null,
    );
    check(
        json!({ "context": { "platform": "linux" }, "headless": true }),
        json!("builtin"),
        json!("headless"),
    );
    check(
        json!({
            "context": { "platform": "darwin", "apps": apps },
            "sessions": [
                { "host": "constructor", "lastActivityMs": 9, "kind": "x", "tmux": {} },
                { "host": "tmux", "viewingApp": "ghostty", "startedAtMs": 5 },
                { "host": "iterm", "lastActivityMs": 4 },
            ],
        }),
        json!("ghostty"),
        json!("active-session"),
    );
    check(
        json!({ "context": { "platform": "linux" }, "forced": "iterm" }),
        Value::Null,
        json!("forced"),
    );
    let error = client.fail("resolveBackend", &json!({ "forced": "nope" }));
    assert_eq!(error["code"], -32602);
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("vscodium-agent"),
        "{error}"
    );
}

#[test]
fn backends_say_why_they_cannot_be_driven() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let answer = client.call("backends", &json!({}));
    let backends = answer["backends"].as_array().unwrap();
    let ids: Vec<&str> = backends
        .iter()
        .map(|backend| backend["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids[..6],
        [
            "iterm",
            "ghostty",
            "tmux",
            "vscodium-agent",
            "cursor-agent",
            "vscode-agent"
        ]
    );
    assert_eq!(ids[ids.len() - 2..], ["terminal", "builtin"]);
    for backend in backends {
        assert!(backend["reason"].is_string(), "{backend}");
        assert!(backend["capabilities"]["tab"].is_boolean(), "{backend}");
    }
    if cfg!(target_os = "linux") {
        assert_eq!(backends[0]["available"], false);
    }
}
