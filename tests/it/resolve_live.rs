//! Callers as the kernel names them: the terminal they run in, and what they merely inherited.

use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pretty_assertions::assert_eq;
use surfaced::backend::registry::Registry;
use surfaced::os::peer::Peer;
use surfaced::proto::open::Source;
use surfaced::proto::resolve::{ResolveParams, ResolveResult};
use surfaced::service::context::Contexts;
use surfaced::service::machine::Machine;
use surfaced::service::resolve::Resolver;
use surfaced::service::sessions::Sessions;
use surfaced::transport::{Local, Transport};

use crate::sessions_tmux::wait_for_one;
use crate::support::actors::{self, App};
use crate::support::env::{Sandbox, have};
use crate::support::process;
use crate::support::pty::Pty;
use crate::support::tmux::Tmux;
use crate::support::wait;

/// The services as a daemon of this sandbox has them.
pub struct Services {
    runtime: tokio::runtime::Runtime,
    pub resolver: Resolver,
}

impl Services {
    pub fn new(sandbox: &Sandbox) -> Self {
        let path = "/usr/local/bin:/usr/bin:/bin";
        let machine = Arc::new(Machine::new(sandbox.home(), path, Some(sandbox.tmux_dir())));
        let transport: Arc<dyn Transport> = Arc::new(Local::new(path));
        let (_, registry) = tokio::sync::watch::channel(Registry::default());
        let contexts = Contexts::new(machine.clone(), transport.clone());
        let sessions = Sessions::new(machine.clone(), transport, crate::support::providers());
        Self {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap(),
            resolver: Resolver::new(machine, registry, contexts, sessions),
        }
    }

    /// Resolves for a process that connected just now.
    pub fn resolve(&self, pid: Option<u32>, params: serde_json::Value) -> ResolveResult {
        self.resolve_since(pid, SystemTime::now(), params)
    }

    pub fn resolve_since(
        &self,
        pid: Option<u32>,
        since: SystemTime,
        params: serde_json::Value,
    ) -> ResolveResult {
        let uid = rustix::process::getuid().as_raw();
        let peer = Peer { uid, pid, since };
        let params: ResolveParams = serde_json::from_value(params).unwrap();
        self.runtime
            .block_on(self.resolver.resolve(&peer, params))
            .unwrap()
    }

    /// The caller's variables as a backend gets them.
    pub fn env(&self, pid: u32) -> std::collections::BTreeMap<String, String> {
        let peer = Peer {
            uid: rustix::process::getuid().as_raw(),
            pid: Some(pid),
            since: SystemTime::now(),
        };
        self.runtime
            .block_on(self.resolver.contexts().see(&peer, None))
            .env()
    }
}

fn reason<'a>(result: &'a ResolveResult, backend: &str) -> &'a str {
    let considered = result
        .considered
        .iter()
        .find(|c| c.backend.as_str() == backend);
    &considered.unwrap().reason
}

/// A child of a process that ended, so that nothing of this test is among its ancestors.
struct Orphan {
    pid: u32,
    _input: Child,
}

impl Orphan {
    fn start(sandbox: &Sandbox, env: &[(&str, &str)]) -> Self {
        // The orphan reads from the pipe of its middleman, so it ends when the test does.
        let mut command = sandbox.command("sh");
        command
            .args(["-c", "exec 3<&0; setsid cat <&3 >/dev/null 2>&1 & echo $!"])
            .envs(env.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
        child.wait_for_end();
        Self {
            pid: line.trim().parse().unwrap(),
            _input: child,
        }
    }
}

trait WaitForEnd {
    fn wait_for_end(&mut self);
}

impl WaitForEnd for Child {
    /// Waits without closing its input, which `wait` would do.
    fn wait_for_end(&mut self) {
        wait::until("the middleman to end", || self.try_wait().unwrap());
    }
}

#[test]
fn a_pane_of_tmux_is_known_by_its_ancestors() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let tmux = Tmux::start(&sandbox, "0");
    let caller: u32 = tmux.get("0:", "#{pane_pid}").parse().unwrap();
    let result = services.resolve(Some(caller), serde_json::json!({}));
    assert_eq!(result.backend, Some("tmux".into()));
    assert_eq!(result.source, Some(Source::CurrentTerminal));
    assert_eq!(result.description, "tmux (the terminal you're in)");
    let env = services.env(caller);
    assert_eq!(env["TMUX_PANE"], tmux.get("0:", "#{pane_id}"));
    assert_eq!(env["TMUX"], tmux.env_of("0:"));

