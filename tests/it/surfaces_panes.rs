//! Panes of a real tmux that are not just a program that reads: dead ones, ones that are typed into together, ones in a mode.

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use surfaced::proto::surfaces::Or;
use surfaced::proto::{Failure, Kind, SurfaceRef};

use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::surfaces_tmux::{Dump, inject, reference};

async fn press(bench: &Bench, surface: &SurfaceRef, keys: &[&str]) -> Result<(), Failure> {
    let params = json!({ "surface": surface, "keys": keys });
    match bench
        .surfaces
        .keys(serde_json::from_value(params).unwrap())
        .await?
    {
        Or::Done(_) => Ok(()),
        Or::Shown(spec) => panic!("{spec:?}"),
    }
}

#[tokio::test]
async fn what_is_sent_to_a_dead_pane_is_refused_and_its_server_lives() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    tmux.ok(&["set-option", "-g", "-w", "remain-on-exit", "on"]);
    let new = |command: &str| {
        tmux.ok(&[
            "new-window",
            "-d",
            "-t",
            "main:",
            "-P",
            "-F",
            "#{pane_id}",
            command,
        ])
    };
    let dead = new("exit 3");
    wait::until("the end", || {
        (tmux.get(&dead, "#{pane_dead}") == "1").then_some(())
    });
    // A pane that never had a program is dead as well.
    let empty = tmux.ok(&[
        "split-window",
        "-d",
        "-t",
        &dead,
        "-P",
        "-F",
        "#{pane_id}",
        "",
    ]);
    let server = tmux.pid();
    for pane in [&dead, &empty] {
        let surface = reference(&tmux, pane);
        for combined in [false, true] {
            let params = json!({ "surface": surface, "text": "hi", "combined": combined });
            let failure = inject(&bench, params).await.unwrap_err();
            assert_eq!(failure.kind(), Kind::TargetGone, "{failure}");
            assert!(
                failure.message.contains("its program has ended"),
                "{failure}"
            );
        }
        let failure = press(&bench, &surface, &["y", "Enter"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::TargetGone, "{failure}");
    }
    assert_eq!(tmux.pid(), server);
    assert_eq!(tmux.ok(&["list-buffers"]), "");

    // A pane whose input a person switched off takes nothing, and tmux says nothing of it.
    let dump = Dump::start(&sandbox, &tmux, "off");
    tmux.ok(&["select-pane", "-d", "-t", &dump.pane]);
    let typed = inject(&bench, json!({ "surface": dump.surface, "text": "hi" })).await;
    let pressed = press(&bench, &dump.surface, &["y"]).await;
    for failure in [typed.unwrap_err(), pressed.unwrap_err()] {
        assert_eq!(failure.kind(), Kind::NotSupported, "{failure}");
    }
    tmux.ok(&["select-pane", "-e", "-t", &dump.pane]);
    press(&bench, &dump.surface, &["z"]).await.unwrap();
    dump.expect(b"z");
    assert_eq!(tmux.ok(&["list-buffers"]), "");
}

