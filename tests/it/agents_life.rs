//! The life of agents in hosted terminals: created, worked with, left, taken up again, put away.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::agents_support::{CLAUDE, Stage, text};
use crate::support::process::{argvs_with, runs};
use crate::support::secret::secret;
use crate::support::wait;

#[test]
fn an_agent_is_created_worked_with_left_and_taken_up_again_in_its_directory() {
    let mut stage = Stage::new();
    let cwd = stage.dir("project one");
    let agent = stage.create_in(
        &cwd,
        &json!({ "model": "opus", "modeId": "plan", "prompt": "hello there", "labels": { "team": "a" } }),
    );
    let id = text(&agent["id"]);
    assert_eq!(uuid::Uuid::parse_str(&id).unwrap().get_version_num(), 7);
    assert_eq!(agent["provider"], "claude");
    assert_eq!(agent["title"], "Claude Code");
    assert_eq!(agent["terminal"], true);
    assert_eq!(agent["lifecycle"], "idle");
    assert_eq!(agent["labels"], json!({ "team": "a" }));
    let terminal = text(&agent["terminalId"]);
    assert_eq!(agent["attach"], format!("surfaced attach {terminal}"));
    let session = text(&agent["persistence"]["sessionId"]);
    let first = format!("--model opus --permission-mode plan --session-id {session} hello there");
    assert_eq!(stage.starts().len(), 1);
    assert_eq!(stage.starts()[0].1, first);
    let shown = stage.call("terminal.get", &json!({ "id": terminal }));
    assert_eq!(shown["agentId"], id.as_str());
    assert_eq!(shown["command"][0], "claude", "{shown}");
    assert_eq!(shown["pid"], stage.starts()[0].0);

    stage.types(&terminal, "more");
    stage.shows(&terminal, "got more");
    stage.types(&terminal, "/exit");
    let closed = stage.reaches(&id, "closed");
    assert_eq!(closed["reason"], Value::Null);
    for gone in ["terminalId", "attach"] {
        assert_eq!(closed[gone], Value::Null, "{closed}");
    }
    assert_eq!(closed["persistence"]["sessionId"], session.as_str());

    let opened = stage.agent("agent.open", &id);
    assert_eq!(opened["lifecycle"], "idle", "{opened}");
    assert_eq!(opened["reason"], Value::Null);
    let second = text(&opened["terminalId"]);
    assert_ne!(second, terminal);
    stage.shows(&second, &format!("resumed {session}"));
    stage.shows(&second, "project one");
    // What it was created with holds, and its prompt is not sent again.
    let words = format!("--model opus --permission-mode plan --resume {session}");
    assert_eq!(stage.starts()[1].1, words);
    assert_eq!(
        std::fs::read_to_string(stage.transcript(&cwd, &session))
            .unwrap()
            .lines()
            .count(),
        2
    );
}

#[test]
fn ten_opens_at_once_start_one_program() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let id = text(&agent["id"]);
    stage.types(&text(&agent["terminalId"]), "work");
    stage.shows(&text(&agent["terminalId"]), "got work");
    stage.agent("agent.close", &id);
    let mut clients: Vec<_> = (0..10)
        .map(|_| stage.daemon.as_ref().unwrap().client())
        .collect();
    for client in &mut clients {
        client.request("agent.open", &json!({ "id": id }));
    }
    let answers: Vec<Value> = clients
        .iter_mut()
        .map(|client| client.read()["result"].take())
        .collect();
    for answer in &answers {
        assert_eq!(answer["terminalId"], answers[0]["terminalId"], "{answer}");
        assert!(answer["attach"].is_string());
    }
    let terminal = text(&answers[0]["terminalId"]);
    stage.shows(&terminal, "ready");
    assert_eq!(stage.starts().len(), 2);
    // Neither does one of a live agent, in whichever place it is wanted.
    let again = stage.call(
        "agent.open",
        &json!({ "id": id, "place": { "kind": "seat", "space": "x" } }),
    );
    assert_eq!(again["terminalId"], terminal.as_str());
    assert_eq!(stage.starts().len(), 2);
}

