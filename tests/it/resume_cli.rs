//! `surfaced resume`: what it refuses, the list to pick from, and sessions in this very terminal.

use serde_json::json;

use crate::agents_support::Stage;
use crate::resume::{id, session};
use crate::support::ensured::said;
use crate::support::env::have;
use crate::support::pty::Pty;
use crate::support::tmux::Tmux;
use crate::support::wait;

fn run(stage: &Stage, args: &[&str]) -> std::process::Output {
    stage
        .sandbox
        .surfaced()
        .arg("resume")
        .args(args)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap()
}

fn in_terminal(stage: &Stage, args: &[&str]) -> Pty {
    let mut command = stage.sandbox.surfaced();
    command.arg("resume").args(args);
    Pty::start(&command, 24, 100)
}

#[test]
fn mistakes_are_explained_and_open_nothing() {
    let stage = Stage::new();
    // Nothing that the id of an agent on this machine, of another test for one, could begin with.
    let six = ["z1", "z2", "z3", "z4", "z5", "z6"];
    for (args, line, hint) in [
        (
            &[][..],
            "resume needs the ids of sessions",
            "surfaced sessions --files",
        ),
        (&six, "6 sessions are more than 5", "--yes"),
        (
            &["--tmux", "--ghostty", "x"],
            "cannot be used with",
            "usage: surfaced resume",
        ),
        (
            &["-b", "tmux", "--iterm", "x"],
            "cannot be used with",
            "usage: surfaced resume",
        ),
    ] {
        let output = run(&stage, args);
        let message = said(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.starts_with("error: "), "{message}");
        assert!(message.contains(line), "{args:?}: {message}");
        assert!(message.contains(hint), "{args:?}: {message}");
    }
    let output = run(&stage, &["nobody"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).starts_with("error: no session \"nobody\" is known"),
        "{}",
        said(&output)
    );
}

#[test]
fn flags_name_the_terminal_and_one_that_is_not_here_is_refused() {
    let (stage, a_id) = (Stage::new(), id());
    session(&stage, "a", &a_id);
    for (flag, name) in [
        ("--iterm", "iTerm"),
        ("--ghostty", "Ghostty"),
        ("--vscodium", "VSCodium"),
        ("--terminal-app", "Terminal"),
    ] {
        let output = run(&stage, &[flag, &a_id]);
        let message = said(&output);
        assert_eq!(output.status.code(), Some(1), "{flag}: {message}");
        assert!(message.contains(name), "{flag}: {message}");
        assert!(message.contains("cannot be driven here"), "{message}");
    }
    if have("tmux") {
        let tmux = Tmux::start(&stage.sandbox, "main");
        let output = run(&stage, &["--json", "--tmux", &a_id]);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["results"][0]["ok"], true, "{answer}");
        assert_eq!(answer["backend"], "tmux");
        assert_eq!(tmux.ok(&["list-windows"]).lines().count(), 2);
    }
}

