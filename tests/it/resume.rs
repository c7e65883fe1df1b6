//! `resume`: sessions on disk are taken up again in real tmux, by stand-ins as strict as the real programs.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::agents_support::{CLAUDE, Stage};
use crate::conversations;
use crate::support::client::Client;
use crate::support::env::have;
use crate::support::tmux::Tmux;
use crate::support::wait;

/// A stand-in of this version.
pub fn claude(version: &str) -> String {
    CLAUDE.replace("2.1.187", version)
}

/// What answers nothing.
pub const BROKEN: &str = "#!/bin/sh\necho 'no such runtime' >&2\nexit 1\n";

/// Codex as far as these tests need it.
const CODEX: &str = r#"#!/bin/sh
case $1 in
--version) echo "codex-cli 0.149.1" ;;
resume) [ $# = 2 ] && echo "codex resumed $2 in $(pwd)" && exec cat ;;
*) echo "error: unexpected argument '$1'" >&2; exit 2 ;;
esac
"#;

/// A directory of the sandbox with a session of Claude Code, version 2.1.187.
pub fn session(stage: &Stage, name: &str, id: &str) -> PathBuf {
    let cwd = stage.sandbox.cwd().join(name);
    std::fs::create_dir_all(&cwd).unwrap();
    keep(stage, &cwd.display().to_string(), id, &cwd);
    cwd
}

/// Keeps a session as Claude Code does for sessions that are begun in `kept`; its lines say that it was begun in `cwd`.
fn keep(stage: &Stage, kept: &str, id: &str, cwd: &std::path::Path) {
    let dir = kept.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let lines = [conversations::claude(
        id,
        cwd,
        "2026-01-01T00:00:01Z",
        &format!("fix {id}"),
    )];
    conversations::write(
        &stage.sandbox,
        &format!(".claude/projects/{dir}/{id}.jsonl"),
        &lines,
    );
}

/// An id that no other test has: sessions that run are seen whoever started them.
pub fn id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// The calls of stand-ins that did something else than tell their version.
fn starts(stage: &Stage) -> Vec<String> {
    let text = std::fs::read_to_string(stage.sandbox.home().join("starts")).unwrap_or_default();
    let calls = text.lines().filter_map(|line| line.split_once(' '));
    calls
        .map(|(_, words)| words.to_owned())
        .filter(|words| words != "--version")
        .collect()
}

#[track_caller]
fn results(answer: &Value) -> &Vec<Value> {
    answer["results"].as_array().unwrap()
}

/// The pane of an opened result.
#[track_caller]
fn pane(result: &Value) -> String {
    assert_eq!(result["ok"], true, "{result}");
    let surface = result["surface"].as_str().unwrap();
    let place = surface.split(';').next().unwrap();
    place.rsplit('.').next().unwrap().to_owned()
}

fn in_tmux(ids: &[&str]) -> Value {
    json!({ "ids": ids, "backend": "tmux", "context": {} })
}

#[test]
fn the_version_of_origin_resumes_in_the_directory_of_origin() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let own = id();
    let cwd = session(&stage, "a b", &own);
    let sandbox = &stage.sandbox;
    let tmux = Tmux::start(sandbox, "main");
    // The beginning of an id is enough where it means one session.
    session(&stage, "other", &id());
    let answer = stage.client.call("resume", &in_tmux(&[&own[..13]]));
    let result = &results(&answer)[0];
    assert_eq!(
        result["request"]["command"],
        json!(["claude", "--resume", own])
    );
    assert_eq!(result["request"]["cwd"], json!(cwd));
    assert_eq!(result["request"]["layout"], "tab");
    assert_eq!(result["request"]["agent"], "claude");
    assert_eq!(result["request"]["sessionId"], own);
    assert_eq!(answer["backend"], "tmux");
    assert!(result.get("warnings").is_none(), "{result}");
    let pane = pane(result);
    let shown = tmux.wait_for_text(&pane, "ready");
    assert!(shown.contains(&format!("resumed {own}")), "{shown}");
    assert!(shown.contains(&format!("in {}", cwd.display())), "{shown}");
    // A session that runs is not taken up a second time.
    let answer = stage.client.call("resume", &in_tmux(&[&own]));
    let again = &results(&answer)[0];
    assert_eq!(again["ok"], false, "{again}");
    assert_eq!(again["kind"], "conflict");
    let surface = result["surface"].as_str().unwrap();
    let message = again["error"].as_str().unwrap();
    assert!(message.contains("runs already as process"), "{message}");
    assert!(message.contains(surface), "{message}");
    assert!(again["hint"].as_str().unwrap().contains(surface), "{again}");
    assert_eq!(starts(&stage), [format!("--resume {own}")]);
    // What ends well leaves nothing behind.
    tmux.ok(&["send-keys", "-t", &pane, "/exit", "Enter"]);
    wait::until("the tab to close", || {
        (tmux.ok(&["list-windows"]).lines().count() == 1).then_some(())
    });
}

