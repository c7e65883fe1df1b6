//! Further ends of seats: the default phrase, a lost record, panes that are gone while their window is left, a tmux that hangs.

use rustix::process::Signal;
use serde_json::{Value, json};
use surfaced::os::tree::Root;

use crate::seats_support::{Place, breakable, ids};
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::process::send;
use crate::support::tiny::Tiny;
use crate::support::tmux::Tmux;
use crate::support::wait;

fn windows(tmux: &Tmux<'_>) -> String {
    tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"])
}

#[test]
fn a_program_that_heeds_no_phrase_is_told_to_exit_and_then_loses_its_window() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("p", "keeper", "exec cat");
    let heard = sandbox.cwd().join("heard");
    let line = format!(
        "trap '' HUP; while read line; do echo \"$line\" >>{}; done",
        heard.display()
    );
    let seat = place.spawn("p", "deaf", &line);
    let stop = json!({ "reference": seat, "graceMs": 1000, "timeoutMs": 60_000 });
    assert_eq!(
        place.client.call("seat.stop", &stop),
        json!({ "state": "exited" })
    );
    assert_eq!(std::fs::read_to_string(&heard).unwrap(), "/exit\n");
    assert_eq!(windows(&tmux), "keeper");
}

#[test]
fn a_seat_whose_record_is_lost_is_reaped_by_its_reference() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("l", "keeper", "exec cat");
    let seat = place.spawn("l", "one", "exec cat");
    place.daemon.kill();
    std::fs::remove_dir_all(sandbox.state().join("seats")).unwrap();
    let daemon = Daemon::start(&sandbox);
    let client = daemon.client();
    let mut place = Place { daemon, client };
    assert_eq!(
        place.client.call("seat.list", &json!({})),
        json!({ "seats": [] })
    );
    assert_eq!(place.call("seat.status", &seat)["state"], "running");
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "reaped");
    assert_eq!(windows(&tmux), "keeper");
}

#[test]
fn a_reap_closes_the_window_also_when_the_pane_has_exited() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    // A person who keeps dead panes.
    std::fs::write(
        sandbox.home().join(".tmux.conf"),
        "set -g remain-on-exit on\n",
    )
    .unwrap();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("e", "keeper", "exec cat");
    let kept = place.spawn("e", "kept", "exit 3");
    assert_eq!(place.wait(&kept)["exitCode"], 3);
    assert_eq!(tmux.get(&ids(&kept).1, "#{pane_dead}"), "1");
    let reaped = place.call("seat.reap", &kept);
    assert_eq!(reaped["outcome"], "reaped", "{reaped}");
    assert_eq!(windows(&tmux), "keeper");

    // The window was divided, and only the seat's own pane is gone.
    let divided = place.spawn("e", "divided", "exec cat");
    let (window, pane) = ids(&divided);
    tmux.ok(&["split-window", "-d", "-t", &window, "cat"]);
    tmux.ok(&["kill-pane", "-t", &pane]);
    assert_eq!(windows(&tmux), "keeper\ndivided");
    let reaped = place.call("seat.reap", &divided);
    assert_eq!(reaped["outcome"], "reaped", "{reaped}");
    assert_eq!(windows(&tmux), "keeper");

    // The same, but somebody has taken that window away.
    let taken = place.spawn("e", "taken", "exec cat");
    let (window, pane) = ids(&taken);
    tmux.ok(&["new-session", "-d", "-s", "mine", "cat"]);
    tmux.ok(&["split-window", "-d", "-t", &window, "cat"]);
    tmux.ok(&["kill-pane", "-t", &pane]);
    tmux.ok(&["move-window", "-d", "-s", &window, "-t", "mine:"]);
    assert_eq!(place.call("seat.reap", &taken)["outcome"], "absent");
    let left = tmux.ok(&["list-windows", "-t", "mine", "-F", "#{window_id}"]);
    assert!(left.lines().any(|line| line == window), "{left}");
}

#[test]
fn slow_a_tmux_that_hangs_proves_nothing() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let broken = breakable(&mut sandbox);
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("t", "one", "exec cat");
    std::fs::write(&broken, "exec sleep 600").unwrap();
    for (method, params) in [
        ("seat.status", json!({ "reference": seat })),
        (
            "seat.stop",
            json!({ "reference": seat, "graceful": false, "timeoutMs": 1000 }),
        ),
        ("seat.reap", json!({ "reference": seat })),
        ("seat.wait", json!({ "reference": seat, "timeoutMs": 500 })),
    ] {
        assert_eq!(place.kind(method, &params), "state-unknown", "{method}");
    }
    std::fs::remove_file(&broken).unwrap();
    assert_eq!(place.call("seat.status", &seat)["state"], "running");
    assert_eq!(windows(&tmux), "one");
}

