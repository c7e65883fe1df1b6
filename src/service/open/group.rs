//! Running a call: in order within each terminal, and what became of each item without holding up the next.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::host_script;
use super::opener::Opener;
use super::place::Place;
use super::prepare::{Ask, Entry, keep_warnings};
use super::progress::Progress;
use crate::backend::batch::{self, Planned};
use crate::backend::{Backend, Job, Opened, Registry};
use crate::proto::open::{OpenResult, Started};
use crate::proto::{BackendId, Failure, HostAlias, Kind, Request, SurfaceRef, Word};
use crate::service::conversation::converse;
use crate::service::scripts::{Report, Script};
use crate::transport::Transport;

/// Between two items of a terminal that tells no identities: the one before has to be in front.
const STAGGER: Duration = Duration::from_millis(400);

/// A call that is being run.
pub(super) struct Run<'a> {
    pub(super) opener: &'a Opener,
    pub(super) ask: &'a Ask,
    pub(super) place: &'a Place,
    pub(super) requests: &'a [Request],
    pub(super) registry: &'a Registry,
    pub(super) progress: &'a watch::Sender<Progress>,
    pub(super) stop: CancellationToken,
    pub(super) stagger: Option<Duration>,
    pub(super) start: Duration,
    pub(super) handles: bool,
}

/// The items of one terminal on one machine.
struct Group {
    place: (BackendId, Option<Word>),
    items: Vec<(usize, Entry)>,
}

/// What was handed to a terminal.
struct Handed {
    request: Request,
    opened: Opened,
    script: Option<Script>,
    warnings: Vec<String>,
}

/// What earlier items of a group left for later ones.
#[derive(Default)]
struct Trail {
    opened: Vec<Option<SurfaceRef>>,
    session: Option<String>,
    /// The line that shows each session.
    lines: Vec<(String, String)>,
}

impl Trail {
    /// Notes what was opened. One session has one line that shows it, even where a split was told the socket.
    fn note(&mut self, job: &Job, mut opened: Opened) -> Opened {
        if let (Some(session), Some(line)) = (&opened.session, &mut opened.attach) {
            match self.lines.iter().find(|(known, _)| known == session) {
                Some((_, known)) => line.clone_from(known),
                None => self.lines.push((session.clone(), line.clone())),
            }
        }
        if !job.layout.is_split() && opened.session.is_some() {
            self.session.clone_from(&opened.session);
        }
        self.opened.push(opened.surface.clone());
        opened
    }
}

