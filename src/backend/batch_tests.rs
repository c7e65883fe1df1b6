//! Whole calls: places, warnings, and the commands of the launch engine to the letter.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::*;
use crate::launch::length::LONGEST_WORD;
use crate::launch::plan::{self as packing, Defaults};
use crate::proto::launch::BuildParams;

fn planned(params: &Value) -> Vec<Result<Planned, Failure>> {
    let params: BuildParams = serde_json::from_value(params.clone()).unwrap();
    let registry = Registry::default();
    let shell = params
        .shell
        .as_ref()
        .map_or_else(Shell::default, |shell| Shell::named(shell));
    let requests = packing::requests(
        &params.items,
        &Defaults {
            backend: params.backend.as_ref(),
            host: params.host.as_ref(),
            packing: params.packing.unwrap_or_default(),
        },
    );
    let scene = Scene {
        registry: &registry,
        context: &params.context.unwrap_or_default(),
        availability: &BTreeMap::new(),
        shell: &shell,
        handles: params.handles.unwrap_or(true),
        focus: true,
    };
    plan(&scene, requests.unwrap())
}

fn specs(params: &Value) -> Vec<Spec> {
    planned(params)
        .into_iter()
        .map(|planned| planned.unwrap().into_spec(&SshLine::default()))
        .collect()
}

const IN_TMUX: &str = "/tmp/tmux-0/default,812,3";

#[test]
fn the_launch_engines_commands_come_out_to_the_letter() {
    let golden: Value =
        serde_json::from_str(include_str!("../../schema/golden/seed-commands.json")).unwrap();
    let commands = golden["commands"].as_object().unwrap();
    for (backend, layouts) in commands {
        for (layout, argv) in layouts.as_object().unwrap() {
            let specs = specs(&json!({
                "backend": backend, "handles": false, "context": {},
                "items": [{ "cwd": "/x/y", "layout": layout, "command": ["claude@2.1.187", "--resume", "cad0e546"] }],
            }));
            assert_eq!(&json!(specs[0].argv), argv, "{backend} {layout}");
            assert_eq!(
                (&specs[0].slots, &specs[0].otherwise, &specs[0].env),
                (&None, &None, &None)
            );
        }
    }
}

#[test]
fn a_split_goes_to_its_target_else_to_the_batch_else_to_the_caller_else_becomes_a_tab() {
    let item = |layout: &str| json!({ "command": ["x"], "layout": layout });
    let env = json!({ "TMUX": IN_TMUX, "TMUX_PANE": "%9" });
    let targeted = json!({
        "command": ["x"], "layout": "split-down", "target": "tmux:5.@1.%2;socket=/t/s",
    });
    let params = json!({
        "backend": "tmux", "context": { "env": env },
        "items": [item("split-right"), item("tab"), item("split-right"), targeted],
    });
    let words = |spec: &Spec| {
        let at = spec.argv.iter().position(|word| word == "-t").unwrap();
        (spec.argv[3].clone(), spec.argv[at + 1].clone())
    };
    let places: Vec<_> = specs(&params).iter().map(words).collect();
    let socket = "/tmp/tmux-0/default".to_owned();
    assert_eq!(
        places,
        [
            (socket.clone(), "%9".to_owned()),
            (socket.clone(), "$3:".to_owned()),
            (socket, "{surface:1}".to_owned()),
            ("/t/s".to_owned(), "%2".to_owned()),
        ]
    );

    let alone =
        planned(&json!({ "backend": "tmux", "context": {}, "items": [item("split-right")] }));
    let alone = alone.into_iter().next().unwrap().unwrap();
    assert_eq!(alone.job.layout, Layout::Tab);
    assert_eq!(alone.draft.warnings.len(), 1, "{:?}", alone.draft.warnings);
}

