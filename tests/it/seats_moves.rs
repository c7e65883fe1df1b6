//! Panes and windows that move, servers that are replaced, and a tmux that does not answer: nothing else is ever hit.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::seats_support::{Place, breakable, ids, server};
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

#[test]
fn a_pane_or_window_that_has_moved_is_refused_and_untouched() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("m", "keeper", "exec cat");
    tmux.ok(&["new-session", "-d", "-s", "mine", "cat"]);
    let pane_moved = place.spawn("m", "pane", "exec cat");
    let window_moved = place.spawn("m", "window", "exec cat");
    let ended_moved = place.spawn("m", "ended", "read line; exit 1");
    tmux.ok(&["break-pane", "-d", "-s", &ids(&pane_moved).1, "-t", "mine:"]);
    tmux.ok(&[
        "move-window",
        "-d",
        "-s",
        &ids(&window_moved).0,
        "-t",
        "mine:",
    ]);
    // A pane that moved and then ended: nobody removes what somebody took.
    tmux.ok(&[
        "join-pane",
        "-d",
        "-s",
        &ids(&ended_moved).1,
        "-t",
        "mine:0",
    ]);
    tmux.ok(&["send-keys", "-t", &ids(&ended_moved).1, "Enter"]);
    wait::until("its end", || {
        (tmux.get(&ids(&ended_moved).1, "#{pane_dead}") == "1").then_some(())
    });
    for seat in [&pane_moved, &window_moved, &ended_moved] {
        for (method, params) in [
            ("seat.reap", json!({ "reference": seat })),
            ("seat.stop", json!({ "reference": seat, "graceful": false })),
            ("seat.stop", json!({ "reference": seat })),
        ] {
            assert_eq!(
                place.kind(method, &params),
                "seat-refused",
                "{method} {seat}"
            );
        }
        assert_eq!(tmux.get(&ids(seat).1, "#{session_name}"), "mine");
    }
    let listed = place.client.call("seat.list", &json!({}))["seats"].clone();
    let attach = |name: &str| {
        let seats = listed.as_array().unwrap().iter();
        let mut named = seats.filter(|seat| seat["name"] == name);
        named.next().unwrap()["attach"].as_str().unwrap().to_owned()
    };
    let socket = tmux.socket().display().to_string();
    let pane = ids(&pane_moved).1;
    let now = tmux.get(&pane, "#{window_id}");
    assert_eq!(
        attach("pane"),
        format!("tmux -S {socket} attach -t '=mine:{now}.{pane}'")
    );
    let (window, pane) = ids(&window_moved);
    assert_eq!(
        attach("window"),
        format!("tmux -S {socket} attach -t '=mine:{window}.{pane}'")
    );
    // It is shown where it is now, and that it is left alone is said.
    let moved = |name: &str| {
        let mut seats = listed.as_array().unwrap().iter();
        seats.find(|seat| seat["name"] == name).unwrap()["moved"].clone()
    };
    assert_eq!(moved("pane"), true);
    assert_eq!(moved("window"), true);
    assert_eq!(moved("keeper"), Value::Null);
    let keeper = attach("keeper");
    assert!(keeper.contains("'=surfaced-m:@"), "{keeper}");
    for seat in [&pane_moved, &window_moved] {
        assert_eq!(place.call("seat.status", seat)["state"], "running");
        assert_eq!(
            tmux.ok(&["capture-pane", "-p", "-t", &ids(seat).1]).trim(),
            "",
            "nothing was typed"
        );
    }
    assert_eq!(place.call("seat.status", &ended_moved)["exitCode"], 1);
}

#[test]
fn a_reap_that_races_a_mover_closes_the_seat_or_refuses() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("r", "keeper", "exec cat");
    tmux.ok(&["new-session", "-d", "-s", "mine", "cat"]);
    let (mut reaped, mut refused) = (0, 0);
    for round in 0..100 {
        let seat = place.spawn("r", &format!("s{round}"), "exec cat");
        let (window, pane) = ids(&seat);
        let mut other = place.daemon.client();
        let moved = AtomicBool::new(false);
        let reply = std::thread::scope(|scope| {
            scope.spawn(|| {
                let ok = if round % 2 == 0 {
                    tmux.run(&["break-pane", "-d", "-s", &pane, "-t", "mine:"])
                        .status
                        .success()
                } else {
                    tmux.run(&["move-window", "-d", "-s", &window, "-t", "mine:"])
                        .status
                        .success()
                };
                moved.store(ok, Ordering::Relaxed);
            });
            other.reply("seat.reap", &json!({ "reference": seat }))
        });
        let moved = moved.load(Ordering::Relaxed);
        let alive = tmux
            .ok(&["list-panes", "-a", "-F", "#{pane_id}"])
            .lines()
            .any(|line| line == pane);
        if reply.get("error").is_some() {
            assert_eq!(reply["error"]["data"]["kind"], "seat-refused", "{reply}");
            assert!(moved && alive, "a refused seat lives on: {reply}");
            refused += 1;
            tmux.ok(&["kill-pane", "-t", &pane]);
        } else {
            assert!(
                !moved && !alive,
                "a seat that was moved in time is not reaped: {reply}"
            );
            reaped += 1;
        }
    }
    assert_eq!(reaped + refused, 100);
}

