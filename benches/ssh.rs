//! How long a command on a host takes, through the library and through OpenSSH, against `ssh` through a control master of its own,
//! round by round in one run: on loopback, on a line of 50 ms that carries bytes, and, as root where TUN devices can be made, on one
//! that carries packets between two network namespaces.
//!
//! `cargo bench --bench ssh`. Needs sshd. The bars: the library adds at most half of what `ssh` adds, OpenSSH at most 1.2 times that.
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

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::slow_line::SlowLine;
use support::ssh::{Ways, run};
use support::sshd::{Sshd, have_ssh};
use surfaced::transport::ssh::Remote;
use tokio::runtime::Runtime;

const LOOPBACK_ROUNDS: usize = 101;
const SLOW_ROUNDS: usize = 21;

/// The ends of the line between two namespaces. Nothing of it is seen outside of them.
const NEAR: &str = "10.213.77.1";
const FAR: &str = "10.213.77.2";

/// Set in the process that has a namespace of its own.
const INSIDE: &str = "SURFACED_BENCH_INSIDE";

fn main() {
    if !have_ssh() {
        return;
    }
    let inside = std::env::var_os(INSIDE).is_some();
    if !inside {
        match can_have_namespaces() {
            Ok(()) => {
                let me = std::env::current_exe().unwrap();
                let error = Command::new("unshare")
                    .arg("--net")
                    .arg(me)
                    .env(INSIDE, "1")
                    .exec();
                panic!("unshare: {error}");
            }
            Err(why) => eprintln!("left out, the line between two namespaces: {why}"),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    if inside {
        let up = Command::new("ip")
            .args(["link", "set", "lo", "up"])
            .status();
        assert!(up.unwrap().success());
    }
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
    let between = inside.then(|| Namespaces::start(&ways, &sshd));
    // Connections are looked after by tasks of their own.
    let _guard = runtime.enter();
    for (alias, rounds) in [("near", LOOPBACK_ROUNDS), ("far", SLOW_ROUNDS)] {
        measure(&runtime, &ways, alias, rounds);
    }
    if between.is_some() {
        measure(&runtime, &ways, "namespace", SLOW_ROUNDS);
    }
    runtime.block_on(ways.end());
}

/// Whether this process may make network namespaces and TUN devices, or why not.
fn can_have_namespaces() -> Result<(), String> {
    if !rustix::process::getuid().is_root() {
        return Err("it needs root".to_owned());
    }
    for program in ["unshare", "nsenter", "ip", "python3"] {
        let found = Command::new("sh")
            .args(["-c", "command -v \"$0\" >/dev/null", program])
            .status();
        if !found.is_ok_and(|status| status.success()) {
            return Err(format!("{program} is not installed"));
        }
    }
    let tried = Command::new("unshare")
        .args([
            "--net", "ip", "tuntap", "add", "dev", "sftry", "mode", "tun",
        ])
        .output()
        .map_err(|error| error.to_string())?;
    if tried.status.success() {
        Ok(())
    } else {
        let said = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
        Err(format!("no TUN device can be made: {said}"))
    }
}

/// A second namespace with a server in it, at the end of a line of packets.
struct Namespaces {
    line: Child,
    server: Child,
}

impl Namespaces {
    fn start(ways: &Ways, sshd: &Sshd) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/delay_line.py");
        let mut line = Command::new("python3")
            .args([script, NEAR, FAR, "25"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        let output = line.stdout.as_mut().unwrap();
        BufReader::new(output).read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n", "the line is not up");
        let config = std::fs::read_to_string(sshd.file("config")).unwrap();
        let config = config.replace(
            "ListenAddress 127.0.0.1\n",
            &format!("ListenAddress {FAR}\n"),
        );
        let path = sshd.file("config-far");
        std::fs::write(&path, config).unwrap();
        let log = std::fs::File::create(sshd.file("log-far")).unwrap();
        let server = Command::new("nsenter")
            .arg(format!("--net=/proc/{}/ns/net", line.id()))
            .args(["/usr/sbin/sshd", "-D", "-e", "-f"])
            .arg(path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let port = sshd.port();
        support::wait::until("the far server to listen", || {
            std::net::TcpStream::connect((FAR, port)).ok()
        });
        let control = ways.sandbox.root().join("control-namespace");
        ways.config
            .place("namespace", port, &format!("  HostName {FAR}\n"));
        ways.config.place(
            "namespace-peer",
            port,
            &format!("  HostName {FAR}\n  ControlPath {}\n", control.display()),
        );
        let known = sshd.known("ed25519");
        let key = known.split_once(' ').unwrap().1;
        ways.config.know(&format!("[{FAR}]:{port} {key}"));
        Self { line, server }
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for child in [&mut self.server, &mut self.line] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
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
    let way = match alias {
        "near" => "loopback",
        "far" => "a line of 50 ms that carries bytes",
        _ => "a line of 50 ms that carries packets between two namespaces",
    };
    println!("{way}, {rounds} rounds, medians");
    println!(
        "  {:<44} {floor:>8.2} ms",
        "floor: a login shell and the command, here"
    );
    for (what, time, bar) in [
        ("ssh through a control master", peer, None),
        ("through the library", library, Some(0.5)),
        ("through OpenSSH", openssh, Some(1.2)),
    ] {
        let share = (time - floor) / (peer - floor);
        let verdict = match bar {
            None => String::new(),
            Some(bar) if share <= bar => format!(", within {bar}"),
            Some(bar) => format!(", OVER {bar}"),
        };
        println!(
            "  {what:<44} {time:>8.2} ms, adds {:>7.2} ms, {share:>5.2}x of what ssh adds{verdict}",
            time - floor,
        );
    }
}
