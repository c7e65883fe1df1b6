//! Layouts in the caller's own tmux session.

use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;

#[test]
fn a_layout_opens_as_a_whole_in_the_callers_session_and_is_found_by_its_label() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    tmux.ok(&["new-session", "-d", "-s", "other", "cat"]);
    let pane = tmux.get("mine", "#{pane_id}");
    let context = tmux.context(&pane);
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let opened = client.call(
        "layout.open",
        &json!({
            "label": "set up: #{pid}",
            "context": context,
            "tab": {
                "panes": [
                    { "command": "sh", "args": ["-c", "pwd; echo \"$KEY\"; exec cat"], "cwd": "/tmp", "env": { "KEY": "a b" } },
                    { "command": "cat" },
                ],
                "split": { "direction": "vertical", "ratio": 0.7 },
            },
        }),
    );
    let ids: Vec<String> = opened["panes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pane| {
            pane.as_str()
                .unwrap()
                .split('.')
                .nth(2)
                .unwrap()
                .split(';')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(
        tmux.get(&ids[0], "#{session_name} #{window_name} #{window_active}"),
        "mine set up: #{pid} 0"
    );
    let (first, second) = (
        tmux.get(&ids[0], "#{pane_left} #{pane_width}"),
        tmux.get(&ids[1], "#{pane_left}"),
    );
    let width: u32 = first.strip_prefix("0 ").unwrap().parse().unwrap();
    assert!(
        (130..=145).contains(&width),
        "70 percent of 200 columns, not {width}"
    );
    assert_eq!(second, (width + 1).to_string());
    let text = tmux.wait_for_text(&ids[0], "a b");
    assert!(text.starts_with("/tmp\n"), "{text}");

    let refs = json!({ "label": "set up: #{pid}", "context": context });
    assert_eq!(
        client.call("layout.refs", &refs)["windows"],
        json!([opened["window"]])
    );
    client.call("layout.close", &json!({ "window": opened["window"] }));
    assert_eq!(client.call("layout.refs", &refs)["windows"], json!([]));
    // Closed is closed.
    client.call("layout.close", &json!({ "window": opened["window"] }));
    assert_eq!(tmux.ok(&["list-windows", "-a"]).lines().count(), 2);
}

#[test]
fn a_pane_that_cannot_start_leaves_no_window() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    let pane = tmux.get("mine", "#{pane_id}");
    let context = tmux.context(&pane);
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    for (pane, kind) in [
        (
            json!({ "command": "no-such-program-anywhere" }),
            "program-missing",
        ),
        (json!({ "command": "/not/there" }), "program-missing"),
        (
            json!({ "command": "cat", "cwd": "/not/there" }),
            "cwd-missing",
        ),
        (
            json!({ "command": "cat", "args": ["y".repeat(200_000)] }),
            "spawn-failed",
        ),
    ] {
        let params = json!({ "label": "x", "context": context, "tab": { "panes": [{ "command": "cat" }, pane] } });
        assert_eq!(client.fail("layout.open", &params)["data"]["kind"], kind);
        assert_eq!(
            tmux.ok(&["list-windows", "-a"]).lines().count(),
            1,
            "{kind}"
        );
    }
    let outside =
        json!({ "label": "x", "context": {}, "tab": { "panes": [{ "command": "cat" }] } });
    assert_eq!(
        client.fail("layout.open", &outside)["data"]["kind"],
        "backend-unavailable"
    );
    assert_eq!(
        client.fail("layout.refs", &json!({ "label": "x", "context": {} }))["data"]["kind"],
        "backend-unavailable"
    );
}

#[test]
fn windows_of_the_persons_own_are_no_layouts_whatever_they_are_called() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    let pane = tmux.get("mine", "#{pane_id}");
    tmux.ok(&["rename-window", "-t", "mine", "work"]);
    let context = tmux.context(&pane);
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let labelled = |label: &str| json!({ "label": label, "context": context });
    assert_eq!(
        client.call("layout.refs", &labelled("work"))["windows"],
        json!([])
    );
    let mut empty = labelled("");
    assert_eq!(
        client.fail("layout.refs", &empty)["data"]["kind"],
        "invalid-params"
    );
    empty["tab"] = json!({ "panes": [{ "command": "cat" }] });
    assert_eq!(
        client.fail("layout.open", &empty)["data"]["kind"],
        "invalid-params"
    );
    let window = tmux.get("mine", "tmux:#{pid}.#{window_id};socket=#{socket_path}");
    let error = client.fail("layout.close", &json!({ "window": window }));
    assert_eq!(error["data"]["kind"], "invalid-params", "{error}");
    assert_eq!(tmux.ok(&["list-windows", "-a"]).lines().count(), 1);

    // One of ours is found by its label alone, whatever it is called by now.
    let mut open = labelled("work");
    open["tab"] = json!({ "panes": [{ "command": "cat" }, { "command": "cat" }] });
    let opened = client.call("layout.open", &open);
    tmux.ok(&["rename-window", "-t", "mine:$", "mine too"]);
    assert_eq!(
        client.call("layout.refs", &labelled("work"))["windows"],
        json!([opened["window"]])
    );
    client.call("layout.close", &json!({ "window": opened["window"] }));
    assert_eq!(
        tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]),
        "work"
    );
}

#[test]
fn a_pane_that_somebody_added_to_a_layout_lives_on() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    let context = tmux.context("mine:");
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let cat = json!({ "command": "cat" });
    let params = json!({ "label": "l", "context": context, "tab": { "panes": [cat, cat] } });
    let opened = client.call("layout.open", &params);
    let window = opened["window"]
        .as_str()
        .unwrap()
        .split(['.', ';'])
        .nth(1)
        .unwrap()
        .to_owned();
    let own = tmux.ok(&[
        "split-window",
        "-d",
        "-t",
        &window,
        "-P",
        "-F",
        "#{pane_id}",
        "exec cat",
    ]);
    client.call("layout.close", &json!({ "window": opened["window"] }));
    assert_eq!(
        tmux.ok(&["list-panes", "-t", &window, "-F", "#{pane_id}"]),
        own
    );
    // What is left is no layout any more.
    let refs = client.call("layout.refs", &json!({ "label": "l", "context": context }));
    assert_eq!(refs["windows"], json!([]));
    let error = client.fail("layout.close", &json!({ "window": opened["window"] }));
    assert_eq!(error["data"]["kind"], "invalid-params");
    assert_eq!(tmux.get(&own, "#{pane_dead}"), "0");
}
