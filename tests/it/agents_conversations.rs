//! Which conversation an agent has, where its provider takes no id beforehand.

use serde_json::{Value, json};

use crate::agents_support::{Stage, text};
use crate::support::wait;

/// Codex as far as these tests need it: a file for each conversation, made when the person says something and held open,
/// whose name begins with a time.
const CODEX: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "codex-cli 0.50.0"; exit; }
echo "$$ $*" >>"$HOME/starts"
id= file=
while [ $# -gt 0 ]; do
  case $1 in
  --model) shift 2 ;;
  resume) id=$2; shift 2 ;;
  -*) echo "error: unexpected argument '$1' found" >&2; exit 2 ;;
  *) shift ;;
  esac
done
if [ -n "$id" ]; then
  file=$(ls "$HOME"/.codex/sessions/*/*/*/rollout-*-"$id".jsonl 2>/dev/null)
  [ -n "$file" ] || { echo "No saved session found with ID $id" >&2; exit 1; }
  exec 3>>"$file"
  echo "resumed $id in $(pwd)"
fi
say() {
  if [ -z "$file" ]; then
    id=$(cat /proc/sys/kernel/random/uuid)
    dir=$HOME/.codex/sessions/$(date -u +%Y/%m/%d)
    mkdir -p "$dir"
    file=$dir/rollout-$(date -u +%Y-%m-%dT%H-%M-%S)-$id.jsonl
    exec 3>>"$file"
    now=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
    printf '{"timestamp":"%s","type":"session_meta","payload":{"id":"%s","timestamp":"%s","cwd":"%s","cli_version":"0.50.0"}}\n' "$now" "$id" "$now" "$(pwd)" >&3
  fi
  printf '{"timestamp":"x","type":"event_msg","payload":{"type":"user_message","message":"%s"}}\n' "$1" >&3
  echo "has $id"
}
echo ready
while IFS= read -r line; do
  case $line in
  /quit | /exit) [ -z "$id" ] || echo "To continue this session, run codex resume $id"; exit 0 ;;
  late) exec 3>&-; echo closed its file ;;
  *) say "$line" ;;
  esac
done
"#;

/// The id that a terminal says it has.
#[track_caller]
fn has(stage: &mut Stage, terminal: &str) -> String {
    wait::until("the program to tell its conversation", || {
        let screen = stage.screen(terminal);
        let line = screen.lines().find_map(|line| line.strip_prefix("has "));
        line.map(str::to_owned)
    })
}

#[test]
fn each_of_two_in_one_directory_has_its_own_and_not_the_newest() {
    let mut stage = Stage::with(&[("codex", CODEX)]);
    let cwd = stage.dir("shared");
    // An older one of the same directory.
    let old = stage.sandbox.home().join(".codex/sessions/2026/01/01");
    std::fs::create_dir_all(&old).unwrap();
    let meta = json!({
        "timestamp": "2026-01-01T00:00:00.000Z", "type": "session_meta",
        "payload": { "id": "11111111-1111-4111-8111-111111111111", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd },
    });
    let name = "rollout-2026-01-01T00-00-00-11111111-1111-4111-8111-111111111111.jsonl";
    std::fs::write(old.join(name), format!("{meta}\n")).unwrap();

    let codex = json!({ "provider": "codex" });
    let one = stage.create_in(&cwd, &codex);
    let two = stage.create_in(&cwd, &codex);
    assert_eq!(one["persistence"], Value::Null, "unknown is an answer");
    let (first, second) = (text(&one["terminalId"]), text(&two["terminalId"]));
    stage.types(&second, "noise");
    let other = has(&mut stage, &second);
    stage.types(&first, "work");
    let own = has(&mut stage, &first);
    for number in 0..10 {
        stage.types(&second, &format!("noise {number}"));
    }
    let id = text(&one["id"]);
    wait::until("its conversation to be known while it lives", || {
        let agent = stage.agent("agent.get", &id);
        (agent["persistence"]["sessionId"] == own.as_str()).then_some(())
    });
    stage.types(&first, "/quit");
    let closed = stage.reaches(&id, "closed");
    assert_eq!(closed["persistence"]["sessionId"], own.as_str());
    stage.types(&second, "noise after");
    let opened = stage.agent("agent.open", &id);
    stage.shows(&text(&opened["terminalId"]), &format!("resumed {own}"));
    assert_eq!(stage.starts().last().unwrap().1, format!("resume {own}"));
    stage.types(&second, "/quit");
    let closed = stage.reaches(&text(&two["id"]), "closed");
    assert_eq!(closed["persistence"]["sessionId"], other.as_str());
}

