//! Which conversation a program has: shown by its words or by the file that it holds, and by nothing else.

use std::path::Path;
use std::process::{Child, Stdio};

use pretty_assertions::assert_eq;
use surfaced::os::process_table::ProcessTable;
use surfaced::os::tree::Root;
use surfaced::provider::Providers;
use surfaced::service::conversations::{Pool, Question};

use crate::conversations::{claude, codex, write};
use crate::support::env::Sandbox;
use crate::support::{providers, wait};

/// Ids of this test's own: other tests have agents, too, and what their words name is theirs.
fn ids() -> (String, String) {
    let id = || uuid::Uuid::new_v4().to_string();
    (id(), id())
}

/// A stand-in of an agent: it holds the file of its first word open, if it has one, and waits.
const AGENT: &str = "#!/bin/sh\n[ -f \"$1\" ] && exec 3>>\"$1\"\nread -r line\n";

/// An agent's program, ended with the test.
struct Agent {
    child: Child,
}

impl Agent {
    fn start(sandbox: &Sandbox, name: &str, words: &[&str]) -> Self {
        let bin = sandbox.script(name, AGENT);
        Self::run(sandbox, &bin.join(name), words)
    }

    fn run(sandbox: &Sandbox, program: &Path, words: &[&str]) -> Self {
        let name = program.file_name().unwrap();
        let child = sandbox
            .command(program)
            .args(words)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        wait::until("the agent to be called by its name", || {
            let mut table = ProcessTable::new();
            let is_called = *table.get(pid)?.name == *name;
            let holds = words.first().is_none_or(|file| {
                !Path::new(file).is_file()
                    || table
                        .open_files(pid)
                        .iter()
                        .any(|open| open.ends_with(file))
            });
            (is_called && holds).then_some(())
        });
        Self { child }
    }

    fn question(&self, provider: &str) -> Question {
        Question {
            provider: Providers::default().get(provider).unwrap().clone(),
            process: Some(Root::now(self.child.id())),
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask(sandbox: &Sandbox, question: Question) -> Option<String> {
    let pool = Pool::new(providers(), sandbox.home().to_str().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime
        .block_on(pool.sessions_of(vec![question]))
        .pop()
        .flatten()
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}

fn rollout(sandbox: &Sandbox, id: &str) -> String {
    let path = format!(".codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-{id}.jsonl");
    let lines = codex(id, &sandbox.cwd(), &now(), "do it");
    write(sandbox, &path, &lines)
        .canonicalize()
        .unwrap()
        .display()
        .to_string()
}

fn transcript(sandbox: &Sandbox, id: &str, cwd: &Path, time: &str) {
    write(
        sandbox,
        &format!(".claude/projects/-x/{id}.jsonl"),
        &[claude(id, cwd, time, "do it")],
    );
}

#[test]
fn two_agents_in_one_directory_have_the_files_that_they_hold() {
    let sandbox = Sandbox::new();
    let (a, b) = ids();
    let (one, other) = (rollout(&sandbox, &a), rollout(&sandbox, &b));
    let first = Agent::start(&sandbox, "codex", &[&one]);
    let second = Agent::start(&sandbox, "codex", &[&other]);
    let silent = Agent::start(&sandbox, "codex", &[]);
    for _ in 0..3 {
        // The other one writes all the time: its file is always the newest.
        rollout_grows(&other);
        assert_eq!(
            ask(&sandbox, first.question("codex")).as_deref(),
            Some(a.as_str())
        );
        assert_eq!(
            ask(&sandbox, second.question("codex")).as_deref(),
            Some(b.as_str())
        );
        assert_eq!(ask(&sandbox, silent.question("codex")), None);
    }
}

fn rollout_grows(path: &str) {
    let mut file = std::fs::File::options().append(true).open(path).unwrap();
    std::io::Write::write_all(&mut file, b"{\"type\":\"event_msg\",\"payload\":{}}\n").unwrap();
}

#[test]
fn the_words_of_a_program_name_its_conversation() {
    let sandbox = Sandbox::new();
    let (a, b) = ids();
    let agent = Agent::start(&sandbox, "claude", &["--resume", &a]);
    let question = agent.question("claude");
    assert_eq!(ask(&sandbox, question).as_deref(), Some(a.as_str()));
    let other = Agent::start(&sandbox, "claude", &["--session-id", &b]);
    let question = other.question("claude");
    assert_eq!(ask(&sandbox, question).as_deref(), Some(b.as_str()));
}

#[test]
fn neither_the_newest_nor_the_only_one_is_good_enough() {
    let sandbox = Sandbox::new();
    let (a, b) = ids();
    let cwd = sandbox.cwd();
    // It was there before, and is written to by somebody else now.
    transcript(&sandbox, &b, &cwd, "2026-01-01T00:00:00Z");
    let agent = Agent::start(&sandbox, "claude", &[]);
    let question = agent.question("claude");
    assert_eq!(ask(&sandbox, question.clone()), None);
    // The only one that began here since: it may be that of a program that has left already.
    transcript(&sandbox, &a, &cwd, &now());
    assert_eq!(ask(&sandbox, question.clone()), None);
    // What another program is known to have changes nothing.
    let _known = Agent::start(&sandbox, "claude", &["--session-id", &b]);
    assert_eq!(ask(&sandbox, question.clone()), None);
    drop(agent);
    assert_eq!(ask(&sandbox, question), None, "it ended");
}
