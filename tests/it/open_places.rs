//! Where surfaces land: in the caller's session, beside their own batch, and in nobody else's way.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use surfaced::proto::open::{OpenResult, Started};
use surfaced::proto::{Kind, SurfaceRef, TmuxPane};

use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::printargs::PrintArgs;
use crate::support::pty::Pty;
use crate::support::tmux::Tmux;
use crate::support::wait;

#[track_caller]
fn place(result: &OpenResult) -> TmuxPane {
    assert!(result.ok, "{result:?}");
    assert_eq!(result.started, Some(Started::Seen));
    match &result.surface {
        Some(SurfaceRef::Tmux(place)) => place.clone(),
        other => panic!("{other:?}"),
    }
}

fn cats(count: usize) -> Vec<Value> {
    vec![json!({ "command": ["cat"] }); count]
}

#[test]
fn five_items_stay_together_while_the_focus_jumps() {
    if !have("tmux") {
        return;
    }
    for base in ["0", "1"] {
        let sandbox = Sandbox::new();
        let tmux = Tmux::start(&sandbox, "0");
        tmux.ok(&["set-option", "-g", "base-index", base]);
        tmux.ok(&[
            "set-option",
            "-gw",
            "pane-base-index",
            if base == "0" { "1" } else { "0" },
        ]);
        tmux.ok(&["set-option", "-g", "prefix", "None"]);
        for name in ["1", "12", "a.b", "-x", "@0", "%0", "$0", "mai"] {
            tmux.ok(&[
                "new-session",
                "-d",
                "-x",
                "200",
                "-y",
                "50",
                "-s",
                name,
                "cat",
            ]);
        }
        let home = tmux.get("=0:", "#{session_id}");
        let mine = tmux.get("=0:", "#{pane_id}");
        let call = json!({ "backend": "tmux", "context": tmux.context(&mine), "items": cats(5) });
        let done = AtomicBool::new(false);
        let results = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    for command in ["next-window", "last-pane"] {
                        tmux.run(&[command, "-t", &format!("{home}:")]);
                    }
                }
            });
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let results = runtime.block_on(async { Bench::new(&sandbox).open(call).await });
            done.store(true, Ordering::Relaxed);
            results
        });
        let places: Vec<_> = results.iter().map(place).collect();
        for pair in places.chunks(2) {
            assert!(
                pair.iter().all(|place| place.window == pair[0].window),
                "{places:?}"
            );
        }
        let windows: std::collections::BTreeSet<_> =
            places.iter().map(|place| place.window).collect();
        assert_eq!(windows.len(), 3);
        for place in &places {
            let pane = format!("%{}", place.pane.unwrap());
            assert_eq!(tmux.get(&pane, "#{session_id}"), home);
            assert_eq!(place.server, tmux.pid());
        }
        for right in [&places[1], &places[3]] {
            let pane = format!("%{}", right.pane.unwrap());
            assert_ne!(tmux.get(&pane, "#{pane_left}"), "0");
        }
        for other in ["=1:", "=12:", "=mai:"] {
            assert_eq!(tmux.get(other, "#{session_windows}"), "1");
        }
    }
}

#[tokio::test]
async fn without_a_server_a_session_is_made_and_shown() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let bench = Bench::new(&sandbox);
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": cats(3) }))
        .await;
    let places: Vec<_> = results.iter().map(place).collect();
    assert_eq!(places[0].window, places[1].window);
    assert_ne!(places[0].window, places[2].window);
    assert_eq!(
        tmux.ok(&["list-sessions", "-F", "#{session_name}"]),
        "surfaced"
    );
    // The caller says of no directory of its own where its tmux looks, so only the socket is certain.
    let attach = format!("tmux -S {} attach -t surfaced", tmux.socket().display());
    for result in &results {
        assert_eq!(result.attach.as_deref(), Some(attach.as_str()));
    }
    // The next call goes to the same session.
    let again = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": cats(1) }))
        .await;
    assert_eq!(place(&again[0]).server, places[0].server);
    assert_eq!(tmux.ok(&["list-sessions", "-F", "#{session_windows}"]), "3");
}

#[tokio::test]
async fn outside_tmux_the_session_that_a_person_sees_is_used() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "old");
    tmux.ok(&["new-session", "-d", "-s", "seen", "cat"]);
    tmux.ok(&["new-session", "-d", "-s", "young", "cat"]);
    // A client in a terminal: a pane of another server.
    let other = Sandbox::new();
    let outer = Tmux::start(&other, "outer");
    let attach = format!(
        "TMUX= exec tmux -S {} attach -t seen",
        tmux.socket().display()
    );
    outer.ok(&["new-window", "-d", &attach]);
    wait::until("a client", || {
        (tmux.ok(&["list-clients", "-F", "x"]) == "x").then_some(())
    });
    let bench = Bench::new(&sandbox);
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": cats(2) }))
        .await;
    for result in &results {
        let pane = format!("%{}", place(result).pane.unwrap());
        assert_eq!(tmux.get(&pane, "#{session_name}"), "seen");
        assert_eq!(result.attach, None);
    }
}

