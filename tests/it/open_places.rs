//! Where surfaces land: in the caller's session, beside their own batch, and in nobody else's way.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use surfaced::proto::open::{OpenResult, Started};
use surfaced::proto::{Kind, SurfaceRef, TmuxPane};

use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
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
