//! The ends of surfaces of tmux: programs that take no notice of a hang-up, and panes that stay when their program has ended.

use serde_json::json;

use super::surfaces_tmux::reference;
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::process::runs;
use crate::support::tmux::Tmux;
use crate::support::wait;

#[test]
fn a_closed_surface_leaves_no_program_that_takes_no_notice() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let daemon = Daemon::start(&sandbox);
    let left = sandbox.root().join("left");
    let line = format!(
        "trap '' HUP TERM INT; setsid sleep 300 & echo $! >'{}'; echo ready; while :; do sleep 0.1; done",
        left.display()
    );
    let pane = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_id}", &line]);
    tmux.wait_for_text(&pane, "ready");
    let program: u32 = tmux.get(&pane, "#{pane_pid}").parse().unwrap();
    let surface = json!(reference(&tmux, &pane));
    let started: u32 = std::fs::read_to_string(&left)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    daemon
        .client()
        .call("surface.close", &json!({ "surface": surface }));
    assert!(!runs(program));
    // What it put into a session of its own is none of the surface.
    assert!(runs(started));
    crate::support::process::send(started, rustix::process::Signal::KILL);
    let again = daemon
        .client()
        .fail("surface.close", &json!({ "surface": surface }));
    assert_eq!(again["data"]["kind"], "target-gone", "{again}");
}

#[test]
fn a_pane_that_stays_is_told_apart_from_one_whose_program_runs() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let daemon = Daemon::start(&sandbox);
    tmux.ok(&["set-option", "-g", "remain-on-exit", "on"]);
    let pane = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_id}", "exit 7"]);
    wait::until("the end", || {
        (tmux.get(&pane, "#{pane_dead}") == "1").then_some(())
    });
    let surface = json!(reference(&tmux, &pane));
    let mut client = daemon.client();
    let exit = client.call(
        "surface.wait",
        &json!({ "surface": surface, "timeoutMs": 20_000 }),
    );
    assert_eq!(exit, json!({ "exited": true, "exitCode": 7 }));
    let listed = client.call("surface.list", &json!({ "backend": "tmux" }));
    let of = |wanted: &serde_json::Value| {
        let surfaces = listed["surfaces"].as_array().unwrap().iter();
        let mut found =
            surfaces.filter(|one| (one["surface"] == surface) == wanted.as_bool().unwrap());
        found.next().unwrap()["exit"].clone()
    };
    assert_eq!(of(&json!(true)), exit);
    assert!(of(&json!(false)).is_null(), "{listed}");
    let table = sandbox.surfaced().arg("surfaces").output().unwrap();
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(table.contains("(ended with status 7)"), "{table}");
}
