//! Surfaces on hosts, through a daemon: tmux over there, handles over here.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::open_words;
use crate::support::daemon::Daemon;
use crate::support::env::have;
use crate::support::printargs::PrintArgs;
use crate::support::process::argvs_with;
use crate::support::secret::secret;
use crate::support::sshd::{Sshd, have_ssh};
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::words;
use crate::support::world::{World, all_ok, ready};

const WORDS: &[&str] = &[
    "",
    " ",
    "a b",
    "it's",
    "\"",
    "\\",
    "a\\",
    "$(touch pwn)`touch pwn2`",
    "line one\nline two\n",
    "\ttab",
    ";",
    "run it;",
    "x\\;",
    "a;b c;",
    "#{pid}",
    "#(touch pwn3)",
    "-n",
    "--",
    "=ls",
    "~",
    "*",
    "!!",
    "hi!",
    "%1",
    "{a,b}",
    "L",
    "é✻⎿😀",
    "\u{1b}[31m",
];

const DIRECTORIES: &[&str] = &[
    "a b",
    "a'b",
    "a\"b",
    "a\\b",
    "ünï",
    "-x",
    "p'$(touch pwn)'q",
    "a; touch pwn",
    "#{pid}",
];

/// Rc files that talk, on both streams, to whoever logs in.
fn talk_at_login(sshd: &Sshd, shell: &str) {
    let rc = match shell {
        "bash" => ".bashrc",
        "zsh" => ".zshenv",
        "fish" => ".config/fish/config.fish",
        _ => ".tcshrc",
    };
    let path = sshd.home().join(rc);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = "echo out of rc\n/bin/sh -c 'echo complaint of rc >&2'\n";
    std::fs::write(path, text).unwrap();
}

#[test]
fn words_and_directories_arrive_on_hosts_of_every_shell() {
    if !ready() {
        return;
    }
    let mut world = World::new();
    let printargs = PrintArgs::install(&mut world.sandbox);
    let _tmux = Tmux::absent(&world.sandbox);
    let shells = ["bash", "zsh", "fish", "tcsh"]
        .into_iter()
        .filter(|shell| have(shell))
        .collect::<Vec<_>>();
    let servers = shells
        .iter()
        .map(|shell| {
            let sshd = world.server(shell, shell);
            talk_at_login(&sshd, shell);
            sshd
        })
        .collect::<Vec<_>>();
    // Those that are sent to tmux on this machine too.
    let words = [WORDS, open_words::WORDS, &words::WORDS[..]].concat();
    let directories = DIRECTORIES;
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut items = Vec::new();
        for shell in &shells {
            for (index, directory) in directories.iter().enumerate() {
                let cwd = world.sandbox.cwd().join(directory);
                std::fs::create_dir_all(&cwd).unwrap();
                let name = format!("{kind}-{shell}-{index}");
                let mut command = vec![printargs.path(), name];
                command.extend(words.iter().map(|word| (*word).to_owned()));
                let env = if index == 0 {
                    json!({ "SECRET": "it's $HOME" })
                } else {
                    Value::Null
                };
                items.push(json!({ "host": shell, "cwd": cwd, "command": command, "env": env }));
            }
        }
        let answer = daemon.client().call("open", &json!({ "items": items }));
        all_ok(&answer);
        assert_eq!(
            (&answer["backend"], &answer["source"]),
            (&json!("tmux"), &json!("remote-default"))
        );
        for shell in &shells {
            for (index, directory) in directories.iter().enumerate() {
                let started = printargs.wait_for(&format!("{kind}-{shell}-{index}"));
                assert_eq!(started.words, words, "{kind} {shell}");
                assert_eq!(
                    PathBuf::from(started.cwd),
                    world.sandbox.cwd().join(directory),
                    "{kind} {shell}"
                );
                assert_eq!(started.secret, if index == 0 { "it's $HOME" } else { "" });
            }
        }
    }
    for path in [world.sandbox.cwd(), servers[0].home()] {
        let planted = std::fs::read_dir(path)
            .unwrap()
            .flatten()
            .any(|entry| entry.file_name().to_string_lossy().starts_with("pwn"));
        assert!(!planted);
    }
}

