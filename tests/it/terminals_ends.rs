//! How hosted terminals end, what is spared, and how long they are kept.

use std::path::Path;

use pretty_assertions::assert_eq;
use rustix::process::Signal;
use serde_json::{Value, json};
use surfaced::os::tree::Root;

use super::support::client::Client;
use super::support::daemon::Daemon;
use super::support::env::{Sandbox, have};
use super::support::process::{parent, runs, send};
use super::support::wait;

/// The terminal of a line that says `up` first, once it has.
fn sh(client: &mut Client, line: &str) -> String {
    let id = client.sh(line);
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
    let server: u32 = wait::until("the server", || {
        std::fs::read_to_string(&file).ok()?.trim().parse().ok()
    });
    let lives = || runs(server);
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
    send(server, Signal::KILL);
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

#[test]
fn a_program_that_outlives_its_host_is_not_said_to_have_ended_and_can_be_ended() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let line = "trap '' HUP; echo up; while :; do sleep 1; done";
    let mut orphans = Vec::new();
    for _ in 0..3 {
        let id = sh(&mut client, line);
        let told = client.call("terminal.get", &json!({ "id": id }));
        let pid = u32::try_from(told["pid"].as_u64().unwrap()).unwrap();
        send(parent(pid), Signal::KILL);
        wait::until("the host to be missed", || {
            let input = json!({ "id": id, "data": "x" });
            let error = client.reply("terminal.input", &input)["error"].take();
            (error["data"]["kind"] == "state-unknown").then_some(())
        });
        orphans.push((id, pid));
    }
    let lives = |pid: u32| Root::now(pid).alive();
    let goes_on = |client: &mut Client, id: &str| {
        let told = client.call("terminal.get", &json!({ "id": id }));
        assert_eq!(told["state"], "running");
        let reason = told["reason"].as_str().unwrap_or_default();
        assert!(reason.starts_with("its host was ended"), "{told}");
        let wait = json!({ "id": id, "timeoutMs": 100 });
        assert_eq!(
            client.call("terminal.wait", &wait),
            json!({ "exited": false })
        );
        let error = client.fail("terminal.attach", &json!({ "id": id }));
        assert_eq!(error["data"]["kind"], "state-unknown");
    };
    for (id, _) in &orphans {
        goes_on(&mut client, id);
    }
    let [(killed, first), (removed, second), (adopted, third)] = &orphans[..] else {
        panic!("three");
    };
    let kill = json!({ "id": killed, "gracefulTimeoutMs": 0, "forceTimeoutMs": 30_000 });
    assert_eq!(
        client.call("terminal.kill", &kill),
        json!({ "exited": true })
    );
    assert!(!lives(*first));
    let told = client.call("terminal.get", &json!({ "id": killed }));
    assert_eq!(told["state"], "exited");
    let reason = told["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("is not known"), "{told}");
    client.call("terminal.remove", &json!({ "id": removed }));
    assert!(!lives(*second));
    // The next daemon sees it so too, and hears of the end.
    drop(client);
    daemon.kill();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    goes_on(&mut client, adopted);
    send(*third, Signal::KILL);
    let exit = client.call(
        "terminal.wait",
        &json!({ "id": adopted, "timeoutMs": 60_000 }),
    );
    assert_eq!(exit, json!({ "exited": true }));
    let sockets = std::fs::read_dir(sandbox.state().join("terminals")).unwrap();
    let sockets = sockets
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|end| end == "sock"));
    assert_eq!(sockets.count(), 0);
}