    // One that threw its environment away is found by its process, in the pane around it.
    let bare = tmux.ok(&[
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_pid} #{pane_id}",
        "exec env -i PATH=/usr/bin:/bin sh -c 'cat; :'",
    ]);
    let (pid, pane) = bare.split_once(' ').unwrap();
    let caller = wait::until("the child of the pane", || {
        process::children(pid.parse().unwrap()).first().copied()
    });
    let result = services.resolve(Some(caller), serde_json::json!({}));
    assert_eq!(
        result.backend,
        Some("tmux".into()),
        "{:?}",
        result.considered
    );
    let env = services.env(caller);
    assert_eq!(env["TMUX_PANE"], pane);
    assert_eq!(env["TMUX"], tmux.env_of(pane));
}

#[test]
fn variables_of_tmux_count_while_their_pane_lives() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let tmux = Tmux::start(&sandbox, "one");
    let pane = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_id}", "cat"]);
    let value = tmux.env_of(&pane);
    let caller = Orphan::start(&sandbox, &[("TMUX", &value), ("TMUX_PANE", &pane)]);
    let result = services.resolve(Some(caller.pid), serde_json::json!({}));
    assert_eq!(
        result.backend,
        Some("tmux".into()),
        "{:?}",
        result.considered
    );
    tmux.ok(&["kill-pane", "-t", &pane]);
    let result = services.resolve(Some(caller.pid), serde_json::json!({}));
    assert_eq!(result.backend, None);
    assert!(
        reason(&result, "tmux").contains("is gone"),
        "{:?}",
        result.considered
    );
    tmux.ok(&["kill-server"]);
    wait::until("the server to be missed", || {
        let result = services.resolve(Some(caller.pid), serde_json::json!({}));
        reason(&result, "tmux")
            .contains("no tmux server runs")
            .then_some(())
    });
    assert!(!services.env(caller.pid).contains_key("TMUX"));
    let fake = Orphan::start(
        &sandbox,
        &[("TMUX", "/tmp/cmux/x,1,0"), ("TMUX_PANE", "%F3A5")],
    );
    let result = services.resolve(Some(fake.pid), serde_json::json!({}));
    assert!(
        reason(&result, "tmux").contains("cmux"),
        "{:?}",
        result.considered
    );
}

#[test]
fn an_editor_that_was_started_from_tmux_is_the_editor() {
    if !have("tmux") || !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let tmux = Tmux::start(&sandbox, "one");
    let code = actors::app(&sandbox, "code");
    let ready = sandbox.root().join("pid");
    let line = format!(
        "exec {} -q -c 'echo $$ > {ready}.new; mv {ready}.new {ready}; cat; :' /dev/null",
        code.display(),
        ready = ready.display()
    );
    tmux.ok(&["new-window", "-d", &line]);
    let caller: u32 = wait::until("the caller's number", || {
        std::fs::read_to_string(&ready).ok()?.trim().parse().ok()
    });
    let result = services.resolve(Some(caller), serde_json::json!({}));
    assert_ne!(result.backend, Some("tmux".into()));
    assert_eq!(
        reason(&result, "tmux"),
        "$TMUX is inherited: you are in VS Code"
    );
    assert!(!services.env(caller).contains_key("TMUX"));
}

#[test]
fn facts_of_another_process_are_not_used() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let tmux = Tmux::start(&sandbox, "one");
    let caller: u32 = tmux.get("one:", "#{pane_pid}").parse().unwrap();
    // It started after the connection was made, so it is another one that got the number.
    let before = SystemTime::now() - Duration::from_hours(1);
    let result = services.resolve_since(Some(caller), before, serde_json::json!({}));
    assert_eq!(result.backend, None, "{:?}", result.considered);
    let result = services.resolve(Some(4_194_305), serde_json::json!({}));
    assert_eq!(result.backend, None);
    let result = services.resolve(None, serde_json::json!({ "headless": true }));
    assert_eq!(result.backend, Some("builtin".into()));
    assert_eq!(result.source, Some(Source::Headless));
    // A caller may name another process of its own, and its own words win.
    let params = serde_json::json!({ "context": { "pid": caller } });
    assert_eq!(services.resolve(None, params).backend, Some("tmux".into()));
}