#[test]
fn a_surface_on_a_host_is_used_like_one_here() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        let answer = client.call("open", &json!({ "host": "zion", "items": [{ "command": ["cat"], "title": "first" }, { "command": ["cat"] }] }));
        let surfaces = all_ok(&answer);
        let surface = surfaces[0];
        assert!(
            surface.starts_with("tmux:") && surface.ends_with(";host=zion"),
            "{surface}"
        );
        let attach = answer["results"][0]["attach"].as_str().unwrap();
        assert!(
            attach.starts_with(&format!(
                "ssh -F {} -t zion ",
                world.config.path().display()
            )) && attach.contains("tmux"),
            "{attach}"
        );

        client.call(
            "surface.inject",
            &json!({ "surface": surface, "text": "Enter C-c ; #{pid}" }),
        );
        wait::until("the text", || {
            let text =
                client.call("surface.capture", &json!({ "surface": surface }))["text"].to_string();
            (text.matches("Enter C-c ; #{pid}").count() == 2).then_some(())
        });
        let listed = client.call(
            "surface.list",
            &json!({ "host": "zion", "backend": "tmux" }),
        );
        assert!(
            listed["surfaces"]
                .as_array()
                .unwrap()
                .iter()
                .any(|one| one["surface"] == surface),
            "{listed}"
        );
        let backends = client.call("backends", &json!({ "host": "zion" }));
        let there = |id: &str| {
            backends["backends"]
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["id"] == id)
                .unwrap()["available"]
                .clone()
        };
        assert_eq!(
            (there("tmux"), there("builtin"), there("iterm")),
            (json!(true), json!(false), json!(false)),
            "{backends}"
        );
        client.call("surface.focus", &json!({ "surface": surface }));
        assert_eq!(
            client.call(
                "surface.wait",
                &json!({ "surface": surface, "timeoutMs": 1 })
            ),
            json!({ "exited": false })
        );
        client.call("surface.close", &json!({ "surface": surface }));
        assert_eq!(
            client.fail("surface.capture", &json!({ "surface": surface }))["data"]["kind"],
            "target-gone"
        );
        assert_eq!(sshd.logins(), if kind == "library" { 1 } else { 2 });
    }
    drop(tmux);
}

#[test]
fn only_a_process_that_is_a_tmux_is_taken_for_a_server() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    world.prefer("library");
    let tmux = Tmux::start(&world.sandbox, "main");
    let server = tmux.ok(&["display-message", "-p", "#{pid}"]);
    let mut sleep = world.sandbox.command("sleep").arg("3000").spawn().unwrap();
    let socket = world.sandbox.root().join("none").display().to_string();
    let daemon = world.daemon();
    let mut client = daemon.client();
    for (host, machine) in [("", "this machine"), (";host=zion", "zion")] {
        let mut refused = |pid: &str| {
            let surface = format!("tmux:{pid}.@0.%0;socket={socket}{host}");
            client.fail("surface.capture", &json!({ "surface": surface }))["data"].clone()
        };
        let stranger = refused(&sleep.id().to_string());
        assert_eq!(stranger["kind"], "target-gone", "{stranger}");
        assert!(!stranger.to_string().contains("USR1"), "{stranger}");
        let known = refused(server.trim());
        assert_eq!(known["kind"], "state-unknown", "{known}");
        let words = format!("`kill -USR1 {}` on {machine} ", server.trim());
        assert!(
            known["hint"].as_str().unwrap().starts_with(&words),
            "{known}"
        );
    }
    assert_eq!(sleep.try_wait().unwrap(), None);
    sleep.kill().unwrap();
    sleep.wait().unwrap();
}