#[test]
fn another_version_continues_where_that_of_origin_does_not_answer() {
    if !have("tmux") {
        return;
    }
    let (old, new) = (claude("2.1.187"), claude("2.2.0"));
    let mut stage = Stage::with(&[
        ("claude", &new),
        ("claude@2.1.187", &old),
        ("claude@2.0.9", &claude("2.0.9")),
    ]);
    let own = id();
    session(&stage, "a", &own);
    let _tmux = Tmux::start(&stage.sandbox, "main");
    let dry = |client: &mut Client| {
        let mut params = in_tmux(&[&own]);
        params["dryRun"] = json!(true);
        let answer = client.call("resume", &params);
        answer["specs"][0]["request"]["command"].clone()
    };
    assert_eq!(
        dry(&mut stage.client),
        json!(["claude@2.1.187", "--resume", own])
    );
    stage.replace("claude@2.1.187", BROKEN);
    let prompt = format!("/continue {own}");
    assert_eq!(dry(&mut stage.client), json!(["claude", prompt]));
    let answer = stage.client.call("resume", &in_tmux(&[&own]));
    let result = &results(&answer)[0];
    let warning = result["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("Claude Code 2.1.187, which wrote it, does not answer here"),
        "{warning}"
    );
    let tmux = Tmux::absent(&stage.sandbox);
    tmux.wait_for_text(&pane(result), &format!("got {prompt}"));
    // It runs, and is not handed out a second time.
    let again = stage.client.call("resume", &in_tmux(&[&own]));
    let again = &results(&again)[0];
    assert_eq!(again["kind"], "conflict", "{again}");
    let error = again["error"].as_str().unwrap();
    assert!(error.contains("runs already as process"), "{error}");
    stage.replace("claude", &format!("{BROKEN}# changed\n"));
    assert_eq!(dry(&mut stage.client), json!(["claude@2.0.9", prompt]));
}

#[test]
fn what_cannot_be_taken_up_stops_no_other() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::with(&[("claude", BROKEN), ("codex", CODEX)]);
    let (claudes, gones) = (id(), id());
    let begin = id()[..8].to_owned();
    let (codexs, other) = (
        format!("{begin}{}", &id()[8..]),
        format!("{begin}{}", &id()[8..]),
    );
    session(&stage, "a", &claudes);
    session(&stage, "other", &other);
    let gone = session(&stage, "gone", &gones);
    std::fs::remove_dir(&gone).unwrap();
    let cwd = stage.sandbox.cwd();
    let lines = conversations::codex(&codexs, &cwd, "2026-01-01T00:00:00Z", "port it");
    let file = format!(".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{codexs}.jsonl");
    conversations::write(&stage.sandbox, &file, &lines);
    let tmux = Tmux::start(&stage.sandbox, "main");
    let ids = [&claudes, &gones, "nobody", &begin, &codexs, &codexs];
    let answer = stage.client.call("resume", &in_tmux(&ids));
    let results = results(&answer);
    for (at, kind, parts) in [
        (
            0,
            "program-missing",
            &[
                "no version of Claude Code (it was 2.1.187) answers",
                "claude --version ended with status 1: no such runtime",
                "claude@2.1.187 is not on the PATH",
            ][..],
        ),
        (1, "cwd-missing", &["was begun in", "is gone"]),
        (
            2,
            "not-found",
            &["no session \"nobody\" is known", "on its disk"],
        ),
        (3, "conflict", &["means 2 sessions", &other, &codexs]),
        (5, "conflict", &["is named twice, by ids[4] and ids[5]"]),
    ] {
        let result = &results[at];
        assert_eq!(result["ok"], false, "{result}");
        assert_eq!(result["kind"], kind, "{result}");
        let error = result["error"].as_str().unwrap();
        for part in parts {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(!result["hint"].as_str().unwrap().is_empty());
        assert!(result.get("surface").is_none());
    }
    let opened = pane(&results[4]);
    tmux.wait_for_text(&opened, &format!("codex resumed {codexs}"));
    assert_eq!(tmux.ok(&["list-windows"]).lines().count(), 2);
    assert_eq!(starts(&stage), Vec::<String>::new());
}

