//! Seats on hosts where the link is lost, the daemon is killed, or somebody moves them: nothing is assumed, nobody else is hit.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::seats_support::{Place, ids, there};
use crate::support::process::runs;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, ready};

#[test]
fn a_host_that_is_not_reached_proves_nothing() {
    if !ready() {
        return;
    }
    let world = World::new();
    let mut sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let mut place = Place::of(&world);
        let seat = place.spawn_there(kind, "one", "exec cat");
        sshd.stop();
        for (method, params) in [
            ("seat.status", json!({ "reference": seat })),
            (
                "seat.stop",
                json!({ "reference": seat, "graceful": false, "timeoutMs": 5000 }),
            ),
            ("seat.reap", json!({ "reference": seat })),
            ("seat.wait", json!({ "reference": seat, "timeoutMs": 500 })),
            ("seat.interrupt", json!({ "reference": seat })),
            ("seat.capture", json!({ "reference": seat })),
        ] {
            assert_eq!(
                place.kind(method, &params),
                "state-unknown",
                "{kind}: {method}"
            );
        }
        let listed = place.client.call("seat.list", &json!({ "space": kind }));
        assert!(
            listed["seats"][0].get("state").is_none(),
            "{kind}: {listed}"
        );
        assert_eq!(tmux.get(&ids(&seat).1, "#{pane_dead}"), "0");

        sshd.restart(&world.sandbox);
        let status = wait::until("the host to be reached again", || {
            place
                .client
                .try_call("seat.status", &json!({ "reference": seat }))
        });
        assert_eq!(status["state"], "running", "{kind}");
        assert_eq!(place.call("seat.reap", &seat)["outcome"], "reaped");
    }
}

/// A server whose tmux breaks the link once a command that holds `verb` was carried out, as long as the file `break` is there.
fn breaking(world: &World, verb: &str) -> (Sshd, std::path::PathBuf) {
    let bin = world.sandbox.root().join("there");
    std::fs::create_dir(&bin).unwrap();
    let breaks = world.sandbox.root().join("break");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *{verb}*) ;; *) exec /usr/bin/tmux \"$@\" ;; esac\n[ -f {0} ] || exec /usr/bin/tmux \"$@\"\n\
         rm {0}\n/usr/bin/tmux \"$@\"\npid=$$\nwhile [ \"$(cat /proc/$pid/comm)\" != sshd ]; do\n  read -r line </proc/$pid/stat\n  \
         set -- ${{line##*\") \"}}\n  pid=$2\ndone\nkill -9 $pid\n",
        breaks.display()
    );
    std::fs::write(bin.join("tmux"), script).unwrap();
    std::fs::set_permissions(bin.join("tmux"), PermissionsExt::from_mode(0o755)).unwrap();
    let env = format!("SetEnv PATH={}:/usr/bin:/bin\n", bin.display());
    // The first SetEnv of a configuration counts, so it names the rest too.
    let env = env.trim_end().to_owned()
        + &format!(
            " TMUX_TMPDIR={} HOME={}\n",
            world.sandbox.tmux_dir().display(),
            world.sandbox.home().display()
        );
    let sshd = Sshd::start_with(&world.sandbox, "zion", &env);
    world.config.host("zion", &sshd, "");
    (sshd, breaks)
}

#[test]
fn a_spawn_whose_link_breaks_is_never_run_twice_and_can_be_reaped() {
    if !ready() {
        return;
    }
    let world = World::new();
    let (_sshd, breaks) = breaking(&world, "respawn-pane");
    let tmux = Tmux::absent(&world.sandbox);
    let started = world.sandbox.cwd().join("started");
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let mut place = Place::of(&world);
        place.spawn_there(kind, "keeper", "exec cat");
        std::fs::write(&breaks, "").unwrap();
        let _ = std::fs::remove_file(&started);
        let line = format!("echo $$ >>{}; exec cat", started.display());
        let error = place.client.fail("seat.spawn", &there(kind, "lost", &line));
        assert_eq!(error["data"]["kind"], "state-unknown", "{kind}: {error}");
        assert!(!breaks.exists(), "{kind}: the link was broken");
        let reference = error["data"]["detail"]["reference"].clone();
        let outcome = place
            .client
            .call("seat.reap", &json!({ "reference": reference }))["outcome"]
            .clone();
        assert!(outcome == "absent" || outcome == "reaped", "{outcome}");
        let windows = tmux.ok(&[
            "list-windows",
            "-t",
            &format!("surfaced-{kind}"),
            "-F",
            "#{window_name}",
        ]);
        assert_eq!(windows, "keeper", "{kind}");
        let runs = std::fs::read_to_string(&started).unwrap_or_default();
        assert!(runs.lines().count() <= 1, "{kind}: {runs}");
        // The name is free again.
        place.spawn_there(kind, "lost", "exec cat");
    }
}

