//! Terminals whose record cannot be read.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::client::Client;
use super::support::daemon::Daemon;
use super::support::env::Sandbox;
use super::support::wait;

fn capture(client: &mut Client, id: &str) -> Vec<Value> {
    let kept = client.call("terminal.capture", &json!({ "id": id }));
    kept["lines"].as_array().unwrap().clone()
}

/// A record that cannot be read hides no program that runs: its host knows what it is.
#[test]
fn a_terminal_whose_record_is_damaged_is_taken_over_from_its_host() {
    let sandbox = Sandbox::new();
    let first = Daemon::start(&sandbox);
    let params = json!({ "command": "sh", "args": ["-c", "echo hello; exec cat"], "cwd": "/tmp", "name": "kept" });
    let made = first.client().call("terminal.create", &params);
    let id = made["id"].as_str().unwrap().to_owned();
    wait::until("its output", || {
        (!capture(&mut first.client(), &id).is_empty()).then_some(())
    });
    first.kill();
    let record = sandbox.state().join("terminals").join(format!("{id}.json"));
    std::fs::write(&record, "{broken").unwrap();
    // One whose host is gone is none.
    std::fs::write(sandbox.state().join("terminals/nobody.json"), "{broken").unwrap();

    let second = Daemon::start(&sandbox);
    let mut client = second.client();
    let listed = client.call("terminal.list", &json!({}));
    let terminals = listed["terminals"].as_array().unwrap();
    assert_eq!(terminals.len(), 1, "{listed}");
    for field in ["id", "name", "command", "pid", "createdAt", "state", "cwd"] {
        assert_eq!(terminals[0][field], made[field], "{field}: {listed}");
    }
    assert_eq!(capture(&mut client, &id)[0], "hello");
    // What was not readable is kept, and the next daemon needs no host for it.
    let aside = std::fs::read_dir(sandbox.state().join("terminals")).unwrap();
    let names = aside.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.contains("damaged")).count(), 2);
    second.kill();
    let third = Daemon::start(&sandbox);
    let mut client = third.client();
    let got = client.call("terminal.get", &json!({ "id": id }));
    assert_eq!(got["name"], "kept", "{got}");
    let exit = client.call("terminal.kill", &json!({ "id": id }));
    assert_eq!(exit["exited"], true);
    client.call("terminal.remove", &json!({ "id": id }));
}
