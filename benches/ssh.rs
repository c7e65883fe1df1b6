//! How long a command on a host takes, through the library and through OpenSSH, against `ssh` through a control master of its own,
//! round by round in one run: on loopback, and on a line of 50 ms.
//!
//! `cargo bench --bench ssh`. Needs sshd.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "a benchmark starts programs, prints and stops where something is wrong"
)]

#[path = "../tests/it/support/mod.rs"]
mod support;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::slow_line::SlowLine;
use support::ssh::{Ways, run};
use support::sshd::{Sshd, have_ssh};
use surfaced::transport::ssh::Remote;
use tokio::runtime::Runtime;

const LOOPBACK_ROUNDS: usize = 101;
const SLOW_ROUNDS: usize = 21;

fn main() {
    if !have_ssh() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    let line = SlowLine::to(sshd.port(), Duration::from_millis(25));
    for (alias, port) in [("near", sshd.port()), ("far", line.port())] {
        let control = ways.sandbox.root().join(format!("control-{alias}"));
        ways.config.place(alias, port, "");
        // The same host for ssh itself; a control path would make the library step aside.
        ways.config.place(
            &format!("{alias}-peer"),
            port,
            &format!("  ControlPath {}\n", control.display()),
        );
        let known = sshd.known("ed25519");
        ways.config.know(&format!(
            "[127.0.0.1]:{port} {}",
            known.split_once(' ').unwrap().1
        ));
    }
    // Connections are looked after by tasks of their own.
    let _guard = runtime.enter();
    for (alias, rounds) in [("near", LOOPBACK_ROUNDS), ("far", SLOW_ROUNDS)] {
        measure(&runtime, &ways, alias, rounds);
    }
    runtime.block_on(ways.end());
}

fn measure(runtime: &Runtime, ways: &Ways, alias: &str, rounds: usize) {
    let peer = format!("{alias}-peer");
    let ssh = |more: &[&str]| {
        let mut command = Command::new("ssh");
        command
            .arg("-F")
            .arg(ways.config.path())
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    };
    assert!(
        ssh(&["-M", "-N", "-f", &peer])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    ways.prefer("library");
    let library = ways.host(alias);
    runtime.block_on(library.reconnect()).unwrap();
    ways.prefer("openssh");
    let openssh = ways.host(alias);
    runtime.block_on(openssh.reconnect()).unwrap();

    // Both ends of the way, without the way: the login shell and the command.
    let floor = || {
        let done = Command::new("bash")
            .args(["-c", "/bin/sh -c true"])
            .status()
            .unwrap();
        assert!(done.success());
    };
    let remote = |host: &Remote| {
        let answer = runtime.block_on(async {
            // The channel of the next command is opened meanwhile, as it is between two commands of a person.
            let answer = run(host, &["true"]).await;
            let taken = Instant::now();
            tokio::time::sleep(Duration::from_millis(120)).await;
            (answer, taken)
        });
        assert!(answer.0.unwrap().ok());
        answer.1
    };
    let mut times = vec![Vec::new(); 4];
    for _ in 0..=rounds {
        let start = Instant::now();
        floor();
        times[0].push(start.elapsed());
        let start = Instant::now();
        assert!(ssh(&[&peer, "true"]).status().unwrap().success());
        times[1].push(start.elapsed());
        for (index, host) in [(2, &library), (3, &openssh)] {
            let start = Instant::now();
            times[index].push(remote(host) - start);
        }
    }
    let _ = ssh(&["-O", "exit", &peer]).stderr(Stdio::null()).status();

    let median = |index: usize| {
        // The first round warms up.
        let mut times = times[index][1..].to_vec();
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1000.0
    };
    let [floor, peer, library, openssh] = [0, 1, 2, 3].map(median);
    println!("{alias}, {rounds} rounds, medians");
    println!(
        "  {:<44} {floor:>8.2} ms",
        "floor: a login shell and the command, here"
    );
    for (what, time) in [
        ("ssh through a control master", peer),
        ("through the library", library),
        ("through OpenSSH", openssh),
    ] {
        println!(
            "  {what:<44} {time:>8.2} ms, adds {:>7.2} ms, {:>5.2}x of what ssh adds",
            time - floor,
            (time - floor) / (peer - floor)
        );
    }
}