#[test]
fn a_surface_of_an_application_on_a_host_is_found_there_again() {
    if !ready() {
        return;
    }
    let world = World::new();
    // What a Mac has, and this machine has not.
    let bin = world.sandbox.root().join("mac");
    std::fs::create_dir(&bin).unwrap();
    let log = world.sandbox.root().join("osascript.log");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >>{}\necho 9F3A-12\n",
        log.display()
    );
    std::fs::write(bin.join("osascript"), script).unwrap();
    std::fs::set_permissions(
        bin.join("osascript"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let sshd = Sshd::start_with(
        &world.sandbox,
        "mac",
        &format!("SetEnv PATH={}:/usr/bin:/bin\n", bin.display()),
    );
    world.config.host("mac", &sshd, "");
    world.prefer("auto");
    let daemon = world.daemon();
    let mut client = daemon.client();
    for (backend, reference) in [
        ("iterm", "iterm::9F3A-12;host=mac"),
        ("ghostty", "ghostty::9F3A-12;host=mac"),
    ] {
        let params =
            json!({ "host": "mac", "backend": backend, "items": [{ "command": ["cat"] }] });
        let answer = client.call("open", &params);
        assert_eq!(all_ok(&answer), [reference], "{answer}");
        for (method, more) in [
            ("surface.focus", json!({})),
            ("surface.inject", json!({ "text": "hello" })),
            ("surface.close", json!({})),
        ] {
            let _ = std::fs::remove_file(&log);
            let mut params = more;
            params["surface"] = json!(reference);
            client.call(method, &params);
            let ran = std::fs::read_to_string(&log).unwrap();
            assert!(
                ran.contains("9F3A-12") && !ran.contains("host="),
                "{method}: {ran}"
            );
            params["dryRun"] = json!(true);
            let shown = client.call(method, &params);
            assert_eq!(
                shown["spec"]["transport"]["host"], "mac",
                "{method}: {shown}"
            );
        }
        // A split goes beside it, there.
        let _ = std::fs::remove_file(&log);
        let item = json!({ "command": ["cat"], "layout": "split-right", "target": reference });
        let params = json!({ "host": "mac", "backend": backend, "items": [item] });
        all_ok(&client.call("open", &params));
        let ran = std::fs::read_to_string(&log).unwrap();
        assert!(ran.contains("9F3A-12") && !ran.contains("host="), "{ran}");
        // Without the host it would be a surface of this machine, which has no such application.
        let here = reference.trim_end_matches(";host=mac");
        let error = client.fail("surface.focus", &json!({ "surface": here }));
        assert_eq!(error["data"]["kind"], "host-tool-missing", "{error}");
    }
}

#[test]
fn hosts_run_side_by_side_and_a_dead_one_delays_nobody() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("h0", "bash");
    for number in 1..10 {
        world.config.place(&format!("h{number}"), sshd.port(), "");
    }
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    world.config.place(
        "dead",
        silent.local_addr().unwrap().port(),
        "  ConnectTimeout 20\n",
    );
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let daemon = world.daemon();
    let mut client = daemon.client();

    // The dead host stands first, and is the last to answer.
    let mut items = vec![json!({ "host": "dead", "command": ["cat"] })];
    items.extend((0..50).map(|number| json!({ "host": format!("h{}", number % 10), "command": ["cat"], "layout": "tab" })));
    client.request("open", &json!({ "items": items }));
    let windows = || {
        tmux.run(&["list-windows", "-a", "-F", "#{window_id}"])
            .stdout
    };
    wait::until("every item of a live host", || {
        (String::from_utf8_lossy(&windows()).lines().count() == 50).then_some(())
    });
    // The call as a whole still waits for the dead host.
    let a_moment = Some(Duration::from_millis(1));
    client.stream().set_read_timeout(a_moment).unwrap();
    assert_eq!(client.try_read(), None);
    assert_eq!(sshd.logins(), 10);

    // Fifty on one host, in their order.
    let items = (0..50).map(|number| json!({ "command": ["cat", format!("/dev/fd/0")], "title": format!("t{number}"), "layout": "tab" })).collect::<Vec<_>>();
    let answer = daemon
        .client()
        .call("open", &json!({ "host": "h3", "items": items }));
    let surfaces = all_ok(&answer);
    let windows = surfaces.iter().map(|surface| {
        let window = surface.split_once(".@").unwrap().1;
        window.split_once(".%").unwrap().0.parse::<u32>().unwrap()
    });
    assert!(windows.is_sorted());
    drop(tmux);
}

#[test]
fn names_that_are_no_hosts_reach_no_program() {
    if !have_ssh() {
        return;
    }
    let world = World::new();
    world.prefer("auto");
    let planted = world.sandbox.root().join("x");
    let bin = world
        .sandbox
        .script("ssh", &format!("#!/bin/sh\ntouch {}\n", planted.display()));
    let daemon = Daemon::start_with(&world.sandbox, |command| {
        command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    });
    let mut client = daemon.client();
    for host in [
        "-oProxyCommand=touch /tmp/x",
        "a;b",
        "u@-oX",
        "[-oX]",
        "",
        "a\nb",
        "a`id`",
        "a b",
        "ssh://h",
    ] {
        let answer = client.call(
            "open",
            &json!({ "host": host, "items": [{ "command": ["true"] }] }),
        );
        assert_eq!(
            answer["results"][0]["kind"], "host-invalid",
            "{host:?}: {answer}"
        );
        for (method, params) in [
            ("surface.list", json!({ "host": host })),
            ("backends", json!({ "host": host })),
        ] {
            let error = client.fail(method, &params);
            assert_eq!(
                (&error["code"], &error["data"]["kind"]),
                (&json!(-32602), &json!("host-invalid")),
                "{method} {host:?}"
            );
        }
    }
    assert!(!planted.exists());
}

