//! Logging in as the person's configuration says: keys, agents, certificates, jump hosts.

use surfaced::proto::Kind;

use crate::support::agent::Agent;
use crate::support::ssh::{Ways, run, sh, way};
use crate::support::sshd::{Sshd, have_ssh, key, user, user_key};
use crate::support::wait;

#[tokio::test]
async fn what_openssh_can_do_works() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sandbox = &ways.sandbox;
    let root = sandbox.root().display();
    let identity = user_key(sandbox);

    // A certificate of an authority that the server trusts.
    let authority = sandbox.root().join("authority");
    key(sandbox, &authority, "ed25519", "");
    let certified = sandbox.root().join("certified");
    key(sandbox, &certified, "ed25519", "");
    let signed = sandbox
        .command("ssh-keygen")
        .args(["-q", "-s"])
        .arg(&authority)
        .args(["-I", "test", "-n", &user()])
        .arg(certified.with_extension("pub"))
        .status()
        .unwrap();
    assert!(signed.success());
    let sshd = Sshd::start_with(
        sandbox,
        "a",
        &format!("TrustedUserCAKeys {}.pub\n", authority.display()),
    );
    let bastion = Sshd::start(sandbox, "b");
    let locked = sandbox.root().join("locked");
    key(sandbox, &locked, "ed25519", "open sesame");
    sshd.authorize(&std::fs::read_to_string(locked.with_extension("pub")).unwrap());
    let agent = Agent::start(sandbox, "agent");
    agent.add(sandbox, &locked, "open sesame");

    // The same certificate where only an agent has it.
    let holder = Agent::start(sandbox, "holder");
    holder.add(sandbox, &certified, "");
    ways.config.know(&sshd.known("ed25519"));
    ways.config.place_without_key(
        "held",
        sshd.port(),
        &format!("  IdentityFile none\n  IdentityAgent {root}/holder\n"),
    );
    ways.config.host("bastion", &bastion, "");
    ways.config.host("inner", &sshd, "  ProxyJump bastion\n");
    ways.config.append(&format!(
        "Host certified locked\n  HostName 127.0.0.1\n  Port {}\n  User {}\n  IdentitiesOnly yes\n  UserKnownHostsFile {root}/known_hosts\n  \
         GlobalKnownHostsFile /dev/null\n",
        sshd.port(),
        user()
    ));
    ways.config.append(&format!(
        "Host certified\n  IdentityFile {root}/certified\nHost locked\n  IdentityFile {root}/locked\n  IdentityAgent {root}/agent\n"
    ));
    // Include, and Match with a command.
    std::fs::write(
        sandbox.root().join("more"),
        format!("Host included\n  HostName 127.0.0.1\nMatch host 127.0.0.1 exec \"test -d {root}\"\n  Port {}\n  User {}\n  IdentitiesOnly yes\n  \
            IdentityFile {}\n  UserKnownHostsFile {root}/known_hosts\n", sshd.port(), user(), identity.display()),
    )
    .unwrap();
    ways.config
        .append(&format!("Match all\nInclude {root}/more\n"));

    for (alias, kind, reason) in [
        ("inner", "openssh", "proxyjump is bastion"),
        ("certified", "openssh", "has a certificate"),
        ("held", "openssh", "the agent holds a certificate"),
        ("locked", "openssh", "cannot be pointed at the agent"),
        ("included", "library", ""),
        ("bastion", "library", ""),
    ] {
        let host = ways.host(alias);
        assert_eq!(sh(&host, "echo $((6*7))").await, "42", "{alias}");
        let (found, reasons) = way(&host).await;
        assert_eq!(found, kind, "{alias}: {reasons:?}");
        assert!(
            reason.is_empty() || reasons.iter().any(|given| given.contains(reason)),
            "{alias}: {reasons:?}"
        );
    }
    // The jump went through the bastion.
    assert!(bastion.log().contains("Accepted publickey"));
    ways.end().await;
}

