//! What a caller may do to the daemon, and what the others see of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::process;
use crate::support::tmux::Tmux;
use crate::support::wait;

/// How much memory a misbehaving caller may cost.
const GROWTH: u64 = 20_000_000;

fn connect(daemon: &Daemon) -> UnixStream {
    let stream = UnixStream::connect(daemon.socket().unwrap()).unwrap();
    stream.set_read_timeout(Some(wait::LONG)).unwrap();
    stream
        .set_write_timeout(Some(Duration::from_secs(4)))
        .unwrap();
    stream
}

/// Writes until nothing more is taken or this much was.
fn pour(stream: &mut UnixStream, piece: &[u8], most: usize) -> usize {
    let mut poured = 0;
    while poured < most {
        match stream.write(piece) {
            Ok(written) => poured += written,
            Err(_) => break,
        }
    }
    poured
}

/// Runs something against a daemon and says how much its memory grew meanwhile, while another caller is served. What the
/// work returns is kept until then.
fn growth<T>(work: impl FnOnce(&Daemon) -> T) -> u64 {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut other = daemon.client();
    for _ in 0..20 {
        other.call("rpc.discover", &json!({}));
    }
    let before = daemon.memory();
    let _kept = work(&daemon);
    other.call("plan", &json!({ "count": 2 }));
    daemon.memory().saturating_sub(before)
}

#[test]
fn a_daemon_without_descriptors_says_so_and_nobody_is_told_to_kill_it() {
    let sandbox = Sandbox::new();
    let real = env!("CARGO_BIN_EXE_surfaced");
    let bin = sandbox.script(
        "surfaced-short",
        &format!("#!/bin/sh\nulimit -n 40\nexec {real} \"$@\"\n"),
    );
    let daemon = Daemon::start_program(&sandbox, &bin.join("surfaced-short"));
    let mut held = Vec::new();
    let busy = loop {
        let mut client = daemon.client();
        let reply = client.reply("daemon.hello", &json!({}));
        if reply["error"].is_object() {
            break reply;
        }
        held.push(client);
        assert!(held.len() < 40, "it has no limit");
    };
    assert_eq!(busy["error"]["data"]["kind"], "busy", "{busy}");
    let output = sandbox
        .surfaced()
        .args(["daemon", "status"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("as many files and connections open"),
        "{said}"
    );
    assert!(!said.contains("kill -9"), "{said}");
    // Those that it has are served, and others as soon as some of these are gone.
    held[0].call("daemon.hello", &json!({}));
    drop(held);
    wait::until("the daemon to take connections again", || {
        daemon.client().try_call("daemon.hello", &json!({}))
    });
}

#[test]
fn a_flood_of_unread_requests_costs_little_memory() {
    let grown = growth(|daemon| {
        let mut stream = connect(daemon);
        let request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.status\"}\n".repeat(1000);
        pour(&mut stream, request.as_bytes(), 200 << 20);
        stream
    });
    assert!(grown < GROWTH, "{grown} bytes");
}

#[test]
fn a_flood_over_many_connections_costs_hardly_more() {
    let grown = growth(|daemon| {
        let request =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"plan\",\"params\":{\"count\":10000}}\n";
        let requests = request.repeat(500);
        let streams: Vec<UnixStream> = (0..20)
            .map(|_| {
                let mut stream = connect(daemon);
                // Each asks for more than the limit allows one of them.
                stream.write_all(requests.as_bytes()).unwrap();
                stream
            })
            .collect();
        // In turns: the others have as many replies each as this caller.
        let mut other = daemon.client();
        for _ in 0..150 {
            other.call("plan", &json!({ "count": 1 }));
        }
        streams
    });
    assert!(grown < 2 * GROWTH, "{grown} bytes");
}

#[test]
fn a_call_with_very_many_items_is_refused_before_they_are_read() {
    let grown = growth(|daemon| {
        let items = vec![json!({}); 900_000];
        let mut client = daemon.client();
        for method in ["plan", "build", "open"] {
            let failure = client.fail(method, &json!({ "items": items }));
            assert_eq!(failure["data"]["path"], "items", "{failure}");
        }
    });
    assert!(grown < 2 * GROWTH, "{grown} bytes");
}

#[test]
fn an_endless_line_costs_little_memory() {
    for piece in ["x", "[", "\"a", "{\"a\":"] {
        let grown = growth(|daemon| {
            let mut stream = connect(daemon);
            let poured = pour(&mut stream, piece.repeat(10_000).as_bytes(), 30 << 20);
            assert!(
                poured >= 30 << 20,
                "{piece}: only {poured} bytes were taken"
            );
            stream
        });
        assert!(grown < GROWTH, "{piece}: {grown} bytes");
    }
}

#[test]
fn a_message_over_the_limit_is_refused_and_the_next_is_served() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let large = json!({ "jsonrpc": "2.0", "id": 9, "method": "plan", "params": { "x": "y".repeat(5_000_000) } });
    for piece in format!("{large}\n").as_bytes().chunks(1000) {
        client.send(piece);
    }
    let reply = client.read();
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(9), &json!(-32007))
    );
    client.call("plan", &json!({ "count": 1 }));
}

