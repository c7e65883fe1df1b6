//! The committed schema is what the code says.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;

/// `SURFACED_BLESS=1 cargo nextest run schema` writes the file anew.
#[test]
fn the_committed_schema_matches_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/openrpc.json");
    let text = format!(
        "{}\n",
        serde_json::to_string_pretty(&surfaced::proto::openrpc::document()).unwrap()
    );
    #[expect(
        clippy::disallowed_methods,
        reason = "the one switch that writes the file"
    )]
    if std::env::var_os("SURFACED_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "schema/openrpc.json is not what src/proto says: run SURFACED_BLESS=1 cargo nextest run schema"
    );
}

/// Every example of the schema is a call that works; where it shows a result, that is the result.
#[test]
fn every_example_is_true() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let document = client.call("rpc.discover", &json!({}));
    assert_eq!(document, surfaced::proto::openrpc::document());
    let mut examples = 0;
    for method in document["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        for example in method["examples"].as_array().into_iter().flatten() {
            let params: serde_json::Map<String, Value> = example["params"]
                .as_array()
                .unwrap()
                .iter()
                .map(|param| {
                    (
                        param["name"].as_str().unwrap().to_owned(),
                        param["value"].clone(),
                    )
                })
                .collect();
            let result = client.call(name, &Value::Object(params));
            if let Some(shown) = example["result"].get("value") {
                assert_eq!(&result, shown, "{name}: {}", example["name"]);
            }
            examples += 1;
        }
    }
    assert!(examples >= 5, "{examples} examples");
}

/// What the daemon answers to is what the schema lists.
#[test]
fn the_schema_lists_the_methods_that_are_there() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let hello = client.call("daemon.hello", &json!({}));
    let mut there: Vec<_> = hello["capabilities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    let document = surfaced::proto::openrpc::document();
    let mut listed: Vec<_> = document["methods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|method| method["name"].as_str().unwrap())
        .collect();
    there.sort_unstable();
    listed.sort_unstable();
    assert_eq!(there, listed);
}
