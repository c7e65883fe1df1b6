//! How hosted terminals end, what is spared, and how long they are kept.

use std::path::Path;

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::support::client::Client;
use super::support::daemon::Daemon;
use super::support::env::{Sandbox, have};
use super::support::wait;

fn sh(client: &mut Client, line: &str) -> String {
    let made = client.call(
        "terminal.create",
        &json!({ "command": "sh", "args": ["-c", line], "cwd": "/" }),
    );
    let id = made["id"].as_str().unwrap().to_owned();
    wait::until("the program to be up", || {
        let kept = client.call("terminal.capture", &json!({ "id": id }));
        (kept["lines"][0] == "up").then_some(())
    });
    id
}

#[test]
fn a_kill_is_answered_with_the_real_end() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let line = "trap 'sleep 1; echo bye; exit 3' HUP; echo up; while :; do sleep 0.05; done";
    let id = sh(&mut client, line);
    let exit = client.call(
        "terminal.kill",
        &json!({ "id": id, "gracefulTimeoutMs": 30000 }),
    );
    assert_eq!(exit, json!({ "exited": true, "exitCode": 3 }));
    let told = client.call("terminal.get", &json!({ "id": id }));
    assert_eq!(told["state"], "exited");
    let last = told["lastOutputLines"].as_array().unwrap();
    assert_eq!(last.last().unwrap(), "bye");

    // In less time than it wants it is killed, and that is what is told.
    let id = sh(&mut client, &line.replace("sleep 1", "sleep 600"));
    let exit = client.call(
        "terminal.kill",
        &json!({ "id": id, "gracefulTimeoutMs": 0, "forceTimeoutMs": 30000 }),
    );
    assert_eq!(exit, json!({ "exited": true, "signal": "SIGKILL" }));
}

#[test]
fn what_left_its_terminal_on_purpose_is_spared() {
    if !have("setsid") {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let file = sandbox.cwd().join("server");
    let id = sh(
        &mut client,
        &format!(
            "setsid -f sh -c 'echo $$ >{0}.new; mv {0}.new {0}; exec sleep 3600'; echo up; exec cat",
            file.display()
        ),
    );
    let server: i32 = wait::until("the server", || {
        std::fs::read_to_string(&file).ok()?.trim().parse().ok()
    });
    let lives = || Path::new(&format!("/proc/{server}")).exists();
    // Viewers come and go.
    for _ in 0..3 {
        let mut viewer = daemon.client();
        viewer.call("terminal.attach", &json!({ "id": id }));
        assert_eq!(viewer.read()["params"]["result"]["type"], "snapshot");
    }
    assert!(lives());
    let told = client.call("terminal.get", &json!({ "id": id }));
    assert_eq!(told["state"], "running");
    let exit = client.call("terminal.kill", &json!({ "id": id }));
    assert_eq!(exit["signal"], "SIGHUP");
    assert!(lives(), "it is in a session of its own");
    kill_process(Pid::from_raw(server).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn ended_terminals_are_kept_for_a_day_and_two_hundred_of_them() {
    let sandbox = Sandbox::new();
    let dir = sandbox.state().join("terminals");
    std::fs::create_dir(&dir).unwrap();
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    let record = |id: &str, ended: u128| {
        let record = json!({ "version": 1, "record": {
            "id": id, "name": "sh", "command": ["sh"], "createdAt": "2020-01-01T00:00:00.000Z",
            "exit": { "exited": true, "exitCode": 0 }, "endedMs": u64::try_from(ended).unwrap(),
        } });
        std::fs::write(dir.join(format!("{id}.json")), record.to_string()).unwrap();
        std::fs::write(dir.join(format!("{id}.screen")), "").unwrap();
    };
    let hour = 3_600_000;
    record("old", now - 25 * hour);
    record("young", now - 23 * hour);
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let ids = |client: &mut Client| -> Vec<Value> {
        // One that ends has those looked through that have ended.
        let id = sh(client, "echo up; exit 1");
        client.call("terminal.wait", &json!({ "id": id }));
        let list = client.call("terminal.list", &json!({}));
        let list = list["terminals"].as_array().unwrap().iter();
        list.map(|terminal| terminal["id"].clone()).collect()
    };
    let kept = ids(&mut client);
    assert!(kept.contains(&json!("young")) && !kept.contains(&json!("old")));
    assert!(!dir.join("old.json").exists() && !dir.join("old.screen").exists());
    drop(client);
    daemon.kill();

    for number in 0..205 {
        record(&format!("n{number}"), now - hour - number);
    }
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let kept = ids(&mut client);
    assert_eq!(kept.len(), 200);
    // Two have ended just now.
    assert!(kept.contains(&json!("n0")) && kept.contains(&json!("n197")));
    assert!(!kept.contains(&json!("n198")) && !kept.contains(&json!("young")));
    assert!(!dir.join("n204.screen").exists());
}