/// Without a terminal that can be driven and without one of its own, the daemon hosts them and says how to look.
#[test]
fn without_a_terminal_the_daemon_hosts_them() {
    let (stage, a_id, b_id) = (Stage::new(), id(), id());
    session(&stage, "a", &a_id);
    session(&stage, "b", &b_id);
    let output = run(&stage, &[&a_id, &b_id]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    for id in [&a_id, &b_id] {
        assert!(
            text.contains(&format!("{id}: opened in a terminal that the daemon hosts")),
            "{text}"
        );
        assert!(text.contains(&format!("{id}: look at it with: ")), "{text}");
    }
}

#[test]
fn without_a_terminal_to_drive_they_run_here_one_after_the_other() {
    let (stage, a_id, b_id) = (Stage::new(), id(), id());
    let a = session(&stage, "a", &a_id);
    let b = session(&stage, "b", &b_id);
    let mut pty = in_terminal(&stage, &[&a_id, "nobody", &b_id]);
    pty.shows("one after the other");
    pty.shows(&format!(
        "1 of 3: claude --resume {a_id} in {}",
        a.display()
    ));
    pty.shows("ready");
    pty.type_in("hello\r");
    pty.shows("got hello");
    assert!(
        !pty.lines().iter().any(|line| line.contains(&b_id)),
        "one at a time"
    );
    pty.type_in("crash\r");
    pty.shows(&format!("session {a_id}: claude ended with status 3"));
    pty.shows("no session \"nobody\" is known");
    pty.shows(&format!(
        "3 of 3: claude --resume {b_id} in {}",
        b.display()
    ));
    pty.shows(&format!("resumed {b_id}"));
    pty.type_in("/exit\r");
    assert_eq!(
        pty.ended().code(),
        Some(1),
        "one could not, and one crashed"
    );
}

#[test]
fn ctrl_c_ends_what_runs_here_and_no_further_one_begins() {
    let (stage, a_id, b_id) = (Stage::new(), id(), id());
    session(&stage, "a", &a_id);
    session(&stage, "b", &b_id);
    let mut pty = in_terminal(&stage, &[&a_id, &b_id]);
    pty.shows("ready");
    pty.type_in("\u{3}");
    pty.shows("1 more were not opened");
    assert_eq!(pty.ended().code(), Some(130));
    assert!(!pty.lines().iter().any(|line| line.contains(&b_id)));
}

#[test]
fn sessions_are_picked_from_a_list_that_is_filtered() {
    let (stage, a_id, b_id) = (Stage::new(), id(), id());
    session(&stage, "apple", &a_id);
    session(&stage, "banana", &b_id);
    let mut pty = in_terminal(&stage, &[]);
    pty.shows("Which sessions?");
    // Provider, directory and first prompt.
    pty.shows(&format!("fix {a_id}"));
    pty.shows("cwd/banana");
    pty.type_in("banana");
    pty.hides("cwd/apple");
    pty.type_in("\r");
    pty.shows("mark at least one");
    pty.type_in(" ");
    pty.shows("[x]");
    pty.type_in("\r");
    pty.shows(&format!("resumed {b_id}"));
    pty.type_in("/exit\r");
    assert!(pty.ended().success());
}

#[test]
fn the_list_holds_in_a_narrow_terminal_and_finds_what_it_has_no_room_for() {
    let (stage, a_id, b_id) = (Stage::new(), id(), id());
    let apple = session(&stage, "apple", &a_id);
    session(&stage, "banana", &b_id);
    let wide = crate::conversations::claude(
        &a_id,
        &apple,
        "2026-01-01T00:00:01Z",
        "漢字を直す\u{202e}漢字を直す漢字を直す",
    );
    let dir = apple
        .display()
        .to_string()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let path = format!(".claude/projects/{dir}/{a_id}.jsonl");
    crate::conversations::write(&stage.sandbox, &path, &[wide]);
    let mut command = stage.sandbox.surfaced();
    command.arg("resume");
    let mut pty = Pty::start(&command, 24, 40);
    pty.shows("漢字を直す\\u{202e}");
    let rows = |pty: &Pty| {
        let lines = pty.lines();
        let rows = lines.into_iter().filter(|line| line.contains("claude"));
        rows.collect::<Vec<_>>()
    };
    let shown = rows(&pty);
    assert_eq!(shown.len(), 2, "a line each: {shown:?}");
    for row in &shown {
        assert!(
            row.contains("[ ] claude") && row.trim_end().ends_with('…'),
            "{row:?}"
        );
    }
    // The directory has no room and is found all the same.
    pty.type_in("BANANA");
    wait::until("the other one to be left out", || {
        (rows(&pty).len() == 1).then_some(())
    });
    pty.type_in(" ");
    pty.shows("[x]");
    pty.type_in("\r");
    pty.shows(&format!("resumed {}", &b_id[..8]));
    pty.type_in("/exit\r");
    assert!(pty.ended().success());
}

#[test]
fn a_session_that_another_version_continues_opens_in_a_tab_too() {
    if !have("tmux") {
        return;
    }
    let (stage, a_id) = (Stage::new(), id());
    session(&stage, "a", &a_id);
    stage.replace(
        "claude",
        &crate::agents_support::CLAUDE.replace("2.1.187", "2.2.0"),
    );
    let _tmux = Tmux::start(&stage.sandbox, "main");
    let output = run(&stage, &["--tmux", &a_id]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("opened a tab in tmux"), "{text}");
    let notes = said(&output);
    assert!(notes.contains("was told to continue session"), "{notes}");
}

#[test]
fn who_leaves_the_list_opens_nothing() {
    let (stage, a_id) = (Stage::new(), id());
    session(&stage, "a", &a_id);
    for key in ["\u{3}", "\u{1b}"] {
        let mut pty = in_terminal(&stage, &[]);
        pty.shows("Which sessions?");
        pty.type_in(key);
        assert_eq!(pty.ended().code(), Some(130), "{key:?}");
    }
    assert!(!stage.sandbox.home().join("starts").exists());
}

#[test]
fn more_than_five_are_asked_about() {
    let stage = Stage::new();
    // Nothing that the id of an agent on this machine, of another test for one, could begin with.
    let six = ["z1", "z2", "z3", "z4", "z5", "z6"];
    let mut pty = in_terminal(&stage, &six);
    pty.shows("Open 6 sessions?");
    pty.type_in("n\r");
    assert!(pty.ended().success());
    let output = run(&stage, &[&six[..], &["--yes", "--json"]].concat());
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["results"].as_array().unwrap().len(), 6);
    assert_eq!(answer["results"][5]["kind"], json!("not-found"));
}

#[test]
fn nothing_to_pick_is_said() {
    let stage = Stage::new();
    let mut pty = in_terminal(&stage, &[]);
    pty.shows("there is no session to resume");
    assert_eq!(pty.ended().code(), Some(1));
}
