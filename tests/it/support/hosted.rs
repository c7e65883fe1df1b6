//! The terminals service in this process, with real hosts. Two of them over one home are a daemon and its successor.

use std::path::Path;
use std::time::Duration;

use surfaced::host::place::Place;
use surfaced::os::environment::for_daemon;
use surfaced::os::person::Person;
use surfaced::os::supervise::Supervisor;
use surfaced::proto::terminal::Terminal;
use surfaced::service::events::Events;
use surfaced::service::terminals::{Plan, Setup, Terminals};

use super::env::Sandbox;

/// A service that ends with the test; its terminals are ended too.
pub struct Hosted {
    pub terminals: Terminals,
    pub events: Events,
    pub place: Place,
    supervisor: Supervisor,
}

impl Hosted {
    /// Over the home of a sandbox.
    pub async fn open(sandbox: &Sandbox) -> Self {
        let place = Place::new(&sandbox.state(), &sandbox.root().join("tmp"));
        let events = Events::new();
        let supervisor = Supervisor::new();
        let variables = for_daemon(
            [
                ("PATH".into(), sandbox.path().into()),
                ("HOME".into(), sandbox.home().into()),
                ("SHELL".into(), "/bin/sh".into()),
            ],
            Person::current().as_ref(),
            None,
        );
        let terminals = Terminals::open(Setup {
            place: place.clone(),
            program: Path::new(env!("CARGO_BIN_EXE_surfaced")).to_owned(),
            variables,
            config: surfaced::config::Store::open(sandbox.state().join("config.toml")),
            events: events.clone(),
            supervisor: supervisor.clone(),
        })
        .await
        .unwrap();
        Self {
            terminals,
            events,
            place,
            supervisor,
        }
    }

    /// A terminal that runs a line of sh.
    pub async fn sh(&self, line: &str) -> Terminal {
        self.terminals
            .create(Plan {
                argv: Some(["sh", "-c", line].map(str::to_owned).to_vec()),
                ..Plan::default()
            })
            .await
            .unwrap()
    }

    /// Drops all connections without a word, as kill -9 of a daemon does.
    pub fn vanish(self) {
        self.supervisor.cancel();
    }

    /// Ends what still runs.
    pub async fn end(self) {
        for terminal in self.terminals.list(None).await.unwrap() {
            self.terminals
                .kill(&terminal.id, Duration::ZERO, Duration::from_secs(20))
                .await
                .unwrap();
        }
        self.supervisor.cancel();
    }
}
