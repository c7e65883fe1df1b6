//! Commands on hosts, through both kinds of connection and every login shell.

use std::time::Duration;

use pretty_assertions::assert_eq;
use surfaced::launch::step::{Ended, Invocation};
use surfaced::proto::Kind;
use surfaced::transport::Transport;
use surfaced::transport::ssh::Remote;

use crate::support::env::have;
use crate::support::ssh::{Ways, run, sh, way};
use crate::support::sshd::{Sshd, have_ssh};
use crate::support::wait::until_async;

/// Words that some shell, some tmux or some ssh reads as something else.
const TORTURE: &[&str] = &[
    "",
    " ",
    "a b",
    "  two  ",
    "it's",
    "''",
    "\"q\"",
    "\\",
    "\\\\",
    "a\\nb",
    "$HOME",
    "${HOME}",
    "$(id)",
    "`id`",
    "!",
    "!!",
    "hi!",
    "#x",
    "a#{pid}",
    "#(id)",
    "~",
    "*",
    "?",
    "[a]",
    "{a,b}",
    "a;b",
    ";",
    "x\\;",
    "&",
    "|",
    "<in",
    ">out",
    "(x)",
    "line\nbreak",
    "cr\rlf\r\n",
    "tab\t",
    "-n",
    "--",
    "=ls",
    "%s",
    "%h",
    "ünï",
    "日本語",
    "🦀",
    "\u{1b}[31m",
    "^x",
    "end\n",
];

async fn check_words(host: &Remote, what: &str) {
    let mut words = vec![
        "/bin/sh",
        "-c",
        "for w in \"$@\"; do printf '%s\\0' \"$w\"; done",
        "say",
    ];
    words.extend(TORTURE);
    let answer = run(host, &words)
        .await
        .unwrap_or_else(|failure| panic!("{what}: {failure}"));
    assert!(answer.ok(), "{what}: {answer:?}");
    let said = answer.text();
    let said = said.split_terminator('\0').collect::<Vec<_>>();
    assert_eq!(said, TORTURE, "{what}");
    assert_eq!(answer.complaint(), "", "{what}");
}

#[tokio::test]
async fn words_arrive_through_every_login_shell() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let mut servers = Vec::new();
    let noise = "echo out of rc\necho complaint of rc >&2\n";
    for (shell, rc) in [
        ("bash", ".bashrc"),
        ("zsh", ".zshenv"),
        ("fish", ".config/fish/config.fish"),
        ("tcsh", ".tcshrc"),
        ("dash", ".profile"),
    ] {
        if !have(shell) {
            continue;
        }
        let sshd = Sshd::with_shell(&ways.sandbox, shell, shell);
        let rc = sshd.home().join(rc);
        std::fs::create_dir_all(rc.parent().unwrap()).unwrap();
        // tcsh writes redirections of its own way.
        let noise = if shell == "tcsh" {
            "echo out of rc\n/bin/sh -c 'echo complaint of rc >&2'\n"
        } else {
            noise
        };
        std::fs::write(rc, noise).unwrap();
        ways.config.host(shell, &sshd, "");
        servers.push((shell, sshd));
    }
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let hosts = ways.hosts();
        for (shell, _) in &servers {
            let host = hosts.get(&surfaced::proto::HostAlias::parse(*shell).unwrap());
            check_words(&host, &format!("{shell} through {kind}")).await;
            assert_eq!(way(&host).await.0, kind);
        }
    }
    ways.end().await;
}

