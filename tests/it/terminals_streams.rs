//! `terminal.attach` and `events.subscribe`: exact order, nothing silent, nobody held up.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::support::client::Client;
use super::support::daemon::Daemon;
use super::support::env::Sandbox;
use super::support::wait;

/// Subscribes and returns the number of the subscription.
fn subscribe(client: &mut Client, method: &str, params: &Value) -> u64 {
    client.call(method, params)["subscription"]
        .as_u64()
        .unwrap()
}

/// The items of a subscription up to its end.
fn items(client: &mut Client, subscription: u64) -> Vec<Value> {
    let mut items = Vec::new();
    loop {
        let message = client.read();
        if message["params"]["subscription"] == subscription {
            let item = message["params"]["result"].clone();
            let last = item["type"] == "end";
            items.push(item);
            if last {
                return items;
            }
        }
    }
}

fn kinds(items: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> = items
        .iter()
        .map(|item| item["type"].as_str().unwrap())
        .collect();
    kinds.dedup();
    kinds
}

#[test]
fn a_stream_begins_with_the_screen_and_ends_with_the_exit() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut control = daemon.client();
    let id = client.sh("echo before; read x; echo after; printf '\\033]2;new title\\007'; read x; printf LAST; exit 5",
    );
    wait::until("the program to be up", || {
        let kept = client.call("terminal.capture", &json!({ "id": id }));
        (kept["lines"] == json!(["before"])).then_some(())
    });
    let stream = subscribe(&mut client, "terminal.attach", &json!({ "id": id }));
    control.call("terminal.input", &json!({ "id": id, "data": "\r" }));
    wait::until("the title", || {
        let terminal = control.call("terminal.get", &json!({ "id": id }));
        (terminal["title"] == "new title").then_some(())
    });
    control.call(
        "terminal.resize",
        &json!({ "id": id, "rows": 10, "cols": 50 }),
    );
    control.call("terminal.input", &json!({ "id": id, "data": "\r" }));
    let items = items(&mut client, stream);
    assert_eq!(
        kinds(&items),
        [
            "snapshot", "output", "title", "resized", "output", "exit", "end"
        ]
    );
    let screen = BASE64.decode(items[0]["screen"].as_str().unwrap()).unwrap();
    assert!(String::from_utf8_lossy(&screen).contains("before"));
    assert_eq!(
        items[0]["cursor"],
        json!({ "row": 1, "col": 0, "visible": true })
    );
    let mut revision = items[0]["revision"].as_u64().unwrap();
    let mut text = String::new();
    for item in items.iter().filter(|item| item["type"] == "output") {
        let bytes = BASE64.decode(item["dataBase64"].as_str().unwrap()).unwrap();
        revision += bytes.len() as u64;
        assert_eq!(item["revision"], revision, "nothing is missing");
        text.push_str(&String::from_utf8_lossy(&bytes));
    }
    assert!(text.contains("after") && text.ends_with("LAST"), "{text:?}");
    let exit = &items[items.len() - 2];
    assert_eq!(
        *exit,
        json!({ "type": "exit", "exited": true, "exitCode": 5 })
    );
    assert_eq!(items.last().unwrap()["reason"], "done");

    // After the end the same, at once.
    let stream = subscribe(&mut client, "terminal.attach", &json!({ "id": id }));
    let again = self::items(&mut client, stream);
    assert_eq!(kinds(&again), ["snapshot", "exit", "end"]);
    assert_eq!(
        (&again[0]["rows"], &again[0]["cols"]),
        (&json!(10), &json!(50))
    );
    let missing = client.fail("terminal.attach", &json!({ "id": "nobody" }));
    assert_eq!(missing["data"]["kind"], "not-found");
    client.call("terminal.remove", &json!({ "id": id }));
}

#[test]
fn an_interactive_viewer_decides_the_size_and_a_looking_one_does_not() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let id = client.sh("exec cat");
    let mut size = |attach: Value, rows: u64| {
        let mut params = attach;
        params["id"] = json!(id);
        subscribe(&mut client, "terminal.attach", &params);
        wait::until("the size", || {
            let terminal = client.call("terminal.get", &json!({ "id": id }));
            (terminal["rows"] == rows).then_some(())
        });
    };
    size(json!({ "rows": 50, "cols": 50 }), 24);
    size(json!({ "interactive": true, "rows": 30, "cols": 90 }), 30);
    size(json!({ "interactive": true }), 30);
    client.call("terminal.remove", &json!({ "id": id }));
}

