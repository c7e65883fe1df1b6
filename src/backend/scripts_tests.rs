//! The commands of the default form as they are shown to people, one file for each terminal, and what may never be in them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::backend::batch::{self, Planned, Scene};
use crate::backend::{Act, Registry};
use crate::config::{Config, TerminalTabs};
use crate::launch::plan::{self, Defaults};
use crate::launch::shell::Shell;
use crate::launch::ssh_line::SshLine;
use crate::proto::launch::BuildParams;
use crate::proto::{Kind, Spec, SurfaceRef};

fn planned(params: &Value, tabs: TerminalTabs) -> Vec<Planned> {
    let params: BuildParams = serde_json::from_value(params.clone()).unwrap();
    let scene = Scene {
        registry: &Registry::new(&Config {
            terminal_tabs: tabs,
            ..Config::default()
        }),
        context: &params.context.unwrap_or_default(),
        availability: &BTreeMap::new(),
        shell: &Shell::default(),
        handles: true,
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

fn shown_specs(planned: Vec<Planned>) -> Vec<Spec> {
    let ssh = SshLine::default();
    let specs = planned.into_iter().map(|planned| planned.into_spec(&ssh));
    specs.collect()
}

fn specs(params: &Value, tabs: TerminalTabs) -> Vec<Spec> {
    shown_specs(planned(params, tabs))
}

/// Script and trailing words, readable.
fn shown(argv: &[String]) -> String {
    let mut lines = vec![argv[2].clone()];
    lines.extend(
        argv[3..]
            .iter()
            .enumerate()
            .map(|(index, word)| format!("-- item {}: {word}", index + 1)),
    );
    lines.join("\n") + "\n"
}

#[test]
fn scripts_for_macos_as_a_person_reads_them() {
    for (backend, tabs, name) in [
        ("iterm", TerminalTabs::Never, "iterm"),
        ("ghostty", TerminalTabs::Never, "ghostty"),
        ("terminal", TerminalTabs::Never, "terminal"),
        ("terminal", TerminalTabs::SystemEvents, "terminal-tabs"),
    ] {
        let items = ["tab", "split-right", "window"].map(|layout| {
            json!({ "cwd": "/x/y", "command": ["claude"], "layout": layout, "title": "a \"title\"" })
        });
        let specs = specs(
            &json!({ "backend": backend, "context": {}, "items": items }),
            tabs,
        );
        let text: Vec<_> = specs.iter().map(|spec| shown(&spec.argv)).collect();
        insta::assert_snapshot!(name, text.join("\n"));
    }
}

#[test]
fn verbs_for_macos_as_a_person_reads_them() {
    let registry = Registry::default();
    for surface in [
        "iterm::9F3A-12",
        "ghostty::9F3A-12",
        "terminal::/dev/ttys012",
    ] {
        let surface: SurfaceRef = surface.parse().unwrap();
        let backend = registry.get(surface.backend()).unwrap();
        let inject = Act::Inject {
            text: "-e \"x\"".into(),
            enter: true,
            combined: false,
        };
        let mut text = Vec::new();
        for act in [
            inject,
            Act::Keys(vec!["C-c".into()]),
            Act::Capture(None),
            Act::Focus,
            Act::Close,
        ] {
            text.push(match backend.steps(&surface, &act) {
                Ok(steps) => steps
                    .iter()
                    .map(|step| shown(&step.argv))
                    .collect::<Vec<_>>()
                    .join("\n"),
                Err(failure) => {
                    assert_eq!(failure.kind(), Kind::NotSupported);
                    format!("{failure}\n")
                }
            });
        }
        insta::assert_snapshot!(format!("{}-verbs", surface.backend()), text.join("\n"));
    }
}

#[test]
fn nothing_of_a_caller_is_in_a_script() {
    let evil = "x\" & do shell script \"touch pwn";
    for backend in ["iterm", "ghostty", "terminal"] {
        let params = json!({
            "backend": backend,
            "context": { "env": { "TERM_PROGRAM": "iTerm.app", "ITERM_SESSION_ID": format!("w0t0p0:{evil}") } },
            "items": [
                { "cwd": format!("/{evil}"), "command": [evil], "title": evil, "layout": "split-right" },
                { "cwd": format!("/{evil}"), "shellCommand": evil, "env": { "A": evil } },
            ],
        });
        for spec in specs(&params, TerminalTabs::SystemEvents) {
            assert!(!spec.argv[2].contains("pwn"), "{}", spec.argv[2]);
        }
    }
}

#[test]
fn a_split_of_iterm_goes_beside_the_caller() {
    let params = |program: &str| {
        json!({
            "backend": "iterm",
            "context": { "env": { "TERM_PROGRAM": program, "ITERM_SESSION_ID": "w0t0p0:9F3A-12" } },
            "items": [{ "command": ["x"], "layout": "split-right" }],
        })
    };
    let here = specs(&params("iTerm.app"), TerminalTabs::Never);
    assert_eq!(here[0].argv.last().unwrap(), "9F3A-12");
    let stale = specs(&params("ghostty"), TerminalTabs::Never);
    assert!(
        !stale[0].argv.contains(&"9F3A-12".to_owned()),
        "inherited from another terminal"
    );
}

#[test]
fn a_surface_of_another_terminal_is_refused() {
    let registry = Registry::default();
    let surface: SurfaceRef = "builtin:1".parse().unwrap();
    for backend in registry.iter() {
        assert!(
            backend.steps(&surface, &Act::Close).is_err(),
            "{}",
            backend.id()
        );
    }
}

/// Ghostty tells its programs no id, and what has the focus when a script runs may be anybody's.
#[test]
fn a_split_of_ghostty_goes_beside_what_is_known_and_never_beside_what_has_the_focus() {
    let split = |target: Option<&str>| json!({ "command": ["x"], "layout": "split-right", "target": target });
    let params = |first: Value| {
        json!({
            "backend": "ghostty",
            "context": { "env": { "TERM_PROGRAM": "ghostty", "GHOSTTY_SURFACE_ID": "7" } },
            "items": [first, split(None)],
        })
    };
    let unknown = planned(&params(split(None)), TerminalTabs::Never);
    let warnings = &unknown[0].draft.warnings;
    assert!(warnings[0].contains("no pane of Ghostty"), "{warnings:?}");
    let unknown = shown_specs(unknown);
    let opens = &unknown[0].argv[2];
    assert!(
        opens.contains("new tab") && !opens.contains("split "),
        "{opens}"
    );
    let named = specs(
        &params(split(Some("ghostty::9F3A-12"))),
        TerminalTabs::Never,
    );
    assert!(
        named[0].argv.contains(&"9F3A-12".to_owned()),
        "{:?}",
        named[0].argv
    );
    // The second of a call goes beside the first, whose id is known once it is open.
    for specs in [unknown, named] {
        assert!(
            specs[1].argv.contains(&"{surface:0}".to_owned()),
            "{:?}",
            specs[1].argv
        );
        for spec in specs {
            assert!(!spec.argv[2].contains("split (focused"), "{}", spec.argv[2]);
        }
    }
}
