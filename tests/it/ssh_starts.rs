//! What became of a command on a host is told: by the host's own PATH where that is known, else by the launch script.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::pty::Pty;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, ready};

fn results(client: &mut Client, items: &Value) -> Vec<Value> {
    let params = json!({ "host": "zion", "items": items, "startTimeoutMs": 60_000 });
    let answer = client.call("open", &params);
    answer["results"].as_array().unwrap().clone()
}

#[track_caller]
fn check(result: &Value, kind: &str, words: &str) {
    assert_eq!(
        (&result["ok"], result["kind"].as_str()),
        (&json!(false), Some(kind)),
        "{result}"
    );
    let error = result["error"].as_str().unwrap();
    assert!(error.contains(words), "{result}");
    assert!(result["hint"].is_string(), "{result}");
}

fn program(path: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, "#!/bin/sh\nexec sleep 600\n").unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn a_command_that_its_script_could_not_start_is_no_success() {
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
        let missing = json!({ "command": ["no-such"], "env": { "PATH": "/usr/bin:/bin" } });
        let cat = json!({ "command": ["cat"], "cwd": "/", "env": { "X": "1" } });
        let one = results(&mut client, &json!([missing])).remove(0);
        check(&one, "program-missing", "no-such was not found");
        let one = results(&mut client, &json!([{ "command": ["./no-such"] }])).remove(0);
        check(&one, "program-missing", "./no-such was not found");
        let held = json!({ "command": ["cat"], "onExit": "hold", "env": { "PATH": "/nowhere" } });
        let held = results(&mut client, &json!([held])).remove(0);
        check(&held, "program-missing", "cat was not found");
        assert!(
            held["hint"].as_str().unwrap().contains("/nowhere"),
            "{held}"
        );
        // Each of several by itself, its neighbours open.
        let mixed = results(&mut client, &json!([cat, missing, cat, missing]));
        let oks: Vec<_> = mixed.iter().map(|one| one["ok"] == true).collect();
        assert_eq!(oks, [true, false, true, false], "{kind}: {mixed:?}");
        check(&mixed[3], "program-missing", "no-such was not found");
        assert_eq!(mixed[0]["started"], "seen");
        for one in &mixed {
            if one["ok"] == true {
                client.call("surface.close", &json!({ "surface": one["surface"] }));
            }
        }
        // What could not start has left nothing, neither its surface nor its report.
        wait::until("the surfaces to be gone", || {
            let all = client.call("surface.list", &json!({ "host": "zion" }));
            (all == json!({ "surfaces": [] })).then_some(())
        });
    }
    drop(sshd);
}

#[test]
fn a_program_is_where_the_interactive_shell_finds_it_and_nowhere_else() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    // Commands of ours find it, the person's own shell does not.
    program(&sshd.home().join(".local/bin/far-tool"));
    let own = sshd.home().join("own/own-tool");
    program(&own);
    let rc = "export PATH=\"$HOME/own:/usr/bin:/bin\"\n";
    std::fs::write(sshd.home().join(".zshrc"), rc).unwrap();
    world.prefer("auto");
    let daemon = world.daemon();
    let mut client = daemon.client();
    for _ in 0..3 {
        let one = results(&mut client, &json!([{ "command": ["far-tool"] }])).remove(0);
        check(&one, "program-missing", "far-tool was not found");
        let opened = results(&mut client, &json!([{ "command": ["own-tool"] }])).remove(0);
        assert_eq!(opened["started"], "seen", "{opened}");
    }
    // It is gone, whatever was known of it.
    std::fs::remove_file(&own).unwrap();
    let one = results(&mut client, &json!([{ "command": ["own-tool"] }])).remove(0);
    check(&one, "program-missing", "own-tool was not found");
    // It is new, and in a place that was not there when anybody last looked.
    program(&sshd.home().join("new/own-tool"));
    let rc = "export PATH=\"$HOME/new:/usr/bin:/bin\"\n";
    std::fs::write(sshd.home().join(".zshrc"), rc).unwrap();
    wait::until("the new place to be known", || {
        let opened = results(&mut client, &json!([{ "command": ["own-tool"] }])).remove(0);
        (opened["ok"] == true).then_some(())
    });
}

/// A tmux that goes first on the PATH of a host: the real one, and then a long pause.
fn slow_tmux(sshd: &Sshd, verb: &str) -> std::path::PathBuf {
    let dir = sshd.home().join("slow");
    std::fs::create_dir_all(&dir).unwrap();
    let tmux = dir.join("tmux");
    let script = format!(
        "#!/bin/sh\nPATH=${{PATH#*:}}\ncase \" $* \" in *' {verb} '*) tmux \"$@\"; exec sleep 271832 ;; esac\nexec tmux \"$@\"\n"
    );
    std::fs::write(&tmux, script).unwrap();
    std::fs::set_permissions(&tmux, PermissionsExt::from_mode(0o755)).unwrap();
    dir
}

