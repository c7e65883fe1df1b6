//! Names that are no hosts: every command and every method refuses them in the same words, and nothing runs.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::sshd::have_ssh;
use crate::support::world::World;

const NAMES: &[&str] = &[
    "-oProxyCommand=touch /tmp/x",
    "-oX",
    "-lroot",
    "a;b",
    "u@-oX",
    "[-oX]",
    "",
    "a\nb",
    "a`id`",
    "a b",
    "ssh://h",
    "u@h@i",
];

/// A world in which `ssh` leaves a trace; where it would be.
fn trapped(world: &World) -> (PathBuf, String) {
    world.prefer("auto");
    let trace = world.sandbox.root().join("ran");
    let text = format!("#!/bin/sh\n>{}\n", trace.display());
    let bin = world.sandbox.script("ssh", &text);
    (trace, format!("{}:/usr/bin:/bin", bin.display()))
}

#[test]
fn every_command_refuses_them() {
    if !have_ssh() {
        return;
    }
    let world = World::new();
    let (trace, path) = trapped(&world);
    let commands: &[(&[&str], &[&str])] = &[
        (&["open", "-H"], &["--", "true"]),
        (&["open", "--host"], &["--", "true"]),
        (&["open", "-b", "tmux", "-H"], &["-C", "/", "--", "true"]),
        (&["open", "-H"], &["-C", "relative", "--", "true"]),
        (&["build", "-H"], &["--", "true"]),
        (&["plan", "2", "-H"], &[]),
        (&["backends", "-H"], &[]),
        (&["surfaces", "-H"], &[]),
        (&["surfaces", "--host"], &[]),
        (
            &["seat", "spawn", "s", "n", "-H"],
            &["-C", "/", "--", "true"],
        ),
        (&["seat", "spawn", "s", "n", "--host"], &["--", "true"]),
        (&["hosts", "check"], &[]),
        (&["sessions", "--on"], &[]),
        (&["resume", "some-id", "-H"], &[]),
        (&["resume", "some-id", "--device"], &[]),
        (&["resume", "some-id", "--host"], &[]),
        (&["agent", "new", "claude", "-H"], &[]),
        (
            &["agent", "new", "claude", "--place", "surface", "--host"],
            &[],
        ),
        (&["agent", "open", "one", "--host"], &[]),
    ];
    for (before, after) in commands {
        for name in NAMES {
            let mut ways = vec![vec![(*name).to_owned()]];
            let (option, rest) = before.split_last().unwrap();
            if option.starts_with("--") {
                ways[0][0] = (*name).to_owned();
                ways.push(vec![format!("{option}={name}")]);
            }
            for (index, way) in ways.into_iter().enumerate() {
                let mut args: Vec<&str> = if index == 0 { before } else { rest }.to_vec();
                args.extend(way.iter().map(String::as_str));
                args.extend(*after);
                let output = world
                    .sandbox
                    .surfaced()
                    .arg("--json")
                    .args(&args)
                    .env("PATH", &path)
                    .output()
                    .unwrap();
                let err = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(2), "{args:?}: {err}");
                let words = format!("error: {name:?} is not a valid ssh host name\nhint: ");
                assert!(err.starts_with(&words), "{args:?}: {err}");
                let told: Value = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(
                    (&told["error"]["code"], &told["error"]["data"]["kind"]),
                    (&json!(-32602), &json!("host-invalid")),
                    "{args:?}"
                );
            }
        }
    }
    assert!(!trace.exists());
    // Not even a daemon was started for them.
    assert!(!world.sandbox.state().join("daemon.json").exists());
}

#[test]
fn every_method_refuses_them() {
    if !have_ssh() {
        return;
    }
    let world = World::new();
    let (trace, path) = trapped(&world);
    let daemon = Daemon::start_with(&world.sandbox, |command| {
        command.env("PATH", path);
    });
    let mut client = daemon.client();
    let items = json!([{ "command": ["true"] }]);
    let seat = json!({ "space": "s", "name": "n", "command": "true", "cwd": "/" });
    let with = |mut params: Value, key: &str, host: &str| {
        params[key] = json!(host);
        params
    };
    for host in NAMES {
        let opened = client.call("open", &with(json!({ "items": items }), "host", host));
        let own = json!({ "items": [{ "command": ["true"], "host": host }] });
        for answer in [opened, client.call("open", &own)] {
            let result = &answer["results"][0];
            assert_eq!(
                (&result["ok"], &result["kind"]),
                (&json!(false), &json!("host-invalid")),
                "{host:?}: {answer}"
            );
        }
        let place = json!({ "kind": "surface", "host": host });
        let reference = format!("tmux:1.@1.%1;socket=/tmp/s;host={host}");
        for (method, params) in [
            ("plan", with(json!({ "count": 2 }), "host", host)),
            ("build", with(json!({ "items": items }), "host", host)),
            ("backends", with(json!({}), "host", host)),
            ("surface.list", with(json!({}), "host", host)),
            ("seat.spawn", with(seat.clone(), "host", host)),
            ("sessions", with(json!({}), "on", host)),
            ("resume", with(json!({ "ids": ["x"] }), "on", host)),
            (
                "agent.create",
                json!({ "provider": "claude", "cwd": "/", "place": place }),
            ),
        ] {
            let error = client.fail(method, &params);
            assert_eq!(
                (&error["code"], &error["data"]["kind"]),
                (&json!(-32602), &json!("host-invalid")),
                "{method} {host:?}: {error}"
            );
        }
        for (method, key) in [
            ("surface.focus", "surface"),
            ("seat.status", "reference"),
            ("layout.close", "surface"),
        ] {
            let error = client.fail(method, &with(json!({}), key, &reference));
            assert_eq!(error["code"], json!(-32602), "{method} {host:?}: {error}");
        }
    }
    assert!(!trace.exists());
}