impl Run<'_> {
    /// Runs all items and returns when each has its result.
    pub(super) async fn all(&self, entries: Vec<Entry>) {
        let mut groups: Vec<Group> = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let place = (entry.request.backend.clone(), entry.request.host.clone());
            match groups.iter_mut().find(|group| group.place == place) {
                Some(group) => group.items.push((index, entry)),
                None => groups.push(Group {
                    place,
                    items: vec![(index, entry)],
                }),
            }
        }
        let confirming = join_all(groups.into_iter().map(|group| self.group(group))).await;
        for confirmation in confirming.into_iter().flatten() {
            let _ = confirmation.await;
        }
    }

    /// Opens the items of one terminal, one after the other. Returns the tasks that still watch some of them start.
    async fn group(&self, mut group: Group) -> Vec<JoinHandle<()>> {
        self.ask_host(&mut group).await;
        let (backend, host) = group.place;
        let mut confirming = Vec::new();
        let Some(backend) = self.registry.get(backend.as_str()) else {
            for (index, entry) in group.items {
                let failure = entry.planned.err().unwrap_or_else(unplanned);
                self.tell(index, refused(entry.request, &failure));
            }
            return confirming;
        };
        let capabilities = backend.capabilities();
        let has_ids = capabilities.headless
            || (self.handles && capabilities.handle && capabilities.exact_target);
        let _turn = if has_ids {
            None
        } else {
            self.opener.front.acquire().await.ok()
        };
        let pause = self
            .stagger
            .unwrap_or(if has_ids { Duration::ZERO } else { STAGGER });
        let host = host.and_then(|host| HostAlias::parse(host.as_str()).ok());
        let mut trail = Trail::default();
        let mut begun = false;
        for (index, Entry { request, planned }) in group.items {
            if begun && planned.is_ok() && !pause.is_zero() {
                let _ = tokio::time::timeout(pause, self.stop.cancelled()).await;
            }
            let handed = match planned {
                Ok(_) if self.is_stopped() => Err(Failure::new(
                    Kind::Cancelled,
                    "the call was cancelled before this was opened",
                )),
                Ok(planned) => {
                    begun = true;
                    self.hand_over(backend.as_ref(), host.as_ref(), planned, &mut trail)
                        .await
                }
                Err(failure) => Err(failure),
            };
            match handed {
                Ok(handed) => confirming.extend(self.confirm(index, handed)),
                Err(failure) => {
                    trail.opened.push(None);
                    self.tell(index, refused(request, &failure));
                }
            }
        }
        confirming
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_cancelled() || self.opener.parts.supervisor.token().is_cancelled()
    }

    /// Asks the host of a group for its shell, and plans its items with that.
    async fn ask_host(&self, group: &mut Group) {
        let Some(host) = &group.place.1 else { return };
        if group.items.iter().all(|(_, entry)| entry.planned.is_err()) {
            return;
        }
        let again = self
            .opener
            .plan_on(self.ask, self.place, self.registry, self.requests, host)
            .await;
        let mut again = match again {
            Ok(None) => return,
            Ok(Some(again)) => again,
            Err(failure) => self.requests.iter().map(|_| Err(failure.clone())).collect(),
        };
        for (index, entry) in &mut group.items {
            if entry.planned.is_ok()
                && let Some(slot) = again.get_mut(*index)
            {
                entry.planned = std::mem::replace(slot, Err(unplanned()));
            }
        }
    }

    /// Gives one item to its terminal.
    async fn hand_over(
        &self,
        backend: &dyn Backend,
        host: Option<&HostAlias>,
        planned: Planned,
        trail: &mut Trail,
    ) -> Result<Handed, Failure> {
        let Planned { mut job, draft } = planned;
        job.session.clone_from(&trail.session);
        let mut before = draft.warnings;
        before.extend(batch::settle(backend, &mut job, &trail.opened));
        let mut draft = backend.build(&job)?;
        keep_warnings(&mut draft, before);
        let mut script = None;
        let opened = if draft.argv.is_empty() {
            self.opener.parts.hosted.create(&job).await?
        } else {
            let transport = self.opener.parts.links.to(host).await?;
            if let Some(text) = &draft.script {
                script = self.write(&mut job, host, transport.as_ref(), text).await?;
            }
            let opened = match backend.open(&job) {
                Ok(conversation) => converse(transport.as_ref(), conversation).await,
                Err(failure) => Err(failure),
            };
            if let Err(failure) = &opened {
                match (&script, host, &job.script) {
                    (Some(script), ..) => script.discard().await,
                    // A host that may have opened it after all needs its script.
                    (None, Some(_), Some(path)) if failure.kind() != Kind::StateUnknown => {
                        transport.drop_script(path).await;
                    }
                    _ => {}
                }
            }
            opened?
        };
        let opened = trail.note(&job, opened);
        Ok(Handed {
            request: job.request,
            opened,
            script,
            warnings: draft.warnings,
        })
    }

    /// Writes the launch script where the terminal runs. One on this machine is watched.
    async fn write(
        &self,
        job: &mut Job,
        host: Option<&HostAlias>,
        transport: &dyn Transport,
        text: &str,
    ) -> Result<Option<Script>, Failure> {
        if host.is_some() {
            job.script = Some(match transport.promise_script(text.to_owned()).await? {
                Some(path) => path,
                None => host_script::write(transport, text).await?,
            });
            return Ok(None);
        }
        let script = self.opener.parts.scripts.write(text).await?;
        job.script = Some(script.path().to_string_lossy().into_owned());
        Ok(Some(script))
    }

    /// Tells what became of an item, now or, where its script is still to report, in a task of its own.
    fn confirm(&self, index: usize, handed: Handed) -> Option<JoinHandle<()>> {
        let Handed {
            request,
            opened,
            script,
            warnings,
        } = handed;
        let listed = if opened.surface.is_some() {
            Started::Seen
        } else {
            Started::Unconfirmed
        };
        let Some(script) = script else {
            self.tell(index, done(request, opened, warnings, listed));
            return None;
        };
        let (progress, start) = (self.progress.clone(), self.start);
        let announce = self.opener.parts.announce.clone();
        Some(self.opener.parts.supervisor.spawn_owned(async move {
            let result = match script.report(start).await {
                Report::Started => done(request, opened, warnings, Started::Seen),
                Report::Silent => done(request, opened, warnings, listed),
                Report::Refused(failure) => refused(request, &failure),
            };
            publish(&progress, announce.as_ref(), index, result);
        }))
    }

    fn tell(&self, index: usize, result: OpenResult) {
        publish(
            self.progress,
            self.opener.parts.announce.as_ref(),
            index,
            result,
        );
    }
}

fn publish(
    progress: &watch::Sender<Progress>,
    announce: &(dyn Fn(&OpenResult) + Send + Sync),
    index: usize,
    result: OpenResult,
) {
    if result.ok {
        announce(&result);
    }
    progress.send_modify(|progress| progress.results.push((index, result)));
}

fn done(
    request: Request,
    opened: Opened,
    mut warnings: Vec<String>,
    started: Started,
) -> OpenResult {
    warnings.extend(opened.warnings);
    OpenResult {
        ok: true,
        request,
        started: Some(started),
        surface: opened.surface,
        pid: opened.pid,
        attach: opened.attach,
        warnings: Some(warnings).filter(|warnings| !warnings.is_empty()),
        error: None,
        kind: None,
        hint: None,
    }
}

fn refused(request: Request, failure: &Failure) -> OpenResult {
    OpenResult {
        ok: false,
        request,
        started: None,
        surface: None,
        pid: None,
        attach: None,
        warnings: None,
        error: Some(failure.message.clone()),
        kind: Some(failure.kind()),
        hint: failure.data.hint.clone(),
    }
}

fn unplanned() -> Failure {
    Failure::new(Kind::Internal, "an item was left unplanned")
}
