//! Agents in tmux: their pane, and the applications in which it is seen.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use surfaced::proto::SurfaceRef;
use surfaced::proto::sessions::Session;
use surfaced::service::machine::Machine;
use surfaced::service::sessions::Sessions;
use surfaced::transport::Local;

use crate::support::actors::{self, App};
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

/// The sessions of this test's agents: those whose working directory is the sandbox's.
pub fn sessions(sandbox: &Sandbox) -> Vec<Session> {
    let path = "/usr/local/bin:/usr/bin:/bin";
    let machine = Machine::new(sandbox.home(), path, Some(sandbox.tmux_dir()));
    let sessions = Sessions::new(
        Arc::new(machine),
        Arc::new(Local::new(path)),
        crate::support::providers(),
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let root = sandbox.root().to_str().unwrap().to_owned();
    let all = runtime.block_on(sessions.live());
    let ours = |session: &Session| {
        session
            .cwd
            .as_deref()
            .is_some_and(|cwd| cwd.starts_with(&root))
    };
    all.into_iter().filter(ours).collect()
}

/// Waits until there is exactly one session, which `accept` accepts.
#[track_caller]
pub fn wait_for_one(
    sandbox: &Sandbox,
    what: &str,
    mut accept: impl FnMut(&Session) -> bool,
) -> Session {
    let mut last = Vec::new();
    let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        wait::until(what, || {
            last = sessions(sandbox);
            (last.len() == 1 && accept(&last[0])).then(|| last[0].clone())
        })
    }));
    found.unwrap_or_else(|_| panic!("no {what}: {last:#?}"))
}

fn attach(tmux: &Tmux<'_>, session: &str) -> String {
    format!(
        "exec tmux -S {} attach -t ={session}",
        tmux.socket().display()
    )
}

#[test]
fn a_detached_agent_is_seen_nowhere() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let claude = actors::agent(&sandbox, "claude");
    let tmux = Tmux::start(&sandbox, "my work");
    let pane = tmux.ok(&[
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        claude.to_str().unwrap(),
    ]);
    let session = wait_for_one(&sandbox, "agent in a pane", |session| {
        session.tmux.is_some()
    });
    assert_eq!(session.kind, "claude");
    assert_eq!(session.host.as_deref(), Some("tmux"));
    assert_eq!(session.viewing_app, None);
    assert_eq!(session.viewers, Some(vec![]));
    assert_eq!(session.cwd.as_deref(), sandbox.cwd().to_str());
    let place = session.tmux.unwrap();
    assert_eq!(place.session, "my work");
    assert_eq!(place.pane, pane);
    assert_eq!(place.window, tmux.get(&pane, "#{window_id}"));
    assert_eq!(place.socket, tmux.socket().to_str().unwrap());
    assert_eq!(session.tty, Some(tmux.get(&pane, "#{pane_tty}")));
    assert!(session.last_activity_ms.is_some() && session.started_at_ms.is_some());
    let Some(SurfaceRef::Tmux(surface)) = session.surface else {
        panic!("{:?}", session.surface)
    };
    assert_eq!(surface.server, tmux.pid());
    assert_eq!(format!("%{}", surface.pane.unwrap()), pane);
}

#[test]
fn clients_tell_where_it_is_seen() {
    if !have("tmux") || !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let claude = actors::agent(&sandbox, "claude@2.1.187");
    let tmux = Tmux::start(&sandbox, "one");
    tmux.ok(&["new-window", "-d", claude.to_str().unwrap()]);
    let mut ghostty = App::start(&sandbox, "ghostty", &attach(&tmux, "one"));
    let viewed = |session: &Session| session.viewing_app.clone();
    let session = wait_for_one(&sandbox, "agent seen in Ghostty", |session| {
        viewed(session).as_deref() == Some("ghostty")
    });
    assert_eq!(session.kind, "claude");
    assert_eq!(session.host.as_deref(), Some("tmux"));
    assert_eq!(session.viewers, Some(vec!["ghostty".to_owned()]));

    // A second one, and then a key in the first.
    let kitty = App::start(&sandbox, "kitty", &attach(&tmux, "one"));
    let session = wait_for_one(&sandbox, "agent seen in kitty", |session| {
        viewed(session).as_deref() == Some("kitty")
    });
    assert_eq!(
        session.viewers,
        Some(vec!["kitty".to_owned(), "ghostty".to_owned()])
    );
    wait_for_one(&sandbox, "agent seen in Ghostty again", |session| {
        ghostty.type_text("x");
        viewed(session).as_deref() == Some("ghostty")
    });

    // Another session of the same server is not this one's.
    tmux.ok(&["new-session", "-d", "-s", "two", "cat"]);
    let _xterm = App::start(&sandbox, "xterm", &attach(&tmux, "two"));
    wait::until("the third client", || {
        (tmux.ok(&["list-clients", "-F", "x"]).lines().count() == 3).then_some(())
    });
    let session = wait_for_one(&sandbox, "agent seen by two", |session| {
        session
            .viewers
            .as_ref()
            .is_some_and(|viewers| viewers.len() == 2)
    });
    assert_eq!(session.viewers.unwrap().len(), 2);

    drop(kitty);
    drop(ghostty);
    wait_for_one(&sandbox, "agent that nobody sees", |session| {
        session.viewers == Some(vec![]) && session.viewing_app.is_none()
    });
}

