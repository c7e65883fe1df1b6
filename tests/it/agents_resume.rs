//! Taking up conversations when something has changed meanwhile.

use serde_json::{Value, json};

use crate::agents_support::{CLAUDE, Stage, text};

/// An agent that has worked and was closed, with its conversation.
fn worked(stage: &mut Stage, dir: &str) -> (String, String, std::path::PathBuf) {
    let cwd = stage.dir(dir);
    let agent = stage.create_in(&cwd, &json!({}));
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    stage.types(&terminal, "work");
    stage.shows(&terminal, "got work");
    stage.types(&terminal, "/exit");
    let closed = stage.reaches(&id, "closed");
    (id, text(&closed["persistence"]["sessionId"]), cwd)
}

#[test]
fn a_directory_that_is_gone_is_said_and_nothing_is_opened() {
    let mut stage = Stage::new();
    let (id, session, cwd) = worked(&mut stage, "one");
    let moved = stage.sandbox.root().join("two");
    std::fs::rename(&cwd, &moved).unwrap();
    let error = stage.refused("agent.open", &id);
    assert_eq!(error["data"]["kind"], "cwd-missing", "{error}");
    assert!(text(&error["message"]).contains(cwd.to_str().unwrap()));
    assert!(
        text(&error["data"]["hint"]).contains("put it back"),
        "{error}"
    );
    let after = stage.agent("agent.get", &id);
    assert_eq!(after["lifecycle"], "closed");
    assert_eq!(after["persistence"]["sessionId"], session.as_str());
    assert_eq!(stage.starts().len(), 1);
    assert_eq!(
        stage.call("terminal.list", &json!({}))["terminals"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    std::fs::rename(&moved, &cwd).unwrap();
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), "resumed");
}

#[test]
fn a_conversation_that_the_provider_does_not_have_is_reported_once_and_not_asked_for_again() {
    let mut stage = Stage::new();
    let (id, session, cwd) = worked(&mut stage, "one");
    std::fs::remove_file(stage.transcript(&cwd, &session)).unwrap();
    stage.agent("agent.open", &id);
    let failed = stage.reaches(&id, "failed");
    let reason = text(&failed["reason"]);
    let words = format!("No conversation found with session ID: {session}");
    assert!(reason.contains(&words), "{reason}");
    assert!(reason.ends_with(&format!(
        "`surfaced agent open {id}` begins a new conversation"
    )));
    assert_eq!(stage.starts().len(), 2, "it was not tried again");
    let opened = stage.agent("agent.open", &id);
    let reason = text(&opened["reason"]);
    assert!(
        reason.contains("a new conversation") && reason.contains(&session),
        "{reason}"
    );
    stage.shows(&text(&opened["terminalId"]), "ready");
    assert!(!stage.starts()[2].1.contains("--resume"));
    assert_ne!(opened["persistence"]["sessionId"], session.as_str());
}

#[test]
fn a_conversation_that_is_back_is_taken_up() {
    let mut stage = Stage::new();
    let (id, session, cwd) = worked(&mut stage, "one");
    let (file, away) = (
        stage.transcript(&cwd, &session),
        stage.dir("away").join("x"),
    );
    std::fs::rename(&file, &away).unwrap();
    stage.agent("agent.open", &id);
    stage.reaches(&id, "failed");
    std::fs::rename(&away, &file).unwrap();
    let opened = stage.agent("agent.open", &id);
    assert_eq!(opened["persistence"]["sessionId"], session.as_str());
    assert_eq!(opened["reason"], Value::Null, "{opened}");
    stage.shows(&text(&opened["terminalId"]), &format!("resumed {session}"));
    stage.agent("agent.close", &id);

    // One that its provider does not have although it is there is tried once more, not for ever.
    let forgets = CLAUDE.replace("[ -f \"$dir/$resume.jsonl\" ]", "false");
    assert_ne!(forgets, CLAUDE);
    stage.replace("claude", &forgets);
    for (tried, then) in [(1, "tries it once more"), (2, "begins a new conversation")] {
        stage.agent("agent.open", &id);
        let failed = stage.reaches(&id, "failed");
        assert!(text(&failed["reason"]).ends_with(then), "{tried}: {failed}");
    }
    let opened = stage.agent("agent.open", &id);
    assert!(text(&opened["reason"]).contains(&session), "{opened}");
    assert_ne!(opened["persistence"]["sessionId"], session.as_str());
}

