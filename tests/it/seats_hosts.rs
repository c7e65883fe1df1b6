//! Seats on hosts: what holds here holds there, over either kind of connection.

use serde_json::{Value, json};

use crate::seats_support::{Place, ids, there};
use crate::support::process::{argvs_with, runs};
use crate::support::pty::Pty;
use crate::support::secret::secret;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, ready};

/// The numbers in a file, once there are so many.
fn numbers(path: &std::path::Path, count: usize) -> Vec<String> {
    wait::until("the numbers of processes", || {
        let text = std::fs::read_to_string(path).ok()?;
        let all: Vec<_> = text.lines().map(str::to_owned).collect();
        (all.len() == count).then_some(all)
    })
}

#[test]
fn a_seat_on_a_host_is_used_like_one_here() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let mut place = Place::of(&world);
        let keeper = place
            .client
            .call("seat.spawn", &there(kind, "keeper", "echo first; exec cat"));
        let reference = keeper["reference"].as_str().unwrap();
        assert!(reference.ends_with(";host=zion"), "{reference}");
        assert_eq!(keeper["session"], format!("surfaced-{kind}"));
        let (window, pane) = ids(reference);
        assert_eq!(keeper["paneId"], pane);
        assert_eq!(
            tmux.get(&pane, "#{window_name} #{session_name} #{window_id}"),
            format!("keeper surfaced-{kind} {window}")
        );
        tmux.wait_for_text(&pane, "first");
        assert_eq!(place.call("seat.capture", reference)["text"], "first\n");
        assert_eq!(place.call("seat.status", reference)["state"], "running");

        // The line that shows it shows it, with the configuration that counts.
        let mut attach = world.sandbox.command("sh");
        attach.args(["-c", keeper["attach"].as_str().unwrap()]);
        let shown = Pty::start(&attach, 20, 80);
        shown.shows("first");
        drop(shown);

        let seat = place.spawn_there(
            kind,
            "int",
            "trap 'exit 6' INT; echo up; while :; do sleep 0.05; done",
        );
        tmux.wait_for_text(&ids(&seat).1, "up");
        place.call("seat.interrupt", &seat);
        assert_eq!(place.wait(&seat), json!({ "exited": true, "exitCode": 6 }));

        for (line, expected) in [
            ("exit 0", json!({ "exited": true, "exitCode": 0 })),
            ("exit 255", json!({ "exited": true, "exitCode": 255 })),
            ("kill -9 $$", json!({ "exited": true, "signal": "SIGKILL" })),
        ] {
            let name = format!(
                "s{}",
                line.replace(|c: char| !c.is_ascii_alphanumeric(), "")
            );
            let seat = place.spawn_there(kind, &name, line);
            assert_eq!(place.wait(&seat), expected, "{kind}: {line}");
            let status = place.call("seat.status", &seat);
            assert_eq!(status["state"], "exited", "{kind}: {line}");
            wait::until("the window to be removed", || {
                let windows = tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]);
                (!windows.lines().any(|window| window == name)).then_some(())
            });
        }
        let listed = place.client.call("seat.list", &json!({ "space": kind }))["seats"].clone();
        assert_eq!(
            (
                &listed[0]["state"],
                &listed[0]["host"],
                &listed[0]["attach"]
            ),
            (&json!("running"), &json!("zion"), &keeper["attach"]),
            "{listed}"
        );
        assert_eq!(place.call("seat.reap", reference)["outcome"], "reaped");
        assert_eq!(place.call("seat.reap", reference)["outcome"], "absent");
        assert_eq!(place.call("seat.status", reference)["state"], "exited");
    }
}

