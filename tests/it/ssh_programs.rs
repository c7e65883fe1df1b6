//! What a program that was opened on a host finds there: its directory, itself, a terminal that it knows.

use serde_json::json;

use crate::support::daemon::Daemon;
use crate::support::env::have;
use crate::support::printargs::PrintArgs;
use crate::support::pty::Pty;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, all_ok, ready};

#[test]
fn directories_are_entered_alike_in_tabs_and_splits_here_and_there() {
    if !ready() {
        return;
    }
    let mut world = World::new();
    let printargs = PrintArgs::install(&mut world.sandbox);
    let _sshd = world.server("zion", "bash");
    let _tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let daemon = world.daemon();
    let names = ["a b", "a'b", "a\"b", "a\\b", "ünï", "-x"];
    for name in names {
        std::fs::create_dir(world.sandbox.cwd().join(name)).unwrap();
    }
    for host in [None, Some("zion")] {
        for layout in ["tab", "split-right", "split-down"] {
            for name in names {
                let marker = format!("{}-{layout}-{name}", host.unwrap_or("here"));
                let cwd = world.sandbox.cwd().join(name);
                // Each beside one of its own: beside many there would be no space for a split.
                let mut params = json!({ "backend": "tmux", "items": [
                    { "command": ["cat"], "cwd": "/", "layout": "tab" },
                    { "command": [printargs.path(), marker], "cwd": cwd, "layout": layout },
                ] });
                if let Some(host) = host {
                    params["host"] = json!(host);
                }
                let opened = daemon.client().call("open", &params);
                all_ok(&opened);
                assert_eq!(
                    opened["results"][1]["request"]["layout"], layout,
                    "{opened}"
                );
                assert!(opened["results"][1].get("warnings").is_none(), "{opened}");
                let started = printargs.wait_for(&marker);
                assert_eq!(started.cwd, cwd.display().to_string(), "{marker}");
            }
        }
    }
}

#[test]
fn what_stands_in_the_homes_own_bin_is_found_whatever_the_login_shell_is() {
    if !ready() {
        return;
    }
    for shell in ["bash", "zsh", "fish", "tcsh"] {
        if !have(shell) {
            continue;
        }
        for (kind, directory) in [("library", "bin"), ("openssh", ".local/bin")] {
            let world = World::new();
            let sshd = world.server("zion", shell);
            let _tmux = Tmux::absent(&world.sandbox);
            let bin = sshd.home().join(directory);
            std::fs::create_dir_all(&bin).unwrap();
            let out = world.sandbox.root().join("out");
            let text = format!("#!/bin/sh\necho \"$1\" >'{}'\nexec cat\n", out.display());
            let made = world.sandbox.script("mytool", &text);
            std::fs::rename(made.join("mytool"), bin.join("mytool")).unwrap();
            world.prefer(kind);
            let daemon = world.daemon();
            let items = json!([{ "command": ["mytool", "it's found"] }]);
            let opened = daemon
                .client()
                .call("open", &json!({ "host": "zion", "items": items }));
            all_ok(&opened);
            let said = wait::until("the tool", || {
                let said = std::fs::read_to_string(&out).ok()?;
                said.ends_with('\n').then_some(said)
            });
            assert_eq!(said, "it's found\n", "{shell}, {kind}");
        }
    }
}

#[test]
fn a_terminal_that_a_host_does_not_know_is_no_matter_to_programs_there() {
    if !ready() || !have("infocmp") {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    let out = world.sandbox.root().join("out");
    let line = format!(
        "infocmp \"$TERM\" >/dev/null && echo \"known $TERM\" >'{}'; exec cat",
        out.display()
    );
    let unknown = "xterm-of-nobody";
    for (kind, host) in [
        ("library", Some("zion")),
        ("openssh", Some("zion")),
        ("auto", None),
    ] {
        world.prefer(kind);
        let daemon = Daemon::start_with(&world.sandbox, |command| {
            command.env("TERM", unknown);
        });
        let context = json!({ "env": { "TERM": unknown, "TERM_PROGRAM": "ghostty", "KITTY_WINDOW_ID": "3" } });
        let mut params = json!({ "backend": "tmux", "context": context, "items": [{ "command": ["sh", "-c", line], "cwd": "/" }] });
        if let Some(host) = host {
            params["host"] = json!(host);
        }
        let mut client = daemon.client();
        // Nothing of the caller's terminal is in what is run.
        let built = client.call("build", &params);
        let spec = &built["specs"][0];
        assert!(!spec.to_string().contains(unknown), "{kind}: {spec}");
        let opened = client.call("open", &params);
        all_ok(&opened);
        let said = wait::until("the program", || {
            let said = std::fs::read_to_string(&out).ok()?;
            said.ends_with('\n').then_some(said)
        });
        assert!(
            said.starts_with("known ") && !said.contains(unknown),
            "{kind}: {said}"
        );
        std::fs::remove_file(&out).unwrap();
        // Whoever looks from such a terminal is told, and one line of the README helps.
        let attach = opened["results"][0]["attach"].as_str().unwrap().to_owned();
        let look = |term: &str| {
            let mut command = world.sandbox.command("sh");
            command.args(["-c", &format!("TERM={term} {attach}; echo ended; exec cat")]);
            Pty::start(&command, 30, 100)
        };
        look(unknown).shows("unsuitable terminal: xterm-of-nobody");
        let seen = look("xterm-256color");
        seen.shows("[surfaced");
        drop(seen);
    }
    drop(tmux);
}
