//! The command that opens on a host: the session is chosen over there, as it is chosen here.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use surfaced::backend::Registry;
use surfaced::backend::batch::{self, Scene};
use surfaced::launch::plan::{self, Defaults};
use surfaced::launch::shell::Shell;
use surfaced::launch::step::{Invocation, Step};
use surfaced::proto::Item;
use surfaced::tmux::SessionId;
use surfaced::tmux::list::{SessionRow, most_recently_attached};

use crate::support::env::{Sandbox, have};

/// Answers the question for sessions with a file, and writes down what else it is asked.
const TMUX: &str = r#"#!/bin/sh
here=${0%/*}
case " $* " in
*" list-sessions "*)
  cat "$here/said"
  exit "$(cat "$here/status")"
  ;;
esac
for word in "$@"; do printf '%s|' "$word"; done >"$here/ran"
"#;

fn invocation(title: &str) -> Invocation {
    let item = json!({ "command": ["cat", "a b", ""], "host": "zion", "title": title });
    let items: Vec<Item> = vec![serde_json::from_value(item).unwrap()];
    let registry = Registry::default();
    let context = serde_json::from_value(json!({ "env": {} })).unwrap();
    let scene = Scene {
        registry: &registry,
        context: &context,
        availability: &std::collections::BTreeMap::new(),
        shell: &Shell::named("sh"),
        handles: true,
        focus: true,
    };
    let requests = plan::requests(&items, &Defaults::default()).unwrap();
    let planned = batch::plan(&scene, requests).remove(0).unwrap();
    let tmux = registry.get("tmux").unwrap();
    match tmux.open(&planned.job).unwrap().next(None) {
        Step::Run(invocation) => invocation,
        _ => panic!("nothing is run"),
    }
}

/// What the host's tmux was told in the end, or what was said instead.
fn ran(sandbox: &Sandbox, shell: &str, said: &str, status: i32) -> Result<String, String> {
    let bin = sandbox.cwd().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(bin.join("tmux"), TMUX).unwrap();
    std::fs::set_permissions(bin.join("tmux"), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(bin.join("said"), said).unwrap();
    std::fs::write(bin.join("status"), status.to_string()).unwrap();
    let _ = std::fs::remove_file(bin.join("ran"));
    let invocation = invocation("t*'$(x) y");
    assert_eq!(invocation.program(), "tmux");
    let output = sandbox
        .command(shell)
        .args(&invocation.argv[1..])
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .output()
        .unwrap();
    let complaint = String::from_utf8(output.stderr).unwrap();
    std::fs::read_to_string(bin.join("ran")).map_err(|_| complaint)
}

/// One row of each: as it is chosen from here, and as tmux tells it there.
fn row(text: &str) -> SessionRow {
    let words: Vec<_> = text.splitn(6, ' ').collect();
    let last = words[2].parse().unwrap();
    SessionRow {
        server: 1,
        id: words[4].parse::<SessionId>().unwrap(),
        attached: words[1].parse().unwrap(),
        last_attached: (last > 0).then_some(last),
        activity: words[3].parse().unwrap(),
        name: words[5].to_owned(),
    }
}

#[test]
fn the_session_is_the_one_that_would_be_chosen_here() {
    let sandbox = Sandbox::new();
    let cases: &[&[&str]] = &[
        &["session 0 0 5 $0 main"],
        &[
            "session 0 7 5 $0 a",
            "session 0 9 1 $3 b",
            "session 0 0 99 $4 c",
        ],
        &[
            "session 0 900 5 $0 a",
            "session 1 10 1 $3 surfaced-x",
            "session 0 0 99 $4 c",
        ],
        &[
            "session 0 0 5 $1 a",
            "session 0 0 6 $0 b c",
            "session 0 0 2 $9 d",
        ],
        &[
            "session 0 0 5 $1 a",
            "session 0 0 5 $10 b",
            "session 0 0 5 $9 surfaced",
        ],
        &["session 1 4 5 $1 a", "session 1 4 4 $10 b"],
        &[
            "session 0 90 5 $1 surfaced-t",
            "session 0 2 4 $2 * $(x) `y`",
        ],
        &["session 0 90 5 $1 surfaced-t"],
    ];
    for shell in ["sh", "bash", "zsh"]
        .into_iter()
        .filter(|shell| have(shell))
    {
        for rows in cases {
            let all: Vec<_> = rows.iter().map(|text| row(text)).collect();
            let open = |row: &SessionRow| row.attached > 0 || !row.name.starts_with("surfaced-");
            let seen: Vec<_> = all.into_iter().filter(open).collect();
            let told = ran(&sandbox, shell, &(rows.join("\n") + "\n"), 0).unwrap();
            let words: Vec<_> = told.split('|').collect();
            let expected = match most_recently_attached(&seen) {
                Some(session) => format!("new-window -t {}:", session.id),
                None => "new-session -d -s".to_owned(),
            };
            assert_eq!(
                words[1..]
                    .join(" ")
                    .split(' ')
                    .take(expected.split(' ').count())
                    .collect::<Vec<_>>()
                    .join(" "),
                expected,
                "{shell}: {rows:?}"
            );
            // Every word arrives as it was written for either command.
            assert!(
                told.contains("|t*'$(x) y|") && told.contains("'cat' 'a b' ''"),
                "{shell}: {told}"
            );
            assert!(!told.contains("{session}"), "{told}");
        }
    }
}

#[test]
fn a_session_is_made_only_where_tmux_says_that_there_is_none() {
    let sandbox = Sandbox::new();
    for none in [
        "no server running on /tmp/tmux-0/default",
        "error connecting to /tmp/x y (No such file or directory)",
    ] {
        let told = ran(&sandbox, "sh", none, 1).unwrap();
        assert!(told.contains("|new-session|"), "{none}: {told}");
    }
    for (said, status) in [
        ("error connecting to /tmp/x (Permission denied)", 1),
        ("lost server", 1),
        ("something else\n", 0),
        ("protocol version mismatch (client 8, server 7)", 1),
    ] {
        let complaint = ran(&sandbox, "sh", said, status).unwrap_err();
        assert!(complaint.contains(said.trim_end()), "{said}: {complaint}");
    }
    // Nothing at all: a server without a session, which is about to end.
    assert!(
        ran(&sandbox, "sh", "", 0)
            .unwrap()
            .contains("|new-session|")
    );
}
