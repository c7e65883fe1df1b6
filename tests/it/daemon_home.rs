//! Where the daemon is, and what it refuses to live in.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::ensured::{Ensured, said};
use crate::support::env::{Sandbox, have};
use crate::support::process;
use crate::support::wait;

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn daemon_json_is_written_again_where_it_was_removed_or_changed() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let path = sandbox.state().join("daemon.json");
    let before = std::fs::read(&path).unwrap();
    for text in [None, Some("{}"), Some("")] {
        match text {
            None => std::fs::remove_file(&path).unwrap(),
            Some(text) => std::fs::write(&path, text).unwrap(),
        }
        daemon.signal(rustix::process::Signal::HUP);
        wait::until("daemon.json to be as it was", || {
            (std::fs::read(&path).ok()? == before).then_some(())
        });
    }
    assert_eq!(daemon.json().unwrap()["pid"], daemon.pid());
}

#[test]
fn a_home_that_others_may_write_into_is_refused_and_left_alone() {
    let sandbox = Sandbox::new();
    let home = sandbox.root().join("open");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join("config.toml"), "").unwrap();
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o777)).unwrap();
    let output = sandbox
        .surfaced()
        .env("SURFACED_HOME", &home)
        .args(["daemon", "run"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("can be written by other users") && said.contains("chmod 700"),
        "{said}"
    );
    assert_eq!(mode(&home), 0o777);
}

#[test]
fn everything_is_in_the_home_and_private() {
    let sandbox = Sandbox::new();
    let state = sandbox.state();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o755)).unwrap();
    let daemon = Daemon::start(&sandbox);
    assert_eq!(daemon.socket().unwrap(), state.join("d.sock"));
    assert_eq!(mode(&state), 0o700);
    for name in ["d.sock", "daemon.json", "daemon.lock", "daemon.log"] {
        assert_eq!(mode(&state.join(name)), 0o600, "{name}");
    }
    let status = daemon.client().call("daemon.status", &json!({}));
    assert_eq!(status["home"], state.to_str().unwrap());
    assert_eq!(status["pid"], daemon.pid());
    // Nothing was written to the person's home.
    assert_eq!(std::fs::read_dir(sandbox.home()).unwrap().count(), 0);
}

#[test]
fn a_home_that_is_not_its_own_is_refused() {
    let sandbox = Sandbox::new();
    let link = sandbox.root().join("link");
    std::os::unix::fs::symlink(sandbox.state(), &link).unwrap();
    let file = sandbox.root().join("file");
    std::fs::write(&file, "").unwrap();
    let occupied = sandbox.root().join("occupied");
    std::fs::create_dir(&occupied).unwrap();
    std::fs::write(occupied.join("letter"), "").unwrap();
    std::fs::set_permissions(&occupied, std::fs::Permissions::from_mode(0o755)).unwrap();
    for (home, code, text) in [
        (link.to_str().unwrap(), 3, "is a symbolic link"),
        (file.to_str().unwrap(), 3, "is not a directory"),
        ("state", 3, "SURFACED_HOME must be an absolute path"),
        (
            occupied.to_str().unwrap(),
            3,
            "(mode 755) and holds other files",
        ),
    ] {
        let output = sandbox
            .surfaced()
            .env("SURFACED_HOME", home)
            .arg("ensure")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code), "{home}");
        let message = said(&output);
        assert!(message.starts_with("error: "), "{message}");
        assert!(message.contains(text), "{home}: {message}");
        assert!(!message.contains("in the foreground"), "{home}: {message}");
    }
    assert_eq!(mode(&occupied), 0o755);
    assert_eq!(std::fs::read_dir(&occupied).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(sandbox.state()).unwrap().count(), 0);
}

