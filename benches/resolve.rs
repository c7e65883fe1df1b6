//! How long `resolveBackend` takes on a machine with 300 processes, measured against what it cannot do without, in one run:
//! reading `/proc` once, and asking tmux once.
//!
//! `cargo bench --bench resolve`. Needs tmux, Linux.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark starts programs, prints and stops where something is wrong"
)]

use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use surfaced::backend::registry::Registry;
use surfaced::os::peer::Peer;
use surfaced::os::process_table::ProcessTable;
use surfaced::proto::resolve::ResolveParams;
use surfaced::service::context::Contexts;
use surfaced::service::machine::Machine;
use surfaced::service::resolve::Resolver;
use surfaced::service::sessions::Sessions;
use surfaced::transport::{Local, Transport};

const PROCESSES: usize = 300;
const ROUNDS: usize = 51;
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Processes of this benchmark, ended with it.
struct Crowd(Vec<Child>);

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A tmux server of this benchmark, ended with it.
struct Server<'a>(&'a str);

impl Server<'_> {
    fn run(&self, words: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-f", "/dev/null", "-S", self.0])
            .args(words)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        let _ = Command::new("tmux")
            .args(["-S", self.0, "kill-server"])
            .output();
    }
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("socket");
    let server = Server(socket.to_str().unwrap());
    let claude = dir.path().join("claude");
    std::fs::write(&claude, "#!/bin/sh\ncat\n").unwrap();
    std::fs::set_permissions(&claude, PermissionsExt::from_mode(0o755)).unwrap();
    server.run(&["new-session", "-d", "-s", "work", "cat"]);
    server.run(&["new-window", "-d", claude.to_str().unwrap()]);
    let pane: u32 = server
        .run(&["display-message", "-p", "#{pane_pid}"])
        .parse()
        .unwrap();

    let others = ProcessTable::new().names().len();
    let sleep = || {
        Command::new("sleep")
            .arg("3600")
            .stdin(Stdio::null())
            .spawn()
            .unwrap()
    };
    let crowd = Crowd((others..PROCESSES).map(|_| sleep()).collect());

    let machine = Arc::new(Machine::new(dir.path(), PATH, None));
    let transport: Arc<dyn Transport> = Arc::new(Local::new(PATH));
    let (_, registry) = tokio::sync::watch::channel(Registry::default());
    let contexts = Contexts::new(machine.clone(), transport.clone());
    let sessions = Sessions::new(
        machine.clone(),
        transport,
        tokio::sync::watch::channel(surfaced::provider::Providers::default()).1,
    );
    let resolver = Resolver::new(machine, registry, contexts, sessions);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let resolve = |pid: Option<u32>| {
        let peer = Peer {
            uid: ProcessTable::me(),
            pid,
            since: SystemTime::now(),
        };
        let answer = runtime.block_on(resolver.resolve(&peer, ResolveParams::default()));
        std::hint::black_box(answer.unwrap());
    };

    println!(
        "{} processes of this user, {ROUNDS} rounds",
        others + crowd.0.len()
    );
    let proc = median("floor: the name of every process once", || {
        std::hint::black_box(ProcessTable::new().names());
    });
    let tmux = median("floor: one tmux list-panes", || {
        std::hint::black_box(server.run(&["list-panes", "-a"]));
    });
    median("a caller in a pane of tmux", || resolve(Some(pane)));
    let followed = median("a caller without a terminal, one agent in tmux", || {
        resolve(None);
    });
    println!(
        "{:<48} {:>9.2}x",
        "the last one against both floors together",
        followed.as_secs_f64() / (proc + tmux).as_secs_f64()
    );
}

fn median(what: &str, mut round: impl FnMut()) -> Duration {
    round();
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    let median = times[ROUNDS / 2];
    println!("{what:<48} {:>7.2} ms", median.as_secs_f64() * 1000.0);
    median
}
