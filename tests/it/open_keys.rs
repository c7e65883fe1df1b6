//! Keys, callers that vanish, and secrets.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use surfaced::proto::Kind;
use surfaced::proto::open::{OpenAnswer, OpenParams};
use tokio_util::sync::CancellationToken;

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::printargs::PrintArgs;
use crate::support::process::argvs_with;
use crate::support::secret::secret;
use crate::support::tmux::Tmux;
use crate::support::wait;

fn params(value: Value) -> OpenParams {
    serde_json::from_value(value).unwrap()
}

fn call(key: &str, count: usize) -> Value {
    let items = vec![json!({ "command": ["/bin/cat"] }); count];
    json!({ "backend": "tmux", "context": {}, "key": key, "items": items })
}

#[tokio::test]
async fn the_same_key_opens_once_whoever_asks_and_whenever() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let (first, second) = tokio::join!(bench.open(call("k", 3)), bench.open(call("k", 3)));
    assert_eq!(first, second);
    assert_eq!(bench.open(call("k", 3)).await, first);
    assert_eq!(tmux.panes(), 4);
    let conflict = bench.try_open(call("k", 2)).await.unwrap_err();
    assert_eq!(conflict.kind(), Kind::Conflict);
    // A call in which nothing opened may be repeated.
    let wrong = json!({ "backend": "tmux", "context": {}, "key": "w", "items": [{ "command": ["/no/such"] }] });
    assert!(!bench.open(wrong).await[0].ok);
    assert!(bench.open(call("w", 1)).await[0].ok);
}

#[test]
fn a_key_outlives_the_daemon() {
    let sandbox = Sandbox::new();
    let item = json!({ "command": ["cat"], "env": { "TOKEN": "hunter2" } });
    let call = |count: usize, stagger: u32| {
        let items = vec![item.clone(); count];
        json!({ "backend": "builtin", "key": "k", "staggerMs": stagger, "items": items })
    };
    let daemon = Daemon::start(&sandbox);
    let first = daemon.client().reply("open", &call(2, 0))["result"].clone();
    assert_eq!(first["results"][1]["ok"], true, "{first}");
    daemon.kill();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    assert_eq!(client.reply("open", &call(2, 0))["result"], first);
    assert_eq!(client.fail("open", &call(1, 0))["data"]["kind"], "conflict");
    let count = |client: &mut Client| {
        let listed = client.call("terminal.list", &json!({}));
        listed["terminals"].as_array().unwrap().len()
    };
    assert_eq!(count(&mut client), 2);

    // One that is cut off in the middle is not begun again either.
    let mut cut = call(2, 600_000);
    cut["key"] = json!("cut");
    daemon.client().request("open", &cut);
    wait::until("the first of two", || {
        (count(&mut client) == 3).then_some(())
    });
    daemon.kill();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let error = client.fail("open", &cut);
    assert_eq!(error["data"]["kind"], "state-unknown", "{error}");
    assert_eq!(count(&mut client), 3);
    let ids = client.call("terminal.list", &json!({}));
    for terminal in ids["terminals"].as_array().unwrap() {
        client.call("terminal.remove", &json!({ "id": terminal["id"] }));
    }
}

#[tokio::test]
async fn with_a_key_a_call_runs_on_without_its_caller() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    drop(bench.opener.begin(params(call("gone", 4)), None).unwrap());
    let results = bench.open(call("gone", 4)).await;
    assert!(results.iter().all(|result| result.ok), "{results:?}");
    assert_eq!(tmux.panes(), 5);
}

#[tokio::test]
async fn without_a_key_a_cancelled_call_begins_nothing_more_and_says_what_it_did() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let items = vec![json!({ "command": ["/bin/cat"] }); 50];
    let mut running = bench
        .opener
        .begin(
            params(json!({ "backend": "tmux", "context": {}, "packing": "tabs", "items": items })),
            None,
        )
        .unwrap();
    running.prepared().await.unwrap();
    let (index, first) = running.next().await.unwrap();
    assert_eq!(index, 0);
    assert!(first.ok, "{first:?}");
    let failure = running.cancel(false).await;
    assert_eq!(failure.kind(), Kind::Cancelled);
    let detail = failure.data.detail.unwrap();
    assert_eq!(detail["continues"], false);
    bench.supervisor.join().await;
    let opened = tmux.panes() - 1;
    assert!((1..50).contains(&opened), "{opened}");
    assert!(
        detail["opened"].as_array().unwrap().len() <= opened,
        "{detail}"
    );

    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = json!({ "backend": "tmux", "context": {}, "items": [{ "command": ["/bin/cat"] }] });
    let cancelled = bench.opener.open(params(call), None, &cancel).await;
    assert!(
        matches!(cancelled, Ok(OpenAnswer::Opened { .. }))
            || cancelled.unwrap_err().kind() == Kind::Cancelled
    );
}

