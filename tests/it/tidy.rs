//! Rules of the code that no lint checks: the order of the layers, pure modules, short files, nothing left open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The layers, lowest first: a module imports only from those before it.
const LAYERS: &[&str] = &[
    "proto",
    "config",
    "launch",
    "tmux",
    "screen",
    "backend",
    "resolve",
    "provider",
    "os",
    "host",
    "transport",
    "store",
    "service",
    "rpc",
    "daemon",
    "client",
    "cli",
];

/// Modules without I/O.
const PURE: &[&str] = &[
    "proto", "launch", "tmux", "screen", "backend", "resolve", "provider",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(dir: &str, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut queue = vec![root().join(dir)];
    while let Some(dir) = queue.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                queue.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The module of the first level that a file of `src` belongs to.
fn layer(path: &Path) -> Option<usize> {
    let relative = path.strip_prefix(root().join("src")).ok()?;
    let name = relative
        .components()
        .next()?
        .as_os_str()
        .to_str()?
        .trim_end_matches(".rs")
        .to_owned();
    LAYERS.iter().position(|layer| *layer == name)
}

/// The code of a file: without its unit tests and comments.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_module_imports_only_from_lower_layers() {
    let mut wrong = Vec::new();
    for path in files("src", "rs") {
        let Some(own) = layer(&path) else { continue };
        let code = code(&path);
        for (index, name) in LAYERS.iter().enumerate().skip(own + 1) {
            for needle in [
                format!("crate::{name}::"),
                format!("crate::{name};"),
                format!("crate::{{{name}::"),
            ] {
                if code.contains(&needle) {
                    wrong.push(format!(
                        "{} ({}) imports {} ({index})",
                        path.display(),
                        LAYERS[own],
                        name
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_modules_do_nothing() {
    let banned = [
        "std::env",
        "std::fs",
        "fs_err",
        "Command::new",
        "async ",
        ".await",
        "tokio::",
        "std::process",
        "std::net::T",
    ];
    let mut wrong = Vec::new();
    for path in files("src", "rs") {
        if !layer(&path).is_some_and(|layer| PURE.contains(&LAYERS[layer])) {
            continue;
        }
        let code = code(&path);
        for word in banned {
            if code.contains(word) {
                wrong.push(format!("{} uses {word}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn jsonrpsee_is_named_in_one_module() {
    for path in files("src", "rs") {
        let named = code(&path).contains("jsonrpsee");
        assert!(
            !named || layer(&path).is_some_and(|layer| LAYERS[layer] == "rpc"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn files_stay_short() {
    let mut long = Vec::new();
    let mut sizes = BTreeMap::new();
    for dir in ["src", "tests"] {
        for path in files(dir, "rs") {
            let lines = std::fs::read_to_string(&path).unwrap().lines().count();
            if lines > 600 {
                long.push(format!("{}: {lines} lines", path.display()));
            }
            sizes.insert(path, lines);
        }
    }
    assert!(long.is_empty(), "over 600 lines:\n{}", long.join("\n"));
}

#[test]
fn nothing_is_left_open() {
    // Written in pieces, so that this file does not name what it looks for.
    let marks = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("unimple", "mented!"),
        concat!("to", "do!("),
        concat!("#[ig", "nore"),
    ];
    let mut open = Vec::new();
    for dir in ["src", "tests"] {
        for path in files(dir, "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for mark in marks {
                if text.contains(mark) {
                    open.push(format!("{}: {mark}", path.display()));
                }
            }
        }
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}
