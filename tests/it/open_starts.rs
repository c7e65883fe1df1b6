//! What was started is said to be started, and nothing else: shells that end before the command, rc files without a PATH, and
//! the tmux server that a caller means.

use std::os::unix::fs::PermissionsExt;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use surfaced::proto::Kind;
use surfaced::proto::open::Started;

use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::process::{children, send};
use crate::support::tmux::Tmux;
use crate::support::wait;

#[tokio::test]
async fn a_shell_that_ends_before_the_command_is_a_failure() {
    if !have("tmux") || !have("zsh") {
        return;
    }
    for rc in ["exit 3", "kill -9 $$"] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.home().join(".zshrc"), format!("{rc}\n")).unwrap();
        let _tmux = Tmux::start(&sandbox, "main");
        let bench = Bench::new(&sandbox);
        let items = json!([
            { "command": ["nosuch1"] },
            { "command": ["sleep", "8"], "env": { "A": "s3cret" } },
        ]);
        let params =
            json!({ "backend": "tmux", "context": {}, "items": items, "startTimeoutMs": 30_000 });
        for result in bench.open(params).await {
            assert_eq!(result.kind, Some(Kind::SpawnFailed), "{rc}: {result:?}");
            let error = result.error.unwrap();
            assert!(error.contains("was not started"), "{error}");
        }
        assert_eq!(
            std::fs::read_dir(&bench.scripts).unwrap().count(),
            0,
            "{rc}"
        );
    }
}

#[test]
fn the_daemons_own_terminals_do_not_say_either_that_it_started() {
    if !have("zsh") {
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.home().join(".zshrc"), "exit 3\n").unwrap();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let params = json!({
        "backend": "builtin", "context": {}, "shell": "zsh", "startTimeoutMs": 30_000,
        "items": [{ "command": ["nosuch1"], "cwd": "/" }],
    });
    let result = client.call("open", &params)["results"][0].take();
    assert_eq!(result["kind"], "spawn-failed", "{result}");
    let left = client.call("terminal.list", &json!({}));
    assert_eq!(left["terminals"], json!([]), "{left}");
}

#[tokio::test]
async fn a_script_needs_no_path_of_the_rc_files() {
    if !have("tmux") || !have("zsh") {
        return;
    }
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.home().join(".zshrc"), "PATH=/nowhere\n").unwrap();
    let _tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let marker = sandbox.root().join("ran");
    let line = format!("echo ran >'{}'; read x", marker.display());
    let items = json!([
        { "command": ["/bin/sh", "-c", line], "env": { "A": "1" } },
        { "command": ["nosuch1"], "env": { "A": "1" } },
    ]);
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": items, "startTimeoutMs": 30_000 }))
        .await;
    assert_eq!(results[0].started, Some(Started::Seen), "{results:?}");
    assert_eq!(results[1].kind, Some(Kind::ProgramMissing), "{results:?}");
    wait::until("the program", || marker.exists().then_some(()));
    assert_eq!(std::fs::read_dir(&bench.scripts).unwrap().count(), 0);
}

#[tokio::test]
async fn the_default_server_is_that_of_the_caller() {
    if !have("tmux") {
        return;
    }
    let (sandbox, elsewhere) = (Sandbox::new(), Sandbox::new());
    // That of the daemon, and that which a plain tmux of the caller speaks to.
    let daemons = Tmux::start(&sandbox, "main");
    let callers = Tmux::start(&elsewhere, "mine");
    let bench = Bench::new(&sandbox);
    let context: Value = json!({ "env": { "TMUX_TMPDIR": elsewhere.tmux_dir() } });
    let items = json!([{ "command": ["cat"] }, { "command": ["cat"] }, { "command": ["cat"] }]);
    let results = bench
        .open(json!({ "backend": "tmux", "context": context, "items": items }))
        .await;
    for result in &results {
        assert!(result.ok, "{result:?}");
        assert_eq!(result.attach.as_deref(), Some("tmux attach -t mine"));
    }
    assert_eq!((daemons.panes(), callers.panes()), (1, 4));

    // Without a server there one is made there.
    drop(callers);
    let made = Tmux::absent(&elsewhere);
    wait::until("the end of the server", || {
        let output = made.run(&["list-sessions"]);
        let said = String::from_utf8_lossy(&output.stderr);
        (said.starts_with("no server running") || said.starts_with("error connecting"))
            .then_some(())
    });
    let again = bench
        .open(json!({ "backend": "tmux", "context": context, "items": [{ "command": ["cat"] }] }))
        .await;
    assert!(again[0].ok, "{again:?}");
    assert_eq!(again[0].attach.as_deref(), Some("tmux attach -t surfaced"));
    assert_eq!((daemons.panes(), made.panes()), (1, 1));
}