#[test]
fn an_end_without_a_goodbye_interrupts_and_says_what_to_do() {
    let mut stage = Stage::new();
    for (line, words) in [("die", "ended by SIGKILL"), ("crash", "status 3: boom")] {
        let agent = stage.create();
        let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
        stage.types(&terminal, "work");
        stage.shows(&terminal, "got work");
        if line == "crash" {
            // One that ends with an error right after its start has failed instead: this one has worked.
            let record = stage.record(&id);
            let mut written: Value =
                serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
            stage.kill();
            written["record"]["run"]["beganMs"] = json!(1000);
            std::fs::write(&record, written.to_string()).unwrap();
            stage.start();
        }
        stage.types(&terminal, line);
        let ended = stage.reaches(&id, "interrupted");
        let reason = text(&ended["reason"]);
        assert!(reason.contains(words), "{reason}");
        assert!(
            reason.ends_with(&format!("`surfaced agent open {id}` takes it up again")),
            "{reason}"
        );
        let opened = stage.agent("agent.open", &id);
        stage.shows(&text(&opened["terminalId"]), "resumed");
        stage.agent("agent.close", &id);
    }
}

#[test]
fn a_close_is_final_and_so_is_an_archive() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    stage.types(&terminal, "work");
    stage.shows(&terminal, "got work");
    let closed = stage.agent("agent.close", &id);
    assert_eq!(closed["lifecycle"], "closed");
    assert_eq!(closed["reason"], Value::Null);
    assert!(!runs(stage.starts()[0].0), "it has ended when that is said");
    assert!(
        !stage.screen(&terminal).contains("/exit"),
        "its terminal edits the line, so nothing is typed into it"
    );
    assert_eq!(stage.agent("agent.close", &id)["lifecycle"], "closed");

    let error = stage
        .client
        .fail("agent.send", &json!({ "id": id, "text": "x" }));
    assert_eq!(error["data"]["kind"], "terminal-agent");
    let error = stage
        .client
        .fail("terminal.input", &json!({ "id": terminal, "data": "x\r" }));
    assert_eq!(error["data"]["kind"], "conflict");
    stage.call(
        "agent.update",
        &json!({ "id": id, "title": "renamed", "labels": {} }),
    );
    assert_eq!(stage.starts().len(), 1, "nothing revives it");

    let archived = stage.agent("agent.archive", &id);
    assert!(archived["archivedAt"].is_string());
    assert_eq!(archived["title"], "renamed");
    assert_eq!(stage.call("agent.list", &json!({}))["agents"], json!([]));
    let all = stage.call("agent.list", &json!({ "archived": true }));
    assert_eq!(all["agents"][0]["id"], id.as_str());
    let error = stage.refused("agent.open", &id);
    assert_eq!(error["data"]["kind"], "conflict", "{error}");
    let error = stage
        .client
        .fail("terminal.create", &json!({ "agentId": id }));
    assert_eq!(error["data"]["kind"], "conflict", "{error}");
    assert_eq!(stage.starts().len(), 1);

    let back = stage.agent("agent.unarchive", &id);
    assert_eq!(
        (&back["archivedAt"], &back["lifecycle"]),
        (&Value::Null, &json!("closed"))
    );
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "resumed");
    // Of a live one an archive is a close, too.
    let archived = stage.agent("agent.archive", &id);
    assert_eq!(archived["lifecycle"], "closed");
    assert!(!runs(stage.starts()[1].0));
    stage.agent("agent.delete", &id);
    assert_eq!(stage.refused("agent.get", &id)["data"]["kind"], "not-found");
    assert!(!stage.record(&id).exists());
}

#[test]
fn a_program_that_ignores_its_phrase_and_hang_ups_is_killed_with_what_came_of_it() {
    let stubborn = r#"#!/bin/sh
trap '' HUP TERM INT
echo "$$ $*" >>"$HOME/starts"
(trap '' HUP TERM; echo "child $(exec sh -c 'echo $PPID')"; while :; do sleep 0.1; done) &
echo ready
while :; do sleep 0.1; done
"#;
    let mut stage = Stage::with(&[("claude", stubborn)]);
    let agent = stage.create();
    let terminal = text(&agent["terminalId"]);
    stage.shows(&terminal, "child ");
    let screen = stage.screen(&terminal);
    let line = screen.lines().find_map(|line| line.strip_prefix("child "));
    let child: u32 = line.unwrap().parse().unwrap();
    let closed = stage.agent("agent.close", &text(&agent["id"]));
    assert_eq!(closed["lifecycle"], "closed");
    assert!(!runs(stage.starts()[0].0));
    wait::until("its child to be gone", || (!runs(child)).then_some(()));
}