#[tokio::test]
async fn a_split_whose_anchor_failed_goes_beside_the_caller_or_into_a_tab() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let items = json!([{ "cwd": "/no/such", "command": ["cat"] }, { "command": ["cat"] }]);
    let inside = bench
        .open(json!({ "backend": "tmux", "context": tmux.context("main:"), "items": items }))
        .await;
    assert_eq!(inside[0].kind, Some(Kind::CwdMissing));
    let pane = format!("%{}", place(&inside[1]).pane.unwrap());
    assert_eq!(
        tmux.get(&pane, "#{window_id}"),
        tmux.get("main:0", "#{window_id}")
    );

    let outside = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": items }))
        .await;
    place(&outside[1]);
    let warnings = outside[1].warnings.clone().unwrap_or_default();
    assert!(
        warnings.iter().any(|warning| warning.contains("tab")),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn targets_are_split_exactly_or_said_to_be_gone() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let open = async |target: &SurfaceRef| {
        let items = json!([{ "command": ["cat"], "layout": "split-down", "target": target }]);
        bench
            .open(json!({ "items": items, "context": {} }))
            .await
            .remove(0)
    };
    let first = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": cats(1) }))
        .await;
    tmux.ok(&["new-window", "-t", "main:", "cat"]);
    let target = first[0].surface.clone().unwrap();
    let below = open(&target).await;
    assert_eq!(place(&below).window, place(&first[0]).window);
    let pane = format!("%{}", place(&below).pane.unwrap());
    assert_ne!(tmux.get(&pane, "#{pane_top}"), "0");

    let SurfaceRef::Tmux(stale) = &target else {
        panic!("{target}")
    };
    let stale = SurfaceRef::Tmux(TmuxPane {
        server: stale.server + 1,
        ..stale.clone()
    });
    assert_eq!(open(&stale).await.kind, Some(Kind::TargetGone));
    tmux.ok(&[
        "kill-pane",
        "-t",
        &format!("%{}", place(&first[0]).pane.unwrap()),
    ]);
    assert_eq!(open(&target).await.kind, Some(Kind::TargetGone));
}

#[tokio::test]
async fn a_zoomed_pane_and_one_that_is_too_small_are_no_failure() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    tmux.ok(&["split-window", "-t", "main:", "cat"]);
    tmux.ok(&["resize-pane", "-Z", "-t", "main:"]);
    let bench = Bench::new(&sandbox);
    let split = json!([{ "command": ["cat"], "layout": "split-right" }]);
    let zoomed = bench
        .open(json!({ "backend": "tmux", "context": tmux.context("main:"), "items": split }))
        .await;
    assert_eq!(
        format!("@{}", place(&zoomed[0]).window),
        tmux.get("main:0", "#{window_id}")
    );

    tmux.ok(&[
        "new-session",
        "-d",
        "-s",
        "tiny",
        "-x",
        "2",
        "-y",
        "2",
        "cat",
    ]);
    let tiny = bench
        .open(json!({ "backend": "tmux", "context": tmux.context("tiny:"), "items": split }))
        .await;
    assert_ne!(
        format!("@{}", place(&tiny[0]).window),
        tmux.get("tiny:0", "#{window_id}")
    );
    assert!(
        tiny[0]
            .warnings
            .as_ref()
            .is_some_and(|warnings| warnings[0].contains("space")),
        "{tiny:?}"
    );
}

#[tokio::test]
async fn the_focus_stays_where_it_is_wanted() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let before = tmux.get("main:", "#{pane_id}");
    let call = |focus: bool| json!({ "backend": "tmux", "focus": focus, "context": tmux.context("main:"), "items": cats(2) });
    bench.open(call(false)).await;
    assert_eq!(tmux.get("main:", "#{pane_id}"), before);
    let results = bench.open(call(true)).await;
    assert_eq!(
        tmux.get("main:", "#{pane_id}"),
        format!("%{}", place(&results[1]).pane.unwrap())
    );
}

#[tokio::test]
async fn titles_are_text() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let title = "a #{pid} #(touch pwn) b;";
    let items =
        json!([{ "command": ["cat"], "title": title }, { "command": ["cat"], "title": title }]);
    let results = bench
        .open(json!({ "backend": "tmux", "context": tmux.context("main:"), "items": items }))
        .await;
    let pane = |index: usize| format!("%{}", place(&results[index]).pane.unwrap());
    assert_eq!(tmux.get(&pane(0), "#{window_name}"), title);
    assert_eq!(tmux.get(&pane(1), "#{pane_title}"), title);
    assert!(!sandbox.cwd().join("pwn").exists());
}

