//! Hosts that misbehave: they never answer, speak something else, freeze, restart, or end in the middle of a command.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use surfaced::launch::step::{Ended, Invocation};
use surfaced::proto::{HostAlias, Kind};
use surfaced::transport::Transport;

use crate::support::process;
use crate::support::ssh::{Ways, run, sh};
use crate::support::sshd::{Sshd, free_port, have_ssh};
use crate::support::wait::until_async;

/// A listener that does this with each connection, and counts them.
fn listen(serve: impl Fn(std::net::TcpStream) + Send + 'static) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            seen.fetch_add(1, Ordering::Relaxed);
            serve(stream);
        }
    });
    (port, count)
}

#[tokio::test]
async fn hosts_that_are_none_are_told_apart() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let silent = std::sync::Mutex::new(Vec::new());
    let (silent, silent_count) = listen(move |stream| silent.lock().unwrap().push(stream));
    let (http, _) = listen(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    });
    let (closing, _) = listen(|mut stream| {
        let _ = stream.read(&mut [0; 8]);
    });
    let closed = free_port();
    // One key is recorded for each, so that the library is tried.
    let sshd = Sshd::start(&ways.sandbox, "a");
    for (name, port) in [
        ("silent", silent),
        ("http", http),
        ("closing", closing),
        ("closed", closed),
    ] {
        ways.config.place(name, port, "  ConnectTimeout 1\n");
        let known = sshd.known("ed25519");
        ways.config.know(&format!(
            "[127.0.0.1]:{port} {}",
            known.split_once(' ').unwrap().1
        ));
    }
    ways.config
        .append("Host nowhere\n  HostName nowhere.invalid\n");
    for kind in ["auto", "openssh"] {
        ways.prefer(kind);
        for (name, words) in [
            (
                "silent",
                format!("127.0.0.1:{silent} did not answer in 1 s (host silent)"),
            ),
            (
                "http",
                format!("127.0.0.1:{http} closed the connection before login (host http)"),
            ),
            (
                "closing",
                format!("127.0.0.1:{closing} closed the connection before login (host closing)"),
            ),
            (
                "closed",
                format!("nothing listens on 127.0.0.1:{closed} (host closed)"),
            ),
            (
                "nowhere",
                "cannot resolve nowhere.invalid (host nowhere)".to_owned(),
            ),
        ] {
            let failure = run(&ways.host(name), &["true"]).await.unwrap_err();
            assert_eq!(failure.message, words, "{kind}");
            assert_eq!(failure.kind(), Kind::HostUnreachable, "{kind} {name}");
            assert!(failure.data.hint.is_some());
        }
    }
    // However many ask at once, and however many come after: it costs its time once.
    let host = ways.host("silent");
    let before = silent_count.load(Ordering::Relaxed);
    let asking = (0..20).map(|_| run(&host, &["true"]));
    for result in futures_util::future::join_all(asking).await {
        assert!(result.is_err());
    }
    assert!(run(&host, &["true"]).await.is_err());
    assert_eq!(silent_count.load(Ordering::Relaxed), before + 1);

    // And a dead host delays nobody: the live one is done long before.
    ways.config.host("live", &sshd, "");
    ways.config.place("dead", silent, "  ConnectTimeout 20\n");
    let hosts = ways.hosts();
    let dead = hosts.get(&HostAlias::parse("dead").unwrap());
    let live = hosts.get(&HostAlias::parse("live").unwrap());
    tokio::select! {
        biased;
        answer = run(&live, &["true"]) => assert!(answer.unwrap().ok()),
        _ = run(&dead, &["true"]) => panic!("the dead host answered first"),
    }
    ways.end().await;
}

