//! One connection for each host, shared, bounded, and gone when nobody needs it.

use std::time::Duration;

use futures_util::future::join_all;
use rustix::process::Signal;
use std::os::unix::fs::FileTypeExt;
use surfaced::launch::step::{Ended, Invocation};
use surfaced::proto::{HostAlias, Kind};
use surfaced::transport::Transport;

use crate::support::process;
use crate::support::ssh::{Ways, run, sh};
use crate::support::sshd::{Sshd, have_ssh};
use crate::support::wait::until_async;

#[tokio::test]
async fn fifty_commands_share_one_login() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    for (kind, logins) in [("library", 1), ("openssh", 2)] {
        ways.prefer(kind);
        let host = ways.host("zion");
        let words = (0..50)
            .map(|number| format!("echo {number}"))
            .collect::<Vec<_>>();
        let said = join_all(words.iter().map(|script| sh(&host, script))).await;
        let expected = (0..50).map(|number| number.to_string()).collect::<Vec<_>>();
        assert_eq!(said, expected, "{kind}");
        assert_eq!(sshd.logins(), logins, "{kind}");
    }
    ways.end().await;
}

#[tokio::test]
async fn five_commands_on_each_of_ten_hosts() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    for number in 0..10 {
        ways.config.place(&format!("h{number}"), sshd.port(), "");
    }
    ways.config.know(&sshd.known("ed25519"));
    let hosts = ways.hosts();
    let mut asked = Vec::new();
    for number in 0..50 {
        let host = hosts.get(&HostAlias::parse(format!("h{}", number % 10)).unwrap());
        asked.push(async move { sh(&host, "echo up").await });
    }
    assert!(join_all(asked).await.iter().all(|said| said == "up"));
    assert_eq!(sshd.logins(), 10);
    ways.end().await;
}

#[tokio::test]
async fn servers_that_take_few_sessions_are_queued_at() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    for sessions in [1, 2] {
        let sshd = Sshd::start_with(
            &ways.sandbox,
            &format!("s{sessions}"),
            &format!("MaxSessions {sessions}\n"),
        );
        let alias = format!("h{sessions}");
        ways.config.host(&alias, &sshd, "");
        for kind in ["library", "openssh"] {
            ways.prefer(kind);
            let host = ways.host(&alias);
            let said = join_all((0..6).map(|_| sh(&host, "echo up"))).await;
            assert!(
                said.iter().all(|said| said == "up"),
                "{kind} with {sessions}"
            );
        }
    }
    ways.end().await;
}

#[tokio::test]
async fn an_abandoned_command_ends_and_frees_its_place() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("zion");
        let sleeping = join_all((0..8).map(|_| run(&host, &["sleep", "161803"])));
        tokio::select! {
            _ = sleeping => panic!("it ended"),
            () = until_async("eight to run", || (sshd.running("sleep 161803").len() >= 8).then_some(())) => {}
        }
        assert_eq!(sh(&host, "echo up").await, "up", "{kind}");
        until_async("them to end", || {
            sshd.running("sleep 161803").is_empty().then_some(())
        })
        .await;
    }
    ways.end().await;
}

#[tokio::test]
async fn a_talkative_command_delays_no_other() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("zion");
        tokio::select! {
            _ = run(&host, &["cat", "/dev/zero"]) => panic!("it ended"),
            said = sh(&host, "echo up") => assert_eq!(said, "up", "{kind}"),
        }
    }
    ways.end().await;
}

#[tokio::test]
async fn connections_end_when_they_are_idle_and_with_the_daemon() {
    if !have_ssh() {
        return;
    }
    let mut ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    let runtime = ways.settings.runtime.clone();
    let left = || std::fs::read_dir(&runtime).map_or(0, Iterator::count);
    let sessions = || sshd.running("sshd:").len();
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        ways.settings.idle = Duration::from_millis(200);
        sh(&ways.host("zion"), "true").await;
        until_async("the idle connection to end", || {
            (sessions() == 0 && left() == 0).then_some(())
        })
        .await;

        ways.settings.idle = Duration::from_mins(10);
        sh(&ways.host("zion"), "true").await;
        assert!(sessions() > 0);
        ways.end().await;
        until_async("the connection to end", || {
            (sessions() == 0 && left() == 0).then_some(())
        })
        .await;
        ways.supervisor = surfaced::os::supervise::Supervisor::new();
    }
}

/// The master processes whose sockets are in the directory of these ways.
fn masters(ways: &Ways) -> Vec<u32> {
    let place = ways.settings.runtime.display().to_string();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| process::name(*pid) == "ssh")
        .filter(|pid| {
            let line = process::command_line(*pid);
            line.contains(&place) && line.contains("ControlPersist=")
        })
        .collect()
}

#[tokio::test]
async fn a_master_that_is_stopped_is_replaced_and_ended() {
    if !have_ssh() {
        return;
    }
    let mut ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    ways.prefer("openssh");
    ways.settings.command = Duration::from_secs(20);
    let host = ways.host("zion");
    sh(&host, "true").await;
    let before = masters(&ways);
    assert_eq!(before.len(), 1, "{before:?}");
    process::send(before[0], Signal::STOP);
    let mut slow = Invocation::new(["true"]);
    slow.timeout = Some(Duration::from_secs(1));
    let failure = host.run(slow).await.unwrap_err();
    assert_eq!(failure.kind(), Kind::StateUnknown, "{failure}");
    // The next one has a connection of its own, and is answered.
    assert_eq!(sh(&host, "echo up").await, "up");
    until_async("the stopped master to end", || {
        (!process::runs(before[0])).then_some(())
    })
    .await;
    ways.end().await;
}

#[tokio::test]
async fn a_command_that_is_slow_costs_no_connection() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    for (kind, logins) in [("library", 1), ("openssh", 2)] {
        ways.prefer(kind);
        let host = ways.host("zion");
        let mut slow = Invocation::new(["sleep", "600"]);
        slow.timeout = Some(Duration::from_secs(1));
        assert_eq!(host.run(slow).await.unwrap().ended, Ended::TimedOut);
        assert_eq!(sh(&host, "echo up").await, "up", "{kind}");
        assert_eq!(sshd.logins(), logins, "{kind}");
    }
    ways.end().await;
}

#[tokio::test]
async fn a_master_whose_socket_was_removed_ends_with_us() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    ways.prefer("openssh");
    let host = ways.host("zion");
    sh(&host, "true").await;
    // By now it is known which process the master is.
    sh(&host, "true").await;
    let masters = masters(&ways);
    assert_eq!(masters.len(), 1, "{masters:?}");
    for entry in std::fs::read_dir(&ways.settings.runtime).unwrap().flatten() {
        if entry.file_type().unwrap().is_socket() {
            std::fs::remove_file(entry.path()).unwrap();
        }
    }
    ways.end().await;
    until_async("the master to end", || {
        (!process::runs(masters[0])).then_some(())
    })
    .await;
}
