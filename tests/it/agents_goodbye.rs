//! How an agent's program is asked to leave: nothing that the person has begun is sent, and no question answered.

use serde_json::{Value, json};

use crate::agents_support::{Stage, text};
use crate::support::env::have;
use crate::support::process::runs;
use crate::support::tmux::Tmux;
use crate::support::wait;

/// An input box as programs draw it, which reads key by key; what is sent is written down.
const BOXED: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "2.1.187 (Claude Code)"; exit; }
echo "$$ $*" >>"$HOME/starts"
stty -icanon -echo
printf '\033[2J\033[HWelcome\n────────────────\n> \n────────────────\nready\033[3;3H'
line=
while :; do
  key=$(dd bs=1 count=1 2>/dev/null; echo .)
  key=${key%.}
  case $key in
  '
') echo "$line" >>"$HOME/sent"
    [ "$line" = /exit ] && { printf '\033[6;1Hbye\n'; exit 0; }
    line= ;;
  *) line=$line$key; printf %s "$key" ;;
  esac
done
"#;

/// A question in a line that the terminal edits.
const ASKS: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "2.1.187 (Claude Code)"; exit; }
echo "$$ $*" >>"$HOME/starts"
printf '────────────────\n> \n────────────────\nready\033[2;3H'
while IFS= read -r line; do echo "$line" >>"$HOME/sent"; done
"#;

fn sent(stage: &Stage) -> String {
    std::fs::read_to_string(stage.sandbox.home().join("sent")).unwrap_or_default()
}

#[test]
fn the_phrase_is_typed_into_an_empty_box() {
    let mut stage = Stage::with(&[("claude", BOXED)]);
    let agent = stage.create();
    let closed = stage.agent("agent.close", &text(&agent["id"]));
    assert_eq!(closed["lifecycle"], "closed");
    assert_eq!(sent(&stage), "/exit\n");
    let screen = stage.screen(&text(&agent["terminalId"]));
    assert!(screen.contains("bye"), "{screen}");
}

#[test]
fn a_line_that_was_begun_is_not_sent_and_no_question_answered() {
    for (program, draft) in [(BOXED, "rm -rf / && "), (ASKS, "rm -rf / && "), (ASKS, "")] {
        let mut stage = Stage::with(&[("claude", program)]);
        for method in ["agent.close", "agent.archive", "agent.delete"] {
            let agent = stage.create();
            let terminal = text(&agent["terminalId"]);
            if !draft.is_empty() {
                stage.call("terminal.input", &json!({ "id": terminal, "data": draft }));
                stage.shows(&terminal, draft.trim_end());
            }
            stage.agent(method, &text(&agent["id"]));
            assert!(!runs(stage.starts().last().unwrap().0));
            assert_eq!(sent(&stage), "", "{method} {draft:?}");
        }
    }
}

#[test]
fn nothing_is_typed_into_a_surface_or_a_seat() {
    if !have("tmux") {
        return;
    }
    let mut stage = Stage::with(&[("claude", BOXED)]);
    // The stage ends it.
    std::mem::forget(Tmux::start(&stage.sandbox, "main"));
    for place in [
        json!({ "kind": "surface", "backend": "tmux" }),
        json!({ "kind": "surface", "backend": "builtin" }),
        json!({ "kind": "seat", "space": "crew" }),
    ] {
        let agent = stage.create_in(&stage.sandbox.cwd(), &json!({ "place": place }));
        let of = |name: &str| agent[name].as_str().map(str::to_owned);
        let surface = of("surface").or_else(|| of("seat")).unwrap();
        let shows = |stage: &mut Stage, words: &str| {
            wait::until("the surface to show it", || {
                let seen = stage.call("surface.capture", &json!({ "surface": surface }));
                text(&seen["text"]).contains(words).then_some(())
            });
        };
        shows(&mut stage, "ready");
        stage.call(
            "surface.inject",
            &json!({ "surface": surface, "text": "drop it", "enter": false }),
        );
        shows(&mut stage, "drop it");
        let closed = stage.agent("agent.close", &text(&agent["id"]));
        assert_eq!(closed["reason"], Value::Null);
        assert!(!runs(stage.starts().last().unwrap().0));
        assert_eq!(sent(&stage), "", "{place}");
    }
}