/// Whether a process is there, a zombie included.
fn is_there(pid: i32) -> bool {
    std::path::Path::new("/proc").join(pid.to_string()).exists()
}

#[test]
fn a_terminal_that_stays_in_the_foreground_is_left_running() {
    let sandbox = Sandbox::new();
    let foot = sandbox.root().join("foot");
    std::fs::write(
        &foot,
        "#!/bin/sh\n[ \"$2\" != /tmp ] || exit 3\nshift 3\n\"$@\"\n",
    )
    .unwrap();
    std::fs::set_permissions(&foot, PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!(
        "[backends.stays]\nwindow = [\"{}\", \"-D\", \"{{cwd}}\", \"--\", \"{{command}}\"]\n",
        foot.display()
    );
    std::fs::write(sandbox.state().join("config.toml"), config).unwrap();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut open = |name: &str, item: Value| {
        let file = sandbox.root().join(name);
        let line = format!(
            "echo $PPID $$ >'{0}.new'; mv '{0}.new' '{0}'; exec sleep 60",
            file.display()
        );
        let mut item = item;
        item["command"] = json!(["/bin/sh", "-c", line]);
        item["layout"] = json!("window");
        let params = json!({
            "backend": "stays", "shell": "sh", "startTimeoutMs": 2000, "items": [item],
        });
        (client.call("open", &params)["results"][0].take(), file)
    };
    let pids = |file: &std::path::Path| {
        let text = wait::until("the program", || std::fs::read_to_string(file).ok());
        let pids: Vec<i32> = text
            .split_whitespace()
            .map(|pid| pid.parse().unwrap())
            .collect();
        pids
    };
    // Its launch script reports; nothing reports; it fails at once.
    let (seen, first) = open("seen", json!({ "cwd": "/", "env": { "A": "1" } }));
    assert_eq!(
        (&seen["ok"], &seen["started"]),
        (&json!(true), &json!("seen")),
        "{seen}"
    );
    let (unseen, second) = open("unseen", json!({ "cwd": "/" }));
    assert_eq!(unseen["started"], "unconfirmed", "{unseen}");
    assert!(
        unseen["warnings"][0]
            .as_str()
            .unwrap()
            .contains("left running"),
        "{unseen}"
    );
    let (failed, _) = open("failed", json!({ "cwd": "/tmp" }));
    assert_eq!(failed["kind"], "spawn-failed", "{failed}");

    let (first, second) = (pids(&first), pids(&second));
    assert!(first.iter().chain(&second).all(|pid| is_there(*pid)));
    // It is reaped when it ends, and runs on when the daemon ends.
    let kill = |pid: i32| kill_process(Pid::from_raw(pid).unwrap(), Signal::KILL).unwrap();
    kill(first[1]);
    wait::until("the end of the terminal", || {
        (!is_there(first[0])).then_some(())
    });
    daemon.kill();
    assert!(second.iter().all(|pid| is_there(*pid)));
    kill(second[1]);
}

#[test]
fn two_hundred_opens_and_a_hundred_looks_leave_no_child_and_no_descriptor() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let bin = sandbox.script("brief", "#!/bin/sh\nexit 0\n");
    let config = format!(
        "[backends.brief]\nwindow = [\"{0}/brief\", \"{{command}}\"]\ntab = \"window\"\n\
         [backends.wrong]\nwindow = [\"{0}/wrong\", \"{{command}}\"]\n",
        bin.display()
    );
    sandbox.script("wrong", "#!/bin/sh\necho no >&2\nexit 3\n");
    std::fs::write(sandbox.state().join("config.toml"), config).unwrap();
    let tmux = Tmux::start(&sandbox, "main");
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut round = |count: usize| {
        for backend in ["brief", "wrong"] {
            let item = json!({ "command": ["true"], "cwd": "/", "layout": "window" });
            let params = json!({ "backend": backend, "shell": "sh", "staggerMs": 0, "items": vec![item; count] });
            let opened = client.call("open", &params);
            let results = opened["results"].as_array().unwrap();
            assert!(
                results
                    .iter()
                    .all(|result| result["ok"] == (backend == "brief")),
                "{opened}"
            );
        }
        for _ in 0..count {
            client.call("resolveBackend", &json!({}));
        }
    };
    let childless = || children(daemon.pid()).is_empty().then_some(());
    // Whatever is kept once is there after the first.
    round(2);
    wait::until("the first to be over", childless);
    let before = daemon.descriptors();
    for _ in 0..2 {
        round(50);
    }
    wait::until("every child to be reaped", childless);
    wait::until("every descriptor to be closed", || {
        (daemon.descriptors() <= before).then_some(())
    });
    assert_eq!(tmux.panes(), 1);
}

