//! Known hosts: what OpenSSH takes is taken, what it refuses is refused, in words that say what to do.

use std::path::Path;

use surfaced::proto::Kind;

use crate::support::ssh::{Ways, run, way};
use crate::support::sshd::{Sshd, have_ssh, key};

/// What is expected of an entry.
enum Expect {
    /// A connection of this kind.
    Way(&'static str),
    /// A refusal whose message has these words.
    Refused(&'static str),
}

use Expect::{Refused, Way};

/// A second key of each type, of no server.
fn foreign(ways: &Ways, kind: &str) -> String {
    let path = ways.sandbox.root().join(format!("foreign_{kind}"));
    key(&ways.sandbox, &path, kind, "");
    let public = std::fs::read_to_string(path.with_extension("pub")).unwrap();
    let mut words = public.split_whitespace();
    format!("{} {}", words.next().unwrap(), words.next().unwrap())
}

fn hashed(ways: &Ways, line: &str) -> String {
    let path = ways.sandbox.root().join("to_hash");
    std::fs::write(&path, line).unwrap();
    let done = ways
        .sandbox
        .command("ssh-keygen")
        .args(["-q", "-H", "-f"])
        .arg(&path)
        .output()
        .unwrap();
    assert!(done.status.success());
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn entries_are_read_as_openssh_reads_them() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::with_all_keys(&ways.sandbox, "a");
    ways.config.place("zion", sshd.port(), "");
    let [ed, ecdsa, rsa] = ["ed25519", "ecdsa", "rsa"].map(|kind| sshd.known(kind));
    let port = sshd.port();
    let of = |line: &str, name: &str| format!("{name} {}", line.split_once(' ').unwrap().1);
    let other = foreign(&ways, "ed25519");
    let cases: Vec<(&str, Vec<u8>, Expect)> = vec![
        ("plain", ed.clone().into(), Way("library")),
        ("hashed", hashed(&ways, &ed).into(), Way("library")),
        (
            "carriage return",
            ed.replace('\n', "\r\n").into(),
            Way("library"),
        ),
        ("only rsa", rsa.clone().into(), Way("library")),
        ("only ecdsa", ecdsa.clone().into(), Way("library")),
        (
            "wildcard",
            of(&ed, &format!("[127.0.0.*]:{port}")).into(),
            Way("library"),
        ),
        ("tabs", ed.replace(' ', "\t").into(), Way("library")),
        ("two blanks", ed.replace(' ', "  ").into(), Way("library")),
        ("blank before", format!(" {ed}").into(), Way("library")),
        ("without port", of(&ed, "127.0.0.1").into(), Way("library")),
        (
            "not UTF-8 before",
            [b"h\xff ssh-rsa AAAA\n", ed.as_bytes()].concat(),
            Way("library"),
        ),
        (
            "another type is wrong",
            format!("{ed}[127.0.0.1]:{port} {}\n", foreign(&ways, "rsa")).into(),
            Way("library"),
        ),
        (
            "rotation",
            format!("[127.0.0.1]:{port} {other}\n{ed}").into(),
            Way("openssh"),
        ),
        (
            "an authority too",
            format!("@cert-authority * {other}\n{ed}").into(),
            Way("openssh"),
        ),
        (
            "revoked",
            format!(
                "{ed}@revoked [127.0.0.1]:{port} {}",
                ed.split_once(' ').unwrap().1
            )
            .into(),
            Refused("is revoked in"),
        ),
        (
            "changed",
            format!("[127.0.0.1]:{port} {other}\n").into(),
            Refused("is not the one recorded in"),
        ),
        (
            "port before name",
            format!("[127.0.0.1]:{port} {other}\n{}", of(&ed, "127.0.0.1")).into(),
            Refused("is not the one recorded in"),
        ),
        (
            "nothing",
            Vec::new(),
            Refused("no host key of zion is recorded"),
        ),
        (
            "another host",
            of(&ed, "[127.0.0.1]:1").into(),
            Refused("no host key of zion is recorded"),
        ),
    ];
    for (what, text, expect) in cases {
        std::fs::write(ways.config.known_hosts(), &text).unwrap();
        let host = ways.host("zion");
        match (run(&host, &["true"]).await, expect) {
            (Ok(answer), Way(kind)) => {
                assert!(answer.ok(), "{what}");
                let (way, reasons) = way(&host).await;
                assert_eq!(way, kind, "{what}: {reasons:?}");
            }
            (Err(failure), Refused(words)) => {
                assert_eq!(failure.kind(), Kind::HostKey, "{what}: {failure}");
                assert!(failure.message.contains(words), "{what}: {failure}");
                assert!(failure.data.hint.is_some(), "{what}");
            }
            (Ok(_), Refused(_)) => panic!("{what}: connected"),
            (Err(failure), Way(_)) => panic!("{what}: {failure}"),
        }
    }
    assert!(sshd.log().matches("Accepted").count() >= 14);
    ways.end().await;
}

#[tokio::test]
async fn a_changed_key_is_refused_whatever_the_configuration_says() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    for strict in ["no", "accept-new", "ask", "yes"] {
        ways.config.place(
            strict,
            sshd.port(),
            &format!("  StrictHostKeyChecking {strict}\n"),
        );
    }
    ways.config
        .place("alias", sshd.port(), "  HostKeyAlias inner\n");
    let other = foreign(&ways, "ed25519");
    let changed = format!("[127.0.0.1]:{} {other}\n", sshd.port());
    for strict in ["no", "accept-new", "ask", "yes"] {
        std::fs::write(ways.config.known_hosts(), &changed).unwrap();
        let failure = run(&ways.host(strict), &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::HostKey, "{strict}: {failure}");
        let place = format!("{}:1", ways.config.known_hosts().display());
        assert!(failure.message.contains(&place), "{strict}: {failure}");
    }
    // A new host is learned only where the configuration says that it may be.
    std::fs::write(ways.config.known_hosts(), "").unwrap();
    assert!(run(&ways.host("yes"), &["true"]).await.is_err());
    assert_eq!(
        std::fs::read_to_string(ways.config.known_hosts()).unwrap(),
        ""
    );
    assert!(run(&ways.host("accept-new"), &["true"]).await.unwrap().ok());
    assert_ne!(
        std::fs::read_to_string(ways.config.known_hosts()).unwrap(),
        ""
    );

    // An alias for host keys is the name that counts, without its port.
    let known = sshd.known("ed25519");
    let known = format!("inner {}", known.split_once(' ').unwrap().1);
    std::fs::write(ways.config.known_hosts(), known).unwrap();
    let host = ways.host("alias");
    assert_eq!(way(&host).await, ("library", Vec::new()));
    no_files_are_left(&ways.sandbox.root().join("r"));
    ways.end().await;
}

/// The generated file of known hosts is there only while a connection is made.
#[track_caller]
fn no_files_are_left(dir: &Path) {
    let left = std::fs::read_dir(dir)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("known-"))
        .collect::<Vec<_>>();
    assert!(left.is_empty(), "{left:?}");
}