#[test]
fn a_split_settles_beside_the_nearest_surface_that_did_open() {
    let params = json!({ "backend": "tmux", "context": {}, "items": [{}, {}, {}, {}] });
    let mut job = planned(&params).pop().unwrap().unwrap().job;
    assert_eq!(job.anchor, Anchor::Earlier(2));
    let surface: SurfaceRef = "tmux:5.@1.%2;socket=/t/s".parse().unwrap();
    let registry = Registry::default();
    let tmux = registry.get("tmux").unwrap().as_ref();
    let mut alone = job.clone();
    assert_eq!(
        settle(tmux, &mut job, &[Some(surface.clone()), None, None]),
        None
    );
    assert_eq!(job.anchor, Anchor::Opened(surface));
    assert!(settle(tmux, &mut alone, &[None, None, None]).is_some());
    assert_eq!((alone.anchor, alone.layout), (Anchor::None, Layout::Tab));
}

#[test]
fn a_host_gets_nothing_of_the_callers_environment() {
    let specs = specs(&json!({
        "host": "zion",
        "context": { "env": { "TMUX": IN_TMUX, "TMUX_PANE": "%9" }, "cwd": "/here" },
        "items": [{ "command": ["a b"] }],
    }));
    let line = specs[0].argv.join(" ");
    assert!(
        !line.contains("/tmp/tmux-0") && !line.contains("/here"),
        "{line}"
    );
    assert!(line.contains("{session}:"), "{line}");
    assert!(
        matches!(&specs[0].transport, crate::proto::launch::Transport::Ssh { host, .. } if host == "zion")
    );
}

#[test]
fn slots_are_named_and_the_same_text_of_a_caller_is_data() {
    let specs = specs(&json!({
        "backend": "tmux", "context": {},
        "items": [{ "command": ["{script}", "{session}"], "title": "{surface:0}", "env": { "A": "s3cret" } }],
    }));
    let spec = serde_json::to_value(&specs[0]).unwrap();
    let last = specs[0].argv.len() - 1;
    assert_eq!(specs[0].argv[last], "{script}");
    assert_eq!(
        spec["slots"],
        json!([{ "at": 4, "text": "{session}" }, { "at": last, "text": "{script}" }])
    );
    assert_eq!(
        specs[0].otherwise.as_ref().unwrap().last().unwrap(),
        "{script}"
    );
    assert!(
        specs[0]
            .script
            .as_ref()
            .unwrap()
            .contains("export A='s3cret'")
    );
    assert!(!specs[0].argv.join(" ").contains("s3cret") && !specs[0].display.contains("s3cret"));
}

#[test]
fn what_no_backend_can_do_is_refused_by_itself() {
    let kinds = |params: &Value| -> Vec<_> {
        planned(params)
            .into_iter()
            .map(|planned| planned.err().map(|failure| failure.kind()))
            .collect()
    };
    let params = json!({
        "backend": "tmux", "context": {},
        "items": [
            { "command": ["x"] },
            { "command": ["x"], "host": "-oProxyCommand=x" },
            { "command": ["x", "y".repeat(LONGEST_WORD + 1)] },
            { "command": ["x"], "layout": "split-right", "target": "iterm::9F" },
            { "command": ["x"], "layout": "split-right", "target": "tmux:1.@2.%3;socket=/t;host=far", "host": "near" },
        ],
    });
    assert_eq!(
        kinds(&params),
        [
            None,
            Some(Kind::HostInvalid),
            Some(Kind::SpawnFailed),
            Some(Kind::InvalidParams),
            Some(Kind::InvalidParams),
        ]
    );
    assert_eq!(
        kinds(&json!({ "backend": "nope", "items": [{}] })),
        [Some(Kind::BackendUnknown)]
    );
}

#[test]
fn long_lines_travel_in_a_script() {
    let specs = specs(&json!({
        "backend": "tmux", "context": {}, "items": [{ "command": ["x", "y".repeat(20_000)] }],
    }));
    assert_eq!(specs[0].argv.last().unwrap(), "{script}");
    assert!(specs[0].argv.iter().map(String::len).sum::<usize>() < 1000);
}
