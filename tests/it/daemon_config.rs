//! The configuration file of a running daemon.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[test]
fn changes_hold_at_once_and_a_bad_file_keeps_the_last_good_one() {
    let sandbox = Sandbox::new();
    let config = sandbox.state().join("config.toml");
    write(&config, "[limits]\nbatch = 7\n");
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut batch = || client.call("daemon.hello", &json!({}))["limits"]["batch"].take();
    assert_eq!(batch(), 7);
    write(&config, "[limits]\nbatch = 8\n");
    assert_eq!(batch(), 8);

    write(&config, "[limits]\nbach = 9\n");
    assert_eq!(batch(), 8);
    let status = client.call("daemon.status", &json!({}));
    let configuration = &status["configuration"];
    assert_eq!(configuration["path"], config.to_str().unwrap());
    assert_eq!(configuration["exists"], true);
    assert_eq!(
        configuration["error"],
        "line 2: `limits.bach` is unknown; did you mean `batch`?"
    );
    let output = sandbox
        .surfaced()
        .args(["doctor", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let doctor: Value = serde_json::from_slice(&output.stdout).unwrap();
    let line = doctor["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["section"] == "configuration")
        .unwrap();
    assert_eq!(line["status"], "bad");
    assert!(line["text"].as_str().unwrap().contains("`limits.bach`"));

    std::fs::remove_file(&config).unwrap();
    let hello = client.call("daemon.hello", &json!({}));
    assert_eq!(hello["limits"]["batch"], 100);
}

#[test]
fn a_bad_file_at_the_start_means_the_defaults() {
    let sandbox = Sandbox::new();
    let config = sandbox.root().join("elsewhere.toml");
    write(&config, "limits = 3\n");
    let daemon = Daemon::start_with(&sandbox, |command| {
        command.env("SURFACED_CONFIG", &config);
    });
    let mut client = daemon.client();
    let hello = client.call("daemon.hello", &json!({}));
    assert_eq!(hello["limits"]["batch"], 100);
    let status = client.call("daemon.status", &json!({}));
    assert_eq!(
        status["configuration"]["error"],
        "line 1: `limits` must be a table, not an integer"
    );
}

#[test]
fn what_is_no_regular_file_is_never_waited_for() {
    let sandbox = Sandbox::new();
    let config = sandbox.state().join("config.toml");
    write(&config, "[limits]\nbatch = 7\n");
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let batch =
        |client: &mut Client| client.call("daemon.hello", &json!({}))["limits"]["batch"].take();
    assert_eq!(batch(&mut client), 7);
    let pipe = || {
        std::fs::remove_file(&config).unwrap();
        let made = sandbox.command("mkfifo").arg(&config).status().unwrap();
        assert!(made.success());
    };
    pipe();
    assert_eq!(batch(&mut client), 7);
    client.call("plan", &json!({ "count": 1 }));
    let status = client.call("daemon.status", &json!({}));
    assert_eq!(
        status["configuration"]["error"],
        "cannot read it: it is not a regular file"
    );
    let doctor = sandbox.surfaced().arg("doctor").output().unwrap();
    assert_eq!(doctor.status.code(), Some(1));
    let said = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(said.contains("it is not a regular file"), "{said}");
    // What to do stands on a line of its own.
    let hint = said.lines().find(|line| line.contains("last good"));
    assert!(
        hint.is_some_and(|line| line.trim_start().starts_with('→')),
        "{said}"
    );

    std::fs::remove_file(&config).unwrap();
    write(&config, "[limits]\nbatch = 9\n");
    assert_eq!(batch(&mut client), 9);
    drop((client, daemon));

    pipe();
    let daemon = Daemon::start(&sandbox);
    assert_eq!(batch(&mut daemon.client()), 100);
}
