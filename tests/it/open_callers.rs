//! Callers inside tmux: the session that their pane is in now, on the server that is theirs, or nothing.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

/// A server that is stopped, and goes on when this is dropped.
struct Stopped(Pid);

impl Stopped {
    fn new(tmux: &Tmux<'_>) -> Self {
        let server = Pid::from_raw(tmux.pid().cast_signed()).unwrap();
        kill_process(server, Signal::STOP).unwrap();
        Self(server)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

/// The session of the surface in a result.
#[track_caller]
fn session_of(tmux: &Tmux<'_>, surface: &Value) -> String {
    let surface = surface.as_str().expect("a surface");
    let ids = surface.split(';').next().unwrap();
    let id = ids.split('.').find(|id| id.starts_with('@')).unwrap();
    tmux.get(id, "#{session_name}")
}

#[test]
fn slow_a_caller_whose_tmux_does_not_answer_is_put_into_no_other_session() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    tmux.ok(&["new-session", "-d", "-s", "newest", "cat"]);
    let context = tmux.context("mine:");
    let surface = tmux.get(
        "newest:",
        "tmux:#{pid}.#{window_id}.#{pane_id};socket=#{socket_path}",
    );
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let items = json!([{ "command": ["cat"] }]);

    let stopped = Stopped::new(&tmux);
    let named = client.call(
        "open",
        &json!({ "backend": "tmux", "context": context, "items": items }),
    );
    let chosen = client.call("open", &json!({ "context": context, "items": items }));
    let forced = client.call(
        "resolveBackend",
        &json!({ "forced": "tmux", "context": { "env": context["env"], "pid": std::process::id() } }),
    );
    drop(stopped);

    let refused = &named["results"][0];
    assert_eq!(refused["kind"], "backend-unavailable", "{named}");
    let said = refused["error"].as_str().unwrap();
    let reason = format!(
        "the tmux server on {} does not answer",
        tmux.socket().display()
    );
    assert!(said.contains(&reason), "{said}");
    // In the same words where another terminal is taken.
    let result = &chosen["results"][0];
    assert_eq!(chosen["backend"], "builtin", "{chosen}");
    let warning = result["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.starts_with(&reason), "{chosen}");
    assert!(
        forced["backend"].is_null() || forced["backend"] == "tmux",
        "{forced}"
    );
    assert_eq!(tmux.panes(), 2);

    // A surface that is named exactly is no matter of where the caller is.
    let item = json!({ "command": ["cat"], "target": surface, "layout": "split-right" });
    let opened = client.call("open", &json!({ "context": context, "items": [item] }));
    assert_eq!(opened["results"][0]["ok"], true, "{opened}");
}

#[test]
fn a_caller_whose_window_was_moved_is_followed() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    tmux.ok(&["new-session", "-d", "-s", "other", "cat"]);
    let pane = tmux.ok(&[
        "new-window",
        "-d",
        "-t",
        "mine:",
        "-P",
        "-F",
        "#{pane_id}",
        "sh",
    ]);
    let context = tmux.context(&pane);
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    tmux.ok(&["move-window", "-s", &pane, "-t", "other:"]);

    let items = json!([{ "command": ["cat"] }, { "command": ["cat"] }, { "command": ["cat"] }]);
    for params in [
        json!({ "context": context, "items": items }),
        json!({ "context": context, "items": items, "packing": "tabs" }),
    ] {
        let answer = client.call("open", &params);
        for result in answer["results"].as_array().unwrap() {
            assert_eq!(session_of(&tmux, &result["surface"]), "other", "{answer}");
        }
    }
    let layout =
        json!({ "label": "l", "context": context, "tab": { "panes": [{ "command": "cat" }] } });
    let opened = client.call("layout.open", &layout);
    assert_eq!(session_of(&tmux, &opened["window"]), "other");
    let refs = client.call("layout.refs", &json!({ "label": "l", "context": context }));
    assert_eq!(refs["windows"], json!([opened["window"]]));

    // Of a process in the pane that the daemon itself looks at, too.
    let file = sandbox.root().join("answer");
    let line = format!(
        "surfaced --json open -- cat >'{0}.new' && mv '{0}.new' '{0}'",
        file.display()
    );
    tmux.ok(&["send-keys", "-t", &pane, &line, "Enter"]);
    let answer = wait::until("the answer", || std::fs::read(&file).ok());
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["source"], "current-terminal", "{answer}");
    assert_eq!(session_of(&tmux, &answer["results"][0]["surface"]), "other");
    assert_eq!(tmux.get("mine:", "#{session_windows}"), "1");
}

/// Of a window in several sessions that which the caller's own variables name is meant.
#[test]
fn a_window_that_is_linked_elsewhere_stays_where_it_was_made() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    tmux.ok(&["new-session", "-d", "-s", "also", "cat"]);
    let context = tmux.context("mine:");
    tmux.ok(&["link-window", "-d", "-s", "mine:0", "-t", "also:"]);
    let daemon = Daemon::start(&sandbox);
    let params = json!({ "context": context, "items": [{ "command": ["cat"] }] });
    let answer = daemon.client().call("open", &params);
    assert_eq!(
        session_of(&tmux, &answer["results"][0]["surface"]),
        "mine",
        "{answer}"
    );
}
