//! The commands of tmux that are run: each names what it changes, and one that an older tmux has not is not needed.

use serde_json::{Value, json};

use crate::seats_support::{Place, ids};
use crate::support::env::{Sandbox, have};
use crate::support::printargs::PrintArgs;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, all_ok, ready};

/// Commands that change nothing of what is there, or make something that is named nowhere yet.
const HARMLESS: &[&str] = &[
    "new-session",
    "list-panes",
    "list-clients",
    "load-buffer",
    "delete-buffer",
    "display-message",
    "if-shell",
];

/// Each command of a call of tmux, those within others too, as a line.
fn commands(argv: &[String]) -> Vec<String> {
    let mut words = argv.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-S" | "-L" | "-f" => {
                words.next();
            }
            "-N" | "-u" => {}
            _ => {
                let line: Vec<_> = std::iter::once(word)
                    .chain(words)
                    .map(String::as_str)
                    .collect();
                return line
                    .join(" ")
                    .replace("{ ", " ; ")
                    .replace(" }", " ; ")
                    .split(" ; ")
                    .map(|line| line.trim().to_owned())
                    .filter(|line| !line.is_empty())
                    .collect();
            }
        }
    }
    Vec::new()
}

/// Whether this names one session, window or pane and no other: by its id, or exactly by a name of chance in a session.
fn is_exact(target: &str) -> bool {
    let target = target.trim_matches('\'');
    if let Some((session, name)) = target.split_once(":=surfaced-") {
        let chance = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        return chance && is_exact(session);
    }
    let id = target.strip_suffix(':').unwrap_or(target);
    let digits = id.strip_prefix(['%', '@', '$']);
    digits.is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[test]
fn whatever_changes_something_names_it_by_its_id() {
    if !have("tmux") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let log = sandbox.root().join("log");
    let bin = sandbox.script(
        "tmux",
        &format!(
            "#!/bin/sh\n{{ printf '%s\\0' \"$@\"; printf '\\n\\0'; }} >>'{}'\nexec /usr/bin/tmux \"$@\"\n",
            log.display()
        ),
    );
    sandbox.prepend_path(&bin);
    let tmux = Tmux::start(&sandbox, "mine");
    let context = tmux.context("mine:");
    std::fs::remove_file(&log).unwrap();
    let mut place = Place::new(&sandbox);
    let client = &mut place.client;
    let items = json!([
        { "command": ["cat"], "cwd": "/", "title": "one" },
        { "command": ["cat"], "cwd": "/", "title": "two", "env": { "A": "1" } },
        { "command": ["cat"], "cwd": "/", "layout": "split-down" },
        { "command": ["cat"], "cwd": "/", "layout": "window" },
    ]);
    let opened = client.call(
        "open",
        &json!({ "backend": "tmux", "context": context, "items": items }),
    );
    let surface = all_ok(&opened)[1].to_owned();
    for (method, more) in [
        ("surface.inject", json!({ "text": "a;\nb" })),
        ("surface.keys", json!({ "keys": ["C-c", "Enter"] })),
        ("surface.capture", json!({})),
        ("surface.focus", json!({})),
        ("surface.close", json!({})),
    ] {
        let mut params = more;
        params["surface"] = json!(surface);
        client.reply(method, &params);
    }
    let panes = json!({ "panes": [{ "command": "cat" }, { "command": "cat" }], "split": { "direction": "vertical", "ratio": 0.3 } });
    let layout = client.call(
        "layout.open",
        &json!({ "label": "l", "tab": panes, "context": context, "focus": true }),
    );
    client.call("layout.close", &json!({ "window": layout["window"] }));
    let confirm = json!({ "pattern": "go on", "keys": ["y", "Enter"] });
    let mut params = Place::params("s", "one", "echo go on; exec cat");
    params["confirm"] = confirm;
    let seat = client.call("seat.spawn", &params)["reference"]
        .as_str()
        .unwrap()
        .to_owned();
    wait::until("the answer to the prompt", || {
        let shown = tmux.ok(&["capture-pane", "-p", "-t", &ids(&seat).1]);
        (shown.matches('y').count() >= 2).then_some(())
    });
    let client = &mut place.client;
    client.call("seat.capture", &json!({ "reference": seat }));
    client.call("seat.interrupt", &json!({ "reference": seat }));
    for name in ["two", "three"] {
        let spawned = client.call("seat.spawn", &Place::params("s", name, "exec cat"));
        let stop = json!({ "reference": spawned["reference"], "graceful": name == "two", "graceMs": 1, "timeoutMs": 60_000 });
        client.call("seat.stop", &stop);
    }
    place.call("seat.reap", &seat);

    let text = std::fs::read_to_string(&log).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for call in text.split("\n\0") {
        let argv: Vec<String> = call.split_terminator('\0').map(str::to_owned).collect();
        for line in commands(&argv) {
            let words: Vec<_> = line.split(' ').collect();
            let verb = words[0];
            seen.insert(verb.to_owned());
            if HARMLESS.contains(&verb) {
                continue;
            }
            let target = words
                .iter()
                .position(|word| *word == "-t")
                .map(|at| words[at + 1]);
            assert!(target.is_some_and(is_exact), "{line}, in {argv:?}");
        }
    }
    for verb in [
        "new-window",
        "split-window",
        "send-keys",
        "paste-buffer",
        "kill-window",
        "kill-pane",
        "rename-window",
    ] {
        assert!(seen.contains(verb), "{verb} is not among {seen:?}");
    }
}

/// A tmux that knows no variables for what it starts, as those before 3.0.
fn old_tmux() -> &'static str {
    "#!/bin/sh\nfor word; do\n  case $word in\n  -e | -e?*=*) echo 'unknown option -- e' >&2; exit 1 ;;\n  esac\ndone\nexec /usr/bin/tmux \"$@\"\n"
}

