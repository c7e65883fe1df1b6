//! `resume` on hosts: a real sshd on loopback, tmux and stand-ins over there.

use serde_json::{Value, json};

use crate::conversations;
use crate::resume::{BROKEN, claude, id};
use crate::support::ensured::said;
use crate::support::sshd::Sshd;
use crate::support::tmux::Tmux;
use crate::support::world::{World, ready};

/// A program on the PATH of the host's interactive shell alone.
pub fn install(sshd: &Sshd, name: &str, text: &str) {
    let bin = sshd.home().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let path = bin.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(
        sshd.home().join(".zshrc"),
        "echo welcome\nPATH=$HOME/bin:$PATH; export PATH\n",
    )
    .unwrap();
}

/// A session on the host's disk, begun in a directory below its home.
fn session(sshd: &Sshd, name: &str, id: &str) -> std::path::PathBuf {
    let cwd = sshd.home().join(name);
    std::fs::create_dir_all(&cwd).unwrap();
    let kept = cwd
        .display()
        .to_string()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let dir = sshd.home().join(".claude/projects").join(kept);
    std::fs::create_dir_all(&dir).unwrap();
    let line = conversations::claude(id, &cwd, "2026-01-01T00:00:01Z", "fix it there");
    std::fs::write(dir.join(format!("{id}.jsonl")), format!("{line}\n")).unwrap();
    cwd
}

#[test]
fn a_session_of_a_host_is_taken_up_there() {
    if !ready() {
        return;
    }
    let world = World::new();
    let far = world.server("far", "/bin/sh");
    world.prefer("auto");
    install(&far, "claude", &claude("2.2.0"));
    install(&far, "claude@2.1.187", &claude("2.1.187"));
    let (own, gone, here) = (id(), id(), id());
    let cwd = session(&far, "work", &own);
    std::fs::remove_dir(session(&far, "gone", &gone)).unwrap();
    // One that is on this machine's disk.
    let line = conversations::claude(&here, &world.sandbox.cwd(), "2026-01-01T00:00:01Z", "here");
    conversations::write(
        &world.sandbox,
        &format!(".claude/projects/-x/{here}.jsonl"),
        &[line],
    );
    let tmux = Tmux::absent(&world.sandbox);
    let daemon = world.daemon();
    let mut client = daemon.client();
    let listed = client.call("sessions", &json!({ "on": "far", "includeFiles": true }));
    let listed = listed["sessions"].as_array().unwrap();
    let found = listed.iter().find(|session| session["sessionId"] == own);
    assert_eq!(found.unwrap()["machine"], "far", "{listed:?}");
    assert_eq!(found.unwrap()["title"], "fix it there");
    let ids = json!([&own[..12], gone, here, "nobody"]);
    let answer = client.call("resume", &json!({ "ids": ids, "on": "far", "context": {} }));
    let results = answer["results"].as_array().unwrap();
    let result = &results[0];
    assert_eq!(result["ok"], true, "{answer}");
    assert_eq!(
        result["request"]["command"],
        json!(["claude@2.1.187", "--resume", own])
    );
    assert_eq!(result["request"]["host"], "far");
    assert_eq!(result["request"]["backend"], "tmux");
    let surface = result["surface"].as_str().unwrap();
    let pane = surface
        .split(';')
        .next()
        .unwrap()
        .rsplit('.')
        .next()
        .unwrap();
    let shown = tmux.wait_for_text(pane, "ready");
    assert!(shown.contains(&format!("in {}", cwd.display())), "{shown}");
    for (at, kind, part) in [
        (1, "cwd-missing", "is gone from far"),
        (2, "host-invalid", "is on this machine and not on far"),
        (
            3,
            "not-found",
            "the sessions that run on far and those on its disk",
        ),
    ] {
        let result: &Value = &results[at];
        assert_eq!(result["kind"], kind, "{result}");
        assert!(result["error"].as_str().unwrap().contains(part), "{result}");
    }
    // It is on the host and not here.
    let answer = client.call(
        "resume",
        &json!({ "ids": [own], "backend": "tmux", "context": {} }),
    );
    assert_eq!(answer["results"][0]["ok"], false, "{answer}");
    // What runs there is seen there.
    let again = client.call(
        "resume",
        &json!({ "ids": [own], "on": "far", "context": {} }),
    );
    assert_eq!(again["results"][0]["kind"], "conflict", "{again}");
}

#[test]
fn the_device_flag_names_the_host() {
    if !ready() {
        return;
    }
    let world = World::new();
    let far = world.server("far", "/bin/sh");
    world.prefer("auto");
    install(&far, "claude", BROKEN);
    let own = id();
    session(&far, "work", &own);
    let _tmux = Tmux::absent(&world.sandbox);
    let _daemon = world.daemon();
    let run = |args: &[&str]| {
        let mut command = world.sandbox.surfaced();
        command.arg("resume").args(args).output().unwrap()
    };
    let output = run(&["--device", "far", &own]);
    assert_eq!(output.status.code(), Some(1));
    let message = said(&output);
    assert!(
        message.contains("no version of Claude Code (it was 2.1.187) answers"),
        "{message}"
    );
    assert!(
        message.contains("ended with status 1: no such runtime"),
        "{message}"
    );
    install(&far, "claude", &claude("2.1.187"));
    let output = run(&["--device", "far", &own]);
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("look at it with: ssh ") && text.contains(" -t far "),
        "{text}"
    );
    let output = run(&["--device", "a;b", &own]);
    assert!(
        said(&output).contains("is not a valid ssh host name"),
        "{}",
        said(&output)
    );
}
