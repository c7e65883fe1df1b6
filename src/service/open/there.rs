//! What items need on their host, and what becomes of their launch scripts there. The command that opens a surface looks for the
//! one and waits for the other, so that neither costs a round trip.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::host_script;
use super::opener::Opener;
use crate::backend::{Backend, Job, Opened};
use crate::launch::report::{self, Report};
use crate::launch::step::{Answer, Invocation, Need, Reports};
use crate::proto::{Argv, Failure, HostAlias, Kind};
use crate::service::conversation::converse_within;
use crate::transport::Transport;

/// How long the rc files of a host may take before it counts as unknown what they put on PATH.
const LIMIT: Duration = Duration::from_secs(10);

/// Between two questions after scripts: a host that fails at once is not asked without a pause.
const PAUSE: Duration = Duration::from_millis(50);

/// What a job needs; `path`: that of the interactive shell, where it is known. Without one the PATH of commands there has to do.
fn need(job: &Job, path: Option<&str>) -> Need {
    let cwd = job.cwd().map(str::to_owned);
    let is_plain = |program: &&str| {
        if program.contains('/') {
            // What it starts from is not known without a directory.
            program.starts_with('/') || cwd.is_some()
        } else {
            !has_own_path(job)
        }
    };
    let program = program(job).filter(is_plain).map(str::to_owned);
    let path = path.map(str::to_owned);
    Need { cwd, program, path }
}

/// The program of a job, where it is no line for a shell.
fn program(job: &Job) -> Option<&str> {
    job.request.command.as_ref().map(Argv::program)
}

fn is_bare(job: &Job) -> bool {
    program(job).is_some_and(|program| !program.contains('/'))
}

fn has_own_path(job: &Job) -> bool {
    let mut env = job.request.env.iter().flatten();
    env.any(|(name, _)| name.as_str() == "PATH")
}

/// Whether this says that a host lacks something: nothing was begun there.
pub(super) fn is_lacking(failure: &Failure) -> bool {
    matches!(failure.kind(), Kind::CwdMissing | Kind::ProgramMissing)
}

/// A host whose first command looks for what is needed, and whose command that runs the script waits for it.
pub(super) struct Needing<'a> {
    inner: &'a dyn Transport,
    needs: Mutex<Vec<Need>>,
    reports: Option<Reports>,
    report: Mutex<Vec<u8>>,
}

impl<'a> Needing<'a> {
    pub(super) const fn new(inner: &'a dyn Transport, needs: Vec<Need>) -> Self {
        Self {
            inner,
            needs: Mutex::new(needs),
            reports: None,
            report: Mutex::new(Vec::new()),
        }
    }

    fn report(&self) -> Report {
        let bytes = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        report::read(&bytes, 1).pop().unwrap_or(Report::Silent)
    }
}

impl Transport for Needing<'_> {
    fn run(&self, mut invocation: Invocation) -> BoxFuture<'_, Result<Answer, Failure>> {
        let mut needs = self.needs.lock().unwrap_or_else(PoisonError::into_inner);
        invocation.needs = std::mem::take(&mut needs);
        invocation.reports.clone_from(&self.reports);
        Box::pin(async {
            let mut answer = self.inner.run(invocation).await?;
            let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
            report.append(&mut answer.report);
            drop(report);
            Ok(answer)
        })
    }
}

/// A host on which things are opened.
pub(super) struct There<'a> {
    pub(super) opener: &'a Opener,
    pub(super) host: &'a HostAlias,
}

