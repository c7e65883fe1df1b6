//! A host whose key is another one than the recorded: both are shown, and the line that forgets the old one does.

use surfaced::proto::Kind;

use crate::support::ssh::{Ways, run};
use crate::support::sshd::{Sshd, have_ssh, key};

/// The kind of a public key and its fingerprint, as ssh-keygen tells them.
fn fingerprint(ways: &Ways, public: &std::path::Path) -> String {
    let output = ways
        .sandbox
        .command("ssh-keygen")
        .arg("-lf")
        .arg(public)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let print = text.split(' ').nth(1).unwrap();
    let (_, kind) = text.trim_end().rsplit_once('(').unwrap();
    format!("{} {print}", kind.trim_end_matches(')'))
}

#[tokio::test]
async fn both_keys_are_shown_and_the_old_one_can_be_forgotten() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    let (port, root) = (sshd.port(), ways.sandbox.root().to_owned());
    let foreign = root.join("foreign");
    key(&ways.sandbox, &foreign, "ed25519", "");
    let public = std::fs::read_to_string(foreign.with_extension("pub")).unwrap();
    let old = fingerprint(&ways, &foreign.with_extension("pub"));
    let new = fingerprint(&ways, &sshd.file("host_ed25519.pub"));
    std::fs::create_dir(root.join("a b")).unwrap();
    let usual = ways.config.known_hosts().to_owned();
    let blank = root.join("a b").join("known hosts");
    ways.config.place("plain", port, "");
    ways.config.place("hashed", port, "  HashKnownHosts yes\n");
    ways.config.place("alias", port, "  HostKeyAlias inner\n");
    ways.config.place(
        "blank",
        port,
        &format!(
            "  UserKnownHostsFile \"{}\" {root}/none\n",
            blank.display(),
            root = root.display()
        ),
    );
    let place = format!("[127.0.0.1]:{port}");
    for (name, file, recorded) in [
        ("plain", &usual, &*place),
        ("hashed", &usual, &*place),
        ("alias", &usual, "inner"),
        ("blank", &blank, &*place),
    ] {
        for kind in ["auto", "library", "openssh"] {
            ways.prefer(kind);
            let what = format!("{name} {kind}");
            std::fs::write(file, format!("# a line before it\n{recorded} {public}")).unwrap();
            if name == "hashed" {
                let mut hash = ways.sandbox.command("ssh-keygen");
                assert!(
                    hash.args(["-q", "-Hf"])
                        .arg(file)
                        .output()
                        .unwrap()
                        .status
                        .success()
                );
            }
            let failure = run(&ways.host(name), &["true"]).await.unwrap_err();
            assert_eq!(failure.kind(), Kind::HostKey, "{what}: {failure}");
            assert_eq!(
                failure.message,
                format!(
                    "the host key of {name} is not the one recorded in {}:2 (recorded: {old}, offered: {new}); not connecting",
                    file.display()
                ),
                "{what}"
            );
            // The line of the hint is run as it stands.
            let hint = failure.data.hint.unwrap();
            let line = hint.strip_prefix("if the change is expected: ").unwrap();
            let mut forget = ways.sandbox.command("/bin/sh");
            let forgotten = forget.args(["-c", line]).output().unwrap();
            assert!(forgotten.status.success(), "{what}: {line}: {forgotten:?}");
            let left = std::fs::read_to_string(file).unwrap();
            assert_eq!(left, "# a line before it\n", "{what}: {line}");
        }
        // A key that is right in such a file is found there.
        let known = sshd.known("ed25519");
        let (_, own) = known.split_once(' ').unwrap();
        std::fs::write(file, format!("{recorded} {own}")).unwrap();
        ways.prefer("library");
        assert!(
            run(&ways.host(name), &["true"]).await.unwrap().ok(),
            "{name}"
        );
        std::fs::write(file, "").unwrap();
    }
    ways.end().await;
}