#[test]
fn a_killed_daemon_leaves_nothing_on_either_side() {
    if !have_ssh() {
        return;
    }
    let world = World::new();
    let sshd = Sshd::start(&world.sandbox, "zion");
    world.config.host("zion", &sshd, "");
    // A tmux that never answers, so that a command is under way.
    let bin = sshd.home().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let slow = Sshd::start_with(
        &world.sandbox,
        "slow",
        &format!("SetEnv PATH={}:/usr/bin:/bin\n", bin.display()),
    );
    world.config.host("slow", &slow, "");
    std::fs::write(bin.join("tmux"), "#!/bin/sh\nexec sleep 141421\n").unwrap();
    std::fs::set_permissions(
        bin.join("tmux"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        client.request(
            "surface.list",
            &json!({ "host": "slow", "backend": "tmux" }),
        );
        wait::until("the command to run", || {
            (!slow.running("sleep 141421").is_empty()).then_some(())
        });
        let runtime = world.sandbox.state().join("d.ssh");
        daemon.kill();
        wait::until("the remote command to end", || {
            slow.running("sleep 141421").is_empty().then_some(())
        });
        wait::until("the connection to end", || {
            slow.running("sshd:").is_empty().then_some(())
        });
        let control = runtime.display().to_string();
        wait::until("ssh to end", || {
            argvs_with(&control).is_empty().then_some(())
        });
        let sockets = std::fs::read_dir(&runtime).map_or(0, Iterator::count);
        assert_eq!(sockets, 0, "{kind}");
        let _ = std::fs::remove_file(world.sandbox.state().join("d.sock"));
    }
}

#[test]
fn what_programs_need_to_know_is_in_no_command_line() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    world.prefer("openssh");
    let tmux = Tmux::absent(&world.sandbox);
    let daemon = world.daemon();
    let secret = secret();
    let params =
        json!({ "host": "zion", "items": [{ "command": ["cat"], "env": { "TOKEN": secret } }] });
    let mut client = daemon.client();
    let opening = std::thread::spawn(move || client.call("open", &params));
    let mut seen = Vec::new();
    while !opening.is_finished() {
        seen.extend(argvs_with(&secret));
    }
    all_ok(&opening.join().unwrap());
    assert!(seen.is_empty(), "{seen:?}");
    assert_eq!(argvs_with(&secret), Vec::<String>::new());
    drop(tmux);
}

/// The places of the daemon and of tmux, under names that a shell, ssh or tmux would read as something else.
#[test]
fn what_the_places_are_called_is_no_matter() {
    if !ready() {
        return;
    }
    for (kind, name) in [
        ("library", "a b'c\"d%h$(touch pwn)`touch pwn`;#{pid}"),
        ("openssh", "a b'c\"d%h$(touch pwn)`touch pwn`;#{pid}"),
        ("openssh", "Application Support"),
        ("openssh", "a%hb"),
    ] {
        let mut world = World::new();
        // The server's configuration names the plain ones.
        let _sshd = world.server("zion", "bash");
        world.sandbox.move_places(name, &format!("{name} tmux"));
        world.prefer(kind);
        let tmux = Tmux::start(&world.sandbox, "main");
        let daemon = world.daemon();
        let mut client = daemon.client();
        for place in [
            json!({ "host": "zion" }),
            json!({ "backend": "tmux" }),
            json!({ "backend": "builtin" }),
        ] {
            let mut call =
                json!({ "context": {}, "items": [{ "command": ["cat"], "env": { "A": "1" } }] });
            call.as_object_mut()
                .unwrap()
                .extend(place.as_object().unwrap().clone());
            let answer = client.call("open", &call);
            let surface = all_ok(&answer)[0].to_owned();
            client.call(
                "surface.inject",
                &json!({ "surface": surface, "text": "here" }),
            );
            wait::until("the text", || {
                let text = client.call("surface.capture", &json!({ "surface": surface }));
                text["text"]
                    .as_str()
                    .unwrap()
                    .contains("here")
                    .then_some(())
            });
            client.call("surface.close", &json!({ "surface": surface }));
        }
        let seat = client.call(
            "seat.spawn",
            &json!({ "space": "s", "name": "n", "command": "cat", "cwd": "/" }),
        );
        let reference = json!({ "reference": seat["reference"], "graceful": false });
        client.call("seat.stop", &reference);
        drop(tmux);
        let found = world
            .sandbox
            .command("find")
            .arg(world.sandbox.root())
            .args(["-name", "pwn*"])
            .output()
            .unwrap();
        assert!(found.stdout.is_empty(), "{kind} {name}: {found:?}");
    }
}
