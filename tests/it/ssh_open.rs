//! What opening on a host says where it cannot be done, or nobody knows whether it was.

use std::os::unix::fs::PermissionsExt;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::process::descendants;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, all_ok, ready};

fn results(client: &mut Client, params: &Value) -> Vec<Value> {
    let answer = client.call("open", params);
    answer["results"].as_array().unwrap().clone()
}

#[test]
fn what_a_host_lacks_is_told_and_nothing_is_begun() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    // A program that only the interactive shell finds.
    let own = sshd.home().join("own");
    std::fs::create_dir(&own).unwrap();
    let ran = world.sandbox.cwd().join("ran");
    let program = own.join("my-own-tool");
    std::fs::write(
        &program,
        format!("#!/bin/sh\n>'{}'\nsleep 600\n", ran.display()),
    )
    .unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(
        sshd.home().join(".zshrc"),
        "echo noise\nPATH=\"$HOME/own:$PATH\"\n",
    )
    .unwrap();
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        let touch = json!(["touch", world.sandbox.cwd().join("touched")]);
        let items = [
            (json!({ "cwd": "/nope", "command": touch }), "cwd-missing"),
            (
                json!({ "cwd": "/nope", "command": touch, "env": { "X": "1" } }),
                "cwd-missing",
            ),
            (
                json!({ "cwd": "/nope", "command": touch, "onExit": "hold" }),
                "cwd-missing",
            ),
            (
                json!({ "cwd": "/etc/passwd", "command": touch }),
                "cwd-missing",
            ),
            (json!({ "command": ["no-such-program"] }), "program-missing"),
            (
                json!({ "command": ["no-such-program"], "env": { "X": "1" } }),
                "program-missing",
            ),
            (
                json!({ "command": ["/no/such"], "onExit": "hold" }),
                "program-missing",
            ),
            (json!({ "command": ["/etc"] }), "program-missing"),
        ];
        for (item, expected) in &items {
            let one = results(&mut client, &json!({ "host": "zion", "items": [item] })).remove(0);
            assert_eq!(
                (&one["ok"], one["kind"].as_str()),
                (&json!(false), Some(*expected)),
                "{kind}: {one}"
            );
            assert!(one["error"].as_str().unwrap().contains("zion"), "{one}");
            assert!(one["hint"].is_string(), "{one}");
        }
        // Nothing was made for them, and their neighbours open.
        assert_eq!(
            client.call("surface.list", &json!({ "host": "zion" })),
            json!({ "surfaces": [] })
        );
        let cat = json!({ "command": ["cat"], "cwd": "/" });
        let mixed = json!({ "host": "zion", "items": [cat, cat, items[0].0, items[4].0, cat] });
        let oks: Vec<_> = results(&mut client, &mixed)
            .iter()
            .map(|one| one["ok"] == true)
            .collect();
        assert_eq!(oks, [true, true, false, false, true], "{kind}");
        assert!(!world.sandbox.cwd().join("touched").exists());

        for _ in 0..2 {
            let _ = std::fs::remove_file(&ran);
            let tool = json!({ "command": ["my-own-tool"], "env": { "X": "1" } });
            let answer = client.call("open", &json!({ "host": "zion", "items": [tool] }));
            all_ok(&answer);
            wait::until("the tool to run", || ran.exists().then_some(()));
        }
        for one in client.call("surface.list", &json!({ "host": "zion" }))["surfaces"]
            .as_array()
            .unwrap()
        {
            client.call("surface.close", &json!({ "surface": one["surface"] }));
        }
    }
    the_command_line_says_so_too(&world);
}

/// A relative directory is no directory of a host, and options may be joined with their values.
fn the_command_line_says_so_too(world: &World) {
    let run = |args: &[&str]| {
        let output = world.sandbox.surfaced().args(args).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), err)
    };
    let (code, err) = run(&["open", "-H", "zion", "-C", "rel", "--", "cat"]);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("absolute path of the host"), "{err}");
    for args in [
        &["open", "-Hzion", "-btmux", "-C/nope", "cat", "-u"][..],
        &["open", "-Hzion", "-C/nope", "--", "-u"],
    ] {
        let (code, err) = run(args);
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains("/nope does not exist on zion"), "{err}");
    }
    let (code, err) = run(&["open", "-H-oProxyCommand=touch x", "--", "cat"]);
    assert_ne!(code, Some(0));
    assert!(
        err.contains("is not a valid ssh host name") || err.contains("host"),
        "{err}"
    );
    assert!(!err.contains("PATH"), "{err}");
}