#[test]
fn a_stop_that_fails_behind_the_close_of_its_window_leaves_the_loss_to_be_told() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let broken = breakable(&mut sandbox);
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("f", "keeper", "exec cat");
    let seat = place.spawn("f", "one", "exec cat");
    let mut listener = place.daemon.client();
    listener.call("events.subscribe", &json!({ "topics": ["seat"] }));
    // Once the window is closed, tmux says nothing that proves anything.
    let script = format!(
        "case \"$*\" in *kill-window*) /usr/bin/tmux \"$@\"; s=$?; : >{0}; exit $s ;; esac\n\
         if [ -f {0} ]; then echo nonsense; exit 1; fi\n",
        sandbox.root().join("closed").display()
    );
    std::fs::write(&broken, script).unwrap();
    let stop = json!({ "reference": seat, "graceful": false, "timeoutMs": 60_000 });
    assert_eq!(place.kind("seat.stop", &stop), "state-unknown");
    std::fs::remove_file(&broken).unwrap();
    assert_eq!(windows(&tmux), "keeper");
    let event = listener.read()["params"]["result"].clone();
    assert_eq!(event["topic"], "seat.lost", "{event}");
    assert_eq!(event["payload"]["reference"], seat.as_str());
}

#[test]
fn a_label_is_not_taken_for_unused_where_tmux_cannot_be_asked() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let broken = breakable(&mut sandbox);
    let tmux = Tmux::start(&sandbox, "mine");
    let pane = tmux.get("mine", "#{pane_id}");
    let context = tmux.context(&pane);
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let params = json!({ "label": "x", "context": context });
    assert_eq!(client.call("layout.refs", &params)["windows"], json!([]));
    for script in [
        "echo 'error connecting to /tmp/x (Permission denied)' >&2; exit 1",
        "echo nonsense",
        "exit 1",
    ] {
        let only = format!("case \"$*\" in *list-windows*|*list-panes*) {script} ;; esac\n");
        std::fs::write(&broken, only).unwrap();
        let error = client.fail("layout.refs", &params);
        assert_eq!(error["data"]["kind"], "state-unknown", "{script}: {error}");
    }
    std::fs::remove_file(&broken).unwrap();
    wait::until("tmux to answer again", || {
        client.try_call("layout.refs", &params)
    });
}

#[test]
fn a_hard_stop_ends_what_left_the_session_of_the_pane_too() {
    if !have("tmux") || !have("setsid") {
        return;
    }
    let sandbox = Sandbox::new();
    let _tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let file = sandbox.cwd().join("left");
    let line = format!(
        "trap '' HUP TERM; (setsid sh -c 'echo $$ >{0}.new; mv {0}.new {0}; exec sleep 3600' &); while :; do sleep 1; done",
        file.display()
    );
    let seat = place.spawn("h", "hup", &line);
    let bystander = place.spawn("h", "bystander", "exec cat");
    let left: u32 = wait::until("what left", || {
        std::fs::read_to_string(&file).ok()?.trim().parse().ok()
    });
    let stop = json!({ "reference": seat, "graceful": false, "timeoutMs": 60_000 });
    assert_eq!(place.client.call("seat.stop", &stop)["state"], "exited");
    assert!(
        !Root::now(left).alive(),
        "it is ended when the stop says so"
    );
    assert_eq!(place.call("seat.status", &bystander)["state"], "running");
}