#[test]
fn a_link_that_breaks_after_tmux_has_done_its_work_leaves_open_whether_it_did() {
    if !ready() {
        return;
    }
    let world = World::new();
    let tmux = Tmux::absent(&world.sandbox);
    for (kind, running) in [("library", false), ("openssh", true)] {
        let alias = format!("zion-{kind}");
        let force = "ForceCommand PATH=\"$HOME/slow:$PATH\" exec sh -c \"$SSH_ORIGINAL_COMMAND\"\n";
        let sshd = Sshd::start_with(&world.sandbox, &alias, force);
        std::fs::write(sshd.home().join(".zshrc"), "").unwrap();
        world.config.host(&alias, &sshd, "");
        let verb = if running { "new-window" } else { "new-session" };
        slow_tmux(&sshd, verb);
        if running {
            tmux.ok(&["new-session", "-d", "-s", "main"]);
        }
        world.prefer(kind);
        let daemon = world.daemon();
        let item = json!({ "command": ["cat"], "cwd": "/" });
        let params = json!({ "host": alias, "items": [item] });
        let answer = std::thread::scope(|scope| {
            let mut client = daemon.client();
            let asked = scope.spawn(move || client.call("open", &params));
            wait::until("tmux to have done it", || {
                (!sshd.running("sleep 271832").is_empty()).then_some(())
            });
            sshd.drop_sessions();
            asked.join().unwrap()
        });
        let one = &answer["results"][0];
        assert_eq!(one["kind"], "state-unknown", "{kind}: {one}");
        assert!(
            one["error"].as_str().unwrap().contains("not known")
                || one["error"].as_str().unwrap().contains("broke"),
            "{one}"
        );
        let hint = one["hint"].as_str().unwrap();
        assert!(
            hint.contains(&format!("`surfaced surfaces -H {alias}`")),
            "{one}"
        );
        // The look that it names tells.
        let all = daemon
            .client()
            .call("surface.list", &json!({ "host": alias }));
        let count = all["surfaces"].as_array().unwrap().len();
        assert_eq!(count, 1 + usize::from(running), "{kind}: {all}");
        tmux.run(&["kill-server"]);
    }
}

#[test]
fn a_host_that_hangs_up_after_the_login_is_told_by_every_verb() {
    if !ready() {
        return;
    }
    let world = World::new();
    let sshd = Sshd::start_with(&world.sandbox, "zion", "ForceCommand kill -9 $PPID\n");
    world.config.host("zion", &sshd, "");
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        let item = json!({ "command": ["cat"], "cwd": "/" });
        let one = results(&mut client, &json!([item])).remove(0);
        assert_eq!(one["ok"], false, "{one}");
        let listed = client.fail("surface.list", &json!({ "host": "zion" }));
        let checked = world
            .sandbox
            .surfaced()
            .args(["hosts", "check", "zion"])
            .output()
            .unwrap();
        assert_eq!(checked.status.code(), Some(1), "{checked:?}");
        let said = String::from_utf8_lossy(&checked.stdout).into_owned()
            + &String::from_utf8_lossy(&checked.stderr);
        for (what, text) in [
            ("open", one.to_string()),
            ("surface.list", listed.to_string()),
            ("hosts check", said),
        ] {
            for words in [
                "closed the connection after the login",
                " zion true` has to work",
            ] {
                assert!(text.contains(words), "{kind} {what}: {text}");
            }
        }
        // Nothing was begun that has to be looked for.
        assert_eq!(one["kind"], "host-unreachable", "{one}");
    }
}

#[test]
fn the_line_that_shows_a_surface_names_a_tmux_that_logins_do_not_find() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _tmux = Tmux::absent(&world.sandbox);
    // A login there has everything but tmux, which is where only our commands look.
    let tools = world.sandbox.root().join("all but one");
    std::fs::create_dir(&tools).unwrap();
    for dir in ["/usr/bin", "/bin"] {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            let name = entry.file_name();
            if name != "tmux" {
                let _ = std::os::unix::fs::symlink(entry.path(), tools.join(name));
            }
        }
    }
    let force = format!(
        "ForceCommand PATH='{}' exec sh -c \"$SSH_ORIGINAL_COMMAND\"\n",
        tools.display()
    );
    let sshd = Sshd::start_with(&world.sandbox, "zion", &force);
    world.config.host("zion", &sshd, "");
    std::fs::write(sshd.home().join(".zshrc"), "").unwrap();
    let bin = sshd.home().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/usr/bin/tmux", bin.join("tmux")).unwrap();
    world.prefer("library");
    let daemon = world.daemon();
    let mut client = daemon.client();
    let line = "echo shown; exec cat";
    let opened = results(&mut client, &json!([{ "command": ["sh", "-c", line] }])).remove(0);
    let seat = json!({
        "host": "zion", "space": "t", "name": "one", "command": "sh", "args": ["-c", line],
    });
    let seat = client.call("seat.spawn", &seat);
    for attach in [&opened["attach"], &seat["attach"]] {
        let attach = attach.as_str().unwrap_or_else(|| panic!("{opened}"));
        assert!(
            attach.contains(&format!("{}/tmux ", bin.display())),
            "{attach}"
        );
        let mut line = world.sandbox.command("sh");
        line.args(["-c", attach]);
        Pty::start(&line, 20, 80).shows("shown");
    }
    client.call(
        "seat.stop",
        &json!({ "reference": seat["reference"], "graceful": false }),
    );
}