#[test]
fn ids_of_a_new_server_are_never_touched() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("s", "one", "exec cat");
    tmux.ok(&["kill-server"]);
    let gone = server(&seat);
    wait::until("the server to end", || {
        (!std::path::Path::new(&format!("/proc/{gone}")).exists()).then_some(())
    });
    // The same ids, another server.
    tmux.ok(&["-f", "/dev/null", "new-session", "-d", "-s", "mine", "cat"]);
    let (window, pane) = ids(&seat);
    assert_eq!(tmux.get(&pane, "#{window_id}"), window);
    assert_eq!(place.call("seat.status", &seat)["state"], "gone");
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "absent");
    assert_eq!(place.call("seat.stop", &seat)["state"], "gone");
    assert_eq!(
        place.kind("seat.interrupt", &json!({ "reference": seat })),
        "target-gone"
    );
    assert_eq!(
        place.kind("seat.capture", &json!({ "reference": seat })),
        "target-gone"
    );
    assert_eq!(
        tmux.ok(&["list-panes", "-a", "-F", "#{pane_id} #{pane_dead}"]),
        format!("{pane} 0")
    );
    assert_eq!(tmux.ok(&["capture-pane", "-p", "-t", &pane]).trim(), "");
}

#[test]
fn a_pane_that_is_no_seat_is_refused() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "mine");
    let mut place = Place::new(&sandbox);
    let pane = tmux.get("mine", "#{pid}.#{window_id}.#{pane_id}");
    let reference = format!("tmux:{pane};socket={}", tmux.socket().display());
    for method in [
        "seat.status",
        "seat.stop",
        "seat.reap",
        "seat.interrupt",
        "seat.capture",
        "seat.wait",
    ] {
        assert_eq!(
            place.kind(method, &json!({ "reference": reference })),
            "seat-refused",
            "{method}"
        );
    }
    assert_eq!(tmux.ok(&["list-panes", "-a"]).lines().count(), 1);
    for bad in ["builtin:x", "tmux:1.@1;socket=/x", "nonsense"] {
        assert_eq!(
            place.kind("seat.reap", &json!({ "reference": bad })),
            "invalid-params",
            "{bad}"
        );
    }
}

#[test]
fn sessions_whose_names_begin_alike_are_kept_apart() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let short = place.spawn("feat", "one", "exec cat");
    let long = place.spawn("feat-two", "one", "exec cat");
    for name in ["0", "mine*", "x[y", "a.b", "c:d"] {
        tmux.ok(&["new-session", "-d", "-s", name, "cat"]);
    }
    place.call("seat.reap", &short);
    assert_eq!(place.call("seat.reap", &short)["outcome"], "absent");
    assert_eq!(place.call("seat.status", &long)["state"], "running");
    let again = place.spawn("feat", "one", "exec cat");
    assert_ne!(again, short);
    assert_eq!(
        tmux.ok(&["list-sessions", "-F", "#{session_name}"])
            .lines()
            .count(),
        7
    );
}

#[test]
fn a_tmux_that_does_not_answer_proves_nothing() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let broken = breakable(&mut sandbox);
    let _tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("u", "one", "exec cat");
    for (name, script) in [
        (
            "permission denied",
            "echo 'error connecting to /tmp/x (Permission denied)' >&2; exit 1",
        ),
        (
            "busy",
            "echo 'error connecting to /tmp/x (Resource temporarily unavailable)' >&2; exit 1",
        ),
        ("nonsense", "echo nonsense; exit 0"),
        ("silence", "exit 1"),
        ("lost", "echo 'lost server' >&2; exit 1"),
        ("signal", "kill -9 $$"),
    ] {
        std::fs::write(&broken, script).unwrap();
        for (method, params) in [
            ("seat.status", json!({ "reference": seat })),
            (
                "seat.stop",
                json!({ "reference": seat, "graceful": false, "timeoutMs": 2000 }),
            ),
            ("seat.reap", json!({ "reference": seat })),
            ("seat.wait", json!({ "reference": seat, "timeoutMs": 500 })),
        ] {
            assert_eq!(
                place.kind(method, &params),
                "state-unknown",
                "{method}, {name}"
            );
        }
        let listed = place.client.call("seat.list", &json!({}));
        assert!(
            listed["seats"][0].get("state").is_none(),
            "{name}: {listed}"
        );
        std::fs::remove_file(&broken).unwrap();
        assert_eq!(
            place.call("seat.status", &seat)["state"],
            "running",
            "{name}"
        );
    }
}

