//! The end of a daemon that has work, over its socket.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use super::facts::Facts;
use super::lifecycle::Lifecycle;
use super::methods;
use super::watch::Watch;
use crate::config::Store;
use crate::os::lock::Lock;
use crate::os::paths::Paths;
use crate::os::signals::Signals;
use crate::os::socket;
use crate::os::supervise::Supervisor;
use crate::proto::method::Empty;
use crate::proto::{Failure, Method};
use crate::rpc::{Control, Registry, Server};

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Params {}

/// Runs until the test lets it end.
enum Work {}

impl Method for Work {
    const NAME: &'static str = "work";
    const SUMMARY: &'static str = "for tests";
    type Params = Params;
    type Result = Empty;
}

/// A daemon in this process, served by a thread of its own.
struct Running {
    _home: tempfile::TempDir,
    socket: PathBuf,
    gate: Arc<Semaphore>,
    thread: std::thread::JoinHandle<()>,
}

impl Running {
    fn start() -> Self {
        let home = tempfile::Builder::new().prefix("sf").tempdir().unwrap();
        let paths = Paths::in_home(home.path()).unwrap();
        let socket = paths.socket.clone();
        let gate = Arc::new(Semaphore::new(0));
        let own = Arc::clone(&gate);
        let (ready, started) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(async {
                    let lifecycle = assemble(paths, own).await;
                    ready.send(()).unwrap();
                    lifecycle.serve().await;
                });
        });
        started.recv().unwrap();
        Self {
            _home: home,
            socket,
            gate,
            thread,
        }
    }

    fn connect(&self) -> Wire {
        let stream = UnixStream::connect(&self.socket).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        Wire(BufReader::new(stream))
    }

    /// Waits for its end, and returns whether its socket is gone.
    fn ended(self) -> bool {
        self.thread.join().unwrap();
        !self.socket.exists()
    }
}

async fn assemble(paths: Paths, gate: Arc<Semaphore>) -> Lifecycle {
    let lock = Lock::acquire(&paths.lock()).unwrap();
    let supervisor = Supervisor::new();
    let control = Control::new();
    let config = Store::open(paths.config.clone());
    let facts = Facts::new(&paths, config.clone(), control.clone());
    let mut registry = Registry::new();
    methods::add(&mut registry, &facts);
    registry.method::<Work, _>(move |_, _| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire()
                .await
                .expect("the gate is never closed")
                .forget();
            Ok::<_, Failure>(Empty {})
        }
    });
    let (limits, in_force) = watch::channel(config.current().limits.clone());
    let server = Server::new(registry, control, in_force, supervisor.clone());
    let bound = socket::bind(&paths.socket).await.unwrap();
    Lifecycle {
        facts,
        server,
        supervisor,
        signals: Signals::take().unwrap(),
        watch: Watch {
            lock,
            place: bound.place(),
            config,
            limits,
            paths,
        },
        listener: bound.listener,
        reserve: super::lifecycle::reserve(),
    }
}

/// One connection, a line a message.
struct Wire(BufReader<UnixStream>);

impl Wire {
    fn send(&mut self, id: u64, method: &str, params: &Value) {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.0.get_mut(), "{request}").unwrap();
    }

    /// The next message; null at the end of the stream.
    fn read(&mut self) -> Value {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => Value::Null,
            result => {
                result.unwrap();
                serde_json::from_str(&line).unwrap()
            }
        }
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.send(99, method, params);
        let reply = self.read();
        assert_eq!(reply["id"], 99, "{reply}");
        reply
    }

    /// Sends `work` and sees that it runs.
    fn begin_work(&mut self) {
        self.send(1, "work", &json!({}));
        loop {
            let status = self.call("daemon.status", &json!({}));
            if status["result"]["inFlight"] == 1 {
                return;
            }
        }
    }
}

#[test]
fn a_drain_lets_work_end_and_takes_no_more() {
    let daemon = Running::start();
    let mut worker = daemon.connect();
    worker.begin_work();
    let mut other = daemon.connect();
    let reply = other.call("daemon.shutdown", &json!({}));
    assert_eq!(reply["result"], json!({}));

    // What never changes still works, for those who connect now too.
    let mut late = daemon.connect();
    let hello = late.call("daemon.hello", &json!({}));
    assert_eq!(hello["result"]["state"], "draining");
    assert_eq!(
        late.call("daemon.status", &json!({}))["result"]["state"],
        "draining"
    );
    assert!(late.call("rpc.discover", &json!({}))["result"]["methods"].is_array());
    let refused = late.call("work", &json!({}));
    assert_eq!(refused["error"]["code"], -32012);
    assert_eq!(refused["error"]["data"]["kind"], "shutting-down");

    daemon.gate.add_permits(1);
    let reply = worker.read();
    assert_eq!((&reply["id"], &reply["result"]), (&json!(1), &json!({})));
    for wire in [&mut worker, &mut other, &mut late] {
        assert_eq!(wire.read(), Value::Null);
    }
    assert!(daemon.ended());
}

#[test]
fn now_ends_work_too_and_overrides_a_drain() {
    let daemon = Running::start();
    let mut worker = daemon.connect();
    worker.begin_work();
    let mut other = daemon.connect();
    for mode in ["drain", "now"] {
        let reply = other.call("daemon.shutdown", &json!({ "mode": mode }));
        assert_eq!(reply["result"], json!({}), "{mode}");
    }
    let reply = worker.read();
    assert_eq!(reply["id"], 1);
    assert_eq!(reply["error"]["data"]["kind"], "state-unknown");
    assert!(daemon.ended());
}

#[test]
fn slow_work_that_does_not_end_has_five_seconds() {
    let daemon = Running::start();
    let mut worker = daemon.connect();
    worker.begin_work();
    daemon.connect().call("daemon.shutdown", &json!({}));
    let reply = worker.read();
    assert_eq!(reply["error"]["data"]["kind"], "state-unknown");
    assert!(daemon.ended());
}
