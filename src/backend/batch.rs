//! A whole call of `build` or `open`: each request becomes a job with a place, and each job a command.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Anchor, Availability, Backend, Draft, Job, Registry};
use crate::launch::length;
use crate::launch::shell::Shell;
use crate::launch::ssh_line::SshLine;
use crate::proto::launch::BuildResult;
use crate::proto::{
    Argv, BackendId, Context, Failure, HostAlias, Kind, Layout, Request, Spec, SurfaceRef, Word,
};

/// What all items of a call have in common.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The backends.
    pub registry: &'a Registry,
    /// Where the caller is. Nothing of it is used for items with a host.
    pub context: &'a Context,
    /// What was found out about backends on the caller's machine; nothing of it is used for items with a host either.
    pub availability: &'a BTreeMap<BackendId, Availability>,
    /// The wrapping shell.
    pub shell: &'a Shell,
    /// Whether terminals are asked for identities.
    pub handles: bool,
    /// Whether the surfaces take the focus.
    pub focus: bool,
}

/// An item that can be opened.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What is opened, and where.
    pub job: Job,
    /// The command, with slots.
    pub draft: Draft,
}

impl Planned {
    /// As `build` shows it; `ssh` is what people call on a host.
    #[must_use]
    pub fn into_spec(self, ssh: &SshLine) -> Spec {
        self.draft.into_spec(self.job.request, ssh)
    }
}

/// Plans every request by itself: a failed one stops no other. A split whose anchor is an earlier item stands beside
/// [`Anchor::Earlier`] until [`settle`] is told what that item opened.
#[must_use]
pub fn plan(scene: &Scene<'_>, requests: Vec<Request>) -> Vec<Result<Planned, Failure>> {
    let caller = Arc::new(scene.context.env.clone().unwrap_or_default());
    let nobody = Arc::new(BTreeMap::new());
    let places: Vec<_> = requests
        .iter()
        .map(|r| (r.backend.clone(), r.host.clone()))
        .collect();
    requests
        .into_iter()
        .enumerate()
        .map(|(index, mut request)| {
            check(&request, index)?;
            let backend = scene.registry.named(&request.backend)?;
            if request.host.is_none() && request.cwd.is_none() {
                request.cwd.clone_from(&scene.context.cwd);
            }
            let (here, seen) = if request.host.is_none() {
                (&caller, scene.availability.get(&request.backend))
            } else {
                (&nobody, None)
            };
            let mut job = Job {
                layout: request.layout,
                anchor: Anchor::None,
                shell: scene.shell.clone(),
                handles: scene.handles,
                focus: scene.focus,
                report: false,
                caller: Arc::clone(here),
                session: None,
                script: None,
                extension: seen.and_then(|seen| seen.extension.clone()),
                request,
            };
            let earlier = places[..index]
                .iter()
                .rposition(|place| *place == places[index]);
            let warning = place(
                backend.as_ref(),
                &mut job,
                index,
                earlier.map(Anchor::Earlier),
            )?;
            let mut draft = backend.build(&job)?;
            draft.warnings.splice(0..0, warning);
            Ok(Planned { job, draft })
        })
        .collect()
}

/// The commands of all requests.
///
/// # Errors
/// The first request that cannot be built, as wrong parameters.
pub fn build(scene: &Scene<'_>, requests: Vec<Request>) -> Result<BuildResult, Failure> {
    let specs = plan(scene, requests)
        .into_iter()
        .map(|planned| planned.map(|planned| planned.into_spec(&SshLine::default())))
        .collect::<Result<_, _>>()
        .map_err(|mut failure: Failure| {
            if failure.kind() == Kind::BackendUnknown {
                failure.code = Kind::InvalidParams.code();
                failure.data.kind = Kind::InvalidParams;
                return failure.about("backend");
            }
            failure
        })?;
    Ok(BuildResult { specs })
}

/// Puts a split whose anchor is an earlier item beside the nearest earlier item that did open, else beside the caller, else
/// into a tab. `opened` holds, for each earlier item, its surface where it has the job's backend and host and is known.
///
/// Returns what is to be told of it.
pub fn settle(
    backend: &dyn Backend,
    job: &mut Job,
    opened: &[Option<SurfaceRef>],
) -> Option<String> {
    if !matches!(job.anchor, Anchor::Earlier(_)) {
        return None;
    }
    let nearest = opened.iter().rev().flatten().next();
    beside(backend, job, nearest.cloned().map(Anchor::Opened))
}

/// Decides beside what a split goes.
fn place(
    backend: &dyn Backend,
    job: &mut Job,
    index: usize,
    earlier: Option<Anchor>,
) -> Result<Option<String>, Failure> {
    if let Some(target) = &job.request.target {
        let host = job.request.host.as_deref();
        if target.backend() != backend.id() || target.host().map(HostAlias::as_str) != host {
            let place = host.map_or_else(String::new, |host| format!(" on {host}"));
            let message = format!(
                "items[{index}].target {target} is no surface of {}{place}",
                backend.id()
            );
            return Err(Failure::params(format!("items[{index}].target"), message));
        }
        if !job.layout.is_split() {
            let warning = "a target is for splits, and this is none, so it was not looked at";
            return Ok(Some(warning.to_owned()));
        }
        job.anchor = Anchor::Target(target.there().clone());
        return Ok(None);
    }
    // Without identities a split goes to the front pane, as the launch engine does it.
    if !job.layout.is_split() || !job.handles || !backend.capabilities().exact_target {
        return Ok(None);
    }
    Ok(beside(backend, job, earlier))
}

fn beside(backend: &dyn Backend, job: &mut Job, earlier: Option<Anchor>) -> Option<String> {
    if let Some(anchor) = earlier {
        job.anchor = anchor;
    } else if backend.knows_caller(job) {
        job.anchor = Anchor::Caller;
    } else {
        job.anchor = Anchor::None;
        job.layout = Layout::Tab;
        return Some(format!(
            "there is no pane of {} to split that is known to be yours, so a tab is opened",
            backend.label()
        ));
    }
    None
}

/// Refuses what no backend can do.
fn check(request: &Request, index: usize) -> Result<(), Failure> {
    if let Some(host) = &request.host {
        HostAlias::parse(host.as_str()).map_err(|error| {
            Failure::bad_host(format!("items[{index}].host"), error.to_string())
        })?;
    }
    let words = request
        .command
        .iter()
        .flat_map(Argv::words)
        .chain(&request.shell_command)
        .map(Word::as_str);
    let what = format!("items[{index}]");
    length::check(&what, words, request.env.as_ref()).map_err(|failure| failure.about(what))
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