#[test]
fn a_caller_without_a_terminal_follows_the_most_recent_agent() {
    if !have("tmux") || !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let claude = actors::agent(&sandbox, "claude");
    let tmux = Tmux::start(&sandbox, "one");
    tmux.ok(&["new-window", "-d", claude.to_str().unwrap()]);
    let attach = format!("exec tmux -S {} attach -t =one", tmux.socket().display());
    let _app = App::start(&sandbox, "ghostty", &attach);
    let caller = Orphan::start(&sandbox, &[]);
    let params = serde_json::json!({
        "context": { "platform": "darwin", "pid": caller.pid, "apps": ["iterm", "ghostty", "terminal"] },
    });
    let result = wait::until("the agent to be followed", || {
        let result = services.resolve(None, params.clone());
        (result.source == Some(Source::ActiveSession)).then_some(result)
    });
    assert_eq!(result.backend, Some("ghostty".into()));
    assert_eq!(result.host.as_deref(), Some("ghostty"));
    assert_eq!(
        result.description,
        "Ghostty (where your ghostty sessions run)"
    );
}

#[test]
fn explicit_words_win_over_the_process() {
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let params = serde_json::json!({
        "context": { "platform": "linux", "env": { "TMUX": "/nowhere,7,0", "TMUX_PANE": "%1" } },
    });
    let result = services.resolve(Some(std::process::id()), params);
    assert_eq!(result.backend, Some("tmux".into()));
    assert_eq!(result.source, Some(Source::CurrentTerminal));
    let params = serde_json::json!({ "context": { "platform": "linux" }, "forced": "tmux" });
    assert_eq!(
        services.resolve(None, params).description,
        "tmux (you asked for it)"
    );
    let params = serde_json::json!({ "context": { "platform": "linux" } });
    assert_eq!(
        services.resolve(Some(std::process::id()), params).backend,
        None
    );
}

#[test]
fn a_dead_pane_is_not_where_somebody_is_who_has_its_terminal_now() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let tmux = Tmux::start(&sandbox, "one");
    tmux.ok(&["set-option", "-g", "remain-on-exit", "on"]);
    // The system gives the terminal of a dead pane away again, to whoever asks next.
    let caller = wait::until("a caller with the terminal of a dead pane", || {
        let dead = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_id}", "true"]);
        wait::until("the pane to die", || {
            (tmux.get(&dead, "#{pane_dead}") == "1").then_some(())
        });
        let caller = Pty::start(&sandbox.command("cat"), 20, 80);
        let pid = caller.pid().as_raw_nonzero().get().cast_unsigned();
        let tty = std::fs::read_link(format!("/proc/{pid}/fd/0")).unwrap();
        (tty.to_str() == Some(&tmux.get(&dead, "#{pane_tty}"))).then_some(caller)
    });
    let pid = caller.pid().as_raw_nonzero().get().cast_unsigned();
    let result = services.resolve(Some(pid), serde_json::json!({}));
    assert_ne!(result.backend, Some("tmux".into()), "{result:?}");
    assert!(!services.env(pid).contains_key("TMUX"));
    // A pane that lives with that terminal is where it is.
    let living = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_pid}", "cat"]);
    let living = living.parse().unwrap();
    // Until then it is a tmux like its parent.
    wait::until("the program of the pane", || {
        (!process::name(living).starts_with("tmux")).then_some(())
    });
    let result = services.resolve(Some(living), serde_json::json!({}));
    assert_eq!(result.backend, Some("tmux".into()), "{result:?}");
}

#[test]
fn the_application_around_tmux_is_that_of_its_client_whatever_the_variables_say() {
    if !have("tmux") || !actors::have_apps() {
        return;
    }
    let sandbox = Sandbox::new();
    let services = Services::new(&sandbox);
    let claude = actors::agent(&sandbox, "claude");
    let tmux = Tmux::start(&sandbox, "one");
    let line = format!(
        "exec env TERM_PROGRAM=tmux LC_TERMINAL=iTerm2 ITERM_SESSION_ID=w0t0p0:9F3A-12 {}",
        claude.display()
    );
    let pane = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_id}", &line]);
    let alone = wait_for_one(&sandbox, "agent in a pane", |session| {
        session.tmux.is_some()
    });
    assert_eq!(alone.viewing_app, None, "nobody looks");
    let attach = format!("exec tmux -S {} attach -t =one", tmux.socket().display());
    let _app = App::start(&sandbox, "ghostty", &attach);
    let seen = wait_for_one(&sandbox, "agent that is looked at", |session| {
        session.viewing_app.is_some()
    });
    assert_eq!(seen.viewing_app.as_deref(), Some("ghostty"));
    let caller = tmux.get(&pane, "#{pane_pid}").parse().ok();
    let result = services.resolve(caller, serde_json::json!({}));
    assert_eq!(result.backend, Some("tmux".into()), "{result:?}");
    assert_eq!(result.source, Some(Source::CurrentTerminal));
    assert!(
        !services
            .env(caller.unwrap())
            .contains_key("ITERM_SESSION_ID")
    );
}