#[test]
fn a_terminal_that_does_nothing_is_not_said_to_have_started_anything() {
    let sandbox = Sandbox::new();
    let ran = sandbox.root().join("ran");
    let note = format!("#!/bin/sh\necho \"$0\" >>'{}'\n", ran.display());
    let bin = sandbox.script("silent", &note);
    let hanging = sandbox.root().join("hanging");
    let hangs = format!("{note}echo $$ >'{}'\nexec sleep 600\n", hanging.display());
    sandbox.script("hangs", &hangs);
    let config = format!(
        "[backends.silent]\ntab = [\"{0}/silent\", \"run\", \"--\", \"{{command}}\"]\n\
         [backends.hangs]\navailable = {{ env = \"HANGS_LISTEN_ON\" }}\n\
         tab = [\"{0}/hangs\", \"@\", \"launch\", \"{{command}}\"]\nhandle = {{ stdout = true }}\n",
        bin.display()
    );
    std::fs::write(sandbox.state().join("config.toml"), config).unwrap();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut open = |backend: &str, env: Value, item: Value| {
        let params = json!({
            "backend": backend, "shell": "sh", "startTimeoutMs": 1000, "items": [item],
            "context": { "env": env, "apps": [backend] },
        });
        client.call("open", &params)["results"][0].take()
    };
    // It ends well and has opened nothing.
    let with_script = json!({ "command": ["true"], "cwd": "/", "env": { "A": "1" } });
    let plain = json!({ "command": ["true"], "cwd": "/" });
    for item in [&with_script, &plain] {
        let result = open("silent", json!({}), item.clone());
        assert_eq!(result["started"], "unconfirmed", "{result}");
        assert!(result.get("surface").is_none(), "{result}");
    }
    let tried = || std::fs::read_to_string(&ran).map_or(0, |text| text.lines().count());
    wait::until("both to be tried", || (tried() == 2).then_some(()));
    // One that is reached over a socket which nobody named is not tried at all.
    let inside = json!({ "KITTY_WINDOW_ID": "3" });
    let result = open("hangs", inside.clone(), plain.clone());
    assert_eq!(result["kind"], "backend-unavailable", "{result}");
    let error = result["error"].as_str().unwrap();
    assert!(error.contains("$HANGS_LISTEN_ON is not set"), "{error}");
    assert_eq!(tried(), 2);
    // One that never answers is waited for as long as was wanted.
    let result = open(
        "hangs",
        json!({ "HANGS_LISTEN_ON": "unix:/x" }),
        plain.clone(),
    );
    assert_eq!(result["started"], "unconfirmed", "{result}");
    let left = wait::until("the one that hangs", || {
        std::fs::read_to_string(&hanging).ok()?.trim().parse().ok()
    });
    // A terminal that nothing drives is refused by its name.
    let result = open("kitty", inside, plain);
    assert_eq!(result["kind"], "backend-unknown", "{result}");
    assert!(
        result["hint"].as_str().unwrap().contains("hangs"),
        "{result}"
    );
    // What was left running ends with the test.
    send(left, Signal::KILL);
}
