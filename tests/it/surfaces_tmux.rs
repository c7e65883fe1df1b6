//! Verbs on surfaces of a real tmux: the exact one, or a failure that says why.

use std::path::PathBuf;

use serde_json::{Value, json};
use surfaced::proto::surfaces::{Exit, ListResult, Or, Text, Writes};
use surfaced::proto::{Failure, Kind, SurfaceRef, TmuxPane};

use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::tmux::Tmux;
use crate::support::wait;

/// A pane whose program writes every byte that it gets into a file.
pub struct Dump {
    pub surface: SurfaceRef,
    pub pane: String,
    pub file: PathBuf,
}

impl Dump {
    pub fn start(sandbox: &Sandbox, tmux: &Tmux<'_>, name: &str) -> Self {
        let file = sandbox.root().join(name);
        let command = format!("stty raw -echo; echo ready; exec cat >'{}'", file.display());
        let pane = tmux.ok(&[
            "new-window",
            "-d",
            "-t",
            "main:",
            "-P",
            "-F",
            "#{pane_id}",
            &command,
        ]);
        tmux.wait_for_text(&pane, "ready");
        Self {
            surface: reference(tmux, &pane),
            pane,
            file,
        }
    }

    #[track_caller]
    pub fn expect(&self, bytes: &[u8]) {
        let mut last = Vec::new();
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait::until("the bytes", || {
                last = std::fs::read(&self.file).ok()?;
                (last.len() >= bytes.len()).then_some(())
            });
        }));
        assert!(
            found.is_ok() && last == bytes,
            "{:?}",
            String::from_utf8_lossy(&last)
        );
    }
}

pub fn reference(tmux: &Tmux<'_>, pane: &str) -> SurfaceRef {
    let id = |format: &str| tmux.get(pane, format)[1..].parse().unwrap();
    SurfaceRef::Tmux(TmuxPane {
        server: tmux.pid(),
        window: id("#{window_id}"),
        pane: Some(id("#{pane_id}")),
        socket: tmux.socket().display().to_string(),
        host: None,
    })
}

pub async fn inject(bench: &Bench, params: Value) -> Result<u32, Failure> {
    match bench
        .surfaces
        .inject(serde_json::from_value(params).unwrap())
        .await?
    {
        Or::Done(Writes { writes }) => Ok(writes),
        Or::Shown(spec) => panic!("{spec:?}"),
    }
}

#[tokio::test]
async fn text_is_literal_and_enter_is_a_write_of_its_own() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let dump = Dump::start(&sandbox, &tmux, "text");
    let texts = [
        "Enter",
        "C-c",
        ";",
        "semi;",
        "x\\;",
        "-l",
        "#{pid}",
        "it's \"q\" $HOME",
        "é✻😀",
        "\ttab",
        "~",
    ];
    let mut expected = Vec::new();
    for text in texts {
        let writes = inject(&bench, json!({ "surface": dump.surface, "text": text })).await;
        assert_eq!(writes, Ok(2), "{text:?}");
        expected.extend_from_slice(text.as_bytes());
        expected.push(b'\r');
    }
    let long = "0123456789;\n".repeat(20_000);
    for (text, enter, combined, writes) in [
        ("one", false, false, 1),
        ("two", true, true, 1),
        ("", true, false, 1),
        ("", false, false, 0),
        (&long, false, false, 1),
    ] {
        let params =
            json!({ "surface": dump.surface, "text": text, "enter": enter, "combined": combined });
        assert_eq!(inject(&bench, params).await, Ok(writes), "{text:.9?}");
        expected.extend_from_slice(text.as_bytes());
        expected.extend(enter.then_some(b'\r'));
    }
    dump.expect(&expected);
    assert_eq!(tmux.ok(&["list-buffers"]), "");
}

