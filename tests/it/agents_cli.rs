//! `surfaced agent …`.

use std::io::{BufRead, BufReader};
use std::process::Output;

use serde_json::{Value, json};

use crate::agents_support::{Stage, text};
use crate::support::env::Sandbox;
use crate::support::pty::Pty;
use crate::support::wait;

fn surfaced(stage: &Stage, args: &[&str]) -> Output {
    stage.sandbox.surfaced().args(args).output().unwrap()
}

#[track_caller]
fn ok(stage: &Stage, args: &[&str]) -> String {
    let output = surfaced(stage, args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

#[track_caller]
fn fails(stage: &Stage, args: &[&str], status: i32) -> String {
    let output = surfaced(stage, args);
    assert_eq!(output.status.code(), Some(status), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn agents_on_the_command_line() {
    let mut stage = Stage::new();
    let cwd = stage.dir("work");
    let cwd = cwd.to_str().unwrap();
    let id = ok(
        &stage,
        &[
            "agent", "new", "claude", "-C", cwd, "--model", "opus", "--mode", "plan", "--title",
            "mine", "--label", "team=a", "--prompt", "hi there",
        ],
    );
    let agent = stage.agent("agent.get", &id);
    assert_eq!(agent["labels"], json!({ "team": "a" }));
    assert!(
        stage.starts()[0]
            .1
            .starts_with("--model opus --permission-mode plan"),
        "{:?}",
        stage.starts()
    );
    let terminal = text(&agent["terminalId"]);
    stage.shows(&terminal, "got hi there");

    let listed = ok(&stage, &["agent", "ls"]);
    for words in [
        "mine",
        "claude (terminal)",
        "idle",
        &terminal,
        cwd,
        &format!("surfaced attach {terminal}"),
    ] {
        assert!(listed.contains(words), "{words}: {listed}");
    }
    let json: Value = serde_json::from_str(&ok(&stage, &["agent", "ls", "--json"])).unwrap();
    assert_eq!(json["agents"][0]["id"], id.as_str());

    ok(&stage, &["agent", "close", "mine"]);
    assert_eq!(stage.agent("agent.get", &id)["lifecycle"], "closed");
    let listed = ok(&stage, &["agent", "ls"]);
    assert!(
        listed.contains(&format!("surfaced agent open {id}")),
        "{listed}"
    );
    let opened = ok(&stage, &["agent", "open", &id[..30]]);
    assert_eq!(opened, id);
    ok(&stage, &["agent", "archive", &id]);
    assert_eq!(ok(&stage, &["agent", "ls"]), "");
    assert!(ok(&stage, &["agent", "ls", "--archived"]).contains("closed, archived"));
    let error = fails(&stage, &["agent", "open", "mine"], 1);
    assert!(
        error.contains("archived") && error.contains("unarchive"),
        "{error}"
    );
    ok(&stage, &["agent", "unarchive", "mine"]);
    ok(&stage, &["agent", "rm", "mine"]);
    assert_eq!(ok(&stage, &["agent", "ls", "--archived"]), "");

    for (args, status, words) in [
        (vec!["agent", "open", "nope"], 1, "no agent is called"),
        (vec!["agent", "new", "nope"], 1, "no provider"),
        (
            vec!["agent", "new", "claude", "-C", "/no/such/place"],
            1,
            "/no/such/place",
        ),
        (
            vec!["agent", "new", "claude", "--place", "seat"],
            2,
            "--space",
        ),
        (
            vec!["agent", "new", "claude", "--label", "x"],
            2,
            "no label",
        ),
        (
            vec![
                "agent", "new", "claude", "--place", "terminal", "--split", "right",
            ],
            2,
            "surface",
        ),
    ] {
        let error = fails(&stage, &args, status);
        assert!(error.contains(words), "{args:?}: {error}");
    }
}

#[test]
fn an_agent_that_does_not_run_is_said_and_is_a_failure() {
    let stage = Stage::with(&[(
        "claude",
        "#!/bin/sh\n[ \"$1\" = --version ] && exit\necho 'SyntaxError' >&2\nexit 1\n",
    )]);
    let id = surfaced(&stage, &["agent", "new", "claude"]);
    let id = String::from_utf8(id.stdout).unwrap().trim().to_owned();
    wait::until("it to have failed", || {
        let agent: Value = serde_json::from_str(&ok(&stage, &["agent", "ls", "--json"])).unwrap();
        (agent["agents"][0]["lifecycle"] == "failed").then_some(())
    });
    let listed = surfaced(&stage, &["agent", "ls"]);
    let notes = String::from_utf8(listed.stderr).unwrap();
    assert!(
        notes.contains("SyntaxError") && notes.contains(&id),
        "{notes}"
    );
}

#[test]
fn a_new_agent_is_attached_where_that_is_asked_for() {
    let stage = Stage::new();
    let mut command = stage.sandbox.surfaced();
    command.args(["agent", "new", "claude", "--attach"]);
    let mut pty = Pty::start(&command, 24, 80);
    pty.shows("ready");
    pty.type_in("/exit\r");
    assert!(pty.ended().success());
}

#[test]
fn a_damaged_record_is_named_with_what_still_runs() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    stage.kill();
    std::fs::write(stage.record(&id), "{").unwrap();
    stage.start();
    let output = surfaced(&stage, &["agent", "ls"]);
    let said = String::from_utf8(output.stderr).unwrap();
    let aside = stage.record(&id).with_extension("json.damaged");
    assert!(said.contains(aside.to_str().unwrap()), "{said}");
    let end = format!("surfaced terminal kill {terminal}");
    assert!(said.contains(&end), "{said}");
    // The daemon that is asked may have another home than the one whose command asks.
    let socket = stage.daemon.as_ref().unwrap().socket().unwrap();
    let output = Sandbox::new()
        .surfaced()
        .env("SURFACED_SOCKET", socket)
        .args(["agent", "ls"])
        .output()
        .unwrap();
    let elsewhere = String::from_utf8(output.stderr).unwrap();
    assert!(elsewhere.contains(aside.to_str().unwrap()), "{elsewhere}");
    let doctor = surfaced(&stage, &["doctor"]);
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains(&end), "{doctor}");
    ok(&stage, &["terminal", "rm", &terminal]);
    assert!(!ok(&stage, &["terminal", "ls"]).contains(&terminal));
}

#[test]
fn damaged_records_of_terminals_and_seats_are_named_too() {
    let mut stage = Stage::new();
    let made = stage.call("terminal.create", &json!({ "command": "cat", "env": {} }));
    let (terminal, pid) = (text(&made["id"]), made["pid"].as_u64().unwrap());
    stage.kill();
    let kept = stage.sandbox.state();
    std::fs::write(kept.join(format!("terminals/{terminal}.json")), "{").unwrap();
    std::fs::write(kept.join("terminals/gone.json"), "").unwrap();
    std::fs::write(kept.join("seats/one.json"), "[]").unwrap();
    stage.start();
    for args in [
        &["agent", "ls"][..],
        &["terminal", "ls"],
        &["seat", "list"],
        &["doctor"],
    ] {
        let output = surfaced(&stage, args);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            said.contains(&format!("the record of terminal {terminal} is damaged")),
            "{args:?}: {said}"
        );
        assert!(
            said.contains("the terminal was taken over from its host"),
            "{args:?}: {said}"
        );
        assert!(
            said.contains("the record of terminal gone is damaged"),
            "{args:?}: {said}"
        );
        assert!(
            said.contains("the record of seat one is damaged"),
            "{args:?}: {said}"
        );
    }
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

#[test]
fn texts_that_look_like_others_are_shown_as_they_are() {
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    let title = "exe.\u{202e}gpj \u{200b}";
    stage.create_in(&cwd, &json!({ "title": title }));
    let line = crate::conversations::claude(
        "11111111-2222-4333-8444-555555555555",
        &cwd,
        "2026-01-01T00:00:01Z",
        "turn \u{2066}around\u{2069} \u{1b}[2J",
    );
    crate::conversations::write(
        &stage.sandbox,
        ".claude/projects/-x/11111111-2222-4333-8444-555555555555.jsonl",
        &[line],
    );
    for args in [
        &["agent", "ls"][..],
        &["terminal", "ls"],
        &["sessions", "--files"],
        &["surfaces"],
    ] {
        let output = surfaced(&stage, args);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        for c in ['\u{202e}', '\u{200b}', '\u{1b}', '\u{2066}', '\u{2069}'] {
            assert!(!said.contains(c), "{args:?}: {said:?}");
        }
    }
    assert!(ok(&stage, &["sessions", "--files"]).contains("turn \\u{2066}around\\u{2069}"));
    assert!(ok(&stage, &["agent", "ls"]).contains("\\u{202e}gpj"));
}

#[test]
fn an_agent_in_a_terminal_of_the_daemon_is_shown_with_the_line_that_shows_it() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let terminal = text(&agent["terminalId"]);
    let listed = stage.call("sessions", &json!({}));
    let listed = listed["sessions"].as_array().unwrap();
    let surface = json!(format!("builtin:{terminal}"));
    let found = listed.iter().find(|one| one["surface"] == surface);
    assert_eq!(
        found.unwrap_or_else(|| panic!("{listed:?}"))["kind"],
        "claude"
    );
    let said = ok(&stage, &["sessions"]);
    assert!(said.contains(&format!("attach {terminal}")), "{said}");
}

#[test]
fn a_one_word_prompt_arrives_as_it_is() {
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    for (prompt, word) in [("hi", "hi"), ("mcp", " mcp"), ("-x", "-- -x")] {
        let agent = stage.create_in(&cwd, &json!({ "prompt": prompt }));
        let words = stage.starts().last().unwrap().1.clone();
        let session = text(&agent["persistence"]["sessionId"]);
        assert_eq!(words, format!("--session-id {session} {word}"));
    }
}

#[test]
fn words_that_begin_with_a_dash_and_empty_ones() {
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    let cwd = cwd.to_str().unwrap();
    let words = ["agent", "new", "claude", "-C", cwd, "-m", "", "-t", "-x"];
    let id = ok(&stage, &words);
    let agent = stage.agent("agent.get", &id);
    assert_eq!(
        (&agent["title"], &agent["model"]),
        (&json!("-x"), &Value::Null)
    );
    let renamed = stage.call("agent.update", &json!({ "id": id, "title": "" }));
    assert_eq!(renamed["title"], "Claude Code");
}

#[test]
fn events_are_lines() {
    let mut stage = Stage::new();
    for (flags, words) in [
        (&["--json"][..], "\"topic\":\"agent.created\""),
        (&[], "  agent.created  "),
    ] {
        let mut listener = stage
            .sandbox
            .surfaced()
            .args(["events", "agent"])
            .args(flags)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(listener.stdout.take().unwrap()).lines();
        let (tell, told) = std::sync::mpsc::channel();
        std::thread::spawn(move || tell.send(lines.next().unwrap().unwrap()));
        // It listens from some moment on.
        let line = wait::until("an event", || {
            stage.create();
            told.try_recv().ok()
        });
        assert!(line.contains(words), "{line}");
        listener.kill().unwrap();
        listener.wait().unwrap();
    }
}