#[test]
fn the_phrase_is_not_entered_where_a_question_would_take_it() {
    let mut stage = Stage::new();
    std::fs::write(stage.sandbox.home().join("untrusted"), "").unwrap();
    let cwd = stage.sandbox.cwd();
    let agent = stage.call(
        "agent.create",
        &json!({ "provider": "claude", "cwd": cwd, "prompt": "go" }),
    );
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    // It waits for the person, and is not taken for dead.
    stage.shows(&terminal, "2. No, exit");
    assert_eq!(stage.agent("agent.get", &id)["lifecycle"], "idle");
    let shown = stage.call("terminal.snapshot", &json!({ "id": terminal }));
    assert!(shown["screen"].is_string());
    stage.agent("agent.close", &id);
    let screen = stage.screen(&terminal);
    assert!(
        !screen.contains("got go"),
        "the prompt was not sent: {screen}"
    );
    assert!(!screen.contains("bye"), "{screen}");

    // Answered by the person, it goes on.
    let agent = stage.call("agent.create", &json!({ "provider": "claude", "cwd": cwd }));
    let terminal = text(&agent["terminalId"]);
    stage.shows(&terminal, "2. No, exit");
    stage.call("terminal.input", &json!({ "id": terminal, "data": "1" }));
    stage.shows(&terminal, "ready");
}

#[test]
fn what_cannot_be_created_leaves_nothing() {
    let mut stage = Stage::with(&[("claude", CLAUDE)]);
    let cwd = stage.sandbox.cwd();
    let create = |more: Value| {
        let mut params = json!({ "provider": "claude", "cwd": cwd });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        params
    };
    for (more, kind, words) in [
        (
            json!({ "terminal": false }),
            "not-supported",
            "this service runs the terminal programs",
        ),
        (json!({ "provider": "nope" }), "not-found", "\"nope\""),
        (json!({ "provider": "codex" }), "program-missing", "Codex"),
        (
            json!({ "cwd": "/no/such/place" }),
            "cwd-missing",
            "/no/such/place",
        ),
        (json!({ "modeId": "nope" }), "invalid-params", "plan"),
        (json!({ "cwd": "relative" }), "invalid-params", "absolute"),
        (
            json!({ "place": { "kind": "moon" } }),
            "invalid-params",
            "moon",
        ),
        (
            json!({ "place": { "kind": "seat", "space": "a b" } }),
            "seat-refused",
            "a b",
        ),
        (
            json!({ "place": { "kind": "surface", "backend": "nope" } }),
            "backend-unknown",
            "nope",
        ),
    ] {
        let error = stage.client.fail("agent.create", &create(more.clone()));
        assert_eq!(error["data"]["kind"], kind, "{more}: {error}");
        assert!(text(&error["message"]).contains(words), "{more}: {error}");
    }
    assert_eq!(
        stage.call("agent.list", &json!({ "archived": true }))["agents"],
        json!([])
    );
    assert_eq!(
        stage.call("terminal.list", &json!({}))["terminals"],
        json!([])
    );
    let left: Vec<_> = std::fs::read_dir(stage.sandbox.state().join("agents"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    assert_eq!(left, Vec::<std::path::PathBuf>::new());
    assert!(stage.starts().is_empty());
    for method in [
        "agent.get",
        "agent.open",
        "agent.close",
        "agent.archive",
        "agent.unarchive",
        "agent.delete",
    ] {
        assert_eq!(
            stage.refused(method, "x")["data"]["kind"],
            "not-found",
            "{method}"
        );
    }
    let error = stage
        .client
        .fail("agent.send", &json!({ "id": "x", "text": "y" }));
    assert_eq!(error["data"]["kind"], "not-found");
}

#[test]
fn an_alias_is_no_program() {
    let mut stage = Stage::with(&[]);
    for rc in [".zshrc", ".bashrc", ".profile"] {
        std::fs::write(stage.sandbox.home().join(rc), "alias claude='sh -c true'\n").unwrap();
    }
    let cwd = stage.sandbox.cwd();
    let error = stage
        .client
        .fail("agent.create", &json!({ "provider": "claude", "cwd": cwd }));
    assert_eq!(error["data"]["kind"], "program-missing", "{error}");
    let hint = text(&error["data"]["hint"]);
    assert!(
        hint.contains("alias") && hint.contains("[providers.claude]"),
        "{hint}"
    );
}

#[test]
fn variables_reach_the_program_and_no_file_argv_or_log() {
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    let key = secret();
    let agent = stage.create_in(
        &cwd,
        &json!({ "env": { "ANTHROPIC_API_KEY": key }, "prompt": "swordfish-42" }),
    );
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    let command = stage.agent("terminal.get", &terminal)["command"].to_string();
    assert!(command.contains("--session-id"), "{command}");
    assert!(!command.contains("swordfish"), "{command}");
    stage.shows(&terminal, &format!("key={key}"));
    assert_eq!(argvs_with(&key), Vec::<String>::new());
    stage.types(&terminal, "/exit");
    stage.reaches(&id, "closed");
    // The same daemon still knows them.
    let opened = stage.agent("agent.open", &id);
    let terminal = text(&opened["terminalId"]);
    stage.shows(&terminal, &format!("key={key}"));
    assert_eq!(argvs_with(&key), Vec::<String>::new());
    stage.agent("agent.close", &id);
    let mut dirs = vec![stage.sandbox.state()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(&dir).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                dirs.push(path);
                continue;
            }
            let kept = std::fs::read(&path).unwrap_or_default();
            let kept = String::from_utf8_lossy(&kept);
            // What a terminal showed is in its own files, as for every terminal.
            if !path.starts_with(stage.sandbox.state().join("terminals")) {
                assert!(!kept.contains("hunter2"), "{}", path.display());
                assert!(!kept.contains("swordfish"), "{}", path.display());
            }
            let mode =
                std::os::unix::fs::PermissionsExt::mode(&path.metadata().unwrap().permissions());
            if path
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                assert_eq!(mode & 0o077, 0, "{}", path.display());
            }
        }
    }
    // The next one does not, and says so.
    stage.crash();
    let opened = stage.agent("agent.open", &id);
    let reason = text(&opened["reason"]);
    assert!(reason.contains("ANTHROPIC_API_KEY"), "{reason}");
}