#[tokio::test]
async fn only_the_surface_that_is_named_gets_anything_even_while_it_is_scrolled() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let (dump, other) = (
        Dump::start(&sandbox, &tmux, "a"),
        Dump::start(&sandbox, &tmux, "b"),
    );
    tmux.ok(&["select-window", "-t", &other.pane]);
    tmux.ok(&["copy-mode", "-t", &dump.pane]);
    inject(&bench, json!({ "surface": dump.surface, "text": "q/x" }))
        .await
        .unwrap();
    let keys = json!({ "surface": dump.surface, "keys": ["C-c", "Up", ";", "F1", "Space", "M-x", "Enter"] });
    bench
        .surfaces
        .keys(serde_json::from_value(keys).unwrap())
        .await
        .unwrap();
    dump.expect(b"q/x\r\x03\x1b[A;\x1bOP \x1bx\r");
    assert_eq!(std::fs::read(&other.file).unwrap(), b"");
    for keys in [json!(["Entr"]), json!([])] {
        let params = json!({ "surface": dump.surface, "keys": keys });
        let failure = bench
            .surfaces
            .keys(serde_json::from_value(params).unwrap())
            .await
            .unwrap_err();
        assert_eq!(failure.kind(), Kind::InvalidParams);
    }
}

#[tokio::test]
async fn text_is_captured_with_history() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let command = "i=1; while [ $i -le 200 ]; do echo line $i; i=$((i+1)); done; printf 'Привет ✻ ⎿'; exec cat";
    let pane = tmux.ok(&[
        "new-window",
        "-d",
        "-t",
        "main:",
        "-P",
        "-F",
        "#{pane_id}",
        command,
    ]);
    tmux.wait_for_text(&pane, "⎿");
    let surface = reference(&tmux, &pane);
    let capture = async |lines: Option<u32>| {
        let params = json!({ "surface": surface, "lines": lines });
        match bench
            .surfaces
            .capture(serde_json::from_value(params).unwrap())
            .await
            .unwrap()
        {
            Or::Done(Text { text }) => text,
            Or::Shown(spec) => panic!("{spec:?}"),
        }
    };
    let visible = capture(None).await;
    assert!(
        visible.ends_with("line 200\nПривет ✻ ⎿\n") && !visible.contains("line 100\n"),
        "{visible}"
    );
    assert_eq!(capture(Some(2)).await, "line 200\nПривет ✻ ⎿\n");
    assert_eq!(capture(Some(4_000_000)).await.lines().count(), 201);
    assert_eq!(capture(Some(0)).await, "");
}

#[tokio::test]
async fn a_surface_comes_to_the_front_and_closes() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    tmux.ok(&["new-session", "-d", "-s", "away", "cat"]);
    tmux.ok(&["split-window", "-d", "-t", "away:", "cat"]);
    let bench = Bench::new(&sandbox);
    let panes = tmux.ok(&["list-panes", "-t", "away:", "-F", "#{pane_id}"]);
    let second = panes.lines().nth(1).unwrap().to_owned();
    let surface = reference(&tmux, &second);
    let params = || serde_json::from_value(json!({ "surface": surface })).unwrap();
    // Nobody is attached: the pane is in front of its session.
    bench.surfaces.focus(params()).await.unwrap();
    assert_eq!(tmux.get("away:", "#{pane_id}"), second);
    // The client that looks at another session is brought to it.
    let other = Sandbox::new();
    let outer = Tmux::start(&other, "outer");
    let attach = format!(
        "TMUX= exec tmux -S {} attach -t main",
        tmux.socket().display()
    );
    outer.ok(&["new-window", "-d", &attach]);
    wait::until("a client", || {
        (tmux.ok(&["list-clients", "-F", "#{session_name}"]) == "main").then_some(())
    });
    bench.surfaces.focus(params()).await.unwrap();
    assert_eq!(
        tmux.ok(&["list-clients", "-F", "#{session_name} #{pane_id}"]),
        format!("away {second}")
    );
    bench.surfaces.close(params()).await.unwrap();
    assert_eq!(
        tmux.ok(&["list-panes", "-t", "away:", "-F", "#{pane_id}"])
            .lines()
            .count(),
        1
    );
}