#[tokio::test]
async fn hostile_configurations_of_tmux_change_nothing() {
    if !have("tmux") {
        return;
    }
    for (number, lines) in [
        "set -g base-index 1\nset -g pane-base-index 1\nset -g prefix None\nset -g prefix2 C-Space\n",
        "set -g remain-on-exit on\nset -g automatic-rename on\nset -g allow-rename on\nset -g default-command 'echo hijacked; cat'\n",
        "set -g default-shell /bin/false\nset-hook -g after-new-window 'rename-window renamed'\nset-hook -g after-split-window 'swap-pane -U'\nset -g renumber-windows on\n",
        "set -g command-alias[100] neww='new-window -c /nowhere'\nset -g command-alias[101] new-window='new-window -c /nowhere -n renamed'\nset -g command-alias[102] split-window='split-window -f -c /nowhere'\nset -g command-alias[103] new-session='new-session -c /nowhere'\nset -g update-environment ''\n",
    ]
    .into_iter()
    .enumerate()
    {
        let mut sandbox = Sandbox::new();
        let printargs = PrintArgs::install(&mut sandbox);
        std::fs::write(sandbox.home().join(".tmux.conf"), lines).unwrap();
        let tmux = Tmux::absent(&sandbox);
        let bench = Bench::new(&sandbox);
        let items: Vec<_> = (0..4)
            .map(|n| json!({ "command": [printargs.path(), format!("{number}-{n}"), "it's"], "cwd": "/", "env": { "SECRET": "s" } }))
            .collect();
        let results = bench
            .open(json!({ "backend": "tmux", "context": {}, "items": items }))
            .await;
        let places: Vec<_> = results.iter().map(place).collect();
        for n in 0..4 {
            let started = printargs.wait_for(&format!("{number}-{n}"));
            assert_eq!((started.words, started.secret, started.cwd), (vec!["it's".to_owned()], "s".to_owned(), "/".to_owned()));
        }
        assert_eq!(tmux.panes(), 4, "{number}");
        assert_eq!(places[0].window, places[1].window, "{number}");
        assert_eq!(places[2].window, places[3].window, "{number}");
        assert_ne!(places[0].window, places[2].window, "{number}");
        // The second call finds what the first has made.
        let params = json!({ "backend": "tmux", "context": {}, "items": cats(1) });
        place(&bench.open(params).await[0]);
        assert_eq!(tmux.ok(&["list-sessions", "-F", "#{session_name}"]), "surfaced", "{number}");
    }
}

#[tokio::test]
async fn tabs_of_a_session_that_nobody_sees_have_a_size_to_work_in_and_stay_when_somebody_looks() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let bench = Bench::new(&sandbox);
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": cats(4) }))
        .await;
    let places: Vec<_> = results.iter().map(place).collect();
    let panes: Vec<_> = places
        .iter()
        .map(|place| format!("%{}", place.pane.unwrap()))
        .collect();
    let sizes = || -> Vec<(u16, u16)> {
        panes
            .iter()
            .map(|pane| {
                // What the program itself is told.
                let tty = tmux.get(pane, "#{pane_tty}");
                let size =
                    rustix::termios::tcgetwinsize(std::fs::File::open(tty).unwrap()).unwrap();
                (size.ws_col, size.ws_row)
            })
            .collect()
    };
    let alone = sizes();
    assert!(
        alone.iter().all(|(cols, rows)| *cols >= 80 && *rows >= 24),
        "{alone:?}"
    );
    let mut look = sandbox.command("tmux");
    look.arg("-S")
        .arg(tmux.socket())
        .args(["attach", "-t", "=surfaced"]);
    let seen = Pty::start(&look, 40, 120);
    seen.shows("[surfaced");
    // Every window takes the size of who looks once it is looked at.
    for place in [&places[0], &places[2]] {
        tmux.ok(&["select-window", "-t", &format!("@{}", place.window)]);
        wait::until("the size of the window", || {
            let size = tmux.get(&format!("@{}", place.window), "#{window_width}");
            (size == "120").then_some(())
        });
    }
    for pair in panes.chunks(2) {
        let shape = |pane: &str| tmux.get(pane, "#{window_id} #{window_panes} #{pane_top}");
        assert_eq!(shape(&pair[0]), shape(&pair[1]));
        assert!(
            shape(&pair[0]).ends_with(" 2 0"),
            "side by side: {}",
            shape(&pair[0])
        );
    }
    wait::until("the size of every program", || {
        let now = sizes();
        now.iter()
            .all(|(cols, rows)| (58..=60).contains(cols) && *rows == 39)
            .then_some(())
    });
}