#[test]
fn a_stop_whose_link_breaks_says_so_and_is_asked_again() {
    if !ready() {
        return;
    }
    let world = World::new();
    let (_sshd, breaks) = breaking(&world, "kill-window");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut place = Place::of(&world);
    place.spawn_there("b", "keeper", "exec cat");
    let pid = world.sandbox.cwd().join("pid");
    // It outlives its window.
    let line = format!(
        "trap '' HUP; echo $$ >{}; while :; do read x || sleep 1; done",
        pid.display()
    );
    let seat = place.spawn_there("b", "one", &line);
    let pid = wait::until("its number", || {
        std::fs::read_to_string(&pid)
            .ok()
            .filter(|text| text.ends_with('\n'))
    });
    std::fs::write(&breaks, "").unwrap();
    let stop = json!({ "reference": seat, "graceful": false, "timeoutMs": 30_000 });
    let reply = place.client.reply("seat.stop", &stop);
    assert!(!breaks.exists(), "the link was broken");
    if let Some(error) = reply.get("error") {
        assert_eq!(error["data"]["kind"], "state-unknown", "{error}");
        assert_eq!(place.client.call("seat.stop", &stop)["state"], "exited");
    }
    assert!(
        !runs(pid.trim().parse().unwrap()),
        "what came of the seat has ended too"
    );
    let windows = tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]);
    assert_eq!(windows, "keeper");
}

#[test]
fn seats_on_a_host_outlive_the_daemon_and_are_reaped_by_the_next() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut first = Place::of(&world);
    let seat = first.spawn_there("d", "one", "exec cat");
    let ended = first.spawn_there("d", "two", "read line; exit 9");
    first.daemon.kill();
    tmux.ok(&["send-keys", "-t", &ids(&ended).1, "Enter"]);
    let mut next = Place::of(&world);
    assert_eq!(next.wait(&ended)["exitCode"], 9);
    wait::until("the window to be removed", || {
        let windows = tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]);
        (windows == "one").then_some(())
    });
    assert_eq!(next.call("seat.status", &seat)["state"], "running");
    assert_eq!(next.call("seat.reap", &seat)["outcome"], "reaped");
    assert!(
        !tmux
            .run(&["has-session", "-t", "=surfaced-d"])
            .status
            .success()
    );
}

#[test]
fn what_was_moved_on_a_host_is_refused_and_untouched() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut place = Place::of(&world);
    place.spawn_there("m", "keeper", "exec cat");
    tmux.ok(&["new-session", "-d", "-s", "mine", "cat"]);
    let pane = place.spawn_there("m", "pane", "exec cat");
    let window = place.spawn_there("m", "window", "exec cat");
    tmux.ok(&["break-pane", "-d", "-s", &ids(&pane).1, "-t", "mine:"]);
    tmux.ok(&["move-window", "-d", "-s", &ids(&window).0, "-t", "mine:"]);
    for seat in [&pane, &window] {
        for (method, params) in [
            ("seat.reap", json!({ "reference": seat })),
            ("seat.stop", json!({ "reference": seat, "graceful": false })),
            ("seat.interrupt", json!({ "reference": seat })),
        ] {
            assert_eq!(
                place.kind(method, &params),
                "seat-refused",
                "{method} {seat}"
            );
        }
        assert_eq!(
            tmux.get(&ids(seat).1, "#{session_name} #{pane_dead}"),
            "mine 0"
        );
    }
    tmux.ok(&["kill-server"]);
    assert_eq!(place.wait(&window), json!({ "exited": true }));
    assert_eq!(place.call("seat.status", &window)["state"], "gone");
}
