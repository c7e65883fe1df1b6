//! Spawning seats: names, isolation, secrets, and what is refused.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::seats_support::{Place, ids};
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::process::argvs_with;
use crate::support::secret::secret;
use crate::support::tmux::Tmux;
use crate::support::wait;

#[test]
fn a_seat_is_a_window_of_its_space_without_the_focus() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let one = place.client.call(
        "seat.spawn",
        &Place::params("team", "one", "echo first; exec cat"),
    );
    assert_eq!(one["session"], "surfaced-team");
    let two = place.spawn("team", "two", "exec cat");
    let (window, pane) = ids(one["reference"].as_str().unwrap());
    assert_eq!(
        (one["windowId"].as_str(), one["paneId"].as_str()),
        (Some(&*window), Some(&*pane))
    );
    assert_eq!(
        tmux.get(&pane, "#{window_name} #{session_name} #{window_active}"),
        "one surfaced-team 1"
    );
    assert_eq!(
        tmux.get(&ids(&two).1, "#{window_name} #{window_active}"),
        "two 0"
    );
    tmux.wait_for_text(&pane, "first");
    let text = place
        .client
        .call("seat.capture", &json!({ "reference": one["reference"] }))["text"]
        .clone();
    assert_eq!(text, "first\n");
    let listed = place.client.call("seat.list", &json!({ "space": "team" }))["seats"].clone();
    let names: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|seat| seat["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["one", "two"]);
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .all(|seat| seat["state"] == "running")
    );
    // The process is the program itself: the script has become it.
    let pid = listed[1]["pid"].as_u64().unwrap();
    assert_eq!(
        std::fs::read_to_string(format!("/proc/{pid}/comm"))
            .unwrap()
            .trim(),
        "cat"
    );
    assert_eq!(tmux.get(&ids(&two).1, "#{pane_pid}"), pid.to_string());
}

#[test]
fn the_environment_is_the_base_and_what_was_given() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    // A server with a variable of somebody else's.
    std::fs::create_dir_all(tmux.socket().parent().unwrap()).unwrap();
    std::fs::set_permissions(
        tmux.socket().parent().unwrap(),
        std::fs::Permissions::from_mode(0o700),
    )
    .unwrap();
    let started = sandbox
        .command("tmux")
        .env("FROM_SERVER", "1")
        .env("CLAUDECODE", "1")
        .args(["-f", "/dev/null", "new-session", "-d", "-s", "other", "cat"])
        .output()
        .unwrap();
    assert!(started.status.success());
    let mut place = Place::new(&sandbox);
    let spawn = |place: &mut Place, name: &str, exact: bool, env: &Value| {
        let mut params = Place::params(
            "e",
            name,
            "env -0 > \"$OUT.new\" && mv \"$OUT.new\" \"$OUT\"; exec cat",
        );
        let out = sandbox.cwd().join(name);
        params["env"] = env.clone();
        params["env"]["OUT"] = json!(out);
        if exact {
            params["exactEnv"] = json!(true);
            params["env"]["PATH"] = json!("/usr/bin:/bin");
        }
        place.client.call("seat.spawn", &params);
        let text = wait::until("the environment", || std::fs::read_to_string(&out).ok());
        let mut names: Vec<String> = text
            .split_terminator('\0')
            .map(|pair| pair.split_once('=').unwrap().0.to_owned())
            .collect();
        names.sort();
        // What sh itself sets.
        names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(&name.as_str()));
        (names, text)
    };
    let (names, text) = spawn(
        &mut place,
        "base",
        false,
        &json!({ "KEY": "v'w x\n$(id)", "HOME": "/else" }),
    );
    assert_eq!(
        names,
        [
            "HOME",
            "KEY",
            "LANG",
            "LOGNAME",
            "OUT",
            "PATH",
            "SHELL",
            "TERM",
            "TMUX",
            "TMUX_PANE",
            "USER"
        ]
    );
    assert!(text.contains("KEY=v'w x\n$(id)\0"), "{text:?}");
    assert!(text.contains("HOME=/else\0"), "{text:?}");
    let (names, _) = spawn(&mut place, "exact", true, &json!({}));
    assert_eq!(names, ["OUT", "PATH", "TERM", "TMUX", "TMUX_PANE"]);
}

