//! Agents in seats and in surfaces.

use serde_json::{Value, json};

use crate::agents_support::{Stage, text};
use crate::support::env::have;
use crate::support::process::runs;
use crate::support::tmux::Tmux;
use crate::support::wait;

/// Waits until the pane of a surface shows this.
#[track_caller]
fn pane_shows(stage: &mut Stage, surface: &str, words: &str) {
    wait::until(&format!("{surface} to show {words:?}"), || {
        let seen = stage.call(
            "surface.capture",
            &json!({ "surface": surface, "lines": 200 }),
        );
        text(&seen["text"]).contains(words).then_some(())
    });
}

fn says(stage: &mut Stage, surface: &str, line: &str) {
    stage.call(
        "surface.inject",
        &json!({ "surface": surface, "text": line }),
    );
}

#[test]
fn an_agent_in_a_seat_lives_ends_and_is_taken_up_again() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let cwd = stage.dir("in a seat");
    let place = json!({ "kind": "seat", "space": "crew" });
    let agent = stage.create_in(
        &cwd,
        &json!({ "place": place, "env": { "ANTHROPIC_API_KEY": "k" }, "prompt": "swordfish" }),
    );
    let told = stage.call("seat.list", &json!({})).to_string();
    assert!(told.contains("--session-id"), "{told}");
    assert!(!told.contains("swordfish"), "{told}");
    for kept in std::fs::read_dir(stage.sandbox.state().join("seats")).unwrap() {
        let kept = std::fs::read_to_string(kept.unwrap().path()).unwrap_or_default();
        assert!(!kept.contains("swordfish"), "{kept}");
    }
    let (id, seat) = (text(&agent["id"]), text(&agent["seat"]));
    assert_eq!(agent["lifecycle"], "idle");
    assert_eq!(
        (&agent["terminalId"], &agent["surface"]),
        (&Value::Null, &Value::Null)
    );
    assert!(text(&agent["attach"]).contains("surfaced-crew"), "{agent}");
    pane_shows(&mut stage, &seat, "key=k");
    let seats = stage.call("seat.list", &json!({ "space": "crew" }))["seats"].clone();
    let name = text(&seats[0]["name"]);
    assert!(
        id.ends_with(name.strip_prefix("claude-").unwrap()),
        "{name}"
    );
    says(&mut stage, &seat, "work");
    pane_shows(&mut stage, &seat, "got work");
    says(&mut stage, &seat, "crash");
    let ended = stage.reaches(&id, "failed");
    assert!(text(&ended["reason"]).contains("status 3: boom"), "{ended}");

    let opened = stage.agent("agent.open", &id);
    let seat = text(&opened["seat"]);
    pane_shows(&mut stage, &seat, "resumed");
    pane_shows(&mut stage, &seat, "in a seat");
    let error = stage
        .client
        .fail("terminal.create", &json!({ "agentId": id }));
    assert_eq!(error["data"]["kind"], "conflict", "{error}");
    stage.agent("agent.close", &id);
    let last = stage.starts().last().unwrap().0;
    assert!(!runs(last));
    assert_eq!(stage.agent("agent.get", &id)["lifecycle"], "closed");

    // It moves where it is wanted.
    let moved = stage.call(
        "agent.open",
        &json!({ "id": id, "place": { "kind": "terminal" } }),
    );
    stage.shows(&text(&moved["terminalId"]), "resumed");
    assert_eq!(moved["seat"], Value::Null);
}

#[test]
fn a_seat_that_vanishes_interrupts() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    let agent = stage.create_in(
        &cwd,
        &json!({ "place": { "kind": "seat", "space": "crew" } }),
    );
    let (id, seat) = (text(&agent["id"]), text(&agent["seat"]));
    pane_shows(&mut stage, &seat, "ready");
    Tmux::absent(&stage.sandbox).ok(&["kill-server"]);
    let ended = stage.reaches(&id, "interrupted");
    assert!(
        text(&ended["reason"]).contains("surfaced agent open"),
        "{ended}"
    );
}