#[tokio::test]
async fn a_command_answers_as_it_does_here() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("zion");
        let run = async |script: &str| run(&host, &["/bin/sh", "-c", script]).await.unwrap();
        // Its status, even the one that ssh uses for its own failures.
        assert_eq!(run("exit 255").await.ended, Ended::Code(255), "{kind}");
        assert_eq!(run("kill -9 $$").await.ended, Ended::Code(137), "{kind}");
        // Its streams, apart and exact.
        let answer = run("printf 'a\\n\\n'; printf 'b\\r\\n' >&2").await;
        assert_eq!(
            (&*answer.stdout, &*answer.stderr),
            (&b"a\n\n"[..], &b"b\r\n"[..]),
            "{kind}"
        );
        // A lot of output is capped and does not stop it.
        let answer = run("head -c 3000000 /dev/zero; echo end >&2").await;
        assert_eq!(
            (answer.stdout.len(), &*answer.complaint(), answer.ended),
            (1 << 20, "end", Ended::Code(0)),
            "{kind}"
        );
        // What it leaves behind is not waited for.
        assert_eq!(
            run("sleep 300 & echo left").await.text(),
            "left\n",
            "{kind}"
        );
        // No standard input, and all bytes of one that is given.
        assert_eq!(run("cat; echo end").await.text(), "end\n", "{kind}");
        let all = (0..=255).collect::<Vec<u8>>();
        let mut cat = Invocation::new(["cat"]);
        cat.stdin = Some(all.clone());
        assert_eq!(host.run(cat).await.unwrap().stdout, all, "{kind}");
        // Variables.
        let mut env = Invocation::new(["/bin/sh", "-c", "printf %s \"$A_B\""]);
        env.env.insert("A_B".into(), "it's $HOME\n;".into());
        assert_eq!(
            host.run(env).await.unwrap().text(),
            "it's $HOME\n;",
            "{kind}"
        );
        // Long words and long commands.
        let long = "x".repeat(131_000);
        let answer = crate::support::ssh::run(&host, &["printf", "%s%s%s", &long, &long, &long])
            .await
            .unwrap();
        assert_eq!(answer.stdout.len(), 393_000, "{kind}");
        let longer = "x".repeat(131_072);
        let failure = crate::support::ssh::run(&host, &["printf", &longer])
            .await
            .unwrap_err();
        assert_eq!(failure.kind(), Kind::SpawnFailed);
        assert_eq!(
            crate::support::ssh::run(&host, &["printf", "a\0b"])
                .await
                .unwrap_err()
                .kind(),
            Kind::InvalidParams
        );
        // A program that is not there.
        let failure = crate::support::ssh::run(&host, &["no-such-tool", "x"])
            .await
            .unwrap_err();
        assert_eq!(
            (failure.kind(), &*failure.message),
            (
                Kind::HostToolMissing,
                "no-such-tool is not installed on zion"
            )
        );
        assert!(failure.data.hint.unwrap().contains("/opt/homebrew/bin"));
        // Its time.
        let mut slow = Invocation::new(["sleep", "31415"]);
        slow.timeout = Some(Duration::from_millis(300));
        assert_eq!(
            host.run(slow).await.unwrap().ended,
            Ended::TimedOut,
            "{kind}"
        );
        until_async("the command to end with its time", || {
            sshd.running("sleep 31415").is_empty().then_some(())
        })
        .await;
    }
    ways.end().await;
}

#[tokio::test]
async fn tools_are_found_where_people_have_them() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    let bin = sshd.home().join(".local/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::write(bin.join("codium"), "#!/bin/sh\necho mine\n").unwrap();
    std::fs::set_permissions(
        bin.join("codium"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let host = ways.host("zion");
    assert_eq!(run(&host, &["codium"]).await.unwrap().text(), "mine\n");
    let probe = host.probe().await.unwrap();
    assert_eq!(
        probe.tools["codium"],
        bin.join("codium").display().to_string()
    );
    assert_eq!(probe.uid, rustix::process::getuid().as_raw());
    assert_eq!(probe.home, sshd.home().display().to_string());
    ways.end().await;
}

#[tokio::test]
async fn launch_scripts_travel_with_their_command() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    let text = "# it's $HOME `id` \\\nstat -c %a \"$0\" \"$(dirname \"$0\")\"\ncat \"$0\"\n";
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("zion");
        let path = host.promise_script(text.to_owned()).await.unwrap().unwrap();
        let answer = run(&host, &["/bin/sh", &path]).await.unwrap();
        assert_eq!(
            answer.text(),
            format!("600\n700\n{text}"),
            "{kind}: {}",
            answer.complaint()
        );
        host.drop_script(&path).await;
        assert_eq!(
            sh(&host, &format!("ls {path} 2>&1 || true"))
                .await
                .contains("No such file"),
            true
        );
        // A promise that nothing named leaves nothing.
        let path = host.promise_script(text.to_owned()).await.unwrap().unwrap();
        host.drop_script(&path).await;
        assert!(!run(&host, &["/bin/sh", &path]).await.unwrap().ok());
    }
    ways.end().await;
}