#[test]
fn a_secret_is_seen_in_no_argv_file_or_listing() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let secret = secret();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut found = Vec::new();
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                found.extend(argvs_with(&secret));
            }
            found
        });
        for round in 0..10 {
            let mut params = Place::params("s", &format!("seat{round}"), "exec cat");
            params["env"] = json!({ "TOKEN": secret });
            place.client.call("seat.spawn", &params);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(reader.join().unwrap(), Vec::<String>::new());
    });
    let all = tmux.ok(&[
        "list-panes",
        "-a",
        "-F",
        "#{pane_start_command} #{pane_current_command}",
    ]);
    assert!(!all.contains(&secret), "{all}");
    assert!(!tmux.ok(&["show-environment", "-g"]).contains(&secret));
    for entry in walk(&sandbox.state()) {
        let text = String::from_utf8_lossy(&std::fs::read(&entry).unwrap_or_default()).into_owned();
        assert!(!text.contains(&secret), "{}", entry.display());
    }
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut queue = vec![dir.to_owned()];
    while let Some(dir) = queue.pop() {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                queue.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files
}

#[test]
fn names_that_are_taken_conflict_and_bad_ones_are_refused() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    place.spawn("a.b", "one", "exec cat");
    assert_eq!(
        tmux.ok(&["list-sessions", "-F", "#{session_name}"]),
        "surfaced-a_b"
    );
    for (space, name, kind) in [
        ("a.b", "one", "conflict"),
        ("a_b", "two", "conflict"),
        ("a:b", "x", "seat-refused"),
        ("", "x", "seat-refused"),
        ("-a", "x", "seat-refused"),
        ("ok", "a b", "seat-refused"),
        ("ok", "#{pid}", "seat-refused"),
    ] {
        assert_eq!(
            place.kind("seat.spawn", &Place::params(space, name, "exec cat")),
            kind,
            "{space:?} {name:?}"
        );
    }
    let mut missing = Place::params("ok", "x", "exec cat");
    missing["cwd"] = json!("/not/there");
    assert_eq!(place.kind("seat.spawn", &missing), "seat-refused");
    let mut nothing = Place::params("ok", "x", "exec cat");
    nothing["command"] = json!("/not/there");
    assert_eq!(place.kind("seat.spawn", &nothing), "seat-refused");
    nothing["command"] = json!("no-such-program-anywhere");
    assert_eq!(place.kind("seat.spawn", &nothing), "program-missing");
    let long = Place::params("ok", "x", &"y".repeat(200_000));
    assert_eq!(place.kind("seat.spawn", &long), "seat-refused");
    // What tmux itself would not take arrives whole.
    let words = "z".repeat(100_000);
    let line = format!("test $(printf %s {words} | wc -c) -eq 100000");
    let taken = place.spawn("a.b", "two", &line);
    assert_eq!(place.wait(&taken)["exitCode"], 0);
    // Nothing of all that left a window.
    wait::until("the window to be gone", || {
        let windows = tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]);
        (windows == "one").then_some(())
    });
    assert_eq!(
        tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]),
        "one"
    );
}

#[test]
fn a_session_of_somebody_else_is_no_space() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "surfaced-mine");
    let mut place = Place::new(&sandbox);
    assert_eq!(
        place.kind("seat.spawn", &Place::params("mine", "x", "exec cat")),
        "conflict"
    );
    assert_eq!(
        tmux.ok(&["list-windows", "-a", "-F", "#{window_id}"])
            .lines()
            .count(),
        1
    );
}

#[test]
fn ten_at_once_without_a_server_are_ten_and_ten_of_one_name_are_one() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let place = Place::new(&sandbox);
    let spawn_all = |name: &dyn Fn(usize) -> String| {
        let mut clients: Vec<_> = (0..10).map(|_| place.daemon.client()).collect();
        let ids: Vec<u64> = clients
            .iter_mut()
            .enumerate()
            .map(|(index, client)| {
                client.request(
                    "seat.spawn",
                    &Place::params("ten", &name(index), "exec cat"),
                )
            })
            .collect();
        clients
            .iter_mut()
            .zip(ids)
            .map(|(client, _)| client.read())
            .collect::<Vec<Value>>()
    };
    let replies = spawn_all(&|index| format!("seat{index}"));
    assert!(
        replies.iter().all(|reply| reply.get("error").is_none()),
        "{replies:?}"
    );
    assert_eq!(
        tmux.ok(&[
            "list-windows",
            "-t",
            "=surfaced-ten",
            "-F",
            "#{window_name}"
        ])
        .lines()
        .count(),
        10
    );
    let replies = spawn_all(&|_| "same".to_owned());
    let conflicts = replies
        .iter()
        .filter(|reply| reply["error"]["data"]["kind"] == "conflict")
        .count();
    assert_eq!(
        (
            conflicts,
            replies
                .iter()
                .filter(|reply| reply.get("result").is_some())
                .count()
        ),
        (9, 1),
        "{replies:?}"
    );
}

