//! The life of seats: status, ends, stop, wait, reap, and what survives the daemon.

use serde_json::json;

use crate::seats_support::{Place, ids};
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::process::{children, runs};
use crate::support::tmux::Tmux;
use crate::support::wait;

#[test]
fn ends_are_reported_as_they_were() {
    if !have("tmux") {
        return;
    }
    for remain in ["off", "on"] {
        let sandbox = Sandbox::new();
        std::fs::write(
            sandbox.home().join(".tmux.conf"),
            format!("set -g remain-on-exit {remain}\n"),
        )
        .unwrap();
        let tmux = Tmux::absent(&sandbox);
        let mut place = Place::new(&sandbox);
        let keeper = place.spawn("k", "keeper", "exec cat");
        for (line, expected) in [
            ("exit 0", json!({ "exited": true, "exitCode": 0 })),
            ("exit 3", json!({ "exited": true, "exitCode": 3 })),
            ("exit 255", json!({ "exited": true, "exitCode": 255 })),
            ("kill -9 $$", json!({ "exited": true, "signal": "SIGKILL" })),
            (
                "kill -15 $$",
                json!({ "exited": true, "signal": "SIGTERM" }),
            ),
        ] {
            let name = format!(
                "s{}",
                line.replace(|c: char| !c.is_ascii_alphanumeric(), "")
            );
            let seat = place.spawn("k", &name, line);
            assert_eq!(
                place.wait(&seat),
                expected,
                "{line}, remain-on-exit {remain}"
            );
            let status = place.call("seat.status", &seat);
            assert_eq!(status["state"], "exited", "{line}");
            assert_eq!(status["exitCode"], expected["exitCode"], "{line}");
            let shown = || {
                tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"])
                    .lines()
                    .any(|line| line == name)
            };
            if remain == "off" {
                wait::until("the window to be removed", || (!shown()).then_some(()));
            } else {
                assert!(shown(), "a person who keeps dead panes keeps this one");
            }
        }
        assert_eq!(place.call("seat.status", &keeper)["state"], "running");
    }
}

/// As the only window of the server, which ends with it, and beside another.
#[test]
fn a_name_is_free_once_its_end_is_told() {
    if !have("tmux") {
        return;
    }
    for keeper in [false, true] {
        let sandbox = Sandbox::new();
        let _tmux = Tmux::absent(&sandbox);
        let mut place = Place::new(&sandbox);
        if keeper {
            place.spawn("s", "keeper", "exec cat");
        }
        for _ in 0..20 {
            let seat = place.spawn("s", "same", "exit 7");
            assert_eq!(place.wait(&seat)["exitCode"], 7);
            let seat = place.spawn("s", "same", "exec cat");
            let stop = json!({ "reference": seat, "graceful": false });
            place.client.call("seat.stop", &stop);
        }
    }
}

#[test]
fn a_graceful_stop_types_the_phrase_and_answers_when_it_has_ended() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("g", "keeper", "exec cat");
    let mut params = Place::params(
        "g",
        "polite",
        "while read line; do echo \"got $line\"; [ \"$line\" = bye ] && exit 5; done",
    );
    params["exitPhrase"] = json!("bye");
    let seat = place.client.call("seat.spawn", &params)["reference"]
        .as_str()
        .unwrap()
        .to_owned();
    let stopped = place.client.call(
        "seat.stop",
        &json!({ "reference": seat, "graceMs": 30_000, "timeoutMs": 60_000 }),
    );
    assert_eq!(stopped, json!({ "state": "exited" }));
    assert_eq!(
        place.call("seat.status", &seat),
        json!({ "state": "exited", "exitCode": 5 })
    );
    let listed = place.client.call("seat.list", &json!({}))["seats"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    assert!(
        !tmux
            .ok(&["list-windows", "-a", "-F", "#{window_name}"])
            .contains("polite")
    );
    // Stopping it again changes nothing.
    assert_eq!(place.call("seat.stop", &seat), json!({ "state": "exited" }));
}