#[test]
fn a_stop_on_a_host_is_graceful_or_ends_the_whole_tree() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut place = Place::of(&world);
    let other = place.spawn_there("g", "other", "exec cat");
    let mut params = there(
        "g",
        "polite",
        "while read line; do [ \"$line\" = bye ] && exit 5; done",
    );
    params["exitPhrase"] = json!("bye");
    let polite = place.client.call("seat.spawn", &params)["reference"].clone();
    let stop = json!({ "reference": polite, "graceMs": 30_000, "timeoutMs": 60_000 });
    assert_eq!(
        place.client.call("seat.stop", &stop),
        json!({ "state": "exited" })
    );
    let status = place
        .client
        .call("seat.status", &json!({ "reference": polite }));
    assert_eq!(status, json!({ "state": "exited", "exitCode": 5 }));

    let stop = json!({ "reference": other, "graceMs": 60_000, "timeoutMs": 500 });
    assert_eq!(
        place.kind("seat.stop", &stop),
        "timeout",
        "nothing is killed in the grace"
    );

    let pids = world.sandbox.cwd().join("pids");
    let line = format!(
        "trap '' HUP TERM INT; (trap '' HUP TERM; setsid sleep 300 & echo $! >>{0}; sleep 301 & echo $! >>{0}; wait) & echo $$ >>{0}; while :; do read x; done",
        pids.display()
    );
    let seat = place.spawn_there("g", "tree", &line);
    let tree = numbers(&pids, 3);
    let stop = json!({ "reference": seat, "graceful": false, "timeoutMs": 30_000 });
    assert_eq!(place.client.call("seat.stop", &stop)["state"], "exited");
    assert!(
        !tree.iter().any(|pid| runs(pid.parse().unwrap())),
        "{tree:?}"
    );
    assert_eq!(place.call("seat.status", &other)["state"], "running");
    let listed = place.client.call("seat.list", &json!({}))["seats"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn the_environment_on_a_host_is_its_own_base_and_what_was_given() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    // A server with a variable of somebody else's.
    let mut server = world.sandbox.command("tmux");
    server
        .env("FROM_SERVER", "1")
        .args(["-S"])
        .arg(tmux.socket());
    tmux.run(&["kill-server"]);
    let socket = tmux.socket();
    std::fs::create_dir_all(socket.parent().unwrap()).unwrap();
    std::fs::set_permissions(
        socket.parent().unwrap(),
        std::os::unix::fs::PermissionsExt::from_mode(0o700),
    )
    .unwrap();
    let started = server
        .args(["-f", "/dev/null", "new-session", "-d", "-s", "other", "cat"])
        .status()
        .unwrap();
    assert!(started.success());
    world.prefer("auto");
    let mut place = Place::of(&world);
    for exact in [false, true] {
        let out = world.sandbox.cwd().join(format!("exact-{exact}"));
        let mut params = there(
            "e",
            &format!("exact-{exact}"),
            "env -0 > \"$OUT.new\" && mv \"$OUT.new\" \"$OUT\"; exec cat",
        );
        params["exactEnv"] = json!(exact);
        params["env"] = json!({ "KEY": "v'w x\n$(id)", "OUT": out, "PATH": "/usr/bin:/bin" });
        place.client.call("seat.spawn", &params);
        let text = wait::until("the environment", || std::fs::read_to_string(&out).ok());
        let mut names: Vec<_> = text
            .split_terminator('\0')
            .map(|pair| pair.split_once('=').unwrap().0)
            .filter(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name))
            .collect();
        names.sort_unstable();
        let expected: &[&str] = if exact {
            &["KEY", "OUT", "PATH", "TERM", "TMUX", "TMUX_PANE"]
        } else {
            &[
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
                "USER",
            ]
        };
        assert_eq!(names, expected);
        assert!(text.contains("KEY=v'w x\n$(id)\0"), "{text:?}");
        let home = format!("HOME={}\0", sshd.home().display());
        assert_eq!(text.contains(&home), !exact, "{text:?}");
    }
}