#[test]
fn a_dead_pane_with_the_same_terminal_is_skipped() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let claude = actors::agent(&sandbox, "claude");
    let tmux = Tmux::start(&sandbox, "one");
    tmux.ok(&["set-option", "-g", "remain-on-exit", "on"]);
    // The system gives the terminal of a dead pane away again, to whoever asks next.
    let living = wait::until("a pane with the terminal of a dead one", || {
        let dead = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_id}", "true"]);
        wait::until("the pane to die", || {
            (tmux.get(&dead, "#{pane_dead}") == "1").then_some(())
        });
        let next = [
            "new-window",
            "-d",
            "-P",
            "-F",
            "#{pane_id}",
            claude.to_str().unwrap(),
        ];
        let next = tmux.ok(&next);
        if tmux.get(&dead, "#{pane_tty}") == tmux.get(&next, "#{pane_tty}") {
            return Some(next);
        }
        tmux.ok(&["kill-pane", "-t", &next]);
        None
    });
    let session = wait_for_one(&sandbox, "agent in a pane", |session| {
        session.tmux.is_some()
    });
    assert_eq!(session.tmux.unwrap().pane, living);
}

#[test]
fn servers_are_found_by_their_own_sockets() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let claude = actors::agent(&sandbox, "claude");
    // Nothing in the agent's environment names the server.
    let line = format!("exec env -i PATH=/usr/bin:/bin {}", claude.display());
    let socket = sandbox.root().join("odd socket");
    let start = |args: &[&str]| {
        let status = sandbox
            .command("tmux")
            .args(["-f", "/dev/null"])
            .args(args)
            .args(["new-session", "-d", "-s", "0", &line])
            .status();
        assert!(status.unwrap().success());
    };
    start(&["-S", socket.to_str().unwrap()]);
    let end = |args: &[&str]| {
        let status = sandbox
            .command("tmux")
            .args(args)
            .arg("kill-server")
            .status();
        assert!(status.unwrap().success());
    };
    let session = wait_for_one(&sandbox, "agent on a socket of its own", |session| {
        session.tmux.is_some()
    });
    let place = session.tmux.unwrap();
    assert_eq!(place.socket, socket.to_str().unwrap());
    assert_eq!(place.session, "0");
    end(&["-S", socket.to_str().unwrap()]);
    start(&["-L", "named"]);
    let session = wait_for_one(&sandbox, "agent on a named socket", |session| {
        session.tmux.is_some()
    });
    assert!(session.tmux.unwrap().socket.ends_with("/named"));
    end(&["-L", "named"]);
}

#[test]
fn a_tmux_within_a_tmux_is_seen_where_the_outer_one_is() {
    if !have("tmux") || !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let claude = actors::agent(&sandbox, "claude");
    let inner = Tmux::start(&sandbox, "inner");
    inner.ok(&["new-window", "-d", claude.to_str().unwrap()]);
    let outer = sandbox.root().join("outer");
    let outer = outer.to_str().unwrap();
    let line = format!("unset TMUX; {}", attach(&inner, "inner"));
    let status = sandbox
        .command("tmux")
        .args([
            "-f",
            "/dev/null",
            "-S",
            outer,
            "new-session",
            "-d",
            "-s",
            "o",
            &line,
        ])
        .status();
    assert!(status.unwrap().success());
    let app = App::start(
        &sandbox,
        "alacritty",
        &format!("exec tmux -S {outer} attach"),
    );
    let session = wait_for_one(&sandbox, "agent seen through two servers", |session| {
        session.viewing_app.as_deref() == Some("alacritty")
    });
    assert_eq!(session.host.as_deref(), Some("tmux"));
    drop(app);
    let status = sandbox
        .command("tmux")
        .args(["-S", outer, "kill-server"])
        .status();
    assert!(status.unwrap().success());
}