#[tokio::test]
async fn results_come_one_by_one() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let _tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let mut running = bench.opener.begin(params(call("stream", 5)), None).unwrap();
    let mut seen = HashSet::new();
    while let Some((index, result)) = running.next().await {
        assert!(result.ok, "{result:?}");
        seen.insert(index);
    }
    assert_eq!(seen.len(), 5);
    let Ok(OpenAnswer::Opened { results, .. }) = running.finish().await else {
        panic!("no answer")
    };
    assert_eq!(results.len(), 5);
}

#[test]
fn secrets_are_in_no_argv_and_in_no_file_that_others_can_read() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let printargs = PrintArgs::install(&mut sandbox);
    let tmux = Tmux::start(&sandbox, "main");
    let common = secret();
    let secret = |n: usize| format!("{common}-{n}");
    let done = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = Vec::new();
            while !done.load(Ordering::Relaxed) {
                seen.extend(argvs_with(&common));
            }
            seen
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let bench = Bench::new(&sandbox);
            for n in 0..8 {
                let items = json!([{ "command": [printargs.path(), n.to_string()], "env": { "SECRET": secret(n) } }]);
                let results = bench.open(json!({ "backend": "tmux", "context": {}, "items": items })).await;
                assert!(results[0].ok, "{results:?}");
            }
            assert_eq!(std::fs::read_dir(&bench.scripts).unwrap().count(), 0, "scripts are left");
        });
        done.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert_eq!(seen, Vec::<String>::new());
    // Each has its own, although one warm server starts them all, and that server has none.
    for n in 0..8 {
        assert_eq!(printargs.wait_for(&n.to_string()).secret, secret(n));
    }
    let server = std::fs::read(format!("/proc/{}/environ", tmux.pid())).unwrap();
    assert!(!String::from_utf8_lossy(&server).contains(&common));
    assert!(!tmux.ok(&["show-environment", "-g"]).contains(&common));
}

#[tokio::test]
async fn slow_three_hundred_opens_leave_no_zombie_and_no_descriptor() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let once = async |n: usize| {
        let env = if n.is_multiple_of(3) {
            json!({ "A": "b" })
        } else {
            json!({})
        };
        let items = json!([{ "command": ["/bin/true"], "env": env }]);
        let results = bench
            .open(json!({ "backend": "tmux", "context": {}, "items": items }))
            .await;
        assert!(results[0].ok, "{results:?}");
    };
    for n in 0..10 {
        once(n).await;
    }
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = descriptors();
    for n in 0..300 {
        once(n).await;
    }
    assert!(
        descriptors() <= before + 2,
        "{before} descriptors became {}",
        descriptors()
    );
    let me = std::process::id();
    let children = procfs::process::all_processes().unwrap().flatten();
    let zombies: Vec<_> = children
        .filter_map(|process| process.stat().ok())
        .filter(|stat| stat.state == 'Z' && stat.ppid.cast_unsigned() == me)
        .map(|stat| stat.comm)
        .collect();
    assert_eq!(zombies, Vec::<String>::new());
    wait::until("the panes to end", || (tmux.panes() == 1).then_some(()));
    assert_eq!(std::fs::read_dir(&bench.scripts).unwrap().count(), 0);
}

#[tokio::test]
async fn twenty_surfaces_take_a_few_commands() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let log = sandbox.root().join("log");
    let real = if std::path::Path::new("/usr/bin/tmux").exists() {
        "/usr/bin/tmux"
    } else {
        "tmux"
    };
    let bin = sandbox.script(
        "tmux",
        &format!(
            "#!/bin/sh\necho \"$*\" >>'{}'\nexec {real} \"$@\"\n",
            log.display()
        ),
    );
    sandbox.prepend_path(&bin);
    let _tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    std::fs::write(&log, "").unwrap();
    let items = vec![json!({ "command": ["/bin/cat"] }); 20];
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": items }))
        .await;
    assert!(results.iter().all(|result| result.ok), "{results:?}");
    let log = std::fs::read_to_string(&log).unwrap();
    let lines = log.lines().filter(|line| line.starts_with("-u")).count();
    assert!((1..=8).contains(&lines), "{lines} commands:\n{log}");
}