#[test]
fn what_cannot_start_on_a_host_is_refused_and_leaves_nothing() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    world
        .config
        .place("closed", crate::support::sshd::free_port(), "");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut place = Place::of(&world);
    place.spawn_there("r", "keeper", "exec cat");
    let changed = |key: &str, value: Value| {
        let mut params = there("r", "new", "exec cat");
        params[key] = value;
        params
    };
    for (params, kind) in [
        (
            changed("host", json!("-oProxyCommand=touch /tmp/x")),
            "host-invalid",
        ),
        (changed("host", json!("closed")), "seat-refused"),
        (changed("name", json!("keeper")), "conflict"),
        (changed("name", json!("a:b")), "seat-refused"),
        (changed("cwd", json!("/no such directory")), "seat-refused"),
        (
            changed("command", json!("/no/such/program")),
            "seat-refused",
        ),
        (
            changed("command", json!("no-such-program")),
            "program-missing",
        ),
    ] {
        let error = place.client.fail("seat.spawn", &params);
        assert_eq!(error["data"]["kind"], kind, "{params}: {error}");
        if params["host"] == "closed" {
            assert_eq!(
                error["data"]["detail"]["cause"], "host-unreachable",
                "{error}"
            );
        }
    }
    assert_eq!(
        tmux.ok(&["list-windows", "-a", "-F", "#{window_name}"]),
        "keeper"
    );
    let listed = place.client.call("seat.list", &json!({}))["seats"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn what_a_seat_on_a_host_keeps_secret_is_in_no_command_line() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("openssh");
    let place = Place::of(&world);
    let secret = secret();
    let mut client = place.daemon.client();
    let value = secret.clone();
    let spawning = std::thread::spawn(move || {
        for round in 0..5 {
            let mut params = there("s", &format!("s{round}"), "exec cat");
            params["env"] = json!({ "TOKEN": value });
            client.call("seat.spawn", &params);
        }
    });
    let mut seen = Vec::new();
    while !spawning.is_finished() {
        seen.extend(argvs_with(&secret));
    }
    spawning.join().unwrap();
    assert!(seen.is_empty(), "{seen:?}");
    let shown = tmux.ok(&["show-environment", "-g"]);
    assert!(!shown.contains(&secret));
    let uid = rustix::process::getuid().as_raw();
    for entry in std::fs::read_dir(format!("/tmp/surfaced-{uid}"))
        .unwrap()
        .flatten()
    {
        let text = std::fs::read_to_string(entry.path().join("launch")).unwrap_or_default();
        assert!(!text.contains(&secret), "{}", entry.path().display());
    }
    for record in std::fs::read_dir(world.sandbox.state().join("seats"))
        .unwrap()
        .flatten()
    {
        let text = std::fs::read_to_string(record.path()).unwrap();
        assert!(!text.contains(&secret), "{text}");
    }
}

#[test]
fn many_who_wait_on_a_host_take_nobodys_turn() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd: Sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut place = Place::of(&world);
    let seat = place.spawn_there("w", "one", "read line; exit 4");
    let mut waiters = place.daemon.client();
    let params = json!({ "reference": seat, "timeoutMs": 60_000 });
    for _ in 0..60 {
        waiters.request("seat.wait", &params);
    }
    for round in 0..5 {
        let name = format!("beside{round}");
        place.spawn_there("w", &name, "exec cat");
        assert_eq!(place.call("seat.status", &seat)["state"], "running");
    }
    tmux.ok(&["send-keys", "-t", &ids(&seat).1, "Enter"]);
    for _ in 0..60 {
        let reply = waiters.read();
        assert_eq!(
            reply["result"],
            json!({ "exited": true, "exitCode": 4 }),
            "{reply}"
        );
    }
    // As a surface too, also when its window has gone.
    let exit = place
        .client
        .call("surface.wait", &json!({ "surface": seat, "timeoutMs": 1 }));
    assert_eq!(exit, json!({ "exited": true, "exitCode": 4 }));
}

