//! What a host lacks, and a host that is down: said with what to do about it, whatever was asked.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::seats_support::Place;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::world::{World, ready};

#[test]
fn a_seat_on_a_host_without_tmux_says_what_to_do() {
    if !ready() {
        return;
    }
    let world = World::new();
    let bin = world.sandbox.root().join("few");
    std::fs::create_dir(&bin).unwrap();
    for name in [
        "sh", "bash", "zsh", "id", "uname", "cat", "rm", "mkdir", "chmod", "ls",
    ] {
        let place = ["/bin", "/usr/bin"].map(|dir| format!("{dir}/{name}"));
        let found = place
            .iter()
            .find(|path| std::path::Path::new(path).exists());
        symlink(found.unwrap(), bin.join(name)).unwrap();
    }
    let sshd = Sshd::start_with(
        &world.sandbox,
        "few",
        &format!("SetEnv PATH={}\n", bin.display()),
    );
    world.config.host("few", &sshd, "");
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        let params =
            json!({ "space": "s", "name": "n", "command": "true", "cwd": "/", "host": "few" });
        let error = client.fail("seat.spawn", &params);
        assert_eq!(error["data"]["kind"], "seat-refused", "{kind}: {error}");
        assert_eq!(
            error["data"]["detail"]["cause"], "host-tool-missing",
            "{kind}: {error}"
        );
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("tmux is not installed on few"), "{error}");
        let hint = error["data"]["hint"].as_str().unwrap();
        assert!(hint.contains("install it there"), "{hint}");
        // As an open says it.
        let items = json!([{ "command": ["true"] }]);
        let result =
            client.call("open", &json!({ "host": "few", "items": items }))["results"][0].clone();
        assert_eq!(result["kind"], "host-tool-missing", "{kind}: {result}");
        assert!(result["hint"].is_string(), "{kind}: {result}");
    }
}

#[test]
fn an_application_of_macos_is_not_to_be_installed_on_linux() {
    if !ready() {
        return;
    }
    let world = World::new();
    let _sshd = world.server("zion", "bash");
    for kind in ["library", "openssh"] {
        world.prefer(kind);
        let daemon = world.daemon();
        let mut client = daemon.client();
        for (backend, label) in [("iterm", "iTerm"), ("ghostty", "Ghostty")] {
            let params = json!({ "host": "zion", "backend": backend, "items": [{ "command": ["true"] }, { "command": ["true"] }] });
            let answer = client.call("open", &params);
            for result in answer["results"].as_array().unwrap() {
                assert_eq!(result["ok"], false, "{kind} {result}");
                let words = format!("{label} is an application of macOS, and zion runs Linux");
                assert_eq!(result["error"], json!(words), "{kind}: {result}");
                let hint = result["hint"].as_str().unwrap();
                assert!(!hint.contains("install"), "{hint}");
                assert!(hint.contains("tmux"), "{hint}");
            }
        }
    }
}

#[test]
fn seats_on_a_host_that_is_down_name_the_host() {
    if !ready() {
        return;
    }
    let world = World::new();
    let mut sshd = world.server("zion", "bash");
    let tmux = Tmux::absent(&world.sandbox);
    world.prefer("auto");
    let mut place = Place::of(&world);
    let seat = place.spawn_there("s", "one", "sleep 600");
    sshd.stop();
    for (method, more) in [
        ("seat.status", json!({})),
        ("seat.stop", json!({ "timeoutMs": 5000 })),
        ("seat.wait", json!({ "timeoutMs": 500 })),
        ("seat.reap", json!({})),
        ("seat.interrupt", json!({})),
        ("seat.capture", json!({})),
    ] {
        let mut params = more;
        params["reference"] = json!(seat);
        let error = place.client.fail(method, &params);
        assert_eq!(error["data"]["kind"], "state-unknown", "{method}: {error}");
        let hint = error["data"]["hint"].as_str().unwrap();
        assert!(
            hint.contains("`surfaced hosts check zion`"),
            "{method}: {error}"
        );
    }
    sshd.restart(&world.sandbox);
    drop(tmux);
}