impl There<'_> {
    async fn link(&self) -> Result<Arc<dyn Transport>, Failure> {
        self.opener.parts.links.to(Some(self.host)).await
    }

    /// PATH of the interactive shell of a job, where it is known.
    fn path(&self, link: &Arc<dyn Transport>, job: &Job) -> Option<Arc<str>> {
        let supervisor = &self.opener.parts.supervisor;
        let paths = self.opener.shells.paths(self.host, supervisor, link);
        paths.known(job.shell.program())
    }

    /// Wants a launch script where nothing else can tell whether the program was there.
    pub(super) async fn prepare(&self, job: &mut Job) -> Result<(), Failure> {
        let Some(program) = program(job).filter(|_| job.handles) else {
            return Ok(());
        };
        job.report |= if program.contains('/') {
            !program.starts_with('/') && job.cwd().is_none()
        } else {
            has_own_path(job) || self.path(&self.link().await?, job).is_none()
        };
        Ok(())
    }

    /// Writes the launch script, or promises it.
    pub(super) async fn write(&self, job: &mut Job, text: &str) -> Result<(), Failure> {
        let link = self.link().await?;
        job.script = Some(host_script::place(link.as_ref(), text).await?);
        Ok(())
    }

    /// What jobs that are opened together need.
    pub(super) async fn needs(&self, jobs: &[Job]) -> Result<Vec<Need>, Failure> {
        let link = self.link().await?;
        let needs = jobs
            .iter()
            .map(|job| need(job, self.path(&link, job).as_deref()));
        Ok(needs.collect())
    }

    /// Opens one by itself. `limit`: how long its script is waited for; absent: it is not. What became of it comes along.
    pub(super) async fn open(
        &self,
        backend: &dyn Backend,
        job: &mut Job,
        within: Duration,
        limit: Option<Duration>,
    ) -> Result<(Opened, Report), Failure> {
        let link = self.link().await?;
        let supervisor = &self.opener.parts.supervisor;
        let paths = self.opener.shells.paths(self.host, supervisor, &link);
        let shell = job.shell.program().to_owned();
        let mut path = paths.known(&shell);
        let mut needed = need(job, path.as_deref());
        let mut asked = false;
        loop {
            let mut needing = Needing::new(link.as_ref(), vec![needed]);
            let dir = job.script.as_deref().map(report::dir);
            needing.reports = dir.zip(limit).map(|(dir, limit)| Reports {
                dir: dir.to_owned(),
                limit,
            });
            let failure = match converse_within(&needing, backend.open(job)?, within).await {
                Ok(opened) => {
                    if is_bare(job) {
                        paths.prepare(&shell);
                    }
                    return Ok((opened, needing.report()));
                }
                Err(failure) => failure,
            };
            if asked || failure.kind() != Kind::ProgramMissing || !is_bare(job) {
                return Err(failure);
            }
            // Nothing was begun. What rc files put on PATH is seen by their shell alone, and may be new.
            asked = true;
            let fresh = paths.fresh(&shell, LIMIT).await;
            if fresh.is_some() && fresh == path {
                return Err(failure);
            }
            path = fresh;
            needed = need(job, path.as_deref());
            if path.is_none() {
                needed.program = None;
                self.want_script(backend, job).await?;
            }
        }
    }

    /// Goes through a launch script from now on: only that can tell.
    async fn want_script(&self, backend: &dyn Backend, job: &mut Job) -> Result<(), Failure> {
        if job.script.is_some() || !job.handles {
            return Ok(());
        }
        job.report = true;
        match backend.build(job)?.script {
            Some(text) => self.write(job, &text).await,
            None => Ok(()),
        }
    }

    /// Waits until some of these scripts have news, for a second at most. None has where the host cannot be asked.
    pub(super) async fn news(&self, scripts: &[&str]) -> Vec<Report> {
        let question = report::ask(scripts.iter().map(|path| report::dir(path)));
        let answer = async { self.link().await?.run(question).await };
        let answer = answer.await.ok().filter(Answer::ok);
        let reports = report::read(
            answer.as_ref().map_or(&[], |answer| &answer.stdout),
            scripts.len(),
        );
        if reports.iter().all(|report| *report == Report::Silent) {
            tokio::time::sleep(PAUSE).await;
        }
        reports
    }
}
