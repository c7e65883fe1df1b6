//! Words, directories and variables arrive byte for byte through tmux, whatever they hold.

use std::path::Path;

use serde_json::json;

use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::printargs::PrintArgs;
use crate::support::tmux::Tmux;

/// What every layer between the caller and the program would like to change.
/// What is hard to hand through a shell and tmux.
pub const WORDS: &[&str] = &[
    "",
    " ",
    "a b",
    "it's",
    "\"",
    "\\",
    "a\\",
    "it's \"q\" $HOME \\ ;|&",
    "$(touch pwn)`touch pwn2`",
    "line one\nline two\n",
    "\ttab",
    ";",
    "run it;",
    "x\\;",
    "a;b c;",
    "#{pid}",
    "#(touch pwn3)",
    "##[x]#",
    "-n",
    "--",
    "=ls",
    "~",
    "*",
    "!!",
    "%1",
    "{a,b}",
    "L",
    "é✻⎿😀",
    "\u{1}\u{1b}[31m",
];

#[tokio::test]
async fn words_arrive_as_they_are_in_every_shell() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let printargs = PrintArgs::install(&mut sandbox);
    std::fs::write(
        sandbox.home().join(".zshrc"),
        "alias -g L='| less'\nalias printargs=false\n",
    )
    .unwrap();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let long = "x;".repeat(50_000);
    let words: Vec<_> = WORDS.iter().copied().chain([long.as_str(), ";"]).collect();
    for shell in ["zsh", "bash", "fish", "sh"] {
        if !have(shell) {
            continue;
        }
        let command = |name: &str, words: &[&str]| {
            let mut command = vec![printargs.path(), format!("{shell}-{name}")];
            command.extend(words.iter().map(|word| (*word).to_owned()));
            json!({ "command": command })
        };
        let items = [
            command("short", WORDS),
            command("long", &words),
            command("none", &[]),
        ];
        let results = bench
            .open(json!({ "backend": "tmux", "shell": shell, "context": tmux.context("main:"), "items": items }))
            .await;
        for result in results {
            assert!(result.ok, "{shell}: {result:?}");
        }
        assert_eq!(
            printargs.wait_for(&format!("{shell}-short")).words,
            WORDS,
            "{shell}"
        );
        assert_eq!(
            printargs.wait_for(&format!("{shell}-long")).words,
            words,
            "{shell}"
        );
        assert_eq!(
            printargs.wait_for(&format!("{shell}-none")).words,
            Vec::<String>::new(),
            "{shell}"
        );
    }
    no_pwn(sandbox.root());
}

#[tokio::test]
async fn directories_are_entered_whatever_they_are_called() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let printargs = PrintArgs::install(&mut sandbox);
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let names = [
        "a b",
        "a'b",
        "a\"b",
        "a\\b",
        "ünï",
        "-x",
        "=x",
        "x;",
        "a\nb",
        "$(touch pwn)`touch pwn2`",
        "#(touch pwn3)",
        "#{pid}",
        "x#[y]",
        "##",
        "p'$(touch pwn)'q",
        "a;'x",
        "*",
        " ",
    ];
    let mut items = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let dir = sandbox.root().join(name);
        std::fs::create_dir(&dir).unwrap();
        items.push(json!({ "cwd": dir, "command": [printargs.path(), index.to_string()] }));
    }
    let results = bench
        .open(json!({ "backend": "tmux", "context": tmux.context("main:"), "items": items }))
        .await;
    for (index, name) in names.iter().enumerate() {
        assert!(results[index].ok, "{name:?}: {:?}", results[index]);
        let started = printargs.wait_for(&index.to_string());
        assert_eq!(started.cwd, sandbox.root().join(name).display().to_string());
    }
    no_pwn(sandbox.root());
}

#[tokio::test]
async fn a_directory_that_the_server_lost_is_no_matter() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let printargs = PrintArgs::install(&mut sandbox);
    let tmux = Tmux::start(&sandbox, "main");
    // Another directory of the same name is not the one that the server was started in.
    std::fs::remove_dir(sandbox.cwd()).unwrap();
    std::fs::create_dir(sandbox.cwd()).unwrap();
    let bench = Bench::new(&sandbox);
    let results = bench
        .open(
            json!({ "backend": "tmux", "context": tmux.context("main:"), "items": [
            { "cwd": sandbox.home(), "command": [printargs.path(), "given"] },
            { "command": [printargs.path(), "none"] },
        ] }),
        )
        .await;
    assert!(results.iter().all(|result| result.ok), "{results:?}");
    let home = sandbox.home().display().to_string();
    assert_eq!(printargs.wait_for("given").cwd, home);
    assert_eq!(printargs.wait_for("none").cwd, home);
}

/// Nothing that stood in a word or a name was run.
fn no_pwn(root: &Path) {
    let mut queue = vec![root.to_owned()];
    while let Some(dir) = queue.pop() {
        for entry in std::fs::read_dir(&dir).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(
                !["pwn", "pwn2", "pwn3"].contains(&name.as_str()),
                "{}",
                entry.path().display()
            );
            if entry.file_type().unwrap().is_dir() {
                queue.push(entry.path());
            }
        }
    }
}
