//! Lines and launch scripts in real shells, with rc files that are in the way.

use proptest::prelude::*;
use proptest::test_runner::Config;

use surfaced::launch::quote::Style;
use surfaced::launch::script::{self, Launch};
use surfaced::launch::shell::{Program, Shell};
use surfaced::proto::launch::OnExit;
use surfaced::proto::{Argv, Env, EnvName, Failure, Kind, Word};

use crate::support::env::have;
use crate::support::words::{self, ALIASES, Person, Seen};

const SHELLS: [&str; 5] = ["zsh", "bash", "dash", "sh", "fish"];

fn argv(words: &[String]) -> Argv {
    let words: Vec<_> = words
        .iter()
        .map(|word| Word::parse(word.as_str()).unwrap())
        .collect();
    Argv::try_from(words).unwrap()
}

fn env(value: &str) -> Env {
    Env::from([(
        EnvName::parse("SECRET").unwrap(),
        Word::parse(value).unwrap(),
    )])
}

fn printargs(words: &[String]) -> Vec<String> {
    std::iter::once("printargs".to_owned())
        .chain(words.iter().cloned())
        .collect()
}

/// Writes a launch script, runs it, and returns what the program saw and whether the directory is gone.
fn launch(
    person: &Person,
    sh: &[&str],
    launch: &Launch<'_>,
) -> (Result<Seen, String>, bool, std::path::PathBuf) {
    let path = person.launch_path();
    std::fs::write(&path, script::text(launch)).unwrap();
    let words: Vec<_> = sh
        .iter()
        .map(|word| (*word).to_owned())
        .chain([path.display().to_string()])
        .collect();
    let seen = person.seen(&mut person.command(&words));
    let dir = path.parent().unwrap().to_owned();
    (seen, !dir.exists(), dir)
}

proptest! {
    #![proptest_config(Config { cases: 16, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_shell_gives_the_words_the_directory_and_the_variables_byte_for_byte(
        words in prop::collection::vec(words::word(), 0..5),
        alias in prop::sample::select(&ALIASES[..]),
        name in words::name(),
        secret in words::word(),
    ) {
        let person = Person::new();
        let dir = person.dir(&name);
        let dir = dir.to_str().unwrap();
        let words: Vec<_> = words.into_iter().chain([alias.to_owned()]).collect();
        let argv = argv(&printargs(&words));
        for name in SHELLS.into_iter().filter(|name| have(name)) {
            let shell = Shell::named(name);
            let line = shell.line(Some(dir), Program::Argv(&argv), Style::Quoted).unwrap();
            let seen = person.seen(&mut person.command(&shell.wrap(line)));
            let expected = Seen { cwd: dir.to_owned(), secret: "rc".to_owned(), words: words.clone() };
            prop_assert_eq!(seen.as_ref(), Ok(&expected), "{} as a line", name);

            let env = env(&secret);
            let expected = Seen { secret: secret.clone(), ..expected };
            let what = Launch { program: Program::Argv(&argv), cwd: Some(dir), env: Some(&env), on_exit: OnExit::Close, shell: &shell };
            let (seen, gone, _) = launch(&person, &["/bin/sh"], &what);
            prop_assert_eq!(seen.as_ref(), Ok(&expected), "{} through a script", name);
            prop_assert!(gone);

            let line: Vec<_> = printargs(&words).iter().map(|word| shell.quote(word, Style::Quoted).into_owned()).collect();
            let line = line.join(" ");
            let (seen, gone, _) = launch(&person, &["/bin/sh"], &Launch { program: Program::Line(&line), ..what });
            prop_assert_eq!(seen.as_ref(), Ok(&expected), "{} as a line through a script", name);
            prop_assert!(gone);
        }
        prop_assert!(!dir_has_pwn(&person));
    }
}

fn dir_has_pwn(person: &Person) -> bool {
    let output = person
        .sandbox
        .command("find")
        .args([".", "/tmp", "-maxdepth", "3", "-name", "pwn"])
        .output();
    output.is_ok_and(|output| {
        output.stdout.starts_with(b"./") || person.sandbox.cwd().join("pwn").exists()
    })
}

/// What `/bin/sh` may be.
const POSIX: [&[&str]; 4] = [
    &["/bin/sh"],
    &["dash"],
    &["bash", "--posix"],
    &["zsh", "--emulate", "sh"],
];

#[test]
fn a_script_runs_under_whatever_sh_is() {
    let person = Person::new();
    let dir = person.dir("d e");
    let words = ["it's", "-n", "", "L"].map(str::to_owned);
    let argv = argv(&printargs(&words));
    let env = env("s\n'x'");
    for sh in POSIX
        .into_iter()
        .filter(|sh| have(sh[0].trim_start_matches("/bin/")))
    {
        for (shell, on_exit) in [
            ("bash", OnExit::Close),
            ("bash", OnExit::Hold),
            ("bash", OnExit::HoldOnFailure),
            ("nu", OnExit::Close),
        ] {
            let what = Launch {
                program: Program::Argv(&argv),
                cwd: dir.to_str(),
                env: Some(&env),
                on_exit,
                shell: &Shell::named(shell),
            };
            let (seen, gone, _) = launch(&person, sh, &what);
            let expected = Seen {
                cwd: dir.display().to_string(),
                secret: "s\n'x'".into(),
                words: words.clone().into(),
            };
            assert_eq!(seen, Ok(expected), "{sh:?} {shell}");
            assert!(gone, "{sh:?} left its directory");
        }
    }
}