#[tokio::test]
async fn a_pane_that_is_typed_into_with_others_gets_it_alone() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let (one, other) = (
        Dump::start(&sandbox, &tmux, "a"),
        Dump::start(&sandbox, &tmux, "b"),
    );
    tmux.ok(&["join-pane", "-d", "-s", &other.pane, "-t", &one.pane]);
    let one = Dump {
        surface: reference(&tmux, &one.pane),
        ..one
    };
    let mut expected = Vec::new();
    // What is set, and where: for the pane itself, for the window, for all windows.
    for (own, window, global) in [
        (None, Some("on"), "off"),
        (Some("on"), Some("on"), "off"),
        (Some("on"), Some("off"), "off"),
        (None, None, "on"),
        (Some("off"), Some("on"), "off"),
    ] {
        let set = |scope: &str, value: Option<&str>| {
            let unset = [scope, "-u", "synchronize-panes"];
            let value = value.map(|value| [scope, "synchronize-panes", value]);
            let mut args = vec!["set-option", "-t", one.pane.as_str()];
            args.extend(value.unwrap_or(unset));
            tmux.ok(&args);
        };
        set("-p", own);
        set("-w", window);
        tmux.ok(&["set-option", "-g", "-w", "synchronize-panes", global]);
        inject(&bench, json!({ "surface": one.surface, "text": "hello" }))
            .await
            .unwrap();
        press(&bench, &one.surface, &["y", ";", "Enter"])
            .await
            .unwrap();
        expected.extend_from_slice(b"hello\ry;\r");
        one.expect(&expected);
        let shown = |scope: &str| {
            tmux.ok(&[
                "show-options",
                scope,
                "-q",
                "-v",
                "-t",
                &one.pane,
                "synchronize-panes",
            ])
        };
        let case = format!("{own:?} {window:?} {global}");
        assert_eq!(shown("-p"), own.unwrap_or_default(), "{case}");
        assert_eq!(shown("-w"), window.unwrap_or_default(), "{case}");
    }
    tmux.ok(&["set-option", "-g", "-w", "synchronize-panes", "off"]);
    press(&bench, &other.surface, &["!"]).await.unwrap();
    other.expect(b"!");
}

#[tokio::test]
async fn a_pane_in_any_mode_gets_all_of_it() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let dump = Dump::start(&sandbox, &tmux, "a");
    let mut expected = Vec::new();
    for mode in ["clock-mode", "choose-tree", "copy-mode", "customize-mode"] {
        tmux.ok(&[mode, "-t", &dump.pane]);
        assert_eq!(tmux.get(&dump.pane, "#{pane_in_mode}"), "1", "{mode}");
        let done = inject(&bench, json!({ "surface": dump.surface, "text": "rm x" })).await;
        assert_eq!(done, Ok(2), "{mode}");
        expected.extend_from_slice(b"rm x\r");
        tmux.ok(&[mode, "-t", &dump.pane]);
        press(&bench, &dump.surface, &["q"]).await.unwrap();
        expected.push(b'q');
        dump.expect(&expected);
    }
}

#[tokio::test]
async fn every_key_arrives_as_its_sequence_or_is_refused() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let dump = Dump::start(&sandbox, &tmux, "keys");
    let names = [
        "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "KPEnter", "Up", "Left", "NPage",
        "PgUp", "IC", "Delete", "F1", "F5", "F12", "a", "Z", "1", "2", ";", "~", "^", "?", "/",
        "@", "[", "\\", "-", ",", ".", "!", "`", "'", "é", "{", "}", "#", "$",
    ];
    let (mut keys, mut expected) = (Vec::new(), Vec::new());
    let mut refused = 0;
    for name in names {
        for modifiers in ["", "C-", "M-", "S-", "C-M-", "C-S-", "M-S-", "M-C-S-"] {
            let key = format!("{modifiers}{name}");
            if surfaced::tmux::Key::parse(&key).is_err() {
                let failure = press(&bench, &dump.surface, &[&key]).await.unwrap_err();
                assert_eq!(failure.data.path.as_deref(), Some("keys[0]"), "{key}");
                refused += 1;
                continue;
            }
            // C-- is what terminals send for C-_.
            let sent = if name == "-" && modifiers.contains("C-") {
                format!("{modifiers}_")
            } else {
                key.clone()
            };
            let bytes = surfaced::screen::key(&sent, false);
            expected.extend(bytes.unwrap_or_else(|| panic!("{key} has no bytes")));
            keys.push(key);
        }
    }
    assert!(refused > 100 && keys.len() > 100, "{refused} {keys:?}");
    for some in keys.chunks(40) {
        let some: Vec<_> = some.iter().map(String::as_str).collect();
        press(&bench, &dump.surface, &some).await.unwrap();
    }
    dump.expect(&expected);
}

