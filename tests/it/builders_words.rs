//! Every builder with arbitrary words and directories: what the terminal would run is taken out of the command, by the
//! rules of the terminal's own parser, and run in real shells.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use proptest::prelude::*;
use proptest::test_runner::Config as Cases;
use serde_json::{Value, json};

use surfaced::backend::batch::{self, Scene};
use surfaced::backend::{Registry, editor};
use surfaced::config::{self, Config, TerminalTabs};
use surfaced::launch::plan::{self, Defaults};
use surfaced::launch::shell::Shell;
use surfaced::proto::launch::{BuildParams, SlotAt};
use surfaced::proto::{Context, Spec};

use crate::support::env::have;
use crate::support::words::{self, ALIASES, Person, Seen};

/// A terminal of the configuration file, once by words and once by a line.
const CONFIGURATION: &str = r#"
[backends.words]
available = { program = "true" }
tab = ["words", "-D", "{cwd}", "--", "{command}"]
split-right = "tab"

[backends.line]
available = { program = "true" }
window = ["line", "-e", "{shell_line}"]
"#;

fn registry() -> Registry {
    let config = config::parse(CONFIGURATION).unwrap();
    Registry::new(&Config {
        terminal_tabs: TerminalTabs::SystemEvents,
        ..config
    })
}

fn build(registry: &Registry, params: Value) -> Spec {
    let params: BuildParams = serde_json::from_value(params).unwrap();
    let defaults = Defaults {
        backend: params.backend.as_ref(),
        ..Defaults::default()
    };
    let scene = Scene {
        registry,
        context: &Context::default(),
        availability: &BTreeMap::new(),
        shell: &Shell::default(),
        handles: params.handles.unwrap_or(true),
        focus: true,
    };
    let requests = plan::requests(&params.items, &defaults).unwrap();
    batch::build(&scene, requests).unwrap().specs.remove(0)
}

/// What a terminal does with what it was given.
struct Run {
    words: Vec<String>,
    /// Where it starts it.
    cwd: Option<String>,
}

fn sh(line: &str) -> Vec<String> {
    ["sh", "-c", line].map(str::to_owned).into()
}

/// The literals of an AppleScript, decoded.
fn literals(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = script.chars();
    while rest.by_ref().any(|c| c == '"') {
        let mut literal = String::new();
        while let Some(c) = rest.next().filter(|c| *c != '"') {
            literal.push(if c == '\\' { rest.next().unwrap() } else { c });
        }
        found.push(literal);
    }
    found
}

/// tmux takes a `;` at the end of a word for a separator, and one backslash before it off.
fn tmux_word(word: &str) -> String {
    if let Some(rest) = word.strip_suffix(r"\;") {
        return format!("{rest};");
    }
    assert!(!word.ends_with(';'), "{word:?} would end the command");
    word.to_owned()
}

/// What a format yields: `##` is `#`, except that a run of them before `[` stays. Nothing else may be expanded.
fn tmux_format(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('#') {
        let (head, tail) = rest.split_at(at);
        let after = tail.trim_start_matches('#');
        let run = tail.len() - after.len();
        let style = after.starts_with('[');
        assert!(style || run % 2 == 0, "{format:?} expands");
        out.push_str(head);
        out.push_str(&tail[..if style { run } else { run / 2 }]);
        rest = after;
    }
    out + rest
}

/// Fills the slots as `open` does; equal text in other places stays.
fn fill(spec: &Spec, path: &Path) -> Vec<String> {
    let mut argv = spec.argv.clone();
    for slot in spec.slots.iter().flatten() {
        let SlotAt::Argv(at) = slot.at else {
            panic!("{slot:?}")
        };
        assert!(
            argv[at].contains(&slot.text),
            "{slot:?} is not in {:?}",
            argv[at]
        );
        let value = match slot.text.as_str() {
            "{script}" => path.display().to_string(),
            "{payload}" => editor::encode(&editor::with_script(
                spec.payload.as_ref().unwrap(),
                &path.display().to_string(),
            )),
            "{session}" => "$0".to_owned(),
            other => panic!("{other}"),
        };
        argv[at] = argv[at].replace(&slot.text, &value);
    }
    argv
}