#[test]
fn failures_of_tmux_that_pass_while_somebody_waits_end_no_wait() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let broken = breakable(&mut sandbox);
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("u", "one", "exec cat");
    let count = sandbox.root().join("count");
    let mut waiters = Vec::new();
    for (method, key) in [("seat.wait", "reference"), ("surface.wait", "surface")] {
        // Fails twice, and has gone by then.
        let script = format!(
            "echo failed >>{0}\n[ $(wc -l <{0}) -lt 2 ] || rm -f {1}\n\
             echo 'error connecting to /tmp/x (Resource temporarily unavailable)' >&2\nexit 1\n",
            count.display(),
            broken.display()
        );
        let mut waiter = place.daemon.client();
        std::fs::write(&broken, script).unwrap();
        waiter.request(method, &json!({ key: seat, "timeoutMs": 60_000 }));
        wait::until("two failures", || (!broken.exists()).then_some(()));
        std::fs::remove_file(&count).unwrap();
        waiters.push(waiter);
    }
    assert_eq!(place.call("seat.status", &seat)["state"], "running");
    tmux.ok(&["send-keys", "-t", &ids(&seat).1, "C-d"]);
    for mut waiter in waiters {
        let ended = json!({ "exited": true, "exitCode": 0 });
        assert_eq!(waiter.read()["result"], ended);
    }
}

#[test]
fn a_socket_that_does_not_lead_to_the_server_proves_nothing_while_that_lives() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("u", "one", "exec cat");
    let (socket, aside) = (tmux.socket(), tmux.socket().with_extension("aside"));
    std::fs::rename(&socket, &aside).unwrap();
    let mut unknown = |what: &str| {
        for (method, params) in [
            ("seat.status", json!({ "reference": seat })),
            (
                "seat.stop",
                json!({ "reference": seat, "graceful": false, "timeoutMs": 8000 }),
            ),
            ("seat.reap", json!({ "reference": seat })),
            ("seat.capture", json!({ "reference": seat })),
            ("seat.wait", json!({ "reference": seat, "timeoutMs": 500 })),
        ] {
            let kind = place.kind(method, &params);
            assert_eq!(kind, "state-unknown", "{method}, {what}");
        }
        let listed = place.client.call("seat.list", &json!({}));
        assert!(
            listed["seats"][0].get("state").is_none(),
            "{what}: {listed}"
        );
    };
    unknown("no socket");
    std::fs::write(&socket, "").unwrap();
    unknown("a file that is no socket");
    std::fs::remove_file(&socket).unwrap();
    tmux.ok(&["-f", "/dev/null", "new-session", "-d", "-s", "mine", "cat"]);
    unknown("another server");
    tmux.ok(&["kill-server"]);
    std::fs::rename(&aside, &socket).unwrap();
    assert_eq!(place.call("seat.status", &seat)["state"], "running");
    tmux.ok(&["kill-server"]);
    let ended = server(&seat);
    wait::until("the server to end", || {
        (!std::path::Path::new(&format!("/proc/{ended}")).exists()).then_some(())
    });
    assert_eq!(place.call("seat.status", &seat)["state"], "gone");
}

#[test]
fn a_name_stays_taken_where_the_session_is_renamed_or_the_seat_moved() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("c", "w", "exec cat");
    tmux.ok(&["rename-session", "-t", "=surfaced-c", "renamed"]);
    let again = Place::params("c", "w", "exec cat");
    assert_eq!(place.kind("seat.spawn", &again), "conflict");
    // Others join it where it is.
    let other = place.spawn("c", "other", "exec cat");
    assert_eq!(tmux.get(&ids(&other).1, "#{session_name}"), "renamed");
    tmux.ok(&["new-session", "-d", "-s", "mine", "cat"]);
    tmux.ok(&["move-window", "-d", "-s", &ids(&seat).0, "-t", "mine:"]);
    assert_eq!(place.kind("seat.spawn", &again), "conflict");
    let listed = place.client.call("seat.list", &json!({ "space": "c" }));
    assert_eq!(listed["seats"].as_array().unwrap().len(), 2);
    tmux.ok(&["kill-pane", "-t", &ids(&seat).1]);
    place.client.call("seat.spawn", &again);
}