#[tokio::test]
async fn a_host_that_is_too_old_and_a_jump_that_leads_nowhere_are_told() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    // Nobody offers this by itself any more.
    let old = Sshd::start_with(&ways.sandbox, "a", "Ciphers aes128-cbc\n");
    let bastion = Sshd::start(&ways.sandbox, "b");
    let closed = free_port();
    ways.config.host("old", &old, "");
    ways.config.host("bastion", &bastion, "");
    ways.config.place("inner", closed, "  ProxyJump bastion\n");
    ways.config.know(&format!(
        "[127.0.0.1]:{closed} {}",
        bastion.known("ed25519").split_once(' ').unwrap().1
    ));
    for kind in ["library", "auto", "openssh"] {
        ways.prefer(kind);
        let failure = run(&ways.host("old"), &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::HostUnreachable, "{kind}: {failure}");
        assert_eq!(
            failure.message,
            "old and this machine have no algorithm in common; it offers aes128-cbc",
            "{kind}"
        );
        assert!(failure.data.hint.is_some());
        if kind == "library" {
            continue;
        }
        let failure = run(&ways.host("inner"), &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::HostUnreachable, "{kind}: {failure}");
        assert_eq!(
            failure.message,
            format!("the jump host or proxy of inner did not reach 127.0.0.1:{closed}"),
            "{kind}"
        );
    }
    ways.end().await;
}

#[tokio::test]
async fn a_configuration_with_an_error_is_quoted() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    ways.config.append("Host zion\n  Nonsense yes\n");
    let failure = run(&ways.host("zion"), &["true"]).await.unwrap_err();
    assert!(
        failure
            .message
            .contains("line 2: Bad configuration option: nonsense"),
        "{failure}"
    );
    // Options do not come through names.
    for name in [
        "-oProxyCommand=touch /tmp/x",
        "a;b",
        "u@-oX",
        "[-oX]",
        "",
        "a\nb",
    ] {
        assert!(HostAlias::parse(name).is_err(), "{name:?}");
    }
    // Nor through what a name leads to.
    let ways = Ways::new();
    ways.config
        .append("Host zion\n  HostName -oProxyCommand=x\nHost odd\n  HostName h\n  User -x\n");
    for name in ["zion", "odd"] {
        let failure = run(&ways.host(name), &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::HostInvalid, "{failure}");
    }
    ways.end().await;
}

/// Lets connections notice what happened while the test kept the thread to itself.
async fn settled() {
    let (mut here, mut there) = tokio::net::UnixStream::pair().unwrap();
    for _ in 0..10 {
        tokio::io::AsyncWriteExt::write_all(&mut here, b"x")
            .await
            .unwrap();
        tokio::io::AsyncReadExt::read_exact(&mut there, &mut [0])
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_connection_that_ends_between_commands_is_made_anew() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let mut sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("zion");
        assert_eq!(sh(&host, "echo 1").await, "1", "{kind}");
        sshd.restart(&ways.sandbox);
        settled().await;
        assert_eq!(sh(&host, "echo 2").await, "2", "{kind}");
        sshd.drop_sessions();
        settled().await;
        assert_eq!(sh(&host, "echo 3").await, "3", "{kind}");
        // Down, and up again.
        sshd.stop();
        settled().await;
        let failure = run(&host, &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::HostUnreachable, "{kind}: {failure}");
        sshd.restart(&ways.sandbox);
        assert_eq!(sh(&host, "echo 4").await, "4", "{kind}");
    }
    ways.end().await;
}

