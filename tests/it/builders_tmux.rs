//! Windows and panes in a real tmux.

use serde_json::{Value, json};

use surfaced::backend::batch::{self, Planned, Scene};
use surfaced::backend::{Act, Anchor, Done, Opened, Registry};
use surfaced::launch::plan::{self, Defaults};
use surfaced::launch::shell::Shell;
use surfaced::proto::launch::BuildParams;
use surfaced::proto::{Failure, Kind, Layout, SurfaceRef};

use crate::support::converse::converse;
use crate::support::env::have;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::words::{Person, Seen, WORDS};

fn planned(params: Value) -> Vec<Planned> {
    let params: BuildParams = serde_json::from_value(params).unwrap();
    let registry = Registry::default();
    let scene = Scene {
        registry: &registry,
        context: &params.context.unwrap_or_default(),
        availability: &std::collections::BTreeMap::new(),
        shell: &Shell::named(params.shell.as_deref().unwrap_or("bash")),
        handles: params.handles.unwrap_or(true),
        focus: true,
    };
    let defaults = Defaults {
        backend: params.backend.as_ref(),
        ..Defaults::default()
    };
    let requests = plan::requests(&params.items, &defaults).unwrap();
    batch::plan(&scene, requests)
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

/// Opens a whole batch one after the other, as `open` does.
fn open(person: &Person, params: Value) -> Vec<Result<Opened, Failure>> {
    let registry = Registry::default();
    let tmux = registry.get("tmux").unwrap().as_ref();
    let mut results: Vec<Result<Opened, Failure>> = Vec::new();
    for mut planned in planned(params) {
        let surfaces: Vec<_> = results
            .iter()
            .map(|result| {
                result
                    .as_ref()
                    .ok()
                    .and_then(|opened| opened.surface.clone())
            })
            .collect();
        batch::settle(tmux, &mut planned.job, &surfaces);
        planned.job.session = results
            .iter()
            .rev()
            .flatten()
            .find_map(|opened| opened.session.clone());
        if let Some(script) = &planned.draft.script {
            let path = person.launch_path();
            std::fs::write(&path, script).unwrap();
            planned.job.script = Some(path.display().to_string());
        }
        results.push(converse(&person.sandbox, tmux.open(&planned.job).unwrap()).0);
    }
    results
}

fn pane(opened: &Opened) -> (u32, String) {
    match &opened.surface {
        Some(SurfaceRef::Tmux(pane)) => (pane.server, format!("%{}", pane.pane.unwrap())),
        other => panic!("{other:?}"),
    }
}

fn seen(person: &Person) -> Seen {
    wait::until("printargs", || person.read())
}

#[test]
fn words_and_directories_arrive_byte_for_byte() {
    if !have("tmux") {
        return;
    }
    let person = Person::new();
    let _tmux = Tmux::start(&person.sandbox, "0");
    let mut name = "d;#(touch pwn)'\"$(touch pwn)`touch pwn`#[x] #{pid}".to_owned();
    for handles in [true, false] {
        for secret in [None, Some("s3cret 'x'")] {
            let dir = person.dir(&name);
            let words: Vec<_> = WORDS.iter().map(|word| (*word).to_owned()).collect();
            let command: Vec<_> = std::iter::once("printargs").chain(WORDS).collect();
            let mut item = json!({ "cwd": dir, "command": command });
            if let Some(secret) = secret {
                item["env"] = json!({ "SECRET": secret });
            }
            let _ = std::fs::remove_file(person.sandbox.root().join("seen"));
            let opened = open(
                &person,
                json!({ "backend": "tmux", "handles": handles, "items": [item] }),
            );
            assert!(opened[0].is_ok(), "{opened:?}");
            let expected = Seen {
                cwd: dir.display().to_string(),
                secret: secret.unwrap_or("rc").to_owned(),
                words,
            };
            assert_eq!(seen(&person), expected, "handles {handles}, {secret:?}");
            name.push(';');
        }
    }
}

#[test]
fn a_packed_batch_lands_in_the_tabs_of_its_own() {
    if !have("tmux") {
        return;
    }
    let person = Person::new();
    let tmux = Tmux::start(&person.sandbox, "0");
    tmux.ok(&["set", "-g", "base-index", "1"]);
    tmux.ok(&["set", "-g", "pane-base-index", "1"]);
    let caller = tmux.get("0:", "#{pane_id}");
    let env = json!({ "TMUX": tmux.env_of(&caller), "TMUX_PANE": caller });
    let items: Vec<_> = (0..5).map(|_| json!({ "command": ["cat"] })).collect();
    let opened = open(
        &person,
        json!({ "backend": "tmux", "context": { "env": env }, "items": items }),
    );
    let windows: Vec<_> = opened
        .iter()
        .map(|opened| {
            let opened = opened.as_ref().unwrap();
            assert_eq!(opened.warnings, Vec::<String>::new());
            let (server, pane) = pane(opened);
            assert_eq!(server, tmux.pid());
            assert_eq!(
                tmux.get(&pane, "#{pane_pid}"),
                opened.pid.unwrap().to_string()
            );
            tmux.get(&pane, "#{window_id}")
        })
        .collect();
    assert_eq!((&windows[0], &windows[2]), (&windows[1], &windows[3]));
    let own = tmux.get(&caller, "#{window_id}");
    let mut distinct = vec![
        own,
        windows[0].clone(),
        windows[2].clone(),
        windows[4].clone(),
    ];
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), 4);
}

