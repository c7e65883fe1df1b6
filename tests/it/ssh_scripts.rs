//! The script of a command through every shell that may be a host's `/bin/sh` or a person's login shell.

use std::io::Write;
use std::process::Stdio;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use surfaced::launch::step::Invocation;
use surfaced::transport::ssh::answer::Stream;
use surfaced::transport::ssh::script::{File, line, write};

use crate::support::env::{Sandbox, have};

/// Runs a program with this input, which stays open until the answer is whole, and returns output, status and complaint.
fn answer(
    sandbox: &Sandbox,
    words: &[&str],
    input: &str,
    nonce: &str,
) -> (Vec<u8>, String, String) {
    let mut child = sandbox
        .command(words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let mut stdout = Stream::new(nonce, 1 << 20);
    let mut stderr = Stream::new(nonce, 1 << 20);
    stdout.feed(&output.stdout);
    stderr.feed(&output.stderr);
    let ended = stdout.ended().unwrap_or("no end").to_owned();
    let complaint = String::from_utf8_lossy(&stderr.into_output()).into_owned();
    (stdout.into_output(), ended, complaint)
}

/// Shells that are somebody's `/bin/sh`.
fn shells() -> Vec<Vec<&'static str>> {
    let mut shells = vec![vec!["/bin/sh"]];
    for (program, words) in [
        ("dash", vec!["dash"]),
        ("bash", vec!["bash", "--posix"]),
        ("zsh", vec!["zsh", "--emulate", "sh"]),
    ] {
        if have(program) {
            shells.push(words);
        }
    }
    shells
}

#[test]
fn input_files_and_status_are_the_same_in_every_sh() {
    let sandbox = Sandbox::new();
    let all = (0..=255).collect::<Vec<u8>>();
    for (number, shell) in shells().into_iter().enumerate() {
        let root = sandbox
            .root()
            .join(format!("scripts{number}"))
            .display()
            .to_string();
        let dir = format!("{root}/launch-x");
        let path = format!("{dir}/launch");
        let file = File {
            text: "printf '%s' \"it's $1 \\\\ `echo b`\"; cat; exit 7".into(),
            root: root.clone(),
            dir,
            path: path.clone(),
        };
        let mut command = Invocation::new(["/bin/sh", &path, "$HOME"]);
        command.stdin = Some(all.clone());
        let script = write(&command, std::slice::from_ref(&file), "n").unwrap();
        let (output, ended, complaint) = answer(&sandbox, &shell, &script, "n");
        let expected = [b"it's $HOME \\ b".as_slice(), &all].concat();
        assert_eq!(
            (output, &*ended, &*complaint),
            (expected, "7", ""),
            "{shell:?}"
        );

        // A second file of that name is refused, and so is a directory that is a link.
        let (_, ended, _) = answer(&sandbox, &shell, &script, "n");
        assert_eq!(ended, format!("73 file {root}"), "{shell:?}");
        std::fs::remove_dir_all(&root).unwrap();
        std::os::unix::fs::symlink(sandbox.home(), &root).unwrap();
        let (_, ended, _) = answer(&sandbox, &shell, &script, "n");
        assert_eq!(ended, format!("73 file {root}"), "{shell:?}");

        let missing = write(&Invocation::new(["no-such-tool"]), &[], "n").unwrap();
        let (_, ended, _) = answer(&sandbox, &shell, &missing, "n");
        assert!(
            ended.starts_with("127 missing ") && ended.contains("/opt/homebrew/bin"),
            "{shell:?}: {ended}"
        );
    }
}

#[test]
fn half_a_script_does_nothing() {
    let sandbox = Sandbox::new();
    let planted = sandbox.root().join("planted");
    let command = Invocation::new(["touch", planted.to_str().unwrap()]);
    let script = write(&command, &[], "n").unwrap();
    for shell in shells() {
        for end in (0..script.len() - 2).step_by(37) {
            let mut child = sandbox
                .command(shell[0])
                .args(&shell[1..])
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut stdin = child.stdin.take().unwrap();
            let _ = stdin.write_all(&script.as_bytes()[..end]);
            drop(stdin);
            child.wait().unwrap();
            assert!(!planted.exists(), "{shell:?} after {end} bytes");
        }
    }
}

#[test]
fn a_command_line_means_the_same_in_every_login_shell() {
    let shells = ["bash", "zsh", "fish", "tcsh", "dash"]
        .into_iter()
        .filter(|shell| have(shell))
        .collect::<Vec<_>>();
    let sandbox = Sandbox::new();
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    });
    let words = proptest::collection::vec("[^\0]{0,12}", 1..5);
    runner
        .run(&words, |words| {
            let mut argv = vec![
                "/bin/sh".to_owned(),
                "-c".into(),
                "printf '%s\\0' \"$@\"".into(),
                "x".into(),
            ];
            argv.extend(words.iter().cloned());
            let line = line(&write(&Invocation::new(argv), &[], "n").unwrap()).unwrap();
            let expected = words
                .iter()
                .flat_map(|word| [word.as_bytes(), b"\0"].concat())
                .collect::<Vec<_>>();
            for shell in &shells {
                let (output, ended, _) = answer(&sandbox, &[shell, "-c", &line], "", "n");
                prop_assert_eq!((&output, &*ended), (&expected, "0"), "{}", shell);
            }
            Ok(())
        })
        .unwrap();
}
