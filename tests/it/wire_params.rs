//! Wrong parameters of every method: each is refused at its path, in the protocol's words.

use serde_json::{Map, Value, json};

use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;

/// What only this program's source code says.
const OURS: &[&str] = &[
    "struct",
    "enum",
    "variant",
    "tuple",
    "untagged",
    "serde",
    "invalid type",
    "invalid value",
    "expected",
    " line ",
    "column",
    "u8",
    "u16",
    "u32",
    "u64",
    "usize",
    "i64",
    "f64",
    "Option",
    "Vec<",
    "::",
    "sequence",
];

/// A value of each type of JSON, an odd number and a text with NUL.
fn values() -> Vec<Value> {
    vec![
        json!(true),
        json!(-1.5),
        json!(1e30),
        json!("\u{0}"),
        json!([7]),
        json!([[7]]),
        json!([{ "zzz": 1 }]),
        json!({ "zzz": 1 }),
    ]
}

#[test]
fn errors_repeat_little_of_what_was_sent_and_nothing_that_moves_a_cursor() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let nasty = "\u{1b}[2J\u{202e}x".repeat(20_000);
    let long = "y".repeat(100_000);
    let mut wrong = Vec::new();
    for text in [&nasty, &long] {
        let path = format!("/{text}");
        for (method, params) in [
            ("build", json!({ "backend": text, "items": [{}] })),
            ("open", json!({ "backend": text, "items": [{}] })),
            (
                "open",
                json!({ "backend": "builtin", "host": text, "items": [{}] }),
            ),
            (
                "open",
                json!({ "backend": "builtin", "shell": text, "items": [{ "command": ["cat"] }] }),
            ),
            (
                "open",
                json!({ "backend": "builtin", "items": [{ "command": [text] }] }),
            ),
            (
                "open",
                json!({ "backend": "builtin", "items": [{ "command": [path] }] }),
            ),
            (
                "open",
                json!({ "backend": "builtin", "items": [{ "cwd": path }] }),
            ),
            ("resolveBackend", json!({ "forced": text })),
            ("terminal.get", json!({ "id": text })),
            ("terminal.create", json!({ "cwd": path })),
            ("terminal.create", json!({ "command": path })),
            ("agent.get", json!({ "id": text })),
            ("agent.create", json!({ "provider": text, "cwd": "/" })),
            ("resume", json!({ "ids": [text] })),
            (
                "seat.spawn",
                json!({ "space": text, "name": text, "command": "cat", "cwd": "/" }),
            ),
            (
                "seat.spawn",
                json!({ "space": "s", "name": "n", "command": path, "cwd": "/" }),
            ),
            (
                "seat.spawn",
                json!({ "space": "s", "name": "n", "command": "cat", "cwd": path }),
            ),
            ("seat.status", json!({ "reference": text })),
            ("surface.capture", json!({ "surface": text })),
            (
                "surface.keys",
                json!({ "surface": "builtin:x", "keys": [text] }),
            ),
            ("events.subscribe", json!({ "topics": [text] })),
            (
                "provider.command",
                json!({ "provider": text, "action": "create" }),
            ),
            ("plan", json!({ "count": 1, "packing": text })),
            ("plan", json!({ text: 1 })),
            (text.as_str(), json!({})),
        ] {
            let reply = client.reply(method, &params);
            let said = if reply["error"].is_object() {
                [
                    reply["error"]["message"].as_str(),
                    reply["error"]["data"]["hint"].as_str(),
                ]
            } else {
                let result = &reply["result"]["results"][0];
                [result["error"].as_str(), result["hint"].as_str()]
            };
            let method = method.get(..40).unwrap_or(method);
            assert!(said[0].is_some(), "{method}: {reply}");
            for said in said.into_iter().flatten() {
                let at = format!("{method}: {}", said.escape_debug());
                let good = said.chars().filter(|c| *c == 'y').count() <= 110
                    && said.chars().count() <= 1010
                    && !said.contains(['\u{1b}', '\u{202e}']);
                if !good {
                    wrong.push(at);
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_method_refuses_wrong_parameters_in_the_protocols_words() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let document = client.call("rpc.discover", &json!({}));
    let here = client.call("daemon.hello", &json!({}))["capabilities"].clone();
    let mut tried = 0;
    for method in document["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        if !here.as_array().unwrap().contains(&method["name"]) {
            continue;
        }
        for param in method["params"].as_array().unwrap() {
            let param = param["name"].as_str().unwrap();
            for value in values() {
                // What is not wrong with the value is wrong with the name after it, so that nothing is ever done.
                let mut params = Map::new();
                params.insert(param.to_owned(), value.clone());
                params.insert("zzz".to_owned(), json!(1));
                let sent = Value::Object(params);
                let error = client.fail(name, &sent);
                assert_eq!(error["code"], -32602, "{name} {sent}: {error}");
                let path = error["data"]["path"].as_str().unwrap_or_default();
                assert!(
                    path.starts_with(param) || path == "zzz",
                    "{name} {sent}: {error}"
                );
                let message = error["message"].as_str().unwrap();
                for ours in OURS {
                    assert!(!message.contains(ours), "{name} {sent}: {message}");
                }
                assert!(!message.ends_with('.'), "{name} {sent}: {message}");
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

#[test]
fn lists_do_not_stand_for_objects() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    for params in [
        json!([[{ "cwd": "/tmp" }]]),
        json!([{}, {}]),
        json!({ "items": [["/tmp"]] }),
        json!({ "items": [], "context": [] }),
    ] {
        let error = client.fail("build", &params);
        assert_eq!(error["code"], -32602, "{params}: {error}");
    }
    assert_eq!(
        client.call("plan", &json!([{ "count": 1 }])),
        json!({ "layouts": ["tab"] })
    );
}
