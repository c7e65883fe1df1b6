//! Carries a conversation out, one command after the other.

use std::io::Write as _;
use std::process::Stdio;

use surfaced::launch::step::{Answer, BoxedConversation, Ended, Step};
use surfaced::proto::Failure;

use super::env::Sandbox;

/// Runs the commands of a conversation in a sandbox. The second part of the answer is what was run.
pub fn converse<T>(
    sandbox: &Sandbox,
    mut conversation: BoxedConversation<T>,
) -> (Result<T, Failure>, Vec<Vec<String>>) {
    let mut ran = Vec::new();
    let mut answer = None;
    loop {
        let invocation = match conversation.next(answer.take()) {
            Step::Run(invocation) => invocation,
            Step::Done(done) => return (Ok(done), ran),
            Step::Failed(failure) => return (Err(failure), ran),
        };
        let mut child = sandbox
            .command(&invocation.argv[0])
            .args(&invocation.argv[1..])
            .envs(&invocation.env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let _ = stdin.write_all(&invocation.stdin.clone().unwrap_or_default());
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        ran.push(invocation.argv);
        answer = Some(Answer {
            ended: Ended::Code(output.status.code().unwrap_or(255)),
            stdout: output.stdout,
            stderr: output.stderr,
            report: Vec::new(),
        });
    }
}