#[test]
fn a_program_that_ends_before_it_was_looked_at_is_known_by_what_it_wrote() {
    let mut stage = Stage::with(&[("codex", CODEX)]);
    let cwd = stage.dir("alone");
    let agent = stage.create_in(&cwd, &json!({ "provider": "codex" }));
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    stage.call(
        "terminal.input",
        &json!({ "id": terminal, "data": "work\r/quit\r" }),
    );
    let closed = stage.reaches(&id, "closed");
    let own = has(&mut stage, &terminal);
    assert_eq!(closed["persistence"]["sessionId"], own.as_str(), "{closed}");
}

#[test]
fn one_that_never_began_to_talk_begins_anew_and_says_so() {
    let mut stage = Stage::with(&[("codex", CODEX)]);
    let cwd = stage.dir("silent");
    let agent = stage.create_in(&cwd, &json!({ "provider": "codex", "model": "gpt" }));
    let id = text(&agent["id"]);
    stage.agent("agent.close", &id);
    let opened = stage.agent("agent.open", &id);
    assert!(
        text(&opened["reason"]).contains("a new conversation"),
        "{opened}"
    );
    let words: Vec<String> = stage.starts().into_iter().map(|(_, words)| words).collect();
    stage.shows(&text(&opened["terminalId"]), "ready");
    assert_eq!(words.first().unwrap(), "--model gpt");
    wait::until("the second start", || {
        (stage.starts().len() == 2).then_some(())
    });
    assert_eq!(stage.starts()[1].1, "--model gpt");
}

#[test]
fn what_another_program_left_in_the_directory_is_not_taken() {
    let mut stage = Stage::with(&[("codex", CODEX)]);
    let cwd = stage.dir("neighbours");
    let agent = stage.create_in(&cwd, &json!({ "provider": "codex" }));
    let (id, terminal) = (text(&agent["id"]), text(&agent["terminalId"]));
    // The only one of the directory, begun while the agent runs, by a program that nobody sees any more.
    let now = jiff::Timestamp::now().to_string();
    let stranger = "22222222-2222-4222-8222-222222222222";
    let meta = json!({
        "timestamp": now, "type": "session_meta",
        "payload": { "id": stranger, "timestamp": now, "cwd": cwd },
    });
    let dir = stage.sandbox.home().join(".codex/sessions/2026/01/01");
    std::fs::create_dir_all(&dir).unwrap();
    let name = format!("rollout-2026-01-01T00-00-00-{stranger}.jsonl");
    std::fs::write(dir.join(name), format!("{meta}\n")).unwrap();
    let closed = stage.agent("agent.close", &id);
    assert_eq!(closed["persistence"], Value::Null, "{closed}");
    let reason = text(&closed["reason"]);
    assert!(reason.contains("is not known"), "{reason}");

    // The program's own last words name the right one.
    let opened = stage.agent("agent.open", &id);
    let second = text(&opened["terminalId"]);
    assert_ne!(terminal, second);
    stage.shows(&second, "ready");
    stage.types(&second, "work");
    let own = has(&mut stage, &second);
    stage.types(&second, "late");
    stage.shows(&second, "closed its file");
    stage.types(&second, "/quit");
    let closed = stage.reaches(&id, "closed");
    assert_eq!(closed["persistence"]["sessionId"], own.as_str(), "{closed}");
}