#[test]
fn a_stop_whose_time_ends_in_the_grace_kills_nothing() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let _tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("t", "stubborn", "exec cat");
    let kind = place.kind(
        "seat.stop",
        &json!({ "reference": seat, "graceMs": 60_000, "timeoutMs": 300 }),
    );
    assert_eq!(kind, "timeout");
    assert_eq!(place.call("seat.status", &seat)["state"], "running");
    assert_eq!(
        place.client.call("seat.list", &json!({}))["seats"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_hard_stop_ends_the_whole_tree_and_nothing_else() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let _tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let other = place.spawn("h", "other", "exec cat");
    let pids = sandbox.cwd().join("pids");
    let line = format!(
        "trap '' HUP TERM INT; (trap '' HUP TERM; setsid sleep 300 & echo $! >>{0}; sleep 301 & echo $! >>{0}; wait) & echo $$ >>{0}; while :; do read x; done",
        pids.display()
    );
    let seat = place.spawn("h", "tree", &line);
    let tree = wait::until("three processes", || {
        let text = std::fs::read_to_string(&pids).ok()?;
        (text.lines().count() == 3).then(|| text.lines().map(str::to_owned).collect::<Vec<_>>())
    });
    let stopped = place.client.call(
        "seat.stop",
        &json!({ "reference": seat, "graceful": false, "timeoutMs": 30_000 }),
    );
    assert_eq!(stopped["state"], "exited");
    for pid in tree {
        assert!(!runs(pid.parse().unwrap()), "{pid} still runs");
    }
    assert_eq!(place.call("seat.status", &other)["state"], "running");
}

#[test]
fn a_wait_ends_with_its_time_or_with_the_seat() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("w", "one", "read line; exit 4");
    let early = place
        .client
        .call("seat.wait", &json!({ "reference": seat, "timeoutMs": 50 }));
    assert_eq!(early, json!({ "exited": false }));
    let mut waiter = place.daemon.client();
    let id = waiter.request(
        "seat.wait",
        &json!({ "reference": seat, "timeoutMs": 60_000 }),
    );
    tmux.ok(&["send-keys", "-t", &ids(&seat).1, "Enter"]);
    let reply = waiter.read();
    assert_eq!(
        (&reply["id"], &reply["result"]["exitCode"]),
        (&json!(id), &json!(4)),
        "{reply}"
    );
}

#[test]
fn a_seat_is_a_surface_whose_exit_is_known() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("v", "keeper", "exec cat");
    for line in ["read line; exit 7", "read line; kill -15 $$"] {
        let expected = if line.ends_with('7') {
            json!({ "exited": true, "exitCode": 7 })
        } else {
            json!({ "exited": true, "signal": "SIGTERM" })
        };
        let seat = place.spawn("v", "one", line);
        let surface = json!({ "surface": seat });
        let soon = json!({ "surface": seat, "timeoutMs": 20 });
        assert_eq!(
            place.client.call("surface.wait", &soon),
            json!({ "exited": false })
        );
        let mut waiter = place.daemon.client();
        waiter.request("surface.wait", &surface);
        tmux.ok(&["send-keys", "-t", &ids(&seat).1, "Enter"]);
        assert_eq!(waiter.read()["result"], expected, "{line}");
        wait::until("the window to be removed", || {
            let windows = tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]);
            (windows == "keeper").then_some(())
        });
        assert_eq!(place.client.call("surface.wait", &surface), expected);
    }
}

#[test]
fn what_outlives_its_pane_is_ended_by_a_reap() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("o", "keeper", "exec cat");
    let pid = sandbox.cwd().join("pid");
    let line = format!(
        "trap '' HUP; echo $$ >{}; while :; do read x || sleep 1; done",
        pid.display()
    );
    let seat = place.spawn("o", "one", &line);
    let pid = wait::until("its number", || {
        let text = std::fs::read_to_string(&pid).ok()?;
        text.ends_with('\n').then(|| text.trim().parse().unwrap())
    });
    tmux.ok(&["kill-pane", "-t", &ids(&seat).1]);
    assert_eq!(place.call("seat.status", &seat)["state"], "gone");
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "reaped");
    wait::until("it to be gone", || (!runs(pid)).then_some(()));
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "absent");
}

#[test]
fn a_server_that_is_killed_is_no_exit() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("x", "one", "exec cat");
    tmux.ok(&["kill-server"]);
    let exit = place.wait(&seat);
    assert_eq!(
        exit,
        json!({ "exited": true }),
        "how it ended is not known, and no status is made up"
    );
    assert_eq!(place.call("seat.status", &seat)["state"], "gone");
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "absent");
}

