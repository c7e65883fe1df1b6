//! `surfaced terminal …`: terminals by id, by the beginning of one, and by name.

use pretty_assertions::assert_eq;
use serde_json::Value;

use super::support::daemon::Daemon;
use super::support::env::Sandbox;
use super::support::wait;

struct Place {
    sandbox: Sandbox,
    _daemon: Daemon,
}

impl Place {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let daemon = Daemon::start(&sandbox);
        Self {
            sandbox,
            _daemon: daemon,
        }
    }

    /// The status, the output and the complaint.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let output = self
            .sandbox
            .surfaced()
            .arg("terminal")
            .args(args)
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().trim().to_owned();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    #[track_caller]
    fn done(&self, args: &[&str]) -> String {
        let (status, out, complaint) = self.run(args);
        assert_eq!(status, 0, "{args:?}: {complaint}");
        out
    }

    fn create(&self, name: &str) -> String {
        self.done(&["create", "--name", name, "--", "cat"])
    }
}

#[test]
fn a_name_and_the_beginning_of_an_id_do_for_everything() {
    let place = Place::new();
    let id = place.create("work");
    let other = place.create("play");
    let common = id
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let short = &id[..=common];
    for called in ["work", short, &id] {
        let told: Value = serde_json::from_str(&place.done(&["get", called, "--json"])).unwrap();
        assert_eq!(told["id"], id);
        let told = place.done(&["get", called]);
        assert!(told.contains(&id) && told.contains("running"), "{told}");
        place.done(&["resize", called, "10", "40"]);
        place.done(&["send", called, "--enter", called]);
        wait::until("cat to answer", || {
            let kept = place.done(&["capture", called]);
            kept.contains(&format!("{called}\n{called}")).then_some(())
        });
    }
    assert_eq!(place.done(&["kill", "work"]), "SIGHUP");
    assert_eq!(place.done(&["wait", "work"]), "SIGHUP");
    place.done(&["remove", short, "play"]);
    assert_eq!(place.done(&["list"]), "");
}

#[test]
fn several_of_a_name_are_listed_and_left_alone() {
    let place = Place::new();
    let (a, b) = (place.create("twin"), place.create("twin"));
    for args in [
        &["get", "twin"][..],
        &["capture", "twin"],
        &["send", "twin", "x"],
        &["resize", "twin", "2", "2"],
        &["kill", "twin"],
        &["wait", "twin"],
        &["remove", a.as_str(), "twin"],
    ] {
        let (status, _, complaint) = place.run(args);
        assert_eq!(status, 1, "{args:?}");
        assert!(
            complaint.contains("several terminals are called \"twin\"")
                && complaint.contains(&a)
                && complaint.contains(&b),
            "{complaint}"
        );
        let (status, _, complaint) = place.run(&[&[args[0], "nobody"], &args[2..]].concat());
        assert_eq!(status, 1, "{args:?}");
        assert!(
            complaint.contains("no terminal is called \"nobody\""),
            "{complaint}"
        );
    }
    // Of those that are called so, the one that runs can be typed into; which is to be forgotten has to be said.
    place.done(&["kill", &a]);
    place.done(&["send", "twin", "x"]);
    assert_eq!(place.run(&["remove", "twin"]).0, 1);
    place.done(&["remove", &a]);
    place.done(&["remove", "twin"]);
    assert_eq!(place.done(&["list"]), "");
}

/// The first command of the README where nothing else is: no tmux, no display, no bus.
#[test]
fn the_first_command_needs_a_shell_and_nothing_else() {
    let mut sandbox = Sandbox::new();
    let bin = sandbox.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for program in ["sh", "cat"] {
        std::os::unix::fs::symlink(format!("/bin/{program}"), bin.join(program)).unwrap();
    }
    sandbox.set_path(bin.to_str().unwrap());
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"));
    let line = "open -- sh -c 'echo hello from surfaced; exec sh'";
    assert!(readme.unwrap().contains(line));
    let open = |json: bool| {
        let mut command = sandbox.surfaced();
        if json {
            command.arg("--json");
        }
        let output = command
            .args([
                "open",
                "--",
                "sh",
                "-c",
                "echo hello from surfaced; exec sh",
            ])
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{complaint}");
        String::from_utf8(output.stdout).unwrap()
    };
    let told: Value = serde_json::from_str(&open(true)).unwrap();
    assert_eq!(told["backend"], "builtin");
    let attach = told["results"][0]["attach"].as_str().unwrap();
    let id = attach.rsplit(' ').next().unwrap();
    wait::until("the program to greet", || {
        let mut command = sandbox.surfaced();
        let kept = command.args(["terminal", "capture", id]).output().unwrap();
        let kept = String::from_utf8(kept.stdout).unwrap();
        kept.contains("hello from surfaced").then_some(())
    });
    let said = open(false);
    assert!(said.contains("attach"), "the line that shows it: {said}");
    sandbox
        .surfaced()
        .args(["daemon", "stop"])
        .output()
        .unwrap();
}

#[test]
fn the_beginning_of_a_name_does_as_well() {
    let place = Place::new();
    let work = place.create("work");
    place.create("world");
    assert!(place.done(&["get", "work"]).contains(&work));
    let (status, _, complaint) = place.run(&["get", "wor"]);
    assert_eq!(status, 1, "{complaint}");
    assert!(
        complaint.contains("several terminals are called"),
        "{complaint}"
    );
    assert!(complaint.contains(&work), "{complaint}");
    let other = place.create("exit");
    assert!(place.done(&["get", "exi"]).contains(&other));
}

#[test]
fn a_directory_that_is_none_is_refused_and_not_replaced() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let deleted = place.sandbox.root().join("deleted");
    let foreign = place
        .sandbox
        .root()
        .join(std::ffi::OsStr::from_bytes(b"\xff"));
    for dir in [&deleted, &foreign] {
        std::fs::create_dir(dir).unwrap();
        let line = "rmdir ../deleted 2>/dev/null; exec surfaced terminal create -- cat";
        let output = place
            .sandbox
            .command("/bin/sh")
            .args(["-c", line])
            .current_dir(dir)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(complaint.contains("the working directory"), "{complaint}");
    }
    assert_eq!(place.done(&["list", "--json"]).matches("\"id\"").count(), 0);
}
