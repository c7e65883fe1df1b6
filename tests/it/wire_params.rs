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