#[tokio::test]
async fn a_link_that_breaks_under_a_command_leaves_its_fate_open() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host(
        "zion",
        &sshd,
        "  ServerAliveInterval 1\n  ServerAliveCountMax 1\n",
    );
    let count = ways.sandbox.root().join("count");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("zion");
        sh(&host, "true").await;
        // The server dies.
        let _ = std::fs::remove_file(&count);
        let script = format!("echo run >>{}; sleep 271828", count.display());
        let words = ["/bin/sh", "-c", &script];
        let asked = async { run(&host, &words).await.unwrap_err() };
        let killing = async {
            until_async("the command to run", || {
                (!sshd.running("sleep 271828").is_empty()).then_some(())
            })
            .await;
            sshd.drop_sessions();
        };
        let (failure, ()) = tokio::join!(asked, killing);
        assert_eq!(
            (failure.kind(), &*failure.message),
            (
                Kind::StateUnknown,
                "the connection to zion broke before /bin/sh answered"
            ),
            "{kind}"
        );
        assert!(
            failure
                .data
                .hint
                .is_some_and(|hint| hint.ends_with("`surfaced surfaces -H zion`")),
            "{kind}"
        );
        assert_eq!(sh(&host, "echo up").await, "up", "{kind}");
        assert_eq!(
            std::fs::read_to_string(&count).unwrap(),
            "run\n",
            "{kind}: it was not run again"
        );

        // It freezes.
        let frozen = async {
            let words = ["/bin/sh", "-c", "echo $PPID; exec sleep 271829"];
            run(&host, &words).await.unwrap()
        };
        let freezing = async {
            let pid = until_async("the command to run", || {
                let mut all = sshd.running("sleep 271829").into_iter();
                all.find(|pid| process::name(*pid) == "sleep")
            })
            .await;
            // The answer to a later command comes after what this one has said.
            sh(&host, "true").await;
            let session = session_of(pid);
            kill_process(Pid::from_raw(session).unwrap(), Signal::STOP).unwrap();
            session
        };
        let (answer, session) = tokio::join!(frozen, freezing);
        assert_eq!(answer.ended, Ended::Lost, "{kind}");
        kill_process(Pid::from_raw(session).unwrap(), Signal::CONT).unwrap();
        assert_eq!(sh(&host, "echo up").await, "up", "{kind}");
        until_async("the abandoned command to end", || {
            sshd.running("sleep 271829").is_empty().then_some(())
        })
        .await;
    }
    ways.end().await;
}

/// The sshd process that a command of a session runs under.
fn session_of(mut pid: u32) -> i32 {
    loop {
        pid = process::parent(pid);
        if process::name(pid) == "sshd" {
            return pid.cast_signed();
        }
    }
}

#[tokio::test]
async fn a_host_that_drops_after_login_is_told() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let drops = Sshd::start_with(&ways.sandbox, "a", "ForceCommand kill -9 $PPID; sleep 5\n");
    let none = Sshd::start_with(&ways.sandbox, "b", "MaxSessions 0\n");
    ways.config.host("drops", &drops, "");
    ways.config.host("none", &none, "");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("drops");
        let failure = run(&host, &["true"]).await.unwrap_err();
        let words = "drops closed the connection after the login, before a command answered";
        assert_eq!(
            (failure.kind(), &*failure.message),
            (Kind::StateUnknown, words),
            "{kind}"
        );
        // A question leaves nothing open.
        let failure = host.probe().await.unwrap_err();
        assert_eq!(
            (failure.kind(), &*failure.message),
            (Kind::HostUnreachable, words),
            "{kind}"
        );
        assert!(failure.data.hint.unwrap().contains("ForceCommand"));
        let failure = run(&ways.host("none"), &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::Busy, "{kind}: {failure}");
    }
    ways.end().await;
}

#[tokio::test]
async fn a_login_shell_that_hangs_costs_the_commands_time_and_no_more() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::with_shell(&ways.sandbox, "a", "zsh");
    ways.config.host("zion", &sshd, "");
    std::fs::write(sshd.home().join(".zshenv"), "sleep 60\n").unwrap();
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let mut command = Invocation::new(["true"]);
        command.timeout = Some(Duration::from_millis(500));
        let failure = ways.host("zion").run(command).await.unwrap_err();
        assert_eq!(
            (failure.kind(), &*failure.message),
            (
                Kind::StateUnknown,
                "zion did not answer in 1 s: the link, the host or its login shell hangs"
            ),
            "{kind}"
        );
    }
    ways.end().await;
}
