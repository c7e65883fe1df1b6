//! Agents in applications, through interpreters, and in pairs.

use pretty_assertions::assert_eq;
use surfaced::os::process_table::ProcessTable;

use crate::sessions_tmux::{sessions, wait_for_one};
use crate::support::actors::{self, App};
use crate::support::env::{Sandbox, have};
use crate::support::wait;

#[test]
fn an_agent_is_in_the_application_around_it() {
    if !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let claude = actors::agent(&sandbox, "claude");
    for (name, host) in [
        ("kitty", "kitty"),
        ("ghostty", "ghostty"),
        ("code", "code"),
        ("cursor", "cursor"),
        ("codium", "vscodium"),
        ("gnome-terminal-server", "gnome-terminal"),
        ("wezterm-gui", "wezterm"),
    ] {
        let app = App::start(&sandbox, name, &claude.display().to_string());
        let session = wait_for_one(&sandbox, name, |session| {
            session.host.as_deref() == Some(host)
        });
        assert_eq!(session.kind, "claude");
        assert!(session.tty.is_some_and(|tty| tty.starts_with("/dev/pts/")));
        assert_eq!((session.viewers, session.tmux), (None, None));
        assert_eq!(session.surface, None);
        drop(app);
        wait::until("the agent to end", || {
            sessions(&sandbox).is_empty().then_some(())
        });
    }
}

#[test]
fn an_interpreter_does_not_hide_an_agent() {
    if !have("node") || !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let gemini = actors::node_agent(&sandbox, "gemini");
    let _app = App::start(&sandbox, "kitty", &gemini.display().to_string());
    let session = wait_for_one(&sandbox, "agent run by node", |session| {
        session.host.is_some()
    });
    assert_eq!(
        (session.kind.as_str(), session.host.as_deref()),
        ("gemini", Some("kitty"))
    );
}

#[test]
fn children_of_an_agent_that_are_the_same_agent_fold_into_it() {
    if !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let inner = actors::agent(&sandbox, "claude");
    let codex = actors::agent(&sandbox, "codex");
    let dir = sandbox.root().join("outer");
    std::fs::create_dir(&dir).unwrap();
    let outer = dir.join("claude");
    let text = format!(
        "#!/bin/sh\n{} < /dev/tty & {} < /dev/tty & wait\n",
        inner.display(),
        codex.display()
    );
    std::fs::write(&outer, text).unwrap();
    std::fs::set_permissions(&outer, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let _app = App::start(&sandbox, "kitty", &outer.display().to_string());
    let found = wait::until("both kinds", || {
        let found = sessions(&sandbox);
        let kinds: Vec<_> = found.iter().map(|session| session.kind.as_str()).collect();
        (kinds.contains(&"codex") && kinds.contains(&"claude")).then_some(found)
    });
    assert_eq!(found.len(), 2, "{found:#?}");
    let claude = found
        .iter()
        .find(|session| session.kind == "claude")
        .unwrap();
    let codex = found
        .iter()
        .find(|session| session.kind == "codex")
        .unwrap();
    let ancestors = ProcessTable::new().ancestry(codex.pid.unwrap());
    assert_eq!(ancestors.get(1).map(|parent| parent.pid), claude.pid);
}
