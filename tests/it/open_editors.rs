//! The extension of an editor that is found in the person's home is the one whose URL the editor is handed.

use std::collections::BTreeMap;

use serde_json::json;
use surfaced::backend::Registry;
use surfaced::backend::batch::{self, Scene};
use surfaced::launch::plan::{self, Defaults};
use surfaced::launch::shell::Shell;
use surfaced::proto::open::OpenAnswer;
use surfaced::proto::{Context, Kind};
use surfaced::service::open::Question;

use crate::support::converse::converse;
use crate::support::env::Sandbox;
use crate::support::opening::Bench;

/// Writes down what it is told.
const CODIUM: &str = "#!/bin/sh\nprintf '%s\\n' \"$*\" >>\"$HOME/told\"\n";

/// A home with `codium` on PATH and these extensions.
fn with(extensions: &[&str]) -> Sandbox {
    let mut sandbox = Sandbox::new();
    let bin = sandbox.script("codium", CODIUM);
    sandbox.prepend_path(&bin);
    for name in extensions {
        let dir = sandbox.home().join(".vscode-oss/extensions").join(name);
        std::fs::create_dir_all(dir).unwrap();
    }
    sandbox
}

#[tokio::test]
async fn the_editor_is_handed_the_url_of_the_extension_that_is_there() {
    for (there, used) in [
        (&["surfaced.surfaced-0.1.0"][..], "surfaced.surfaced"),
        (&["swarmify.swarm-ext-1.2.3"], "swarmify.swarm-ext"),
        (
            &["surfaced.surfaced-0.1.0", "swarmify.swarm-ext-1.2.3"],
            "swarmify.swarm-ext",
        ),
    ] {
        let sandbox = with(there);
        let bench = Bench::new(&sandbox);
        let params =
            json!({ "backend": "vscodium-agent", "items": [{ "cwd": "/", "command": ["cat"] }] });
        let url = format!("vscodium://{used}/spawn?p=");

        let mut dry = params.clone();
        dry["dryRun"] = true.into();
        let Ok(OpenAnswer::Specs(built)) = bench.try_open(dry).await else {
            panic!("{there:?}: no specs");
        };
        assert!(
            built.specs[0].argv[2].starts_with(&url),
            "{there:?}: {built:?}"
        );
        let params_of_build = serde_json::from_value(params.clone()).unwrap();
        let built = bench.opener.build(params_of_build, None).await.unwrap();
        assert!(
            built.specs[0].argv[2].starts_with(&url),
            "{there:?}: {built:?}"
        );

        let results = bench.open(params.clone()).await;
        assert!(results[0].ok, "{there:?}: {results:?}");
        let told = std::fs::read_to_string(sandbox.home().join("told")).unwrap();
        let expected = format!("--open-url {url}");
        assert!(told.starts_with(&expected), "{there:?}: {told}");
        assert_eq!(told.lines().count(), 1, "{there:?}: {told}");
    }
}

#[tokio::test]
async fn a_context_says_nothing_of_extensions_so_the_url_is_the_known_one() {
    let sandbox = with(&["surfaced.surfaced-0.1.0"]);
    let bench = Bench::new(&sandbox);
    let params = json!({ "backend": "vscodium-agent", "context": { "env": {} }, "items": [{}] });
    let params = serde_json::from_value(params).unwrap();
    let built = bench.opener.build(params, None).await.unwrap();
    let url = &built.specs[0].argv[2];
    assert!(url.starts_with("vscodium://swarmify.swarm-ext/"), "{url}");
}

#[tokio::test]
async fn an_editor_without_any_is_refused_with_both_names() {
    let sandbox = with(&["someone.else-1.0"]);
    let bench = Bench::new(&sandbox);
    let results = bench
        .open(json!({ "backend": "vscodium-agent", "items": [{}] }))
        .await;
    assert_eq!(results[0].kind, Some(Kind::BackendUnavailable));
    for text in [&results[0].error, &results[0].hint] {
        let text = text.as_deref().unwrap_or_default();
        assert!(
            text.contains("swarmify.swarm-ext or surfaced.surfaced"),
            "{results:?}"
        );
    }
}

#[tokio::test]
async fn what_was_seen_of_the_chosen_terminal_is_known_too() {
    let sandbox = with(&["surfaced.surfaced-0.1.0"]);
    let bench = Bench::new(&sandbox);
    let question = Question {
        caller: None,
        context: None,
        named: Vec::new(),
        choose: true,
        confirm: false,
    };
    let place = bench.surfaces.whereabouts.look(question).await.unwrap();
    let chosen = place.choice.unwrap().backend.unwrap();
    let answer = &place.availability[&chosen];
    assert!(answer.available, "{chosen}: {answer:?}");
    assert_eq!(place.availability.len(), 1);
}

#[test]
fn a_host_is_looked_at_when_its_editor_is_told() {
    for (there, used) in [
        (&["surfaced.surfaced-0.1.0"][..], Some("surfaced.surfaced")),
        (
            &["surfaced.surfaced-0.1.0", "swarmify.swarm-ext-1.2.3"],
            Some("swarmify.swarm-ext"),
        ),
        (&[], None),
    ] {
        let sandbox = with(there);
        let registry = Registry::default();
        let scene = Scene {
            registry: &registry,
            context: &Context::default(),
            availability: &BTreeMap::new(),
            shell: &Shell::default(),
            handles: true,
            focus: true,
        };
        let items = serde_json::from_value(json!([{ "host": "zion", "command": ["cat"] }]));
        let id = "vscodium-agent".into();
        let defaults = Defaults {
            backend: Some(&id),
            ..Defaults::default()
        };
        let items: Vec<_> = items.unwrap();
        let requests = plan::requests(&items, &defaults).unwrap();
        let job = batch::plan(&scene, requests).remove(0).unwrap().job;
        let editor = registry.named(&id).unwrap();
        let (opened, ran) = converse(&sandbox, editor.open(&job).unwrap());
        let Some(used) = used else {
            assert_eq!(opened.unwrap_err().kind(), Kind::BackendUnavailable);
            assert_eq!(ran.len(), 1, "the editor was told: {ran:?}");
            continue;
        };
        opened.unwrap();
        let url = format!("vscodium://{used}/spawn?p=");
        assert!(ran[1][2].starts_with(&url), "{there:?}: {ran:?}");
    }
}
