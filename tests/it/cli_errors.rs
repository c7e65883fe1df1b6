//! With `--json` an error is the error of the protocol, on standard output, whatever the command and wherever it fails.

use serde_json::Value;

use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};

/// Runs a command line; its status, its output and its complaints.
fn run(sandbox: &Sandbox, args: &[&str]) -> (Option<i32>, String, String) {
    let output = sandbox.surfaced().args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[track_caller]
fn told(sandbox: &Sandbox, args: &[&str], code: i32, kind: &str) {
    let mut ways = vec![[&["--json"], args].concat()];
    // What follows a command is the command's.
    if args[..2.min(args.len())] != ["seat", "spawn"] {
        ways.push([args, &["--json"]].concat());
    }
    for args in ways {
        let (status, out, err) = run(sandbox, &args);
        assert_eq!(status, Some(code), "{args:?}: {out} {err}");
        let answer: Value = serde_json::from_str(&out)
            .unwrap_or_else(|error| panic!("{args:?}: {error}: {out:?} {err:?}"));
        let error = &answer["error"];
        assert_eq!(error["data"]["kind"], kind, "{args:?}: {answer}");
        assert!(error["code"].is_i64(), "{args:?}: {answer}");
        // The same to whoever reads along.
        let message = error["message"].as_str().unwrap();
        assert!(err.starts_with("error: "), "{args:?}: {err}");
        assert!(err.contains(message), "{args:?}: {err}");
        assert_eq!(
            error["data"]["hint"].is_string(),
            err.contains("\nhint: "),
            "{args:?}: {err} {answer}"
        );
    }
    // Without it, standard output is for results alone.
    let (status, out, _) = run(sandbox, args);
    assert_eq!((status, &*out), (Some(code), ""), "{args:?}");
}

#[test]
fn errors_of_every_command_are_json_where_that_is_asked_for() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    for (args, code, kind) in [
        (&["open", "--split", "up"][..], 2, "invalid-params"),
        (&["opne"], 2, "invalid-params"),
        (&["plan", "x"], 2, "invalid-params"),
        (&["plan", "--items", "/no/such/file"], 1, "not-found"),
        (&["build", "-b", "nope"], 2, "invalid-params"),
        (&["resolve", "-b", "nope"], 2, "invalid-params"),
        (&["surfaces", "focus", "nonsense"], 2, "invalid-params"),
        (&["surfaces", "wait", "nonsense"], 2, "invalid-params"),
        (&["seat", "status", "nonsense"], 2, "invalid-params"),
        (&["seat", "spawn", "a/b", "n", "true"], 1, "seat-refused"),
        (&["agent", "open", "nobody"], 1, "not-found"),
        (&["agent", "new", "no-such-program"], 1, "not-found"),
        (&["agent", "close", "nobody"], 1, "not-found"),
        (&["terminal", "capture", "nobody"], 1, "not-found"),
        (&["terminal", "kill", "nobody"], 1, "not-found"),
        (&["attach", "nobody"], 1, "not-found"),
        (&["resume"], 2, "invalid-params"),
        (&["surfaces", "capture", "builtin:none"], 1, "target-gone"),
        (&["terminal", "create", "--cwd", "/nope"], 1, "cwd-missing"),
        (&["call", "no.such.method"], 2, "method-not-found"),
        (&["call", "plan", "{"], 2, "invalid-params"),
        (&["call", "plan", "{\"count\":-1}"], 2, "invalid-params"),
        (&["hosts", "check", "a;b"], 2, "host-invalid"),
        (&["hosts", "chekc", "a"], 2, "invalid-params"),
        (&["sessions", "--on", "a;b"], 2, "host-invalid"),
        (&["events", "no-such-topic"], 2, "invalid-params"),
    ] {
        told(&sandbox, args, code, kind);
    }
    if have("ssh") {
        let name = "nowhere.invalid";
        told(&sandbox, &["hosts", "check", name], 1, "host-unreachable");
        told(&sandbox, &["sessions", "--on", name], 1, "host-unreachable");
    }
    drop(daemon);
    // Nor where there is no daemon to be had.
    std::fs::write(sandbox.state().join("daemon.json"), "{}").unwrap();
    let output = sandbox
        .surfaced()
        .args(["--json", "call", "daemon.status"])
        .env("SURFACED_SOCKET", sandbox.root().join("nothing"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error"]["data"]["kind"], "not-found", "{answer}");
}