fn refusal(dir: &std::path::Path) -> Failure {
    assert!(
        !dir.join(script::FILE).exists(),
        "the script with its secrets is still there"
    );
    script::report(&std::fs::read(dir.join(script::REPORT)).unwrap()).unwrap()
}

#[test]
fn a_script_says_why_it_started_nothing() {
    let person = Person::new();
    let missing = person.sandbox.cwd().join("not there");
    let (here, gone) = (person.sandbox.cwd(), missing.to_str());
    let shell = Shell::named("bash");
    let (good, bad) = (
        argv(&["printargs".into()]),
        argv(&["no such program".into()]),
    );
    for (program, cwd, shell, kind) in [
        (Program::Argv(&good), gone, &shell, Kind::CwdMissing),
        (Program::Line("printargs"), gone, &shell, Kind::CwdMissing),
        (Program::Shell, gone, &shell, Kind::CwdMissing),
        (
            Program::Argv(&bad),
            here.to_str(),
            &shell,
            Kind::ProgramMissing,
        ),
        (
            Program::Argv(&good),
            here.to_str(),
            &Shell::named("/no/zsh"),
            Kind::ProgramMissing,
        ),
        (
            Program::Line("printargs"),
            here.to_str(),
            &Shell::named("/no/zsh"),
            Kind::ProgramMissing,
        ),
    ] {
        let what = Launch {
            program,
            cwd,
            env: None,
            on_exit: OnExit::Close,
            shell,
        };
        let (seen, _, dir) = launch(&person, &["/bin/sh"], &what);
        assert!(seen.is_err(), "{program:?}");
        let failure = refusal(&dir);
        assert_eq!(failure.kind(), kind, "{program:?}");
        assert!(failure.data.hint.is_some());
    }
    let bin = person.sandbox.root().join("bin");
    let what = Launch {
        program: Program::Argv(&bad),
        cwd: None,
        env: None,
        on_exit: OnExit::Close,
        shell: &shell,
    };
    let (_, _, dir) = launch(&person, &["/bin/sh"], &what);
    let failure = refusal(&dir);
    assert!(
        !failure.message.contains(bin.to_str().unwrap()),
        "{failure}"
    );
    let hint = failure.data.hint.unwrap();
    assert!(
        hint.contains(bin.to_str().unwrap()),
        "what was searched is told: {hint}"
    );
}

#[test]
fn a_script_that_cannot_remove_its_directory_starts_nothing() {
    let person = Person::new();
    let path = person.launch_path();
    let argv = argv(&["printargs".into()]);
    let what = Launch {
        program: Program::Argv(&argv),
        cwd: None,
        env: None,
        on_exit: OnExit::Close,
        shell: &Shell::named("bash"),
    };
    std::fs::write(&path, script::text(&what)).unwrap();
    std::fs::write(path.with_file_name("in the way"), "").unwrap();
    let words = ["/bin/sh".to_owned(), path.display().to_string()];
    assert!(person.seen(&mut person.command(&words)).is_err());
    assert_eq!(refusal(path.parent().unwrap()).kind(), Kind::SpawnFailed);
}

#[test]
fn long_words_pass_through_a_script() {
    let person = Person::new();
    let words = ["x".repeat(100_000), "'".repeat(20_000)];
    let argv = argv(&printargs(&words));
    let what = Launch {
        program: Program::Argv(&argv),
        cwd: None,
        env: None,
        on_exit: OnExit::Close,
        shell: &Shell::named("bash"),
    };
    let (seen, _, _) = launch(&person, &["/bin/sh"], &what);
    assert_eq!(seen.unwrap().words, words);
}

#[test]
fn a_path_variable_of_the_caller_is_where_the_program_is_looked_for() {
    let mut person = Person::new();
    person.sandbox.script("elsewhere", "#!/bin/sh\n");
    let path = format!(
        "{}:/usr/bin:/bin",
        person.sandbox.root().join("bin").display()
    );
    let env = Env::from([(EnvName::parse("PATH").unwrap(), Word::parse(path).unwrap())]);
    person.sandbox.set_path("/usr/bin:/bin");
    std::fs::remove_file(person.sandbox.home().join(".bash_profile")).unwrap();
    std::fs::remove_file(person.sandbox.home().join(".profile")).unwrap();
    let argv = argv(&["printargs".into(), "a".into()]);
    let what = Launch {
        program: Program::Argv(&argv),
        cwd: None,
        env: Some(&env),
        on_exit: OnExit::Close,
        shell: &Shell::named("bash"),
    };
    let (seen, _, _) = launch(&person, &["/bin/sh"], &what);
    assert_eq!(seen.unwrap().words, ["a"]);
}