#[tokio::test]
async fn what_is_gone_is_said_to_be_gone_and_a_stranger_is_left_alone() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let dump = Dump::start(&sandbox, &tmux, "dump");
    let SurfaceRef::Tmux(place) = &dump.surface else {
        panic!("{}", dump.surface)
    };
    let gone = [
        // A pane that never was; the same ids of another server; a server that does not run.
        TmuxPane {
            pane: Some(4711),
            ..place.clone()
        },
        TmuxPane {
            server: place.server + 1,
            ..place.clone()
        },
        TmuxPane {
            server: place.server + 1,
            socket: sandbox.root().join("none").display().to_string(),
            ..place.clone()
        },
    ];
    for place in gone {
        let surface = SurfaceRef::Tmux(place);
        let params = json!({ "surface": surface });
        let mut failures = vec![
            inject(&bench, json!({ "surface": surface, "text": "x" }))
                .await
                .unwrap_err(),
            bench
                .surfaces
                .keys(serde_json::from_value(json!({ "surface": surface, "keys": ["x"] })).unwrap())
                .await
                .unwrap_err(),
            bench
                .surfaces
                .capture(serde_json::from_value(params.clone()).unwrap())
                .await
                .unwrap_err(),
            bench
                .surfaces
                .focus(serde_json::from_value(params.clone()).unwrap())
                .await
                .unwrap_err(),
            bench
                .surfaces
                .close(serde_json::from_value(params.clone()).unwrap())
                .await
                .unwrap_err(),
        ];
        failures.push(
            bench
                .surfaces
                .wait(serde_json::from_value(params).unwrap())
                .await
                .unwrap_err(),
        );
        for failure in failures {
            assert_eq!(failure.kind(), Kind::TargetGone, "{surface}: {failure}");
        }
    }
    assert_eq!(std::fs::read(&dump.file).unwrap(), b"");
    assert_eq!(tmux.get(&dump.pane, "#{pane_dead}"), "0");
    assert_eq!(tmux.ok(&["list-buffers"]), "");
}

#[tokio::test]
async fn ends_are_waited_for_with_what_tmux_knows_of_them() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let start = |command: &str, keep: bool| {
        let pane = tmux.ok(&[
            "new-window",
            "-d",
            "-t",
            "main:",
            "-P",
            "-F",
            "#{pane_id}",
            "cat",
        ]);
        if keep {
            tmux.ok(&["set-option", "-p", "-t", &pane, "remain-on-exit", "on"]);
        }
        tmux.ok(&["respawn-pane", "-k", "-t", &pane, command]);
        reference(&tmux, &pane)
    };
    let wait_for = async |surface: &SurfaceRef, limit: Option<u64>| {
        let params = json!({ "surface": surface, "timeoutMs": limit });
        match bench
            .surfaces
            .wait(serde_json::from_value(params).unwrap())
            .await
            .unwrap()
        {
            Or::Done(exit) => exit,
            Or::Shown(spec) => panic!("{spec:?}"),
        }
    };
    let exited = |exit_code, signal: Option<&str>| Exit {
        exited: true,
        exit_code,
        signal: signal.map(str::to_owned),
    };
    for _ in 0..5 {
        assert_eq!(
            wait_for(&start("exit 7", true), None).await,
            exited(Some(7), None)
        );
    }
    assert_eq!(
        wait_for(&start("kill -KILL $$", true), Some(60_000)).await,
        exited(None, Some("SIGKILL"))
    );
    let (runs, other) = (start("exec cat", false), start("exec cat", false));
    assert_eq!(wait_for(&runs, Some(0)).await, Exit::default());
    assert_eq!(wait_for(&runs, Some(100)).await, Exit::default());
    let SurfaceRef::Tmux(place) = &runs else {
        panic!("{runs}")
    };
    let pane = format!("%{}", place.pane.unwrap());
    let (exit, ()) = tokio::join!(wait_for(&runs, None), async {
        // By the time that these looks are done the first one of the wait is done too.
        for _ in 0..4 {
            wait_for(&other, Some(0)).await;
        }
        tmux.ok(&["kill-pane", "-t", &pane]);
    });
    // A pane that was not kept took its status with it.
    assert_eq!(exit, exited(None, None));
}