#[test]
fn an_agent_in_a_surface_of_tmux_reports_its_own_end() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let cwd = stage.dir("in tmux");
    // The stage ends it.
    std::mem::forget(Tmux::start(&stage.sandbox, "main"));
    let place = json!({ "kind": "surface", "backend": "tmux" });
    let agent = stage.create_in(
        &cwd,
        &json!({ "place": place, "env": { "ANTHROPIC_API_KEY": "k k" }, "title": "here" }),
    );
    let (id, surface) = (text(&agent["id"]), text(&agent["surface"]));
    assert_eq!(agent["lifecycle"], "idle", "{agent}");
    assert_eq!(agent["seat"], Value::Null);
    assert!(
        agent["attach"].is_string(),
        "nobody looks at that session: {agent}"
    );
    pane_shows(&mut stage, &surface, "key=k k in ");
    says(&mut stage, &surface, "work");
    pane_shows(&mut stage, &surface, "got work");
    says(&mut stage, &surface, "/exit");
    let closed = stage.reaches(&id, "closed");
    assert_eq!(closed["reason"], Value::Null, "it said goodbye");

    // Found again by the next daemon, also when nobody wrote down that it was started.
    let opened = stage.agent("agent.open", &id);
    let surface = text(&opened["surface"]);
    pane_shows(&mut stage, &surface, "resumed");
    let starts = stage.starts().len();
    stage.crash();
    assert_eq!(stage.agent("agent.get", &id)["lifecycle"], "idle");
    assert_eq!(stage.agent("agent.open", &id)["surface"], surface.as_str());
    stage.kill();
    let record = stage.record(&id);
    let mut written: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    written["record"]["run"]["stage"] = json!("starting");
    written["record"]["run"]["process"] = Value::Null;
    std::fs::write(&record, written.to_string()).unwrap();
    stage.start();
    stage.reaches(&id, "idle");
    assert_eq!(stage.starts().len(), starts, "nothing was started twice");
    let pid = stage.starts().last().unwrap().0;
    stage.agent("agent.close", &id);
    assert!(!runs(pid));
    assert_eq!(stage.agent("agent.get", &id)["lifecycle"], "closed");

    // What is closed around it did not say goodbye.
    let opened = stage.agent("agent.open", &id);
    let surface = text(&opened["surface"]);
    pane_shows(&mut stage, &surface, "resumed");
    stage.call("surface.close", &json!({ "surface": surface }));
    let ended = stage.reaches(&id, "interrupted");
    assert!(
        text(&ended["reason"]).contains("its surface was closed"),
        "{ended}"
    );
    stage.agent("agent.delete", &id);
    let runs_left = stage.sandbox.state().join("agents/runs");
    assert_eq!(std::fs::read_dir(runs_left).unwrap().count(), 0);
}

#[test]
fn a_permit_that_was_taken_away_starts_nothing() {
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    let place = json!({ "kind": "surface", "backend": "builtin" });
    let agent = stage.create_in(&cwd, &json!({ "place": place }));
    let id = text(&agent["id"]);
    let surface = text(&agent["surface"]);
    assert!(surface.starts_with("builtin:"), "{agent}");
    pane_shows(&mut stage, &surface, "ready");
    stage.agent("agent.close", &id);
    stage.kill();
    // As a daemon leaves it that is killed before the terminal has run anything.
    let record = stage.record(&id);
    let mut written: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    let run = stage.sandbox.state().join(format!("agents/runs/{id}-7"));
    std::fs::create_dir_all(&run).unwrap();
    std::fs::write(run.join("permit"), "").unwrap();
    written["record"]["run"]["number"] = json!(7);
    written["record"]["run"]["stage"] = json!("starting");
    std::fs::write(&record, written.to_string()).unwrap();
    stage.start();
    stage.reaches(&id, "failed");
    assert!(!run.exists());
}
