//! Agents across the death of the daemon: nothing is doubled, nothing is lost.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use pretty_assertions::assert_eq;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::agents_support::{CLAUDE, Stage, text};
use crate::support::client::Client;
use crate::support::env::have;
use crate::support::process::{runs, send};
use crate::support::wait;

/// Changes the record of an agent while no daemon runs.
fn edit(stage: &Stage, id: &str, change: impl FnOnce(&mut Value)) {
    let path = stage.record(id);
    let mut written: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut written["record"]);
    std::fs::write(&path, written.to_string()).unwrap();
}

/// As it was before anybody wrote down that the program was started.
fn unfinished(record: &mut Value) {
    let run = record["run"].as_object_mut().unwrap();
    run.insert("stage".into(), json!("starting"));
    for later in ["process", "attach", "seat", "surface"] {
        run.insert(later.into(), Value::Null);
    }
}

#[test]
fn an_agent_works_on_without_its_daemon_and_is_found_again() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    stage.crash();
    let found = stage.agent("agent.get", &id);
    assert_eq!(found, agent, "it is as it was");
    stage.types(&terminal, "work");
    stage.shows(&terminal, "got work");
    assert_eq!(
        stage.agent("agent.open", &id)["terminalId"],
        terminal.as_str()
    );
    assert_eq!(stage.starts().len(), 1);
    stage.types(&terminal, "/exit");
    stage.reaches(&id, "closed");
}

#[test]
fn ends_while_no_daemon_was_there_are_told_apart() {
    let mut stage = Stage::new();
    let gone = stage.sandbox.home().join("gone");
    let waits = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && exit\necho \"$$ $*\" >>\"$HOME/starts\"\necho ready\nwhile [ ! -e '{}' ]; do sleep 0.05; done\nread -r how <'{0}'\n[ \"$how\" = die ] && kill -9 $$\nexit \"$how\"\n",
        gone.display()
    );
    for (how, lifecycle, words) in [
        ("0", "closed", ""),
        ("die", "interrupted", "ended by SIGKILL"),
        ("7", "failed", "status 7"),
    ] {
        let _ = std::fs::remove_file(&gone);
        stage.replace("claude", &waits);
        let agent = stage.create();
        let id = text(&agent["id"]);
        let pid = stage.starts().last().unwrap().0;
        stage.kill();
        std::fs::write(&gone, how).unwrap();
        wait::until("the program to end", || (!runs(pid)).then_some(()));
        stage.start();
        let ended = stage.reaches(&id, lifecycle);
        let reason = ended["reason"].as_str().unwrap_or_default();
        assert!(reason.contains(words), "{how}: {reason}");
    }
}

#[test]
fn a_terminal_whose_host_was_killed_leaves_its_agent_interrupted() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    stage.types(&terminal, "work");
    stage.shows(&terminal, "got work");
    for host in stage.sandbox.hosts() {
        send(host, Signal::KILL);
    }
    let ended = stage.reaches(&id, "interrupted");
    let reason = text(&ended["reason"]);
    assert!(reason.contains("did not say goodbye"), "{reason}");
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "resumed");
}

#[test]
fn a_machine_that_was_restarted_is_said_to_have_been() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let id = text(&agent["id"]);
    stage.types(&text(&agent["terminalId"]), "work");
    stage.shows(&text(&agent["terminalId"]), "got work");
    let pid = stage.starts()[0].0;
    stage.kill();
    edit(&stage, &id, |record| {
        record["run"]["boot"] = json!("another");
    });
    // What a restart leaves: no process, and the record of a terminal that says nothing of an end.
    let terminal = text(&agent["terminalId"]);
    let record = stage
        .sandbox
        .state()
        .join("terminals")
        .join(format!("{terminal}.json"));
    let kept = std::fs::read(&record).unwrap();
    send(pid, Signal::KILL);
    wait::until("its host to go", || {
        let socket = record.with_extension("sock");
        (!runs(pid) && !socket.exists()).then_some(())
    });
    std::fs::write(&record, kept).unwrap();
    stage.start();
    let ended = stage.reaches(&id, "interrupted");
    assert!(
        text(&ended["reason"]).contains("the machine was restarted"),
        "{ended}"
    );
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "resumed");
}

#[test]
fn a_start_that_nobody_wrote_down_is_found_and_not_made_again() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let id = text(&agent["id"]);
    stage.kill();
    edit(&stage, &id, unfinished);
    stage.start();
    let found = stage.reaches(&id, "idle");
    assert_eq!(found["terminalId"], agent["terminalId"]);
    assert_eq!(stage.agent("agent.open", &id)["attach"], agent["attach"]);
    assert_eq!(stage.starts().len(), 1);
    assert_eq!(
        stage.call("terminal.list", &json!({}))["terminals"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_start_that_was_not_made_is_said_and_not_made_later() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let id = text(&agent["id"]);
    stage.agent("agent.close", &id);
    stage.kill();
    edit(&stage, &id, |record| {
        unfinished(record);
        record["run"]["terminal"] = json!("aaaaaaaaaa");
        record["lifecycle"] = json!("idle");
    });
    stage.start();
    // The first list waits until that is known.
    let failed = stage.call("agent.list", &json!({}))["agents"][0].clone();
    assert_eq!(failed["lifecycle"], "failed", "{failed}");
    let reason = text(&failed["reason"]);
    assert!(
        reason.contains("before the program was started"),
        "{reason}"
    );
    assert_eq!(stage.starts().len(), 1);
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "ready");
    assert_eq!(stage.starts().len(), 2);
}