#[tokio::test]
async fn a_login_shell_that_ends_early_is_told() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::with_shell(&ways.sandbox, "a", "zsh");
    ways.config.host("zion", &sshd, "");
    std::fs::write(sshd.home().join(".zshenv"), "echo go away\nexit 0\n").unwrap();
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let failure = run(&ways.host("zion"), &["true"]).await.unwrap_err();
        assert_eq!(
            failure.message,
            "nothing came back of a command from the login shell of zion; it said: go away",
            "{kind}"
        );
        // Nobody can tell this from a shell whose output goes elsewhere.
        assert_eq!(failure.kind(), Kind::StateUnknown, "{kind}");
        let hint = failure.data.hint.unwrap();
        assert!(hint.contains("surfaced surfaces -H zion"), "{kind}: {hint}");
        assert!(hint.contains("start-up file"), "{kind}: {hint}");
    }
    ways.end().await;
}

#[tokio::test]
async fn a_start_up_file_that_takes_output_or_input_away_is_told_and_nothing_is_begun() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::with_shell(&ways.sandbox, "a", "zsh");
    ways.config.host("zion", &sshd, "");
    let made = sshd.home().join("made");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        for (rc, expected, begins) in [
            ("exec >/dev/null 2>&1\n", Kind::StateUnknown, false),
            ("exec >&-\n", Kind::StateUnknown, false),
            ("exec 1>&2\n", Kind::StateUnknown, true),
            ("exec </dev/null\n", Kind::HostUnreachable, false),
        ] {
            std::fs::write(sshd.home().join(".zshenv"), rc).unwrap();
            let _ = std::fs::remove_dir(&made);
            let host = ways.host("zion");
            // The first is sent as a line, where no session is there in advance.
            let answer = run(&host, &["mkdir", made.to_str().unwrap()]).await;
            let failure = answer.expect_err(rc);
            if rc.contains("exec <") && failure.kind() == Kind::StateUnknown {
                // Sent on the input that was taken away, the script never came to be read.
                assert!(failure.message.contains("nothing came back"), "{failure}");
            } else {
                assert_eq!(failure.kind(), expected, "{kind} {rc}: {failure}");
            }
            assert_eq!(made.exists(), begins, "{kind} {rc}: {failure}");
            let hint = failure.data.hint.unwrap();
            assert!(hint.contains("redirect its input or output"), "{hint}");
        }
    }
    ways.end().await;
}

#[tokio::test]
async fn a_tmux_that_a_start_up_file_names_is_not_obeyed_and_its_directory_is() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::with_shell(&ways.sandbox, "a", "zsh");
    ways.config.host("zion", &sshd, "");
    let rc = "export TMUX=x,1,1 TMUX_PANE=%7 TMUX_TMPDIR=/tmp/its-own\n";
    std::fs::write(sshd.home().join(".zshenv"), rc).unwrap();
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let words = "echo \"${TMUX-unset} ${TMUX_PANE-unset} $TMUX_TMPDIR\"";
        let said = sh(&ways.host("zion"), words).await;
        assert_eq!(said, "unset unset /tmp/its-own", "{kind}");
    }
    ways.end().await;
}

#[tokio::test]
async fn complaints_of_a_host_are_fit_to_be_shown() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    ways.config.host("zion", &sshd, "");
    for kind in ["library", "openssh"] {
        ways.prefer(kind);
        let script = "printf '\\033]0;evil\\007\\033[31mboom\\r\\nnext' >&2; exit 1";
        let answer = run(&ways.host("zion"), &["sh", "-c", script]).await;
        assert_eq!(
            answer.unwrap().complaint(),
            "]0;evil[31mboom\nnext",
            "{kind}"
        );
    }
    ways.end().await;
}