#[test]
fn a_seat_that_the_disk_does_not_take_is_not_started() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let records = sandbox.state().join("seats");
    std::fs::create_dir_all(&records).unwrap();
    let Some(_disk) = Tiny::mount(&records) else {
        return;
    };
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("d", "keeper", "exec cat");
    let filler = records.join("filler");
    let _ = std::fs::write(&filler, vec![0; 1 << 20]);
    let error = place
        .client
        .fail("seat.spawn", &Place::params("d", "full", "exec cat"));
    assert_eq!(error["data"]["kind"], "seat-refused", "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("No space left"), "{error}");
    assert_eq!(windows(&tmux), "keeper");
    std::fs::remove_file(filler).unwrap();
    place.spawn("d", "full", "exec cat");
    let listed = place.client.call("seat.list", &json!({ "space": "d" }));
    assert_eq!(listed["seats"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_done_with_a_seat_whose_pane_is_gone_reaches_nobody_else() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let seat = place.spawn("a", "one", "exec cat");
    let (window, pane) = ids(&seat);
    // The person's own shells, in the same session and on its active window: one alone and one beside another.
    let session = tmux.get(&pane, "#{session_id}");
    let sibling = tmux.ok(&[
        "new-window",
        "-t",
        &format!("{session}:"),
        "-P",
        "-F",
        "#{pane_id}",
        "cat",
    ]);
    let beside = tmux.ok(&[
        "split-window",
        "-t",
        &sibling,
        "-P",
        "-F",
        "#{pane_id}",
        "cat",
    ]);
    let state = |pane: &str| {
        tmux.get(
            pane,
            "#{pane_pid} #{pane_dead} #{window_id} #{window_panes}",
        )
    };
    let before = [state(&sibling), state(&beside)];
    tmux.ok(&["kill-pane", "-t", &pane]);
    assert!(!windows(&tmux).contains(&window));
    for (method, params) in [
        ("seat.interrupt", json!({ "reference": seat })),
        ("seat.capture", json!({ "reference": seat })),
        (
            "surface.inject",
            json!({ "surface": seat, "text": "typed" }),
        ),
        (
            "surface.keys",
            json!({ "surface": seat, "keys": ["C-c", "x"] }),
        ),
        ("surface.focus", json!({ "surface": seat })),
        ("surface.close", json!({ "surface": seat })),
    ] {
        assert_eq!(place.kind(method, &params), "target-gone", "{method}");
    }
    for graceful in [true, false] {
        let stop =
            json!({ "reference": seat, "graceful": graceful, "graceMs": 1, "timeoutMs": 60_000 });
        place.client.call("seat.stop", &stop);
    }
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "absent");
    let again = place.spawn("a", "one", "exec cat");
    assert_ne!(ids(&again), (window, pane));
    assert_eq!([state(&sibling), state(&beside)], before);
    for pane in [&sibling, &beside] {
        assert_eq!(tmux.ok(&["capture-pane", "-p", "-t", pane]), "");
    }
}

#[test]
fn a_number_that_another_process_has_by_now_is_not_its_process() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("n", "keeper", "exec cat");
    let seat = place.spawn("n", "one", "exec cat");
    let terminal = place.client.sh("exec cat");
    let host = *sandbox.hosts().first().unwrap();
    place.daemon.kill();
    tmux.ok(&["kill-pane", "-t", &ids(&seat).1]);
    send(host, Signal::KILL);
    let mut stranger = sandbox.command("sleep").arg("600").spawn().unwrap();
    // The process of the records began a minute before the one that has its number now.
    let mut changed = 0;
    for dir in ["seats", "terminals"] {
        for entry in std::fs::read_dir(sandbox.state().join(dir))
            .unwrap()
            .flatten()
        {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let Ok(mut record) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            let kept = &mut record["record"];
            if kept["name"] == "one" || kept["id"] == terminal.as_str() {
                let started = kept["processStartedMs"].as_u64();
                let started = started.unwrap_or_else(|| panic!("{kept}"));
                kept["processStartedMs"] = json!(started - 60_000);
                kept["pid"] = json!(stranger.id());
                std::fs::write(entry.path(), record.to_string()).unwrap();
                changed += 1;
            }
        }
    }
    assert_eq!(changed, 2);
    let mut place = Place::new(&sandbox);
    assert_eq!(place.call("seat.status", &seat)["state"], "gone");
    let stop = json!({ "reference": seat, "graceful": false, "timeoutMs": 60_000 });
    assert_eq!(place.client.call("seat.stop", &stop)["state"], "gone");
    assert_eq!(place.call("seat.reap", &seat)["outcome"], "absent");
    let told = place
        .client
        .call("terminal.get", &json!({ "id": terminal }));
    assert_eq!(told["state"], "exited", "{told}");
    place
        .client
        .call("terminal.kill", &json!({ "id": terminal }));
    place
        .client
        .call("terminal.remove", &json!({ "id": terminal }));
    assert_eq!(stranger.try_wait().unwrap(), None, "the stranger runs on");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