#[test]
fn where_no_server_runs_a_session_is_made_and_told() {
    if !have("tmux") {
        return;
    }
    let person = Person::new();
    let tmux = Tmux::absent(&person.sandbox);
    let items = json!([{ "command": ["cat"] }, { "command": ["cat"], "title": "two" }, { "command": ["cat"], "title": "three#" }]);
    let opened = open(&person, json!({ "backend": "tmux", "items": items }));
    let attach = format!("tmux -S {} attach -t surfaced", tmux.socket().display());
    for opened in &opened {
        let opened = opened.as_ref().unwrap();
        assert_eq!(opened.attach.as_deref(), Some(attach.as_str()));
    }
    assert_eq!(
        tmux.ok(&["list-sessions", "-F", "#{session_name}"]),
        "surfaced"
    );
    let (_, second) = pane(opened[1].as_ref().unwrap());
    let (_, third) = pane(opened[2].as_ref().unwrap());
    assert_eq!(tmux.get(&second, "#{pane_title}"), "two");
    assert_eq!(tmux.get(&third, "#{window_name}"), "three#");
}

#[test]
fn places_that_vanished_are_worked_around_or_told() {
    if !have("tmux") {
        return;
    }
    let person = Person::new();
    let tmux = Tmux::start(&person.sandbox, "main");
    let caller = tmux.get("main:", "#{pane_id}");
    let env = json!({ "TMUX": tmux.env_of(&caller), "TMUX_PANE": caller });
    let context = json!({ "env": env });

    // The caller's pane was moved to another session and its first one has ended.
    tmux.ok(&["new-session", "-d", "-s", "other", "cat"]);
    tmux.ok(&["move-window", "-s", "main:", "-t", "other:"]);
    let moved = open(
        &person,
        json!({ "backend": "tmux", "context": context, "items": [{ "command": ["cat"] }] }),
    );
    let (server, pane_id) = pane(moved[0].as_ref().unwrap());
    assert_eq!(tmux.get(&pane_id, "#{session_name}"), "other");

    // A target that is gone, and one of a server that has ended since.
    let socket = tmux.socket();
    for target in [
        format!("tmux:{server}.@1.%999;socket={}", socket.display()),
        format!(
            "tmux:1.@0{};socket={}",
            pane_id.replace('%', ".%"),
            socket.display()
        ),
    ] {
        let item = json!({ "command": ["cat"], "layout": "split-right", "target": target });
        let opened = open(&person, json!({ "backend": "tmux", "items": [item] }));
        assert_eq!(
            opened[0].as_ref().unwrap_err().kind(),
            Kind::TargetGone,
            "{target}"
        );
    }

    // An anchor of the batch that was closed, and a pane without space.
    let params = json!({ "backend": "tmux", "context": context, "items": [{ "command": ["cat"] }, { "command": ["cat"] }] });
    let registry = Registry::default();
    let backend = registry.get("tmux").unwrap();
    let mut job = planned(params).pop().unwrap().job;
    assert_eq!(job.layout, Layout::SplitRight);
    job.anchor = Anchor::Opened(
        format!("tmux:{server}.@1.%999;socket={}", socket.display())
            .parse()
            .unwrap(),
    );
    let opened = converse(&person.sandbox, backend.open(&job).unwrap())
        .0
        .unwrap();
    assert_eq!(opened.warnings.len(), 1, "{opened:?}");

    job.anchor = Anchor::Opened(opened.surface.unwrap());
    let mut warnings = 0;
    for _ in 0..12 {
        let opened = converse(&person.sandbox, backend.open(&job).unwrap())
            .0
            .unwrap();
        warnings += opened.warnings.len();
        if warnings > 0 {
            break;
        }
    }
    assert_eq!(warnings, 1, "a pane has no endless space");
}

#[test]
fn verbs_reach_their_pane_and_no_other() {
    if !have("tmux") {
        return;
    }
    let person = Person::new();
    let tmux = Tmux::start(&person.sandbox, "main");
    let opened = open(
        &person,
        json!({ "backend": "tmux", "items": [{ "command": ["cat"] }, { "command": ["cat"] }] }),
    );
    let surfaces: Vec<_> = opened
        .into_iter()
        .map(|opened| opened.unwrap().surface.unwrap())
        .collect();
    let registry = Registry::default();
    let backend = registry.get("tmux").unwrap();
    let act = |surface: &SurfaceRef, act: Act| {
        converse(&person.sandbox, backend.act(surface, &act).unwrap()).0
    };
    let inject = Act::Inject {
        text: "Enter;".into(),
        enter: true,
        combined: false,
    };
    assert_eq!(act(&surfaces[0], inject), Ok(Done::Writes(2)));
    wait::until("the text and its echo", || {
        let text = act(&surfaces[0], Act::Capture(None)).unwrap();
        (text == Done::Text("Enter;\nEnter;\n".into())).then_some(())
    });
    assert_eq!(
        act(&surfaces[1], Act::Capture(None)),
        Ok(Done::Text(String::new()))
    );
    assert_eq!(act(&surfaces[0], Act::Focus), Ok(Done::Nothing));
    assert_eq!(act(&surfaces[0], Act::Close), Ok(Done::Nothing));
    let gone = act(&surfaces[0], Act::Keys(vec!["C-d".into()])).unwrap_err();
    assert_eq!(gone.kind(), Kind::TargetGone);
    let listed = converse(&person.sandbox, backend.list().unwrap())
        .0
        .unwrap();
    assert!(listed.iter().any(|info| info.surface == surfaces[1]));
    assert!(!listed.iter().any(|info| info.surface == surfaces[0]));
    drop(tmux);
    wait::until("an empty list where no server runs", || {
        let listed = converse(&person.sandbox, backend.list().unwrap()).0;
        (listed == Ok(Vec::new())).then_some(())
    });
}
