//! Programs of agents that do not end as programs do: broken ones, ones that fork, and ones that nobody spoke to.

use serde_json::{Value, json};

use crate::agents_support::{CLAUDE, Stage, text};
use crate::support::env::have;
use crate::support::process::runs;
use crate::support::tmux::Tmux;
use crate::support::wait;

const BROKEN: &str = "#!/bin/sh\necho \"$$ $*\" >>\"$HOME/starts\"\necho 'SyntaxError: no such runtime' >&2\nexit 1\n";

/// Gemini CLI as far as this needs it: leaves a program of its own behind, which no hang-up ends, and a server.
const FORKS: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 0.45.0; exit 0; }
[ "$1" = --again ] && { trap '' HUP; echo $$ >"$HOME/again"; while :; do sleep 0.2; done; }
echo "$$ $*" >>"$HOME/starts"
(trap '' HUP; exec "$0" --again) </dev/null >/dev/null 2>&1 &
(trap '' HUP; echo $$ >/dev/null; exec sh -c 'echo $$ >"$HOME/server"; while :; do sleep 0.2; done') </dev/null >/dev/null 2>&1 &
while [ ! -s "$HOME/again" ] || [ ! -s "$HOME/server" ]; do sleep 0.02; done
echo ready
read -r line
exit 0
"#;

fn number(stage: &Stage, name: &str) -> u32 {
    let path = stage.sandbox.home().join(name);
    wait::until("the number of a process", || {
        std::fs::read_to_string(&path).ok()?.trim().parse().ok()
    })
}

/// A process that the test's own stand-in started.
fn end(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

#[test]
fn a_program_that_is_broken_is_not_started_and_a_repaired_one_is() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    // One that was spoken to, and one that the broken program is to begin.
    let agent = stage.create_in(&cwd, &json!({ "prompt": "work" }));
    let id = text(&agent["id"]);
    stage.agent("agent.close", &id);
    let starts = stage.starts().len();
    stage.replace("claude", BROKEN);
    let told = stage.call("provider.list", &json!({}));
    let told = told["providers"].as_array().unwrap();
    let claude = told.iter().find(|one| one["id"] == "claude").unwrap();
    assert_eq!(claude["available"], false);
    for place in [
        json!({ "kind": "terminal" }),
        json!({ "kind": "seat", "space": "crew" }),
        json!({ "kind": "surface", "backend": "builtin" }),
    ] {
        let params = json!({ "provider": "claude", "cwd": cwd, "place": place });
        let error = stage.client.fail("agent.create", &params);
        assert_eq!(error["data"]["kind"], "program-missing", "{error}");
        let message = text(&error["message"]);
        assert!(
            message.contains("--version ended with status 1: SyntaxError"),
            "{message}"
        );
        assert!(
            text(&error["data"]["hint"]).contains("repair claude"),
            "{error}"
        );
    }
    let error = stage.refused("agent.open", &id);
    assert_eq!(error["data"]["kind"], "program-missing", "{error}");
    let failed = stage.agent("agent.get", &id);
    assert_eq!(failed["lifecycle"], "failed");
    assert!(
        text(&failed["reason"]).contains("repair claude"),
        "{failed}"
    );
    assert_eq!(
        stage.starts().len(),
        starts,
        "it is asked for its version only"
    );
    let all = stage.call("agent.list", &json!({ "archived": true }))["agents"].clone();
    assert_eq!(all.as_array().unwrap().len(), 1, "nothing is left: {all}");
    let terminals = stage.call("terminal.list", &json!({}))["terminals"].clone();
    assert_eq!(terminals.as_array().unwrap().len(), 1, "{terminals}");

    // What was repaired is used at once.
    stage.replace("claude", CLAUDE);
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "resumed");
    assert_eq!(opened["persistence"], agent["persistence"]);
    stage.create();
}

#[test]
fn slow_a_program_that_takes_its_time_for_its_version_is_started() {
    let slow = CLAUDE.replace("--version) echo", "--version) exec sleep 60; echo");
    assert_ne!(slow, CLAUDE);
    let mut stage = Stage::with(&[("claude", &slow)]);
    let agent = stage.create();
    assert_eq!(agent["lifecycle"], "idle", "{agent}");
}

#[test]
fn a_kill_right_after_the_start_is_no_broken_installation() {
    let mut stage = Stage::new();
    // As Claude Code ends when its terminal hangs up.
    let traps = CLAUDE.replace("echo ready\n", "trap 'exit 129' HUP\necho ready\n");
    assert_ne!(traps, CLAUDE);
    stage.replace("claude", &traps);
    let agent = stage.create();
    stage.call("terminal.kill", &json!({ "id": agent["terminalId"] }));
    let ended = stage.reaches(&text(&agent["id"]), "interrupted");
    let reason = text(&ended["reason"]);
    assert!(reason.contains("was ended by SIGHUP"), "{ended}");
    assert!(!reason.contains("repair"), "{ended}");
}