#[test]
fn a_viewer_that_does_not_read_is_told_what_it_missed() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut lazy = daemon.client();
    let id = client.sh("read x; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo LAST; read x");
    let stream = subscribe(&mut lazy, "terminal.attach", &json!({ "id": id }));
    client.call("terminal.input", &json!({ "id": id, "data": "\r" }));
    wait::until("the program to have written all", || {
        let kept = client.call("terminal.capture", &json!({ "id": id, "start": -1 }));
        (kept["lines"] == json!(["LAST"])).then_some(())
    });
    client.call("terminal.input", &json!({ "id": id, "data": "\r" }));
    client.call("terminal.wait", &json!({ "id": id }));
    let items = items(&mut lazy, stream);
    let mut revision = 0;
    let mut gaps = 0;
    for (index, item) in items.iter().enumerate() {
        match item["type"].as_str().unwrap() {
            "snapshot" => revision = item["revision"].as_u64().unwrap(),
            "output" => {
                let bytes = BASE64.decode(item["dataBase64"].as_str().unwrap()).unwrap();
                revision += bytes.len() as u64;
                assert_eq!(
                    item["revision"], revision,
                    "nothing is missing without a word"
                );
            }
            "gap" => {
                gaps += 1;
                let missed = item["missed"].as_u64().unwrap();
                assert_eq!(items[index + 1]["type"], "snapshot");
                assert_eq!(items[index + 1]["revision"], revision + missed);
            }
            _ => {}
        }
    }
    assert!(gaps > 0, "{:?}", kinds(&items));
    let last = items
        .iter()
        .rfind(|item| item["type"] == "snapshot")
        .unwrap();
    let screen = BASE64.decode(last["screen"].as_str().unwrap()).unwrap();
    assert!(String::from_utf8_lossy(&screen).contains("LAST"));
    client.call("terminal.remove", &json!({ "id": id }));
}

#[test]
fn what_happens_to_terminals_is_told() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let mut listener = daemon.client();
    subscribe(
        &mut listener,
        "events.subscribe",
        &json!({ "topics": ["terminal.*"] }),
    );
    // The first output of a program that goes on, and of one that is over before anybody could look.
    for end in ["exec cat", "exit 2"] {
        told_of(&mut client, &mut listener, end);
    }
}

/// A terminal that is made, tells everything at once, and is removed.
fn told_of(client: &mut Client, listener: &mut Client, end: &str) {
    let id = client.sh(&format!(
            "printf '\\033]0;t\\007\\033]7;file:///tmp\\007\\033]133;A\\007\\033]633;E;ls\\007\\033]133;C\\007\\033]133;D;3\\007'; {end}"
        ),
    );
    if end == "exit 2" {
        client.call("terminal.wait", &json!({ "id": id }));
    } else {
        wait::until("the program to have told", || {
            let terminal = client.call("terminal.get", &json!({ "id": id }));
            (terminal["waitingForInput"] == false).then_some(())
        });
    }
    client.call("terminal.remove", &json!({ "id": id }));
    let mut told = Vec::new();
    while told
        .last()
        .is_none_or(|(topic, _)| topic != "terminal.removed")
    {
        let event = listener.read()["params"]["result"].clone();
        assert_eq!(event["type"], "event");
        assert!(event["at"].as_str().unwrap().ends_with('Z'));
        assert_eq!(event["payload"]["id"], id.as_str());
        told.push((
            event["topic"].as_str().unwrap().to_owned(),
            event["payload"].clone(),
        ));
    }
    let topics: Vec<&str> = told.iter().map(|(topic, _)| topic.as_str()).collect();
    assert_eq!(
        topics,
        [
            "terminal.created",
            "terminal.title",
            "terminal.cwd",
            "terminal.command",
            "terminal.command",
            "terminal.command",
            "terminal.exited",
            "terminal.removed",
        ]
    );
    assert_eq!(told[1].1["title"], "t");
    assert_eq!(told[2].1["cwd"], "/tmp");
    assert_eq!(told[3].1["state"], "prompt");
    assert_eq!(told[4].1["command"], "ls");
    assert_eq!(told[5].1["exitCode"], 3);
    let exit = &told[6].1["exit"];
    if end == "exit 2" {
        assert_eq!(exit["exitCode"], 2);
    } else {
        assert_eq!(exit["signal"], "SIGHUP");
    }
    assert_eq!(
        (&told[6].1["title"], &told[6].1["cwd"]),
        (&json!("t"), &json!("/tmp"))
    );
}

#[test]
fn slow_whoever_attaches_while_a_terminal_ends_sees_its_screen_and_then_the_exit() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    for round in 0..200 {
        // The end comes at every moment of the attaching, before it and after it.
        let id = client.sh(&format!(
            "sleep 0.0{:02}; head -c 200000 /dev/zero | tr '\\0' x; echo LAST",
            round % 20
        ));
        let stream = subscribe(&mut client, "terminal.attach", &json!({ "id": id }));
        let items = items(&mut client, stream);
        let kinds = kinds(&items);
        assert_eq!(kinds[0], "snapshot", "round {round}: {kinds:?}");
        assert_eq!(
            kinds[kinds.len() - 2..],
            ["exit", "end"],
            "round {round}: {kinds:?}"
        );
        let shown: Vec<u8> = items
            .iter()
            .filter_map(|item| item["screen"].as_str().or(item["dataBase64"].as_str()))
            .flat_map(|text| BASE64.decode(text).unwrap())
            .collect();
        let shown = String::from_utf8_lossy(&shown);
        assert!(shown.contains("LAST"), "round {round}: {kinds:?}");
        client.call("terminal.remove", &json!({ "id": id }));
    }
}