#[test]
fn a_seat_outlives_the_daemon_and_is_reaped_by_the_next() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("d", "one", "exec cat");
    let ended = place.spawn("d", "two", "read line; exit 9");
    place.daemon.kill();
    // It ends while no daemon is there to see it.
    tmux.ok(&["send-keys", "-t", &ids(&ended).1, "Enter"]);
    wait::until("the end", || {
        (tmux.get(&ids(&ended).1, "#{pane_dead}") == "1").then_some(())
    });
    let daemon = Daemon::start(&sandbox);
    let client = daemon.client();
    let mut place = Place { daemon, client };
    assert_eq!(place.wait(&ended)["exitCode"], 9);
    wait::until("the window to be removed", || {
        (!tmux
            .ok(&["list-windows", "-a", "-F", "#{window_name}"])
            .contains("two"))
        .then_some(())
    });
    assert_eq!(place.call("seat.status", &seat)["state"], "running");
    let reaped = place.call("seat.reap", &seat);
    assert_eq!(reaped["outcome"], "reaped", "{reaped}");
    assert!(
        !tmux
            .run(&["has-session", "-t", "=surfaced-d"])
            .status
            .success()
    );
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "absent");
}

#[test]
fn a_prompt_is_answered_once_when_it_shows() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let mut params = Place::params(
        "c",
        "trust",
        "printf 'Do you trust this folder? [y/N] '; read a; echo \"first=$a\"; printf 'Do you trust this folder? again '; read b; echo \"second=$b\"; exec cat",
    );
    params["confirm"] =
        json!({ "pattern": "trust this .*\\[y/N\\]", "keys": ["y", "Enter"], "timeoutMs": 30_000 });
    let seat = place.client.call("seat.spawn", &params)["reference"]
        .as_str()
        .unwrap()
        .to_owned();
    let pane = ids(&seat).1;
    tmux.wait_for_text(&pane, "first=y");
    tmux.ok(&["send-keys", "-t", &pane, "mine", "Enter"]);
    tmux.wait_for_text(&pane, "second=mine");
    params["name"] = json!("bad");
    params["confirm"]["pattern"] = json!("(");
    let error = place.client.fail("seat.spawn", &params);
    assert_eq!(error["data"]["path"], "confirm.pattern", "{error}");
}

#[test]
fn slow_three_hundred_seats_leave_nothing_behind() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let keeper = place.spawn("n", "keeper", "exec cat");
    let before = place.daemon.descriptors();
    let mut last = keeper.clone();
    for round in 0..300 {
        last = place.spawn("n", &format!("s{round}"), "exit 0");
        if round % 50 == 49 {
            assert_eq!(place.wait(&last)["exited"], true);
        }
    }
    place.wait(&last);
    wait::until("all windows to be removed", || {
        (tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]) == "keeper").then_some(())
    });
    wait::until("all descriptors to be closed", || {
        (place.daemon.descriptors() <= before + 2).then_some(())
    });
    let records = std::fs::read_dir(sandbox.state().join("seats"))
        .unwrap()
        .count();
    assert!(records <= 201 + 1, "{records} records");
    wait::until("every child to be reaped", || {
        children(place.daemon.pid()).is_empty().then_some(())
    });
    assert_eq!(place.call("seat.status", &keeper)["state"], "running");
}

#[test]
fn a_stop_and_a_spawn_at_once_leave_at_most_one_of_a_name() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("r", "keeper", "exec cat");
    let mut current = place.spawn("r", "one", "exec cat");
    let mut other = place.daemon.client();
    for round in 0..20 {
        let stop = json!({ "reference": current, "graceful": false, "timeoutMs": 60_000 });
        let params = Place::params("r", "one", "exec cat");
        // Each of them comes first in turn.
        if round % 2 == 0 {
            place.client.request("seat.stop", &stop);
            other.request("seat.spawn", &params);
        } else {
            other.request("seat.spawn", &params);
            place.client.request("seat.stop", &stop);
        }
        let (end, made) = (place.client.read(), other.read());
        assert_eq!(end["result"]["state"], "exited", "{end}");
        let live = tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]);
        let live = live.lines().filter(|name| *name == "one").count();
        if let Some(reference) = made["result"]["reference"].as_str() {
            assert_eq!(live, 1, "round {round}");
            assert_ne!(reference, current);
            reference.clone_into(&mut current);
        } else {
            assert_eq!(made["error"]["data"]["kind"], "conflict", "{made}");
            assert_eq!(live, 0, "round {round}");
            current = place.spawn("r", "one", "exec cat");
        }
        let listed = place.client.call("seat.list", &json!({ "space": "r" }));
        let of_name = listed["seats"].as_array().unwrap().iter();
        let of_name = of_name.filter(|seat| seat["name"] == "one" && seat["state"] == "running");
        assert_eq!(of_name.count(), 1, "{listed}");
    }
}