#[test]
fn a_thousand_connections_are_answered_or_closed_and_the_first_ones_work_on() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut first = daemon.client();
    first.call("plan", &json!({ "count": 1 }));
    let mut others: Vec<UnixStream> = (0..1000)
        .map_while(|_| UnixStream::connect(daemon.socket().unwrap()).ok())
        .collect();
    let mut last = others.pop().unwrap();
    last.set_read_timeout(Some(wait::LONG)).unwrap();
    let _ = last.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"plan\"}\n");
    let mut reply = String::new();
    let _ = last.read_to_string(&mut reply);
    assert!(reply.is_empty() || reply.contains("-32009"), "{reply}");
    first.call("plan", &json!({ "count": 1 }));
    drop(others);
    wait::until("the connections to be forgotten", || {
        (first.call("daemon.status", &json!({}))["connections"] == 1).then_some(())
    });
}

#[test]
fn a_caller_that_leaves_before_its_reply_ends_nothing() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    for _ in 0..20 {
        let mut stream = connect(&daemon);
        stream
            .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.discover\"}\n")
            .unwrap();
    }
    daemon.client().call("plan", &json!({ "count": 1 }));
}

#[test]
fn a_full_close_ends_what_the_caller_waited_for() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let _tmux = Tmux::start(&sandbox, "work");
    let daemon = Daemon::start(&sandbox);
    let mut watcher = daemon.client();
    let list = watcher.call("surface.list", &json!({ "backend": "tmux" }));
    let surface = list["surfaces"][0]["surface"].clone();
    let mut in_flight = |count: u64| {
        wait::until("requests to run or end", || {
            (watcher.call("daemon.status", &json!({}))["inFlight"] == count).then_some(())
        });
    };
    for half_close in [false, true] {
        let mut waiting = daemon.client();
        for _ in 0..3 {
            waiting.request("surface.wait", &json!({ "surface": surface }));
        }
        if half_close {
            waiting
                .stream()
                .shutdown(std::net::Shutdown::Write)
                .unwrap();
        }
        in_flight(3);
        drop(waiting);
        in_flight(0);
    }
}

#[test]
fn one_caller_does_not_see_the_requests_of_another() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let _tmux = Tmux::start(&sandbox, "work");
    let daemon = Daemon::start(&sandbox);
    let mut a = daemon.client();
    let list = a.call("surface.list", &json!({ "backend": "tmux" }));
    let surface = list["surfaces"][0]["surface"].clone();
    let id = a.request("surface.wait", &json!({ "surface": surface }));
    let mut b = Client::connect(&daemon.socket().unwrap());
    let failure = b.fail("$/cancelRequest", &json!({ "id": id }));
    assert_eq!(failure["data"]["kind"], "not-found");
    a.send(format!(
        "{}\n",
        json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } })
    ));
    let reply = a.read();
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(id), &json!(-32800))
    );
    assert!(reply["error"]["data"]["detail"].is_object(), "{reply}");
}

#[test]
fn a_flood_that_is_served_slows_nobody() {
    const FLOOD: usize = 100_000;
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut flood = connect(&daemon);
    let mut replies = BufReader::new(flood.try_clone().unwrap());
    let served = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let requests =
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"plan\",\"params\":{\"count\":1}}\n"
                    .repeat(1000);
            for _ in 0..FLOOD / 1000 {
                flood.write_all(requests.as_bytes()).unwrap();
            }
        });
        scope.spawn(|| {
            let mut line = String::new();
            while served.load(Ordering::Relaxed) < FLOOD
                && replies.read_line(&mut line).unwrap() > 0
            {
                served.fetch_add(1, Ordering::Relaxed);
                line.clear();
            }
        });
        wait::until("the flood to begin", || {
            (served.load(Ordering::Relaxed) > 0).then_some(())
        });
        // In turns, fifty calls need a thousandth of the flood. One that waits for what the other sent sees its end.
        let mut client = daemon.client();
        for _ in 0..50 {
            client.call("plan", &json!({ "count": 1 }));
        }
        let so_far = served.load(Ordering::Relaxed);
        assert!(so_far < FLOOD, "all {so_far} were served first");
    });
}

#[test]
fn a_large_message_in_small_pieces_costs_as_much_more_as_it_is_larger() {
    let sandbox = Sandbox::new();
    let config = "[limits]\nmessageBytes = 33_554_432\n";
    std::fs::write(sandbox.state().join("config.toml"), config).unwrap();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let used = || {
        let stat = process::stat(daemon.pid()).unwrap();
        stat.utime + stat.stime
    };
    let mut cost = |length: usize| {
        let before = used();
        let message = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.hello\",\"params\":{{\"x\":\"{}\"}}}}\n",
            "y".repeat(length)
        );
        for piece in message.as_bytes().chunks(1 << 10) {
            client.send(piece);
        }
        assert_eq!(client.read()["error"]["code"], -32602);
        used() - before
    };
    let small = cost(4 << 20);
    let large = cost(24 << 20);
    // Six times as large. Whoever began anew at each piece would need thirty-six times as much.
    assert!(large <= small.max(1) * 15, "{small} ticks became {large}");
}