#[test]
fn events_tell_of_agents() {
    let mut stage = Stage::new();
    let mut listener = stage.daemon.as_ref().unwrap().client();
    listener.call("events.subscribe", &json!({ "topics": ["agent"] }));
    let agent = stage.create();
    let id = text(&agent["id"]);
    let mut next = || {
        let item = listener.read()["params"]["result"].take();
        (text(&item["topic"]), item["payload"].clone())
    };
    let (topic, payload) = next();
    assert_eq!((topic.as_str(), &payload), ("agent.created", &agent));
    stage.call("agent.update", &json!({ "id": id, "title": "x" }));
    let (topic, payload) = next();
    assert_eq!(
        (topic.as_str(), &payload["title"]),
        ("agent.updated", &json!("x"))
    );
    stage.types(&text(&agent["terminalId"]), "/exit");
    let (topic, payload) = next();
    assert_eq!(
        (topic.as_str(), &payload["lifecycle"]),
        ("agent.updated", &json!("closed"))
    );
    stage.agent("agent.delete", &id);
    assert_eq!(next(), ("agent.deleted".to_owned(), json!({ "id": id })));
}

#[test]
fn a_terminal_is_made_for_an_agent_as_it_is_opened() {
    let mut stage = Stage::new();
    let agent = stage.create();
    let (id, first) = (text(&agent["id"]), text(&agent["terminalId"]));
    let cwd = stage.sandbox.cwd();
    let live = stage.call("terminal.create", &json!({ "agentId": id, "cwd": cwd }));
    assert_eq!(live["id"], first.as_str(), "it lives there");
    stage.types(&first, "work");
    stage.shows(&first, "got work");
    stage.types(&first, "/exit");
    stage.reaches(&id, "closed");
    // The dead terminal is still listed; what was asked for is a program that takes up the conversation.
    let fresh = stage.call(
        "terminal.create",
        &json!({ "agentId": id, "rows": 30, "cols": 100 }),
    );
    assert_ne!(fresh["id"], first.as_str());
    assert_eq!((&fresh["rows"], &fresh["cols"]), (&json!(30), &json!(100)));
    assert_eq!(fresh["agentId"], id.as_str());
    stage.shows(&text(&fresh["id"]), "resumed");
    for (more, kind) in [
        (json!({ "cwd": "/" }), "invalid-params"),
        (json!({ "command": "sh" }), "invalid-params"),
        (json!({ "agentId": "x" }), "not-found"),
    ] {
        let mut params = json!({ "agentId": id });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        let error = stage.client.fail("terminal.create", &params);
        assert_eq!(error["data"]["kind"], kind, "{error}");
    }
}
