//! What the tests of seats share.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;

/// A daemon and a client of it, in a place without a tmux server.
pub struct Place {
    pub daemon: Daemon,
    pub client: Client,
}

impl Place {
    pub fn new(sandbox: &Sandbox) -> Self {
        let daemon = Daemon::start(sandbox);
        let client = daemon.client();
        Self { daemon, client }
    }

    /// The parameters of a seat that runs a line of `sh`.
    pub fn params(space: &str, name: &str, line: &str) -> Value {
        json!({ "space": space, "name": name, "command": "sh", "args": ["-c", line], "cwd": "/tmp" })
    }

    /// Spawns a seat that runs a line of `sh`, and returns its reference.
    #[track_caller]
    pub fn spawn(&mut self, space: &str, name: &str, line: &str) -> String {
        let spawned = self
            .client
            .call("seat.spawn", &Self::params(space, name, line));
        spawned["reference"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub fn call(&mut self, method: &str, reference: &str) -> Value {
        self.client.call(method, &json!({ "reference": reference }))
    }

    #[track_caller]
    pub fn kind(&mut self, method: &str, params: &Value) -> String {
        self.client.fail(method, params)["data"]["kind"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Waits for the end of a seat, and returns it.
    #[track_caller]
    pub fn wait(&mut self, reference: &str) -> Value {
        self.client.call(
            "seat.wait",
            &json!({ "reference": reference, "timeoutMs": 30_000 }),
        )
    }
}

/// The window and pane of a reference, as tmux writes them.
pub fn ids(reference: &str) -> (String, String) {
    let place = reference
        .split_once('.')
        .unwrap()
        .1
        .split_once(';')
        .unwrap()
        .0;
    let (window, pane) = place.split_once('.').unwrap();
    (window.to_owned(), pane.to_owned())
}

/// The number of the server of a reference.
pub fn server(reference: &str) -> u32 {
    reference
        .strip_prefix("tmux:")
        .unwrap()
        .split_once('.')
        .unwrap()
        .0
        .parse()
        .unwrap()
}