#[test]
fn a_first_prompt_that_was_not_given_is_said_to_be_missing() {
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    let untrusted = stage.sandbox.home().join("untrusted");
    std::fs::write(&untrusted, "").unwrap();
    let params = json!({ "provider": "claude", "cwd": cwd, "prompt": "work" });
    let agent = stage.call("agent.create", &params);
    let id = text(&agent["id"]);
    stage.shows(&text(&agent["terminalId"]), "Do you trust");
    stage.agent("agent.close", &id);
    std::fs::remove_file(&untrusted).unwrap();
    let opened = stage.agent("agent.open", &id);
    let reason = text(&opened["reason"]);
    assert!(reason.contains("not given the first prompt"), "{opened}");
    assert_eq!(opened["persistence"], agent["persistence"]);
    let terminal = text(&opened["terminalId"]);
    stage.shows(&terminal, "ready");
    stage.types(&terminal, "work");
    stage.shows(&terminal, "got work");
    stage.agent("agent.close", &id);
    let opened = stage.agent("agent.open", &id);
    assert_eq!(opened["reason"], Value::Null, "{opened}");
}

#[test]
fn a_provider_that_was_upgraded_takes_it_up_and_a_broken_one_is_said_to_be() {
    let mut stage = Stage::new();
    let (id, session, _) = worked(&mut stage, "one");
    stage.replace("claude", &CLAUDE.replace("2.1.187", "2.2.0"));
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), &format!("resumed {session}"));
    stage.agent("agent.close", &id);

    let broken = "#!/bin/sh\necho 'SyntaxError: Unexpected token' >&2\nexit 1\n";
    stage.replace("claude", broken);
    let error = stage.refused("agent.open", &id);
    assert_eq!(error["data"]["kind"], "program-missing", "{error}");
    let failed = stage.agent("agent.get", &id);
    assert_eq!(failed["lifecycle"], "failed");
    let reason = text(&failed["reason"]);
    assert!(reason.contains("SyntaxError: Unexpected token"), "{reason}");
    assert_eq!(
        failed["persistence"]["sessionId"],
        session.as_str(),
        "it is not lost"
    );

    std::fs::remove_file(stage.sandbox.root().join("bin/claude")).unwrap();
    stage.crash();
    let error = stage.refused("agent.open", &id);
    assert_eq!(error["data"]["kind"], "program-missing", "{error}");
    let failed = stage.agent("agent.get", &id);
    assert_eq!(failed["lifecycle"], "failed");
    assert!(text(&failed["reason"]).contains("install it"), "{failed}");

    stage.replace("claude", CLAUDE);
    stage.crash();
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), &format!("resumed {session}"));
}

#[test]
fn two_agents_in_one_directory_keep_apart_while_the_other_writes_all_the_time() {
    let mut stage = Stage::new();
    let cwd = stage.dir("shared");
    let one = stage.create_in(&cwd, &json!({ "title": "one" }));
    let two = stage.create_in(&cwd, &json!({ "title": "two" }));
    let (terminal, other) = (text(&one["terminalId"]), text(&two["terminalId"]));
    stage.types(&terminal, "first");
    stage.shows(&terminal, "got first");
    for number in 0..20 {
        stage.types(&other, &format!("noise {number}"));
    }
    stage.shows(&other, "got noise 19");
    stage.types(&terminal, "/exit");
    let id = text(&one["id"]);
    let closed = stage.reaches(&id, "closed");
    stage.types(&other, "noise after");
    stage.shows(&other, "got noise after");
    let session = text(&closed["persistence"]["sessionId"]);
    assert_ne!(session, text(&two["persistence"]["sessionId"]));
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), &format!("resumed {session}"));
    let own = std::fs::read_to_string(stage.transcript(&cwd, &session)).unwrap();
    assert!(own.contains("first") && !own.contains("noise"), "{own}");
    assert_eq!(
        stage.agent("agent.get", &text(&two["id"]))["lifecycle"],
        "idle"
    );
}

