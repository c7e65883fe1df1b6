//! How the daemon ends.

use rustix::process::Signal;
use serde_json::json;

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::ensured::{Ensured, said};
use crate::support::env::Sandbox;
use crate::support::wait;

#[test]
fn shutdown_replies_first_and_leaves_nothing() {
    for params in [
        json!({}),
        json!({ "mode": "drain" }),
        json!({ "mode": "now" }),
    ] {
        let sandbox = Sandbox::new();
        let daemon = Daemon::start(&sandbox);
        let mut client = daemon.client();
        assert_eq!(client.call("daemon.shutdown", &params), json!({}));
        assert_eq!(client.try_read(), None, "{params}");
        wait::until("the files to be gone", || {
            let left = ["d.sock", "daemon.json"]
                .iter()
                .any(|name| sandbox.state().join(name).exists());
            (!left).then_some(())
        });
        assert!(sandbox.state().join("daemon.lock").exists());
        let log = wait::until("the last line of the log", || {
            let log = std::fs::read_to_string(sandbox.state().join("daemon.log")).unwrap();
            log.trim_end().ends_with("ended").then_some(log)
        });
        assert!(!log.contains("did not end in time"), "{log}");
    }
}

#[test]
fn signals_end_it_and_hangup_does_not() {
    for signal in [Signal::TERM, Signal::INT] {
        let sandbox = Sandbox::new();
        let daemon = Daemon::start(&sandbox);
        daemon.signal(Signal::HUP);
        let mut client = daemon.client();
        client.call("daemon.hello", &json!({}));
        daemon.signal(signal);
        assert_eq!(client.try_read(), None);
        wait::until("the socket to be gone", || {
            (!sandbox.state().join("d.sock").exists()).then_some(())
        });
    }
}

#[test]
fn stop_waits_for_the_end_and_status_says_that_none_runs() {
    let sandbox = Sandbox::new();
    let ensured = Ensured::new(&sandbox);
    let first = ensured.ensure();
    let output = ensured.run(&["daemon", "restart"]);
    assert!(output.status.success(), "{}", said(&output));
    let second = ensured.ensure();
    assert_ne!(first["pid"], second["pid"]);
    assert_eq!(second["started"], false);

    let output = ensured.run(&["daemon", "stop"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(!sandbox.state().join("daemon.json").exists());
    let output = ensured.run(&["daemon", "status"]);
    assert_eq!(output.status.code(), Some(3));
    let message = said(&output);
    assert!(
        message.contains("error: no daemon is running") && message.contains("hint: "),
        "{message}"
    );
    let output = ensured.run(&["daemon", "stop", "--json"]);
    assert!(output.status.success());
    assert_eq!(output.stdout, b"{\"stopped\":false}\n");
}

#[test]
fn an_open_that_is_cut_short_tells_what_it_opened() {
    for key in [json!(null), json!("k")] {
        let sandbox = Sandbox::new();
        let daemon = Daemon::start(&sandbox);
        let mut opening = daemon.client();
        let items = vec![json!({ "command": ["cat"] }); 3];
        let params =
            json!({ "backend": "builtin", "items": items, "staggerMs": 600_000, "key": key });
        opening.request("open", &params);
        let mut other = daemon.client();
        let first = wait::until("the first terminal", || {
            let listed = other.call("terminal.list", &json!({}));
            listed["terminals"][0]["id"].as_str().map(str::to_owned)
        });
        other.call("daemon.shutdown", &json!({ "mode": "now" }));
        let error = &opening.read()["error"];
        assert_eq!(error["data"]["kind"], "state-unknown", "{error}");
        let opened = json!([{ "index": 0, "surface": format!("builtin:{first}") }]);
        assert_eq!(error["data"]["detail"]["opened"], opened, "{error}");
        assert_eq!(error["data"]["detail"]["continues"], false, "{error}");
    }
}

#[test]
fn a_reader_that_goes_away_does_not_end_it() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let socket = daemon.socket().unwrap();
    for _ in 0..20 {
        let mut client = Client::connect(&socket);
        for _ in 0..50 {
            client.request("rpc.discover", &json!({}));
        }
        drop(client);
    }
    daemon.client().call("daemon.hello", &json!({}));
}