#[tokio::test]
async fn refused_logins_are_told_and_not_repeated() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sandbox = &ways.sandbox;
    let sshd = Sshd::start(sandbox, "a");
    let root = sandbox.root().display();
    let wrong = sandbox.root().join("wrong");
    key(sandbox, &wrong, "ed25519", "");
    let exposed = sandbox.root().join("exposed");
    key(sandbox, &exposed, "ed25519", "");
    std::fs::set_permissions(
        &exposed,
        std::os::unix::fs::PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    sshd.authorize(&std::fs::read_to_string(exposed.with_extension("pub")).unwrap());
    let locked = sandbox.root().join("locked");
    key(sandbox, &locked, "ed25519", "open sesame");
    ways.config.know(&sshd.known("ed25519"));
    for name in ["wrong", "exposed", "locked", "missing"] {
        ways.config.append(&format!(
            "Host {name}\n  HostName 127.0.0.1\n  Port {}\n  User {}\n  IdentityFile {root}/{name}\n  IdentitiesOnly yes\n  \
             UserKnownHostsFile {root}/known_hosts\n  GlobalKnownHostsFile /dev/null\n",
            sshd.port(),
            user()
        ));
    }
    for (name, words, hint) in [
        (
            "wrong",
            "wrong refused the login; it accepts publickey".to_owned(),
            "ssh-add".to_owned(),
        ),
        (
            "exposed",
            format!("a key for exposed cannot be used: Permissions 0644 for '{root}/exposed'"),
            "chmod 600".to_owned(),
        ),
        (
            "locked",
            format!("the key {root}/locked for locked has a passphrase and is in no agent"),
            format!("ssh-add {root}/locked"),
        ),
        (
            "missing",
            format!("a key for missing cannot be used: no such identity: {root}/missing"),
            "has to be there".to_owned(),
        ),
    ] {
        let host = ways.host(name);
        let failure = run(&host, &["true"]).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::HostAuth, "{name}: {failure}");
        assert!(failure.message.starts_with(&words), "{name}: {failure}");
        let given = failure.data.hint.unwrap();
        assert!(given.contains(&hint), "{name}: {given}");
    }
    // At once again: the same answer, without knocking; a host that is knocked at too often locks the address out.
    let host = ways.host("wrong");
    let first = run(&host, &["true"]).await.unwrap_err();
    // This is logged before the server answers, the end of a login some time after it.
    let knocked = || sshd.log().matches("Connection from ").count();
    let knocks = knocked();
    let second = run(&host, &["true"]).await.unwrap_err();
    assert_eq!(first.message, second.message);
    assert!(second.data.detail.unwrap()["retryAfterMs"].is_number());
    assert_eq!(knocked(), knocks);
    // Once it is let in, whoever asks for a new connection gets it.
    sshd.authorize(&std::fs::read_to_string(wrong.with_extension("pub")).unwrap());
    host.reconnect().await.unwrap();
    assert!(run(&host, &["true"]).await.unwrap().ok());
    ways.end().await;
}

#[tokio::test]
async fn agents_that_are_gone_or_full_of_other_keys_do_no_harm() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sandbox = &ways.sandbox;
    let sshd = Sshd::start_with(sandbox, "a", "MaxAuthTries 6\n");
    let root = sandbox.root().display();
    let agent = Agent::start(sandbox, "agent");
    for number in 0..8 {
        let junk = sandbox.root().join(format!("junk{number}"));
        key(sandbox, &junk, "ed25519", "");
        agent.add(sandbox, &junk, "");
    }
    std::fs::write(sandbox.root().join("file"), "").unwrap();
    ways.config
        .host("full", &sshd, &format!("  IdentityAgent {root}/agent\n"));
    ways.config
        .host("gone", &sshd, &format!("  IdentityAgent {root}/nothing\n"));
    ways.config
        .host("file", &sshd, &format!("  IdentityAgent {root}/file\n"));
    ways.config.host("none", &sshd, "  IdentityAgent none\n");
    for alias in ["full", "gone", "file", "none"] {
        let host = ways.host(alias);
        assert!(run(&host, &["true"]).await.unwrap().ok(), "{alias}");
    }
    assert_eq!(way(&ways.host("gone")).await.0, "library");
    ways.end().await;
}