#[test]
fn a_damaged_record_is_set_aside_and_one_of_a_later_version_is_left_alone() {
    let mut stage = Stage::new();
    let (id, session, _) = worked(&mut stage, "one");
    let (damaged, _, _) = worked(&mut stage, "two");
    let (later, _, _) = worked(&mut stage, "three");
    stage.kill();
    let half = std::fs::read_to_string(stage.record(&damaged)).unwrap();
    std::fs::write(stage.record(&damaged), &half[..half.len() / 2]).unwrap();
    let newer = std::fs::read_to_string(stage.record(&later)).unwrap();
    let newer = newer.replacen("\"version\":1", "\"version\":99", 1);
    std::fs::write(stage.record(&later), &newer).unwrap();
    stage.start();
    let agents = stage.call("agent.list", &json!({}))["agents"].clone();
    let ids: Vec<String> = agents
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| text(&agent["id"]))
        .collect();
    assert_eq!(ids, [id.as_str()]);
    let aside = stage.record(&damaged).with_extension("json.damaged");
    assert_eq!(
        std::fs::read_to_string(aside).unwrap(),
        half[..half.len() / 2]
    );
    assert_eq!(
        std::fs::read_to_string(stage.record(&later)).unwrap(),
        newer
    );
    let log = stage.call("daemon.status", &json!({}))["log"].clone();
    let log = std::fs::read_to_string(text(&log)).unwrap_or_default();
    assert!(log.contains("is damaged and was set aside"), "{log}");
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), &format!("resumed {session}"));
}

#[test]
fn an_agent_whose_provider_cannot_resume_begins_anew_and_says_so() {
    let mut stage = Stage::with(&[(
        "plain",
        "#!/bin/sh\necho \"$$ $*\" >>\"$HOME/starts\"\necho ready\nread -r line\n",
    )]);
    std::fs::write(
        stage.sandbox.state().join("config.toml"),
        "[providers.plain]\nlabel = \"Plain\"\nprompt = [\"--ask\", \"{prompt}\"]\n",
    )
    .unwrap();
    stage.crash();
    let cwd = stage.sandbox.cwd();
    let agent = stage.create_in(&cwd, &json!({ "provider": "plain", "prompt": "once" }));
    let id = text(&agent["id"]);
    assert_eq!(agent["title"], "Plain");
    assert_eq!(agent["persistence"], Value::Null);
    stage.types(&text(&agent["terminalId"]), "");
    stage.reaches(&id, "closed");
    let opened = stage.agent("agent.open", &id);
    assert!(
        text(&opened["reason"]).contains("a new conversation"),
        "{opened}"
    );
    stage.shows(&text(&opened["terminalId"]), "ready");
    let words: Vec<String> = stage.starts().into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["--ask once", ""], "the prompt is given once");
}

#[test]
fn one_that_nobody_spoke_to_begins_with_its_own_id() {
    let mut stage = Stage::new();
    let cwd = stage.dir("silent");
    let agent = stage.create_in(&cwd, &json!({}));
    let (id, session) = (text(&agent["id"]), text(&agent["persistence"]["sessionId"]));
    for _ in 0..2 {
        stage.agent("agent.close", &id);
        let opened = stage.agent("agent.open", &id);
        stage.shows(&text(&opened["terminalId"]), "ready");
        let last = stage.starts().last().unwrap().1.clone();
        assert_eq!(last, format!("--session-id {session}"));
    }
    let agent = stage.agent("agent.get", &id);
    let terminal = text(&agent["terminalId"]);
    stage.types(&terminal, "work");
    stage.shows(&terminal, "got work");
    stage.agent("agent.close", &id);
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), &format!("resumed {session}"));
}
