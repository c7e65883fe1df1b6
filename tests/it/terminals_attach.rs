//! `surfaced attach` in a terminal of the test's own: typed into, resized, detached, attached again.

use std::process::Command;

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::support::daemon::Daemon;
use super::support::env::{Sandbox, have};
use super::support::process::listener;
use super::support::pty::Pty;
use super::support::sshd::{SshConfig, Sshd, have_ssh};
use super::support::wait;

/// A daemon with terminals.
struct Place {
    sandbox: Sandbox,
    daemon: Option<Daemon>,
}

impl Place {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let daemon = Daemon::start(&sandbox);
        Self {
            sandbox,
            daemon: Some(daemon),
        }
    }

    fn surfaced(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.surfaced();
        command.args(args);
        command
    }

    fn run(&self, args: &[&str]) -> String {
        let output = self.surfaced(args).output().unwrap();
        assert!(
            output.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn create(&self, command: &[&str]) -> String {
        let mut args = vec!["terminal", "create", "--"];
        args.extend(command);
        self.run(&args)
    }

    fn get(&self, id: &str) -> Value {
        let list: Value = serde_json::from_str(&self.run(&["terminal", "list", "--json"])).unwrap();
        list["terminals"]
            .as_array()
            .unwrap()
            .iter()
            .find(|terminal| terminal["id"] == id)
            .unwrap()
            .clone()
    }

    fn attach(&self, id: &str, rows: u16, cols: u16) -> Pty {
        Pty::start(&self.surfaced(&["attach", id]), rows, cols)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let list = self.surfaced(&["terminal", "list", "--json"]).output();
        let Ok(list) = serde_json::from_slice::<Value>(&list.unwrap().stdout) else {
            return;
        };
        for terminal in list["terminals"].as_array().unwrap() {
            let id = terminal["id"].as_str().unwrap();
            let _ = self.surfaced(&["terminal", "remove", id]).output();
        }
    }
}

#[test]
fn a_shell_is_typed_into_left_and_found_again() {
    let place = Place::new();
    let id = place.create(&["sh", "-c", "echo ready; exec cat"]);
    let mut first = place.attach(&id, 20, 60);
    first.shows("ready");
    assert!(first.alternate());
    assert_eq!(place.get(&id)["cols"], 60);
    first.type_in("größe ✻\r");
    first.shows("größe ✻");
    first.type_in("\x1cd");
    assert!(first.ended().success());
    first.shows(&format!("[detached from {id}; surfaced attach {id}"));
    assert!(first.cooked());
    assert!(!first.alternate(), "the screen is given back");

    let mut second = place.attach(&id, 20, 60);
    second.shows("größe ✻");
    second.type_in("\x04");
    assert!(second.ended().success());
    second.shows(&format!("[terminal {id} ended with status 0]"));
}

#[test]
fn the_newest_window_decides_the_size_and_looking_changes_nothing() {
    let place = Place::new();
    let id = place.create(&[
        "sh",
        "-c",
        "trap 'stty size' WINCH; echo up; while :; do read x; done",
    ]);
    let size = |rows: u16, cols: u16| {
        wait::until(&format!("{cols}x{rows}"), || {
            let terminal = place.get(&id);
            (terminal["rows"] == rows && terminal["cols"] == cols).then_some(())
        });
    };
    let old = place.attach(&id, 20, 60);
    old.shows("up");
    size(20, 60);
    let mut new = place.attach(&id, 30, 90);
    new.shows("up");
    size(30, 90);
    new.resize(31, 91);
    size(31, 91);
    let reader = Pty::start(&place.surfaced(&["attach", "--read-only", &id]), 10, 40);
    reader.shows("up");
    size(31, 91);
    new.type_in("\x1cd");
    new.ended();
    size(20, 60);
    old.resize(22, 66);
    size(22, 66);
}

#[test]
fn a_reader_types_nothing() {
    let place = Place::new();
    let id = place.create(&["sh", "-c", "echo ready; exec cat"]);
    let mut reader = Pty::start(&place.surfaced(&["attach", "-r", &id]), 24, 80);
    reader.shows("ready");
    reader.type_in("secret\r");
    let writer = place.attach(&id, 24, 80);
    writer.shows("ready");
    writer.type_in("typed\r");
    reader.shows("typed");
    reader.hides("secret");
    reader.type_in("\x03");
    assert!(reader.ended().success());
    writer.type_in("more\r");
    writer.shows("more");
}

#[test]
fn less_is_used_resized_left_and_found_again() {
    if !have("less") {
        return;
    }
    let place = Place::new();
    let lines: Vec<String> = (1..=200).map(|line| format!("line {line}")).collect();
    let file = place.sandbox.cwd().join("text");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let id = place.create(&["less", file.to_str().unwrap()]);
    let mut first = place.attach(&id, 12, 40);
    first.shows("line 11");
    first.type_in(" ");
    first.shows("line 22");
    first.resize(16, 50);
    first.shows("line 26");
    first.type_in("\x1cd");
    first.ended();
    let mut second = place.attach(&id, 16, 50);
    second.shows("line 26");
    second.type_in("G");
    second.shows("line 200");
    second.type_in("q");
    second.ended();
    second.shows("ended with status 0");
    assert!(!second.alternate());
}

#[test]
fn vim_is_used_left_and_found_again() {
    if !have("vim") {
        return;
    }
    let place = Place::new();
    let file = place.sandbox.cwd().join("text");
    let id = place.create(&[
        "vim",
        "-u",
        "NONE",
        "-i",
        "NONE",
        "-n",
        file.to_str().unwrap(),
    ]);
    let mut first = place.attach(&id, 20, 60);
    first.shows("~");
    first.type_in("ihello from vim");
    first.shows("hello from vim");
    first.type_in("\x1cd");
    first.ended();
    first.hides("hello from vim");
    let mut second = place.attach(&id, 24, 70);
    second.shows("hello from vim");
    second.type_in("\x1b:wq\r");
    second.ended();
    assert_eq!(std::fs::read_to_string(file).unwrap(), "hello from vim\n");
}

#[test]
fn htop_is_used_left_and_found_again() {
    if !have("htop") {
        return;
    }
    let place = Place::new();
    let id = place.create(&["htop"]);
    let mut first = place.attach(&id, 24, 80);
    first.shows("F10");
    first.type_in("\x1cd");
    first.ended();
    let mut second = place.attach(&id, 30, 100);
    second.shows("F10");
    second.type_in("q");
    second.ended();
    second.shows("ended with status 0");
}

#[test]
fn attach_outlives_the_daemon() {
    let mut place = Place::new();
    let id = place.create(&["sh", "-c", "echo ready; exec cat"]);
    let pty = place.attach(&id, 24, 80);
    pty.shows("ready");
    place.daemon.take().unwrap().kill();
    pty.type_in("still here\r");
    pty.shows("still here");
    place.daemon = Some(Daemon::start(&place.sandbox));
    pty.type_in("and now\r");
    pty.shows("and now");
}

/// The process that listens at the socket of a terminal.
fn host(place: &Place, id: &str) -> Pid {
    let socket = place.sandbox.state().join(format!("terminals/{id}.sock"));
    listener(&socket)
}

#[test]
fn whatever_ends_attach_gives_the_terminal_back() {
    let place = Place::new();
    let id = place.create(&["sh", "-c", "echo ready; exec cat"]);
    for (signal, name, status) in [
        (Signal::TERM, "SIGTERM", 143),
        (Signal::HUP, "SIGHUP", 129),
        (Signal::INT, "SIGINT", 130),
        (Signal::QUIT, "SIGQUIT", 131),
    ] {
        let mut pty = place.attach(&id, 20, 90);
        pty.shows("ready");
        assert!(!pty.cooked() && pty.alternate());
        kill_process(pty.pid(), signal).unwrap();
        assert_eq!(pty.ended().code(), Some(status));
        pty.shows(&format!(
            "[detached from {id} by {name}; surfaced attach {id}"
        ));
        assert!(pty.cooked() && !pty.alternate());
        assert_eq!(place.get(&id)["state"], "running");
    }

    // What comes after the person has left is not shown.
    let flood = place.create(&["sh", "-c", "echo ready; read x; exec yes flood"]);
    let mut pty = place.attach(&flood, 20, 90);
    pty.shows("ready");
    pty.type_in("\r");
    pty.shows("flood");
    pty.type_in("\x1cd");
    assert!(pty.ended().success());
    pty.shows("[detached from");
    pty.hides("flood");

    let mut pty = place.attach(&id, 20, 90);
    pty.shows("ready");
    kill_process(host(&place, &id), Signal::KILL).unwrap();
    assert_eq!(pty.ended().code(), Some(1));
    pty.shows(&format!("the host of terminal {id} is gone"));
    pty.shows("hint: ");
    assert!(pty.cooked() && !pty.alternate());
}

#[test]
fn a_terminal_is_used_over_plain_ssh() {
    if !have_ssh() {
        return;
    }
    let place = Place::new();
    let id = place.create(&["sh", "-c", "echo ready; exec cat"]);
    let config = SshConfig::new(&place.sandbox);
    let sshd = Sshd::start(&place.sandbox, "a");
    config.host("zion", &sshd, "");
    let mut ssh = place.sandbox.command("ssh");
    ssh.arg("-F").arg(config.path()).args([
        "-tt",
        "zion",
        &format!(
            "SURFACED_HOME={} {} attach {id}",
            place.sandbox.state().display(),
            env!("CARGO_BIN_EXE_surfaced")
        ),
    ]);
    let mut pty = Pty::start(&ssh, 20, 60);
    pty.shows("ready");
    wait::until("the size of the far window", || {
        let terminal = place.get(&id);
        (terminal["rows"] == 20 && terminal["cols"] == 60).then_some(())
    });
    pty.resize(22, 66);
    wait::until("its new size", || {
        (place.get(&id)["cols"] == 66).then_some(())
    });
    pty.type_in("größe ✻\r");
    pty.shows("größe ✻");
    pty.type_in("\x1cd");
    assert!(pty.ended().success());
    pty.shows(&format!("[detached from {id}; "));
    assert!(!pty.alternate());
}

#[test]
fn what_cannot_be_attached_is_told() {
    let place = Place::new();
    let id = place.create(&["sh", "-c", "exit 7"]);
    place.run(&["terminal", "wait", &id]);
    for (args, error) in [
        (vec!["attach", "nobody"], "no terminal is called \"nobody\""),
        (vec!["attach", id.as_str()], "ended with status 7"),
    ] {
        let output = place.surfaced(&args).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.contains(error), "{complaint}");
        assert!(complaint.contains("hint: "), "{complaint}");
    }
    let running = place.create(&["cat"]);
    let output = place.surfaced(&["attach", &running]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
