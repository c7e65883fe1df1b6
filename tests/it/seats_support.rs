//! What the tests of seats share.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;
use crate::support::world::World;

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

    /// The same in a world with hosts.
    pub fn of(world: &World) -> Self {
        Self::new(&world.sandbox)
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

    /// Spawns a seat that runs a line of `sh` on the host `zion`, and returns its reference.
    #[track_caller]
    pub fn spawn_there(&mut self, space: &str, name: &str, line: &str) -> String {
        let spawned = self.client.call("seat.spawn", &there(space, name, line));
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

/// The parameters of a seat that runs a line of `sh` on the host `zion`.
pub fn there(space: &str, name: &str, line: &str) -> Value {
    let mut params = Place::params(space, name, line);
    params["host"] = json!("zion");
    params
}

/// Puts a tmux in the place of the real one that, as long as the file is there, fails in the way that the file says.
pub fn breakable(sandbox: &mut Sandbox) -> PathBuf {
    let broken = sandbox.root().join("broken");
    let bin = sandbox.script(
        "tmux",
        &format!(
            "#!/bin/sh\nif [ -f {0} ]; then . {0}; fi\nexec /usr/bin/tmux \"$@\"\n",
            broken.display()
        ),
    );
    sandbox.prepend_path(&bin);
    broken
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