#[tokio::test]
async fn slow_a_server_that_does_not_answer_is_not_taken_for_gone() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let pane = tmux.get("main", "#{pane_id}");
    let surface = reference(&tmux, &pane);
    let server = Pid::from_raw(tmux.pid().cast_signed()).unwrap();
    kill_process(server, Signal::STOP).unwrap();
    let params = json!({ "surface": surface });
    let item = json!({ "command": ["cat"], "layout": "split-right", "target": surface });
    let timed = json!({ "surface": surface, "timeoutMs": 0 });
    let (named, all) = (json!({ "backend": "tmux" }), json!({}));
    let list = |params| {
        bench
            .surfaces
            .list(serde_json::from_value(params).unwrap(), None)
    };
    let (opened, closed, waited, named, all) = tokio::join!(
        bench.open(json!({ "backend": "tmux", "context": {}, "items": [item] })),
        bench
            .surfaces
            .close(serde_json::from_value(params).unwrap()),
        bench.surfaces.wait(serde_json::from_value(timed).unwrap()),
        list(named),
        list(all),
    );
    kill_process(server, Signal::CONT).unwrap();
    assert_eq!(opened[0].kind, Some(Kind::StateUnknown), "{opened:?}");
    let closed = closed.unwrap_err();
    assert_eq!(closed.kind(), Kind::StateUnknown, "{closed}");
    assert!(closed.message.starts_with("it is not known"), "{closed}");
    assert!(closed.data.hint.is_some());
    assert_eq!(waited.unwrap_err().kind(), Kind::StateUnknown);
    assert_eq!(named.unwrap_err().kind(), Kind::StateUnknown);
    // Its panes are left out, and that is said; terminals that are not here are no loss.
    let warnings = all.unwrap().warnings.unwrap_or_default();
    assert!(
        matches!(warnings.as_slice(), [one] if one.starts_with("surfaces of tmux may be left out: ")),
        "{warnings:?}"
    );
}

#[tokio::test]
async fn a_socket_that_does_not_lead_to_the_server_proves_nothing_of_a_surface() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let surface = reference(&tmux, &tmux.get("main", "#{pane_id}"));
    let server = tmux.pid();
    let acts = async || {
        let text = json!({ "surface": surface, "text": "hi" });
        let (read, shown, closed) = (
            json!({ "surface": surface }),
            json!({ "surface": surface }),
            json!({ "surface": surface }),
        );
        let now = json!({ "surface": surface, "timeoutMs": 0 });
        let service = &bench.surfaces;
        let (typed, pressed, read, shown, closed, waited) = tokio::join!(
            inject(&bench, text),
            press(&bench, &surface, &["Enter"]),
            service.capture(serde_json::from_value(read).unwrap()),
            service.focus(serde_json::from_value(shown).unwrap()),
            service.close(serde_json::from_value(closed).unwrap()),
            service.wait(serde_json::from_value(now).unwrap()),
        );
        [
            typed.err(),
            pressed.err(),
            read.err(),
            shown.err(),
            closed.err(),
            waited.err(),
        ]
        .map(|failure| failure.expect("it cannot be reached"))
    };
    let (socket, aside) = (tmux.socket(), tmux.socket().with_extension("aside"));
    std::fs::rename(&socket, &aside).unwrap();
    for failure in acts().await {
        assert_eq!(failure.kind(), Kind::StateUnknown, "{failure}");
        assert!(failure.data.hint.is_some(), "{failure}");
    }
    // Another server has the socket, and a pane with the same number.
    tmux.ok(&["-f", "/dev/null", "new-session", "-d", "-s", "mine", "cat"]);
    for failure in acts().await {
        assert_eq!(failure.kind(), Kind::StateUnknown, "{failure}");
    }
    tmux.ok(&["kill-server"]);
    std::fs::rename(&aside, &socket).unwrap();
    tmux.ok(&["kill-server"]);
    wait::until("the server to end", || {
        (!std::path::Path::new(&format!("/proc/{server}")).exists()).then_some(())
    });
    for failure in acts().await {
        assert_eq!(failure.kind(), Kind::TargetGone, "{failure}");
    }
}