#[tokio::test]
async fn an_agent_that_cannot_help_is_named() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sandbox = &ways.sandbox;
    let sshd = Sshd::start_with(sandbox, "a", "MaxAuthTries 3\n");
    let root = sandbox.root().display();
    let _empty = Agent::start(sandbox, "empty");
    let full = Agent::start(sandbox, "full");
    for number in 0..8 {
        let junk = sandbox.root().join(format!("junk{number}"));
        key(sandbox, &junk, "ed25519", "");
        full.add(sandbox, &junk, "");
    }
    ways.config.know(&sshd.known("ed25519"));
    for name in ["dead", "empty", "full"] {
        ways.config.append(&format!(
            "Host {name}\n  HostName 127.0.0.1\n  Port {}\n  User {}\n  IdentityFile none\n  IdentityAgent {root}/{name}\n  \
             UserKnownHostsFile {root}/known_hosts\n  GlobalKnownHostsFile /dev/null\n",
            sshd.port(),
            user()
        ));
    }
    for kind in ["auto", "openssh"] {
        ways.prefer(kind);
        for (name, words, hint) in [
            (
                "dead",
                format!(
                    "no ssh-agent answers at {root}/dead, or it holds no key, and dead refused the login"
                ),
                "start the agent",
            ),
            (
                "empty",
                format!(
                    "no ssh-agent answers at {root}/empty, or it holds no key, and empty refused the login"
                ),
                "ssh-add a key",
            ),
            (
                "full",
                "full ended the login after too many keys".to_owned(),
                "IdentitiesOnly yes",
            ),
        ] {
            let failure = run(&ways.host(name), &["true"]).await.unwrap_err();
            assert_eq!(failure.kind(), Kind::HostAuth, "{kind} {name}: {failure}");
            assert_eq!(failure.message, words, "{kind} {name}");
            let given = failure.data.hint.unwrap();
            assert!(given.contains(hint), "{kind} {name}: {given}");
        }
    }
    ways.end().await;
}

#[tokio::test]
async fn a_configuration_full_of_conveniences_changes_nothing_for_commands() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    let root = ways.sandbox.root().display();
    let busy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port();
    ways.config.host(
        "zion",
        &sshd,
        &format!(
            "  RemoteCommand touch {root}/remote-command\n  RequestTTY force\n  SessionType none\n  LocalForward {port} 127.0.0.1:1\n  \
             ExitOnForwardFailure yes\n  PermitLocalCommand yes\n  LocalCommand touch {root}/local-command\n  ControlMaster auto\n  \
             ControlPath {root}/control-%p\n  ControlPersist yes\n  ForwardAgent yes\n  LogLevel QUIET\n  SetEnv SURFACED_TEST_A=b\n"
        ),
    );
    // What a crash left of a master.
    drop(
        std::os::unix::net::UnixListener::bind(
            ways.sandbox.root().join(format!("control-{}", sshd.port())),
        )
        .unwrap(),
    );
    for kind in ["auto", "library", "openssh"] {
        ways.prefer(kind);
        let host = ways.host("zion");
        let said = sh(
            &host,
            "echo ${SURFACED_TEST_A-none} ${SSH_AUTH_SOCK-none} ${SSH_TTY-none}",
        )
        .await;
        assert_eq!(said, "b none none", "{kind}");
    }
    assert!(!ways.sandbox.root().join("local-command").exists());
    assert!(!ways.sandbox.root().join("remote-command").exists());
    ways.end().await;
}

#[tokio::test]
async fn a_master_of_the_persons_own_is_used_and_left() {
    if !have_ssh() {
        return;
    }
    let ways = Ways::new();
    let sshd = Sshd::start(&ways.sandbox, "a");
    let control = ways.sandbox.root().join("own");
    ways.config.host(
        "zion",
        &sshd,
        &format!("  ControlPath {}\n", control.display()),
    );
    let mut master = ways
        .sandbox
        .command("ssh")
        .arg("-F")
        .arg(ways.config.path())
        .args(["-M", "-N", "zion"])
        .spawn()
        .unwrap();
    wait::until("the master", || control.exists().then_some(()));
    let host = ways.host("zion");
    assert_eq!(sh(&host, "echo up").await, "up");
    assert_eq!(sshd.logins(), 1);
    ways.end().await;
    assert!(master.try_wait().unwrap().is_none());
    let _ = master.kill();
    let _ = master.wait();
}