#[test]
fn the_last_words_of_a_program_in_a_surface_are_told() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::with(&[(
        "claude",
        "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho 'this terminal is too old' >&2\nexit 4\n",
    )]);
    std::mem::forget(Tmux::start(&stage.sandbox, "main"));
    let cwd = stage.sandbox.cwd();
    for backend in ["tmux", "builtin"] {
        let place = json!({ "kind": "surface", "backend": backend });
        let agent = stage.create_in(&cwd, &json!({ "place": place }));
        let failed = stage.reaches(&text(&agent["id"]), "failed");
        let reason = text(&failed["reason"]);
        assert!(
            reason.contains("status 4: this terminal is too old"),
            "{backend}: {reason}"
        );
    }
}

#[test]
fn what_a_program_leaves_behind_is_told_and_its_own_is_ended() {
    let mut stage = Stage::with(&[("gemini", FORKS)]);
    let cwd = stage.sandbox.cwd();
    let agent = stage.create_in(&cwd, &json!({ "provider": "gemini" }));
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    let (own, server) = (number(&stage, "again"), number(&stage, "server"));
    stage.types(&terminal, "");
    let ended = stage.reaches(&id, "closed");
    let reason = text(&ended["reason"]);
    assert!(
        reason.contains(&format!(
            "as process {own}: `surfaced agent close {id}` ends it"
        )),
        "{reason}"
    );
    assert!(
        reason.contains(&format!("process {server} (sh), which is left alone")),
        "{reason}"
    );
    assert_eq!(
        ended["persistence"],
        Value::Null,
        "nothing was written under that id"
    );
    assert!(runs(own) && runs(server));

    let closed = stage.agent("agent.close", &id);
    assert!(!runs(own), "it was the agent's");
    assert!(runs(server), "it may be the person's");
    let reason = text(&closed["reason"]);
    assert!(!reason.contains(&own.to_string()), "{reason}");
    assert!(reason.contains(&server.to_string()), "{reason}");
    end(server);
    wait::until("the server to end", || (!runs(server)).then_some(()));
    let closed = stage.agent("agent.archive", &id);
    assert!(
        !closed["reason"].to_string().contains(&server.to_string()),
        "{closed}"
    );
}

#[test]
fn a_close_ends_what_a_program_has_forked_too() {
    let mut stage = Stage::with(&[("gemini", FORKS)]);
    let cwd = stage.sandbox.cwd();
    for place in [
        json!({ "kind": "terminal" }),
        json!({ "kind": "surface", "backend": "builtin" }),
    ] {
        for name in ["again", "server"] {
            let _ = std::fs::remove_file(stage.sandbox.home().join(name));
        }
        let agent = stage.create_in(&cwd, &json!({ "provider": "gemini", "place": place }));
        let (own, server) = (number(&stage, "again"), number(&stage, "server"));
        stage.agent("agent.delete", &text(&agent["id"]));
        assert!(!runs(own), "{place}");
        end(server);
    }
}

#[test]
fn an_agent_that_nobody_spoke_to_begins_anew_with_its_id() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let id = text(&agent["id"]);
    let session = text(&agent["persistence"]["sessionId"]);
    // Left by the person, then killed.
    for (how, lifecycle) in [("/exit", "closed"), ("die", "interrupted")] {
        let live = stage.agent("agent.get", &id);
        stage.types(&text(&live["terminalId"]), how);
        let ended = stage.reaches(&id, lifecycle);
        assert_eq!(ended["persistence"], Value::Null, "{ended}");
        let opened = stage.agent("agent.open", &id);
        assert_eq!(opened["persistence"]["sessionId"], session.as_str());
        stage.shows(&text(&opened["terminalId"]), "ready");
        let words = stage.starts().last().unwrap().1.clone();
        assert_eq!(words, format!("--session-id {session}"), "{how}");
    }
    // One that was spoken to is taken up, wherever it keeps its conversations.
    let live = stage.agent("agent.get", &id);
    stage.types(&text(&live["terminalId"]), "work");
    stage.shows(&text(&live["terminalId"]), "got work");
    stage.types(&text(&live["terminalId"]), "/exit");
    let ended = stage.reaches(&id, "closed");
    assert_eq!(ended["persistence"]["sessionId"], session.as_str());
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "resumed");
}

#[test]
fn conversations_that_are_kept_elsewhere_are_not_taken_for_none() {
    // It is told where by the rc file of the person's shell, which the daemon has not read.
    let moved = CLAUDE.replace(
        "$HOME/.claude/projects",
        "${CLAUDE_CONFIG_DIR:-$HOME/.claude}/projects",
    );
    let mut stage = Stage::with(&[("claude", &moved)]);
    let cwd = stage.sandbox.cwd();
    let dir = stage.dir("elsewhere");
    let agent = stage.create_in(&cwd, &json!({ "env": { "CLAUDE_CONFIG_DIR": dir } }));
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    stage.types(&terminal, "work");
    stage.shows(&terminal, "got work");
    let record = stage.record(&id);
    wait::until("the place to be seen", || {
        let kept = std::fs::read_to_string(&record).ok()?;
        kept.contains("elsewhere").then_some(())
    });
    stage.types(&terminal, "/exit");
    let ended = stage.reaches(&id, "closed");
    assert_eq!(ended["persistence"], agent["persistence"]);
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "resumed");
}
