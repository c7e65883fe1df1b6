//! What takes its time: floods, hundreds of rounds, a full disk.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use surfaced::host::viewer::Viewer;
use surfaced::host::wire::Attach;

use super::support::daemon::{Daemon, memory};
use super::support::env::Sandbox;
use super::support::process::children;
use super::support::tiny::Tiny;
use super::support::wait::{self, LONG};

/// Changes of a screen whose leavings nobody could overlook.
const ENOUGH: u64 = 20_000_000;

#[test]
fn slow_a_flood_that_nobody_reads_grows_nothing_and_holds_up_nobody() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut lazy = daemon.client();
    let made = client.call("terminal.create", &json!({ "command": "yes" }));
    let id = made["id"].as_str().unwrap().to_owned();
    let host = *sandbox.hosts().first().unwrap();
    let before = [daemon.memory(), memory(host)];
    lazy.call("terminal.attach", &json!({ "id": id }));
    let revision = |client: &mut super::support::client::Client| {
        client.call("terminal.snapshot", &json!({ "id": id }))["revision"]
            .as_u64()
            .unwrap()
    };
    let first = revision(&mut client);
    let mut peak = before;
    let last = wait::within(LONG * 4, "much to be written", || {
        for _ in 0..50 {
            client.call("daemon.hello", &json!({}));
            peak = [peak[0].max(daemon.memory()), peak[1].max(memory(host))];
        }
        Some(revision(&mut client)).filter(|now| *now > first + ENOUGH)
    });
    for (what, before, peak) in [("daemon", before[0], peak[0]), ("host", before[1], peak[1])] {
        let grown = peak.saturating_sub(before);
        assert!(grown < 32 << 20, "the {what} grew by {grown} bytes");
    }
    // It was sent something all the time, and what it could not take was left out with a word.
    let kinds = |_| {
        lazy.read()["params"]["result"]["type"]
            .as_str()
            .map(str::to_owned)
    };
    assert!(
        (0..100_000)
            .map(kinds)
            .any(|kind| kind.as_deref() == Some("gap"))
    );
    drop(lazy);
    wait::until("the program to run on without its viewer", || {
        (revision(&mut client) > last).then_some(())
    });
    client.call("terminal.remove", &json!({ "id": id }));
}

#[test]
fn slow_three_hundred_rounds_leave_nothing() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut round = |number: u32| {
        let made = client.call(
            "terminal.create",
            &json!({ "command": "sh", "args": ["-c", format!("echo {number}; exit 1")] }),
        );
        let id = made["id"].as_str().unwrap().to_owned();
        if !number.is_multiple_of(3) {
            let exit = client.call("terminal.wait", &json!({ "id": id }));
            assert_eq!(exit["exitCode"], 1);
        }
        client.call("terminal.remove", &json!({ "id": id }));
    };
    round(1);
    let settled = || {
        wait::until("the hosts to be gone", || {
            sandbox.hosts().is_empty().then_some(())
        });
        (children(daemon.pid()), daemon.descriptors())
    };
    let before = wait::until("a quiet daemon", || {
        let state = settled();
        state.0.is_empty().then_some(state)
    });
    for number in 0..300 {
        round(number);
    }
    wait::until("the daemon to be as it was", || {
        (settled() == before).then_some(())
    });
    let left = std::fs::read_dir(sandbox.state().join("terminals")).unwrap();
    assert_eq!(left.count(), 0);
    assert_eq!(
        daemon.client().call("terminal.list", &json!({})),
        json!({ "terminals": [] })
    );
}

#[test]
fn slow_a_host_takes_little_memory() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let made = client.call("terminal.create", &json!({ "command": "cat" }));
    let host = *wait::until("the host", || {
        sandbox.hosts().first().copied().map(|pid| [pid])
    })
    .first()
    .unwrap();
    // An unoptimised build has more code, which all hosts share.
    let limit = if cfg!(debug_assertions) {
        24 << 20
    } else {
        8 << 20
    };
    assert!(memory(host) < limit, "{} bytes", memory(host));
    client.call("terminal.remove", &json!({ "id": made["id"] }));
}

/// Titles, command marks and changes of the screen without end, for a viewer that reads nothing.
#[test]
fn slow_nothing_that_a_program_tells_piles_up_in_its_host() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let told = r"\033[?1049h\033]2;a\007\033]133;A\007\033[?1049l\033]2;b\007\033]133;C\007";
    let made = client.call(
        "terminal.create",
        &json!({ "command": "sh", "args": ["-c", format!("read x; exec yes \"$(printf '{told}')\"")] }),
    );
    let id = made["id"].as_str().unwrap().to_owned();
    let socket = sandbox.state().join(format!("terminals/{id}.sock"));
    let (_lazy, mut typist, _) = Viewer::connect(&socket).unwrap();
    let look = Attach {
        replay: true,
        one_screen: true,
        ..Attach::default()
    };
    typist.attach(&look).unwrap();
    let host = *sandbox.hosts().first().unwrap();
    let before = memory(host);
    client.call("terminal.input", &json!({ "id": id, "data": "\r" }));
    let mut peak = 0;
    wait::within(LONG * 4, "much to be told", || {
        peak = peak.max(memory(host));
        let shown = client.call("terminal.snapshot", &json!({ "id": id }));
        (shown["revision"].as_u64().unwrap() > 20_000_000).then_some(())
    });
    let grown = peak.saturating_sub(before);
    assert!(grown < 16 << 20, "the host grew by {grown} bytes");
    client.call("terminal.remove", &json!({ "id": id }));
}

#[test]
fn slow_a_full_disk_is_told_and_loses_nothing() {
    let sandbox = Sandbox::new();
    let records = sandbox.state().join("terminals");
    std::fs::create_dir(&records).unwrap();
    let Some(_disk) = Tiny::mount(&records) else {
        return;
    };
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let made = client.call(
        "terminal.create",
        &json!({ "command": "sh", "args": ["-c", "echo kept; read x; exit 6"] }),
    );
    let id = made["id"].as_str().unwrap().to_owned();
    let filler = records.join("filler");
    let _ = std::fs::write(&filler, vec![0; 1 << 20]);
    let error = client.fail("terminal.create", &json!({ "command": "cat" }));
    assert_eq!(error["data"]["kind"], "spawn-failed");
    assert!(
        error["message"].as_str().unwrap().contains("No space left"),
        "{error}"
    );
    let hint = error["data"]["hint"].as_str().unwrap_or_default();
    assert!(hint.contains("df"), "{error}");
    let list = client.call("terminal.list", &json!({}));
    assert_eq!(
        list["terminals"].as_array().unwrap().len(),
        1,
        "nothing half made"
    );

    // One that ends meanwhile is kept by its host until the disk takes it.
    client.call("terminal.input", &json!({ "id": id, "data": "\r" }));
    let exit = client.call("terminal.wait", &json!({ "id": id, "timeoutMs": 30000 }));
    assert_eq!(exit["exitCode"], 6);
    let kept = |client: &mut super::support::client::Client| -> Value {
        client.call("terminal.capture", &json!({ "id": id }))["lines"][0].clone()
    };
    assert_eq!(kept(&mut client), "kept");
    std::fs::remove_file(filler).unwrap();
    wait::until("the host to write it down", || {
        records.join(format!("{id}.screen")).exists().then_some(())
    });
    wait::until("the host to go", || {
        (!records.join(format!("{id}.sock")).exists()).then_some(())
    });
    daemon.kill();
    let next = Daemon::start(&sandbox);
    let mut client = next.client();
    assert_eq!(kept(&mut client), "kept");
    client.call("terminal.remove", &json!({ "id": id }));
}
