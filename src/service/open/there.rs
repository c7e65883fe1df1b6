//! What items need on their host. The first command of an opening looks, so that it costs no round trip.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use crate::backend::Job;
use crate::launch::step::{Answer, Invocation, Need};
use crate::proto::{Argv, Failure, Kind};
use crate::transport::Transport;

/// How long the rc files of a host may take before it counts as unknown what they put on PATH.
const LIMIT: Duration = Duration::from_secs(10);

/// What a job needs; `found`: its program is known to be there.
pub(super) fn need(job: &Job, found: bool) -> Need {
    let cwd = job.cwd().map(str::to_owned);
    let is_plain = |program: &&str| {
        if program.contains('/') {
            // What it starts from is not known without a directory.
            program.starts_with('/') || cwd.is_some()
        } else {
            !found && !has_own_path(job)
        }
    };
    let program = program(job).filter(is_plain).map(str::to_owned);
    Need { cwd, program }
}

/// The program of a job, where it is no line for a shell.
pub(super) fn program(job: &Job) -> Option<&str> {
    job.request.command.as_ref().map(Argv::program)
}

fn has_own_path(job: &Job) -> bool {
    let mut env = job.request.env.iter().flatten();
    env.any(|(name, _)| name.as_str() == "PATH")
}

/// Whether this says that a host lacks something: nothing was begun there.
pub(super) fn is_lacking(failure: &Failure) -> bool {
    matches!(failure.kind(), Kind::CwdMissing | Kind::ProgramMissing)
}

/// A host whose first command looks for what is needed.
pub(super) struct Needing<'a> {
    inner: &'a dyn Transport,
    needs: Mutex<Vec<Need>>,
}

impl<'a> Needing<'a> {
    pub(super) const fn new(inner: &'a dyn Transport, needs: Vec<Need>) -> Self {
        Self {
            inner,
            needs: Mutex::new(needs),
        }
    }
}

impl Transport for Needing<'_> {
    fn run(&self, mut invocation: Invocation) -> BoxFuture<'_, Result<Answer, Failure>> {
        let mut needs = self.needs.lock().unwrap_or_else(PoisonError::into_inner);
        invocation.needs = std::mem::take(&mut needs);
        self.inner.run(invocation)
    }
}

/// Whether a bare name is a program on the PATH of the interactive `shell` of a host. `None`: it is not known.
pub(super) async fn is_on_interactive_path(
    transport: &dyn Transport,
    shell: &str,
    program: &str,
) -> Option<bool> {
    // rc files may print anything, so the answer carries a mark that nothing else prints.
    let mark = format!("{:032x}", rand::random::<u128>());
    let line = format!(
        "exec /bin/sh -c 'if command -v \"$SURFACED_PROGRAM\" >/dev/null; then echo {mark}yes; else echo {mark}no; fi'"
    );
    let invocation = Invocation {
        env: [("SURFACED_PROGRAM".to_owned(), program.to_owned())].into(),
        timeout: Some(LIMIT),
        ..Invocation::new([shell, "-ilc", &line])
    };
    let answer = transport.run(invocation).await.ok()?;
    let text = answer.text();
    let (_, rest) = text.split_once(&mark)?;
    if rest.starts_with("yes") {
        Some(true)
    } else {
        rest.starts_with("no").then_some(false)
    }
}