#[test]
fn variables_reach_programs_in_a_tmux_that_takes_none() {
    if !ready() {
        return;
    }
    let mut world = World::new();
    let printargs = PrintArgs::install(&mut world.sandbox);
    let bin = world.sandbox.script("tmux", old_tmux());
    world.sandbox.prepend_path(&bin);
    let sshd = Sshd::start_with(
        &world.sandbox,
        "zion",
        &format!(
            "SetEnv PATH={}:/usr/bin:/bin HOME={} TMUX_TMPDIR={}\n",
            bin.display(),
            world.sandbox.home().display(),
            world.sandbox.tmux_dir().display()
        ),
    );
    world.config.host("zion", &sshd, "");
    world.prefer("auto");
    let tmux = Tmux::absent(&world.sandbox);
    let refused = tmux.run(&["new-session", "-d", "-e", "A=1"]);
    assert!(!refused.status.success(), "the stand-in is old");
    let mut place = Place::of(&world);
    for host in [None, Some("zion")] {
        let name = |kind: &str| format!("{kind}-{}", host.unwrap_or("here"));
        let with_host = |mut params: Value| {
            if let Some(host) = host {
                params["host"] = json!(host);
            }
            params
        };
        let items: Vec<_> = (0..3)
            .map(|n| json!({ "command": [printargs.path(), format!("{}-{n}", name("open"))], "cwd": "/", "env": { "SECRET": "it's" } }))
            .collect();
        let params = with_host(json!({ "backend": "tmux", "items": items }));
        all_ok(&place.client.call("open", &params));
        for n in 0..3 {
            let started = printargs.wait_for(&format!("{}-{n}", name("open")));
            assert_eq!(started.secret, "it's", "{host:?}");
        }
        let params = with_host(json!({
            "space": name("s"), "name": "one", "cwd": "/", "env": { "SECRET": "it's" },
            "command": printargs.path(), "args": [name("seat")],
        }));
        place.client.call("seat.spawn", &params);
        assert_eq!(printargs.wait_for(&name("seat")).secret, "it's", "{host:?}");
    }
}
