//! The command line's manners: exit statuses, errors and hints, pipes.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::ensured::{Ensured, said};
use crate::support::env::Sandbox;

#[test]
fn call_prints_the_result_and_reads_parameters_from_standard_input() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    for args in [
        &["call", "daemon.hello", "{\"client\":\"x\"}"][..],
        &["call", "--json", "daemon.hello"],
    ] {
        let output = ensured.run(args);
        assert!(output.status.success(), "{}", said(&output));
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(result["protocol"], 1);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), 1);
    }
    let mut child = sandbox
        .surfaced()
        .args(["call", "daemon.hello", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let params = json!({ "client": "x" }).to_string();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(params.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
}

#[test]
fn errors_are_a_line_and_a_hint_and_say_who_was_wrong() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    ensured.ensure();
    for (args, code, error, hint) in [
        (
            &["call", "daemon.helo"][..],
            2,
            "error: no method is called \"daemon.helo\"\n",
            "hint: did you mean daemon.hello?\n",
        ),
        (
            &["call", "daemon.hello", "{"],
            2,
            "error: the parameters are not JSON: ",
            "hint: write an object",
        ),
        (&["frobnicate"], 2, "error: unrecognized subcommand", ""),
        (
            &["daemon", "stop", "--later"],
            2,
            "error: unexpected argument",
            "",
        ),
    ] {
        let output = ensured.run(args);
        let message = said(&output);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {message}");
        assert!(message.starts_with(error), "{args:?}: {message}");
        assert!(message.contains(hint), "{args:?}: {message}");
        assert!(output.stdout.is_empty());
    }
    let output = ensured.run(&["call", "--json", "daemon.helo"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["error"]["data"]["kind"], "method-not-found");
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    ensured.ensure();
    let mut child = sandbox
        .surfaced()
        .args(["call", "rpc.discover"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(said(&output), "");
}

#[test]
fn doctor_finds_nothing_wrong_in_a_fresh_place() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    let output = ensured.run(&["doctor"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for part in [
        "program",
        "home",
        "daemon",
        "configuration",
        "started just now",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn completions_are_made_for_each_shell() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    for shell in ["bash", "zsh", "fish"] {
        let output = ensured.run(&["completions", shell]);
        assert!(output.status.success(), "{shell}: {}", said(&output));
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("uninstall"), "{shell}");
    }
}

#[test]
fn a_service_file_names_the_link_it_was_called_by() {
    if cfg!(target_os = "macos") {
        return;
    }
    let sandbox = Sandbox::new();
    let bin = sandbox.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let link = bin.join("surfaced");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_surfaced"), &link).unwrap();
    let output = sandbox
        .command(&link)
        .args(["daemon", "install"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let units = sandbox.home().join(".config/systemd/user");
    let unit = std::fs::read_to_string(units.join("surfaced.service")).unwrap();
    let start = format!("ExecStart=\"{}\" daemon run\n", link.display());
    assert!(unit.contains(&start), "{unit}");
    let home = format!(
        "Environment=\"SURFACED_HOME={}\"\n",
        sandbox.state().display()
    );
    assert!(unit.contains(&home), "{unit}");
    assert!(units.join("default.target.wants/surfaced.service").exists());
    // Where systemd is, it reads the unit without a word.
    if std::path::Path::new("/usr/bin/systemd-analyze").exists() {
        let verdict = sandbox
            .command("systemd-analyze")
            .env("XDG_RUNTIME_DIR", sandbox.root())
            .args(["--user", "verify"])
            .arg(units.join("surfaced.service"))
            .output()
            .unwrap();
        assert!(verdict.status.success(), "{}", said(&verdict));
        assert_eq!(said(&verdict), "");
    }

    let output = sandbox
        .command(&link)
        .args(["daemon", "uninstall"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(!units.join("surfaced.service").exists());
    assert!(
        !units
            .join("default.target.wants/surfaced.service")
            .is_symlink()
    );
}

#[test]
fn without_a_command_the_help_is_printed_and_it_is_a_mistake() {
    let sandbox = Sandbox::new();
    for (args, listed) in [
        (&[][..], "doctor"),
        (&["daemon"], "restart"),
        (&["seat"], "list"),
    ] {
        let output = sandbox.surfaced().args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        let message = said(&output);
        let lists = message
            .lines()
            .any(|line| line.split_whitespace().next() == Some(listed));
        assert!(lists && message.contains("Usage:"), "{args:?}: {message}");
    }
}

#[test]
fn a_hint_is_never_what_was_just_tried() {
    let sandbox = Sandbox::new();
    let output = sandbox
        .surfaced()
        .env("SURFACED_SOCKET", "/nonexistent/d.sock")
        .args(["daemon", "start"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let message = said(&output);
    assert!(message.contains("hint: SURFACED_SOCKET names"), "{message}");
}