#[test]
fn another_users_home_is_refused() {
    let sandbox = Sandbox::new();
    let foreign = sandbox.root().join("foreign");
    std::fs::create_dir(&foreign).unwrap();
    if std::os::unix::fs::chown(&foreign, Some(12345), None).is_err() {
        eprintln!("left out: only root can give a directory away");
        return;
    }
    let output = sandbox
        .surfaced()
        .env("SURFACED_HOME", &foreign)
        .args(["daemon", "run"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("belongs to user 12345"),
        "{}",
        said(&output)
    );
}

#[test]
fn another_user_is_not_served_whatever_the_modes_are() {
    let sandbox = Sandbox::new();
    if !(have("setpriv") && have("nc")) || rustix::process::getuid().as_raw() != 0 {
        eprintln!("left out: only root can become another user");
        return;
    }
    let daemon = Daemon::start(&sandbox);
    let socket = daemon.socket().unwrap();
    for (path, mode) in [
        (sandbox.root(), 0o755),
        (&sandbox.state(), 0o755),
        (&socket, 0o666),
    ] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let ask = |user: &str| {
        let script =
            r#"printf '{"jsonrpc":"2.0","id":1,"method":"daemon.hello"}\n' | nc -N -U "$0""#;
        sandbox
            .command("setpriv")
            .args(["--reuid", user, "--regid", user, "--clear-groups", "--"])
            .args(["sh", "-c", script])
            .arg(&socket)
            .current_dir("/")
            .output()
            .unwrap()
            .stdout
    };
    assert!(ask("0").starts_with(b"{"));
    assert_eq!(ask("12345"), b"");
}

#[test]
fn a_home_with_a_long_path_has_its_socket_elsewhere() {
    let sandbox = Sandbox::new();
    let home = sandbox.root().join("long/".repeat(30)).join("home");
    let ensure = || {
        let output = sandbox
            .surfaced()
            .env("SURFACED_HOME", &home)
            .args(["ensure", "--json"])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let first = ensure();
    let socket = Path::new(first["socket"].as_str().unwrap());
    let uid = rustix::process::getuid().as_raw();
    assert_eq!(
        socket.parent().unwrap(),
        Path::new(&format!("/tmp/surfaced-{uid}"))
    );
    assert!(socket.as_os_str().len() <= 103);
    assert_eq!(mode(socket.parent().unwrap()), 0o700);
    assert_eq!(ensure()["pid"], first["pid"]);
    Client::connect(socket).call("daemon.shutdown", &json!({ "mode": "now" }));
    crate::support::wait::until("the socket to be removed", || {
        (!socket.exists()).then_some(())
    });
}

#[test]
fn surfaced_socket_is_used_as_it_is_and_starts_nothing() {
    let sandbox = Sandbox::new();
    let elsewhere = Sandbox::new();
    let daemon = Daemon::start(&elsewhere);
    let hello = |socket: &Path| {
        sandbox
            .surfaced()
            .env("SURFACED_SOCKET", socket)
            .args(["ensure", "--json"])
            .output()
            .unwrap()
    };
    let output = hello(&daemon.socket().unwrap());
    assert!(output.status.success(), "{}", said(&output));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["pid"], daemon.pid());

    let output = hello(&sandbox.state().join("d.sock"));
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("no daemon is running"));
    assert!(Ensured::new(&sandbox).pid().is_none());
}

#[test]
fn a_home_whose_name_is_not_text_is_refused_at_once() {
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::new();
    let home = sandbox.root().join(std::ffi::OsStr::from_bytes(b"h\xff"));
    for args in [&["ensure"][..], &["daemon", "run"], &["doctor"]] {
        let output = sandbox
            .surfaced()
            .env("SURFACED_HOME", &home)
            .args(args)
            .output()
            .unwrap();
        assert!(!output.status.success(), "{args:?}");
        let message = said(&output);
        assert!(
            message.starts_with("error: SURFACED_HOME must be UTF-8"),
            "{args:?}: {message}"
        );
    }
    assert!(!home.exists());
}

#[cfg(target_os = "linux")]
#[test]
fn the_daemon_has_nothing_of_its_first_callers_umask_priority_and_limits() {
    let sandbox = Sandbox::new();
    for umask in ["0000", "0777"] {
        let ensured = Ensured::new(&sandbox);
        let output = sandbox
            .command("sh")
            .args([
                "-c",
                "umask $1; ulimit -S -n 60 -t 300 -s 1024; exec nice -n 19 \"$2\" ensure",
                "sh",
            ])
            .args([umask, env!("CARGO_BIN_EXE_surfaced")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", said(&output));
        for name in ["d.sock", "daemon.json", "daemon.lock", "daemon.log"] {
            assert_eq!(mode(&sandbox.state().join(name)), 0o600, "{umask}: {name}");
        }
        let pid = ensured.pid().unwrap();
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
        assert!(
            read("status").contains("Umask:\t0022\n"),
            "{}",
            read("status")
        );
        let limits = read("limits");
        let soft = |name: &str| {
            let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
            let soft = line[name.len()..].split_whitespace().next().unwrap();
            soft.parse::<u64>().unwrap_or(u64::MAX)
        };
        assert!(soft("Max open files") >= 1024, "{limits}");
        assert!(soft("Max stack size") >= 8 << 20, "{limits}");
        assert!(soft("Max cpu time") > 300, "{limits}");
        if rustix::process::getuid().as_raw() == 0 {
            assert_eq!(process::stat(pid).unwrap().nice, 0);
        }
        ensured
            .client()
            .call("daemon.shutdown", &json!({ "mode": "now" }));
        crate::support::wait::until("the daemon to end", || {
            (!sandbox.state().join("d.sock").exists()).then_some(())
        });
    }
}