#[test]
fn no_list_shows_an_agent_that_has_ended_as_one_that_lives() {
    let mut stage = Stage::new();
    for _ in 0..3 {
        let agent = stage.create();
        let id = text(&agent["id"]);
        stage.call("terminal.kill", &json!({ "id": agent["terminalId"] }));
        let listed = stage.call("agent.list", &json!({}))["agents"].clone();
        let listed = listed.as_array().unwrap().last().unwrap().clone();
        assert_eq!(listed["id"], id.as_str(), "{listed}");
        assert_ne!(listed["lifecycle"], "idle", "{listed}");
        assert_eq!(listed["attach"], Value::Null, "{listed}");
        stage.agent("agent.delete", &id);
    }
    let agent = stage.create();
    let pid = stage.starts().last().unwrap().0;
    stage.kill();
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    stage.start();
    let listed = stage.call("agent.list", &json!({}))["agents"][0].clone();
    assert_eq!(listed["id"], agent["id"], "{listed}");
    assert_eq!(listed["lifecycle"], "interrupted", "{listed}");
    assert_eq!(listed["attach"], Value::Null, "{listed}");
}

#[test]
fn a_close_that_was_begun_is_carried_on() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let id = text(&agent["id"]);
    let pid = stage.starts()[0].0;
    stage.kill();
    edit(&stage, &id, |record| {
        record["run"]["stage"] = json!("ending");
    });
    stage.start();
    stage.reaches(&id, "closed");
    assert!(!runs(pid));
}

#[test]
fn a_record_that_was_being_written_stands_as_it_was() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let id = text(&agent["id"]);
    stage.kill();
    let half = stage.record(&id).with_extension("json.4000000.new");
    std::fs::write(&half, "{\"version\":1,\"rec").unwrap();
    // The same of its terminal, which its host writes down.
    let terminal = text(&agent["terminalId"]);
    let kept = stage.sandbox.state().join("terminals");
    let halves = ["json", "screen"].map(|kind| kept.join(format!("{terminal}.{kind}.4000000.new")));
    for half in &halves {
        std::fs::write(half, "{").unwrap();
    }
    stage.start();
    for half in halves.iter().chain([&half]) {
        assert!(!half.exists(), "{}", half.display());
    }
    assert_eq!(stage.agent("agent.get", &id), agent);
    let renamed = stage.call("agent.update", &json!({ "id": id, "title": "x" }));
    assert_eq!(renamed["title"], "x");
}

#[test]
fn a_seat_that_nobody_wrote_down_is_found_by_its_name() {
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
    wait::until("its program", || (stage.starts().len() == 1).then_some(()));
    stage.kill();
    edit(&stage, &id, unfinished);
    for entry in std::fs::read_dir(stage.sandbox.state().join("seats")).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    stage.start();
    let found = stage.reaches(&id, "idle");
    assert_eq!(found["seat"], seat.as_str());
    assert_eq!(stage.starts().len(), 1);
    let seats = stage.call("seat.list", &json!({}))["seats"].clone();
    assert_eq!(seats[0]["reference"], seat.as_str(), "{seats}");
    stage.call("seat.stop", &json!({ "reference": seat }));
    stage.reaches(&id, "closed");
}

/// kill -9 at many moments of a create. Whatever was started belongs to one agent, and no agent has two.
#[test]
fn slow_kills_at_any_moment_of_a_create_double_and_lose_nothing() {
    let mut stage = Stage::with(&[("claude", CLAUDE)]);
    let cwd = stage.sandbox.cwd();
    let create = |client: &mut Client, title: &str| {
        let params = json!({ "provider": "claude", "cwd": cwd, "title": title });
        client.request("agent.create", &params);
    };
    // Requests of somebody else are the measure: this many are answered while a daemon that is new makes a whole one.
    let whole = {
        let mut other = stage.daemon.as_ref().unwrap().client();
        create(&mut stage.client, "whole");
        let made = AtomicBool::new(false);
        let mut asked = 0_usize;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let reply = stage.client.try_read();
                made.store(true, Ordering::SeqCst);
                assert!(reply.unwrap().get("error").is_none());
            });
            while !made.load(Ordering::SeqCst) {
                other.call("daemon.hello", &json!({}));
                asked += 1;
            }
        });
        asked
    };
    stage.crash();
    // From the first moment to twice as far as that one took.
    for moment in 0..12 {
        let mut other = stage.daemon.as_ref().unwrap().client();
        create(&mut stage.client, &format!("at {moment}"));
        for _ in 0..whole * moment / 6 {
            other.call("daemon.hello", &json!({}));
        }
        stage.crash();
    }
    wait::until("all agents to be settled", || {
        let records = std::fs::read_dir(stage.sandbox.state().join("agents")).unwrap();
        let starting = records.flatten().any(|entry| {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let is_record = entry.path().extension().is_some_and(|it| it == "json");
            is_record && text.contains("\"stage\":\"starting\"")
        });
        (!starting).then_some(())
    });
    let agents = stage.call("agent.list", &json!({}))["agents"].clone();
    let live: BTreeSet<String> = agents
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|agent| agent["terminalId"].as_str().map(str::to_owned))
        .collect();
    assert!(live.len() > 1, "none that was cut off came far: {agents}");
    let terminals = stage.call("terminal.list", &json!({}))["terminals"].clone();
    let listed: BTreeSet<String> = terminals
        .as_array()
        .unwrap()
        .iter()
        .map(|terminal| text(&terminal["id"]))
        .collect();
    assert_eq!(
        live, listed,
        "each terminal is an agent's and the other way round"
    );
    wait::until("every live agent to have started once", || {
        (stage.starts().len() == live.len()).then_some(())
    });
    let titles: BTreeSet<String> = agents
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| text(&agent["title"]))
        .collect();
    assert_eq!(
        titles.len(),
        agents.as_array().unwrap().len(),
        "none is there twice"
    );
}