#[test]
fn hostile_configurations_of_tmux_change_nothing() {
    if !have("tmux") {
        return;
    }
    for (number, lines) in [
        "set -g base-index 1\nset -g pane-base-index 1\nset -g prefix None\n",
        "set -g remain-on-exit on\nset -g automatic-rename on\nset -g allow-rename on\nset -g default-command 'echo hijacked; cat'\n",
        "set -g default-shell /bin/false\nset-hook -g after-new-window 'rename-window renamed'\nset -g renumber-windows on\n",
        "set -g command-alias[100] neww='new-window -c /nowhere'\nset -g update-environment ''\nset -g default-size 20x5\n",
    ]
    .into_iter()
    .enumerate()
    {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.home().join(".tmux.conf"), lines).unwrap();
        let _tmux = Tmux::absent(&sandbox);
        let mut place = Place::new(&sandbox);
        let one = place.spawn("h", "one", "read line; exit 3");
        let two = place.spawn("h", "two", "exec cat");
        assert_eq!(place.call("seat.status", &one)["state"], "running", "{number}");
        place.call("seat.interrupt", &two);
        assert_eq!(place.wait(&two)["exited"], true, "{number}");
        let stopped = place.client.call("seat.stop", &json!({ "reference": one, "graceMs": 30_000, "timeoutMs": 60_000 }));
        assert_eq!(stopped["state"], "exited", "{number}");
        assert_eq!(place.call("seat.status", &one)["exitCode"], 3, "{number}");
    }
}

#[test]
fn a_launch_script_that_cannot_remove_itself_starts_nothing() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::absent(&sandbox);
    let mut place = Place::new(&sandbox);
    let out = sandbox.cwd().join("ran");
    let line = format!("touch {}; exec cat", out.display());
    let root = format!("/tmp/surfaced-{}", rustix::process::getuid().as_raw());
    let stop = std::sync::atomic::AtomicBool::new(false);
    let refused = std::thread::scope(|scope| {
        // Puts a file beside the scripts of this test, so that their directories cannot be removed.
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for entry in std::fs::read_dir(&root).into_iter().flatten().flatten() {
                    let text =
                        std::fs::read_to_string(entry.path().join("launch")).unwrap_or_default();
                    if text.contains(&*out.to_string_lossy()) {
                        let _ = std::fs::write(entry.path().join("in-the-way"), "");
                    }
                }
            }
        });
        // The script may be faster than the file: then it is a seat like others.
        let refused = (0..20).find_map(|round| {
            let reply = place.client.reply(
                "seat.spawn",
                &Place::params("r", &format!("s{round}"), &line),
            );
            if reply.get("error").is_some() {
                return Some(reply["error"].clone());
            }
            wait::until("the seat to run", || out.exists().then_some(()));
            std::fs::remove_file(&out).unwrap();
            None
        });
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        refused
    });
    let error = refused.expect("one of twenty directories has a file in the way");
    assert_eq!(error["data"]["kind"], "spawn-failed", "{error}");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("was not started"),
        "{error}"
    );
    assert!(!out.exists());
    let left = tmux
        .run(&["list-windows", "-a", "-F", "#{window_name}"])
        .stdout;
    let seats = place.client.call("seat.list", &json!({}))["seats"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(String::from_utf8_lossy(&left).lines().count(), seats);
}

#[test]
fn directories_that_the_server_and_the_daemon_have_lost_are_no_matter() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let [lost, kept] = ["lost", "kept"].map(|name| sandbox.root().join(name));
    std::fs::create_dir(&lost).unwrap();
    std::fs::create_dir(&kept).unwrap();
    // Both are started there, and neither has it any more.
    let tmux = Tmux::absent(&sandbox);
    let started = sandbox
        .command("tmux")
        .args(["-f", "/dev/null", "new-session", "-d", "-s", "mine", "cat"])
        .current_dir(&lost)
        .status()
        .unwrap();
    assert!(started.success());
    let daemon = Daemon::start_with(&sandbox, |command| {
        command.current_dir(&lost);
    });
    std::fs::remove_dir(&lost).unwrap();
    let client = daemon.client();
    let mut place = Place { daemon, client };
    let own = std::fs::read_link(format!("/proc/{}/cwd", place.daemon.pid())).unwrap();
    assert!(own.exists(), "{}", own.display());
    let out = sandbox.root().join("out");
    let line = format!("pwd -P >{0}.new; mv {0}.new {0}; exec cat", out.display());
    for space in ["mine too", "other"] {
        let mut params = Place::params(&space.replace(' ', "-"), "one", &line);
        params["cwd"] = json!(kept);
        place.client.call("seat.spawn", &params);
        let cwd = wait::until("the program", || std::fs::read_to_string(&out).ok());
        assert_eq!(cwd.trim_end(), kept.display().to_string());
        std::fs::remove_file(&out).unwrap();
    }
    let mut params = Place::params("other", "two", &line);
    params["cwd"] = json!(lost);
    let error = place.client.fail("seat.spawn", &params);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(lost.to_str().unwrap()), "{error}");
    assert!(!out.exists());
    drop(tmux);
}