#[test]
fn a_host_that_cannot_be_asked_is_not_said_to_have_no_surfaces() {
    if !ready() {
        return;
    }
    let world = World::new();
    let mut sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    world.prefer("library");
    let daemon = world.daemon();
    let mut client = daemon.client();
    let all = json!({ "host": "zion" });
    assert_eq!(client.call("surface.list", &all), json!({ "surfaces": [] }));
    sshd.stop();
    // The end of the connection may be noticed by the command that is sent over it.
    for _ in 0..2 {
        let failure = client.fail("surface.list", &all);
        let kind = failure["data"]["kind"].as_str().unwrap();
        assert!(
            ["state-unknown", "host-unreachable"].contains(&kind),
            "{failure}"
        );
    }
    assert_eq!(
        client.fail("surface.list", &all)["data"]["kind"],
        "host-unreachable"
    );

    world.config.append("Host stranger\n  HostName 127.0.0.1\n");
    let output = world
        .sandbox
        .surfaced()
        .args(["surfaces", "-H", "zion"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
}

/// Asks while tmux over there is stopped, and breaks the link under the question.
fn cut(daemon: &Daemon, sshd: &Sshd, method: &str, params: &Value) -> Value {
    let mut client = daemon.client();
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| client.reply(method, params));
        wait::until("tmux to be asked", || {
            (!sshd.running("tmux -u").is_empty()).then_some(())
        });
        sshd.drop_sessions();
        let reply = asked.join().unwrap();
        // What was ended is not taken for the next question.
        wait::until("the end of what was asked", || {
            sshd.running("tmux -u").is_empty().then_some(())
        });
        reply
    })
}

#[test]
fn a_link_that_breaks_leaves_open_what_was_done() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let cat = json!({ "host": "zion", "items": [{ "command": ["cat"], "cwd": "/" }] });
        let opened = daemon.client().call("open", &cat);
        let surface = all_ok(&opened)[0].to_owned();
        let server = Pid::from_raw(tmux.pid().cast_signed()).unwrap();
        kill_process(server, Signal::STOP).unwrap();
        let replies = [
            ("surface.inject", json!({ "surface": surface, "text": "x" })),
            ("surface.close", json!({ "surface": surface })),
            ("surface.focus", json!({ "surface": surface })),
            ("surface.list", json!({ "host": "zion" })),
            ("open", cat.clone()),
        ]
        .map(|(method, params)| (method, cut(&daemon, &sshd, method, &params)));
        kill_process(server, Signal::CONT).unwrap();
        for (method, reply) in replies {
            let (kind_found, hint) = if method == "open" {
                let one = &reply["result"]["results"][0];
                assert_eq!(one["ok"], false, "{reply}");
                (&one["kind"], &one["hint"])
            } else {
                (
                    &reply["error"]["data"]["kind"],
                    &reply["error"]["data"]["hint"],
                )
            };
            assert_eq!(kind_found, "state-unknown", "{kind} {method}: {reply}");
            assert!(
                hint.as_str()
                    .is_some_and(|hint| hint.contains("surfaced surfaces -H zion")),
                "{kind} {method}: {reply}"
            );
        }
        tmux.run(&["kill-server"]);
    }
}

#[test]
fn a_wait_on_a_host_that_is_frozen_ends_with_its_own_time() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        let cat = json!({ "host": "zion", "items": [{ "command": ["cat"], "cwd": "/" }] });
        let opened = client.call("open", &cat);
        let surface = all_ok(&opened)[0].to_owned();
        let sessions: Vec<_> = descendants(sshd.pid())
            .into_iter()
            .filter(|pid| {
                std::fs::read_to_string(format!("/proc/{pid}/comm"))
                    .is_ok_and(|comm| comm.trim() == "sshd")
            })
            .map(|pid| Pid::from_raw(pid.cast_signed()).unwrap())
            .collect();
        for session in &sessions {
            kill_process(*session, Signal::STOP).unwrap();
        }
        let wait = json!({ "surface": surface, "timeoutMs": 1000 });
        let failure = client.fail("surface.wait", &wait);
        for session in &sessions {
            kill_process(*session, Signal::CONT).unwrap();
        }
        assert_eq!(
            failure["data"]["kind"], "state-unknown",
            "{kind}: {failure}"
        );
        // Not with the time of a command, which is longer.
        let message = failure["message"].as_str().unwrap();
        assert!(
            ["in time", "in 2 s"]
                .iter()
                .any(|time| message.contains(&format!(": zion did not answer {time}"))),
            "{kind}: {failure}"
        );
        assert_eq!(
            client.call("surface.wait", &wait),
            json!({ "exited": false }),
            "{kind}"
        );
    }
}