#[test]
fn the_tmux_of_a_host_is_the_one_that_its_logins_have() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "zsh");
    let own = world.sandbox.root().join("own tmux");
    std::fs::create_dir(&own).unwrap();
    let rc = format!("export TMUX_TMPDIR='{}'\n", own.display());
    std::fs::write(sshd.home().join(".zshenv"), rc).unwrap();
    let uid = rustix::process::getuid().as_raw();
    let socket = own.join(format!("tmux-{uid}")).join("default");
    let server = |args: &[&str]| {
        let mut tmux = world.sandbox.command("tmux");
        tmux.arg("-S").arg(&socket).args(args).output().unwrap()
    };
    world.prefer("auto");
    let daemon = world.daemon();
    let spawned = world
        .sandbox
        .surfaced()
        .args([
            "--json", "seat", "spawn", "-H", "zion", "-C", "/", "t", "one",
        ])
        .args(["--", "sh", "-c", "echo seated; exec cat"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&spawned.stderr);
    assert!(spawned.status.success(), "{said}");
    let spawned: Value = serde_json::from_slice(&spawned.stdout).unwrap();
    let mut client = daemon.client();
    let item = json!({ "command": ["sh", "-c", "echo surfaced; exec cat"] });
    let opened =
        client.call("open", &json!({ "host": "zion", "items": [item] }))["results"][0].clone();
    for (reference, attach, text) in [
        (&spawned["reference"], &spawned["attach"], "seated"),
        (&opened["surface"], &opened["attach"], "surfaced"),
    ] {
        let reference = reference.as_str().unwrap();
        assert!(reference.contains("own%20tmux"), "{reference}");
        let mut line = world.sandbox.command("sh");
        line.args(["-c", attach.as_str().unwrap()]);
        Pty::start(&line, 20, 80).shows(text);
    }
    assert!(server(&["kill-server"]).status.success());
}

#[test]
fn a_seat_on_a_host_starts_where_its_person_is_at_home_and_nowhere_of_here() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut place = Place::of(&world);
    let run = |args: &[&str]| {
        let mut surfaced = world.sandbox.surfaced();
        let output = surfaced.args(args).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, out, err) = run(&[
        "--json",
        "seat",
        "spawn",
        "-H",
        "zion",
        "t",
        "one",
        "--",
        "sh",
        "-c",
        "pwd; exec cat",
    ]);
    assert_eq!(code, Some(0), "{err}");
    let spawned: Value = serde_json::from_str(&out).unwrap();
    let reference = json!({ "reference": spawned["reference"] });
    wait::until("it to say where it is", || {
        let text = place.client.call("seat.capture", &reference);
        let text = text["text"].as_str().unwrap().replace('\n', "");
        text.contains(sshd.home().to_str().unwrap()).then_some(())
    });
    let listed = place.client.call("seat.list", &json!({}));
    assert_eq!(listed["seats"][0]["cwd"], json!(sshd.home()), "{listed}");
    place.client.call(
        "seat.stop",
        &json!({ "reference": spawned["reference"], "graceful": false }),
    );

    let none = json!({ "space": "t", "name": "two", "command": "cat" });
    let failure = place.client.fail("seat.spawn", &none);
    assert_eq!(
        (&failure["code"], &failure["data"]["path"]),
        (&json!(-32602), &json!("cwd"))
    );
    for args in [
        &[
            "seat", "spawn", "-H", "zion", "-C", "rel", "t", "one", "--", "cat",
        ][..],
        &["open", "-H", "zion", "-C", "rel", "--", "cat"],
        &["agent", "new", "claude", "-H", "zion", "-C", "rel"],
        &["agent", "new", "claude", "-H", "zion"],
    ] {
        let (code, _, err) = run(args);
        assert_eq!(code, Some(2), "{args:?}: {err}");
        assert!(
            err.contains("zion") && err.contains("absolute path of the host"),
            "{args:?}: {err}"
        );
    }
}