fn terminal(backend: &str, handles: bool, argv: &[String]) -> Run {
    match (backend, handles) {
        ("tmux", _) => {
            let cwd = argv
                .iter()
                .position(|word| word == "-c")
                .map(|at| tmux_word(&argv[at + 1]));
            let words: Vec<_> = match argv.iter().position(|word| word == "--") {
                Some(at) => argv[at + 1..].iter().map(|word| tmux_word(word)).collect(),
                None => sh(&tmux_word(argv.last().unwrap())),
            };
            assert!(words.len() > 1, "tmux gives a single word to a shell");
            let cwd = cwd.as_deref().map(tmux_format);
            Run { words, cwd }
        }
        ("iterm" | "terminal", false) => {
            let found = literals(&argv[2]);
            let line = found
                .iter()
                .find(|text| text.starts_with("zsh -ilc ") || text.starts_with("/bin/sh "))
                .unwrap();
            Run {
                words: sh(line),
                cwd: None,
            }
        }
        ("ghostty", false) => {
            // The application, perhaps the directory, the command.
            let mut found = literals(&argv[2]);
            let command = found.pop().unwrap();
            Run {
                words: sh(&format!("exec {command}")),
                cwd: found.into_iter().nth(1),
            }
        }
        ("iterm" | "terminal" | "ghostty", true) => {
            let line = argv[3..]
                .iter()
                .find(|word| word.contains("/bin/sh "))
                .unwrap();
            let cwd = (backend == "ghostty").then(|| argv[3].clone());
            Run {
                words: sh(line),
                cwd,
            }
        }
        ("words", _) => Run {
            words: argv[4..].to_vec(),
            cwd: Some(argv[2].clone()),
        },
        ("line", _) => Run {
            words: sh(&argv[2]),
            cwd: None,
        },
        _ => {
            let (_, encoded) = argv[2].split_once("?p=").unwrap();
            let json = base64::engine::general_purpose::URL_SAFE_NO_PAD
                .decode(encoded)
                .unwrap();
            let payload: Value = serde_json::from_slice(&json).unwrap();
            let command = payload["command"].as_str().unwrap().to_owned();
            let words = vec!["zsh".to_owned(), "-ilc".to_owned(), command];
            Run {
                words,
                cwd: payload["cwd"].as_str().map(str::to_owned),
            }
        }
    }
}

/// Opens it as the terminal would, and returns what the program saw.
fn open(person: &Person, backend: &str, handles: bool, spec: &Spec) -> Result<Seen, String> {
    let path = person.launch_path();
    if let Some(script) = &spec.script {
        std::fs::write(&path, script).unwrap();
    }
    let run = terminal(backend, handles, &fill(spec, &path));
    let mut command = person.command(&run.words);
    if let Some(cwd) = run.cwd {
        command.current_dir(cwd);
    }
    let seen = person.seen(&mut command);
    assert!(
        spec.script.is_none() || !path.parent().unwrap().exists(),
        "{backend} left a directory"
    );
    seen
}

proptest! {
    #![proptest_config(Cases { cases: 12, failure_persistence: None, ..Cases::default() })]

    #[test]
    fn every_builder_gives_the_words_and_the_directory_byte_for_byte(
        words in prop::collection::vec(words::word(), 0..4),
        alias in prop::sample::select(&ALIASES[..]),
        name in words::name(),
        secret in prop::option::of(words::word()),
        layout in prop::sample::select(&["tab", "split-right", "split-down", "window"][..]),
    ) {
        if !have("zsh") {
            return Ok(());
        }
        let person = Person::new();
        let registry = registry();
        let secret = secret.map(|secret| format!("s3cret{secret}"));
        let dir = person.dir(&name);
        for backend in registry.ids().into_iter().filter(|id| *id != "builtin") {
            for handles in [true, false] {
                let mut words = words.clone();
                // The launch engine's own form leaves words bare, so that an alias changes them.
                if handles {
                    words.push(alias.to_owned());
                }
                let mut command = vec!["printargs".to_owned()];
                command.extend(words.iter().cloned());
                let mut item = json!({ "cwd": dir, "command": command, "layout": layout });
                if let Some(secret) = &secret {
                    item["env"] = json!({ "SECRET": secret });
                }
                let spec = build(&registry, json!({ "backend": backend, "handles": handles, "items": [item] }));
                let expected = Seen {
                    cwd: dir.to_str().unwrap().to_owned(),
                    secret: secret.clone().unwrap_or_else(|| "rc".to_owned()),
                    words,
                };
                // rc files that redefine cd are in the way of the launch engine's form only.
                if !handles {
                    let rc = person.sandbox.home().join(".zshrc");
                    let text = std::fs::read_to_string(&rc).unwrap();
                    std::fs::write(&rc, text.replace("cd() { builtin cd /; }\n", "")).unwrap();
                }
                let seen = open(&person, backend, handles, &spec);
                prop_assert_eq!(seen.as_ref(), Ok(&expected), "{} {} {:?}", backend, handles, spec);
                let argv = spec.argv.concat() + &spec.display;
                prop_assert!(!argv.contains("s3cret"), "{} shows a secret", backend);
            }
        }
    }
}