#[tokio::test]
async fn surfaces_are_listed_whatever_their_titles_hold() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let bench = Bench::new(&sandbox);
    let list = async || {
        let params = serde_json::from_value(json!({ "backend": "tmux" })).unwrap();
        let ListResult { surfaces, .. } = bench.surfaces.list(params, None).await.unwrap();
        surfaces
    };
    assert_eq!(list().await, []);
    let tmux = Tmux::start(&sandbox, "main");
    let odd = sandbox.root().join("a\tb\nc|d:é");
    std::fs::create_dir(&odd).unwrap();
    let pane = tmux.ok(&[
        "new-window",
        "-d",
        "-c",
        odd.to_str().unwrap(),
        "-P",
        "-F",
        "#{pane_id}",
        "exec cat",
    ]);
    tmux.ok(&["select-pane", "-t", &pane, "-T", "a b|c:d;é ✻"]);
    tmux.ok(&["rename-window", "-t", &pane, "x:y\tz"]);
    wait::until("cat", || {
        (tmux.get(&pane, "#{pane_current_command}") == "cat").then_some(())
    });
    let surfaces = list().await;
    assert_eq!(surfaces.len(), 2);
    let found = surfaces
        .iter()
        .find(|info| info.surface == reference(&tmux, &pane))
        .expect("the pane is listed");
    assert_eq!(found.title.as_deref(), Some("a b|c:d;é ✻"));
    assert_eq!(found.cwd.as_deref(), odd.to_str());
    assert_eq!(found.command.as_deref(), Some("cat"));
    assert_eq!(found.active, Some(false));
    // One to which nobody has given a title has that of its tab, and not the name of the machine.
    tmux.ok(&["new-window", "-d", "-n", "a tab", "exec cat"]);
    let titles: Vec<_> = list().await.into_iter().map(|info| info.title).collect();
    assert!(titles.contains(&Some("a tab".to_owned())), "{titles:?}");
    let machine = tmux.get("main", "#{host}");
    assert!(!titles.contains(&Some(machine)), "{titles:?}");

    for (params, kind) in [
        (json!({ "backend": "nope" }), Kind::InvalidParams),
        (json!({ "host": "-x" }), Kind::HostInvalid),
    ] {
        let failure = bench
            .surfaces
            .list(serde_json::from_value(params).unwrap(), None)
            .await
            .unwrap_err();
        assert_eq!((failure.kind(), failure.code), (kind, -32602));
    }
}

#[tokio::test]
async fn a_dry_run_shows_the_commands_and_runs_none() {
    let sandbox = Sandbox::new();
    let bench = Bench::new(&sandbox);
    let params = json!({ "surface": "tmux:8.@1.%2;socket=/no/such", "text": "hi", "dryRun": true });
    let shown = bench
        .surfaces
        .inject(serde_json::from_value(params).unwrap())
        .await
        .unwrap();
    let Or::Shown(shown) = shown else {
        panic!("{shown:?}")
    };
    assert_eq!(shown.spec.argv[..4], ["tmux", "-u", "-S", "/no/such"]);
    assert_eq!(shown.spec.stdin.as_deref(), Some("hi"));
    assert_eq!(shown.spec.then.map(|then| then.len()), Some(1));
    let params = json!({ "surface": "tmux:8.@1.%2;socket=/no/such;host=zion", "dryRun": true });
    let shown = bench
        .surfaces
        .close(serde_json::from_value(params).unwrap())
        .await
        .unwrap();
    let Or::Shown(shown) = shown else {
        panic!("{shown:?}")
    };
    assert!(
        shown.spec.display.starts_with("ssh zion "),
        "{}",
        shown.spec.display
    );
    // What a terminal cannot do is said, and a backend that nobody knows is a mistake of the caller.
    let wait = json!({ "surface": "iterm::9F3A" });
    let failure = bench
        .surfaces
        .wait(serde_json::from_value(wait).unwrap())
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), Kind::NotSupported);
    let unknown = json!({ "surface": "nope:x" });
    let failure = bench
        .surfaces
        .close(serde_json::from_value(unknown).unwrap())
        .await
        .unwrap_err();
    assert_eq!(failure.kind(), Kind::InvalidParams);
}