#[test]
fn splits_pack_those_that_open_two_to_a_tab() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let ids = [id(), id(), id(), id()];
    for (number, id) in ids.iter().enumerate() {
        session(&stage, &format!("d{number}"), id);
    }
    std::fs::remove_dir_all(stage.sandbox.cwd().join("d1")).unwrap();
    let tmux = Tmux::start(&stage.sandbox, "main");
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let mut params = in_tmux(&ids);
    params["splits"] = json!(true);
    let answer = stage.client.call("resume", &params);
    let results = results(&answer);
    let layouts: Vec<&Value> = results
        .iter()
        .filter(|result| result["ok"] == true)
        .map(|result| &result["request"]["layout"])
        .collect();
    assert_eq!(layouts, ["tab", "split-right", "tab"]);
    assert_eq!(results[1]["kind"], "cwd-missing");
    let window = |result: &Value| tmux.get(&pane(result), "#{window_id} #{window_panes}");
    assert_eq!(window(&results[0]), window(&results[2]));
    assert!(window(&results[0]).ends_with(" 2"));
    assert!(window(&results[3]).ends_with(" 1"));
}

#[test]
fn a_session_that_its_program_does_not_have_is_told_in_its_words_once() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    // Its lines say one directory and it is kept for another one, so the program does not find it.
    let (own, cwd) = (id(), stage.sandbox.cwd());
    keep(&stage, "/somewhere/else", &own, &cwd);
    let tmux = Tmux::start(&stage.sandbox, "main");
    for backend in ["tmux", "builtin"] {
        let mut params = in_tmux(&[&own]);
        params["backend"] = json!(backend);
        let answer = stage.client.call("resume", &params);
        let result = &results(&answer)[0];
        assert_eq!(result["ok"], false, "{result}");
        assert_eq!(result["kind"], "not-found");
        let words = format!("No conversation found with session ID: {own}");
        let error = result["error"].as_str().unwrap();
        assert!(error.ends_with(&words), "{error}");
        assert!(result.get("surface").is_none(), "{result}");
    }
    assert_eq!(tmux.ok(&["list-windows"]).lines().count(), 1);
    assert_eq!(starts(&stage).len(), 2, "once for each call");
}

#[test]
fn mistakes_name_the_parameter() {
    let mut stage = Stage::new();
    for (params, path) in [
        (json!({ "ids": [] }), "ids"),
        (json!({ "ids": ["x", " "] }), "ids[1]"),
        (json!({ "ids": "x" }), "ids"),
        (json!({ "ids": ["x"], "split": true }), "split"),
    ] {
        let error = stage.client.fail("resume", &params);
        assert_eq!(error["code"], -32602, "{error}");
        assert_eq!(error["data"]["path"], path, "{error}");
    }
    // A dry run has no place for results, so the first failure is its answer.
    let error = stage
        .client
        .fail("resume", &json!({ "ids": ["nobody"], "dryRun": true }));
    assert_eq!(error["data"]["kind"], "not-found", "{error}");
    assert_eq!(error["data"]["path"], "ids[0]", "{error}");
}

/// An agent's session is taken up by its agent: the record knows where it is.
#[test]
fn an_agents_session_is_opened_by_its_agent() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::new();
    let cwd = stage.sandbox.cwd();
    let agent = stage.create_in(&cwd, &json!({ "prompt": "begin" }));
    let (agent_id, session_id) = (
        agent["id"].as_str().unwrap().to_owned(),
        agent["persistence"]["sessionId"]
            .as_str()
            .unwrap()
            .to_owned(),
    );
    let tmux = Tmux::start(&stage.sandbox, "main");
    // While it lives it is not taken up a second time, by either id.
    for id in [&agent_id, &session_id] {
        let answer = stage.client.call("resume", &in_tmux(&[id]));
        let result = &results(&answer)[0];
        assert_eq!(result["kind"], "conflict", "{result}");
        assert!(
            result["hint"].as_str().unwrap().contains("attach"),
            "{result}"
        );
    }
    stage.client.call("agent.close", &json!({ "id": agent_id }));
    let answer = stage.client.call("resume", &in_tmux(&[&agent_id]));
    let result = &results(&answer)[0];
    let pane = pane(result);
    assert_eq!(
        result["request"]["command"],
        json!(["claude", "--resume", session_id])
    );
    tmux.wait_for_text(&pane, &format!("resumed {session_id}"));
    let now = stage.client.call("agent.get", &json!({ "id": agent_id }));
    assert_eq!(now["lifecycle"], "idle", "{now}");
    assert_eq!(now["surface"], result["surface"], "{now}");
    stage
        .client
        .call("agent.archive", &json!({ "id": agent_id }));
    let answer = stage.client.call("resume", &in_tmux(&[&session_id]));
    let result = &results(&answer)[0];
    assert_eq!(result["kind"], "conflict", "{result}");
    assert!(
        result["hint"].as_str().unwrap().contains("unarchive"),
        "{result}"
    );
}
