//! Running a call: in order within each terminal, and what became of each item without holding up the next.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::opener::{Keyed, Opener};
use super::place::Place;
use super::prepare::{Ask, Entry, keep_warnings, unplanned};
use super::progress::Progress;
use super::there::{self, Needing, There};
use crate::backend::batch::{self, Planned};
use crate::backend::job::Payload;
use crate::backend::{Act, Anchor, Backend, Job, Opened, Registry, Together};
use crate::proto::open::{OpenResult, Started};
use crate::proto::{BackendId, Failure, HostAlias, Kind, Request, SurfaceRef, Word};
use crate::service::conversation::{converse, converse_within};
use crate::service::scripts::{Report, Script};

/// Between two items of a terminal that tells no identities: the one before has to be in front.
const STAGGER: Duration = Duration::from_millis(400);

/// So many surfaces are opened with one command at most: a caller that vanishes gets no more than these.
const MOST_TOGETHER: usize = 8;

/// A call that is being run.
pub(super) struct Run<'a> {
    pub(super) opener: &'a Opener,
    pub(super) ask: &'a Ask,
    pub(super) place: &'a Place,
    pub(super) requests: &'a [Request],
    pub(super) registry: &'a Registry,
    pub(super) keyed: Option<&'a Keyed>,
    pub(super) progress: &'a watch::Sender<Progress>,
    pub(super) stop: CancellationToken,
    pub(super) stagger: Option<Duration>,
    pub(super) start: Duration,
}

/// The items of one terminal on one machine.
struct Group {
    place: (BackendId, Option<Word>),
    items: Vec<(usize, Entry)>,
}

/// An item whose place is settled and whose script is written.
struct Ready {
    index: usize,
    /// Where it stands among the items of its terminal.
    position: usize,
    job: Job,
    script: Option<Script>,
    warnings: Vec<String>,
    /// The daemon hosts it itself.
    hosted: bool,
}

/// The items of one terminal on their way to it.
struct Line<'a> {
    run: &'a Run<'a>,
    backend: &'a dyn Backend,
    host: Option<&'a HostAlias>,
    /// What each item of the terminal opened.
    opened: Vec<Option<SurfaceRef>>,
    /// Where further tabs go.
    session: Option<String>,
    /// Items that will be opened with one command.
    waiting: Vec<Ready>,
    /// Whether it is the only item: nothing waits for what becomes of its script.
    alone: bool,
    /// Items of a host that were opened and whose scripts are still to report.
    starting: Vec<(Ready, Opened)>,
    /// Tasks that still watch some of them start.
    confirming: Vec<JoinHandle<()>>,
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

    /// Opens the items of one terminal in order. Returns the tasks that still watch some of them start.
    async fn group(&self, mut group: Group) -> Vec<JoinHandle<()>> {
        self.ask_host(&mut group).await;
        let (backend, host) = group.place;
        let Some(backend) = self.registry.get(backend.as_str()) else {
            for (index, entry) in group.items {
                let failure = entry.planned.err().unwrap_or_else(unplanned);
                self.tell(index, OpenResult::refused(entry.request, &failure));
            }
            return Vec::new();
        };
        let capabilities = backend.capabilities();
        let has_ids = capabilities.headless
            || (self.ask.handles && capabilities.handle && capabilities.exact_target);
        let _turn = if has_ids {
            None
        } else {
            self.opener.front.acquire().await.ok()
        };
        let pause = self
            .stagger
            .unwrap_or(if has_ids { Duration::ZERO } else { STAGGER });
        let host = host.and_then(|host| HostAlias::parse(host.as_str()).ok());
        let mut line = Line {
            run: self,
            backend: backend.as_ref(),
            host: host.as_ref(),
            opened: vec![None; group.items.len()],
            session: None,
            waiting: Vec::new(),
            alone: group.items.len() == 1,
            starting: Vec::new(),
            confirming: Vec::new(),
        };
        let mut items: Vec<_> = group.items.into_iter().enumerate().collect();
        let together = has_ids && pause.is_zero();
        if together {
            // Splits go beside tabs by id, so all tabs can come first: both are then many to a command.
            items.sort_by_key(|(_, (_, entry))| {
                entry
                    .planned
                    .as_ref()
                    .is_ok_and(|planned| planned.job.layout.is_split())
            });
        }
        let mut begun = false;
        for (position, (index, Entry { request, planned })) in items {
            match planned {
                Ok(planned) => {
                    if begun && !pause.is_zero() {
                        let _ = tokio::time::timeout(pause, self.stop.cancelled()).await;
                    }
                    begun = true;
                    line.add(index, position, planned, together).await;
                }
                Err(failure) => self.tell(index, OpenResult::refused(request, &failure)),
            }
        }
        line.flush().await;
        line.confirm_there();
        line.confirming
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_cancelled() || self.opener.parts.supervisor.token().is_cancelled()
    }

    /// Notes that something is handed to a terminal from now on. False: nothing is to be any more.
    async fn begin(&self) -> bool {
        if let (Some(keyed), false) = (self.keyed, self.is_stopped()) {
            keyed.begin().await;
        }
        if self.is_stopped() {
            return false;
        }
        self.progress
            .send_if_modified(|progress| !std::mem::replace(&mut progress.begun, true));
        true
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

    fn tell(&self, index: usize, result: OpenResult) {
        publish(
            self.progress,
            self.opener.parts.announce.as_ref(),
            index,
            result,
        );
    }
}

impl Line<'_> {
    /// Opens an item, at once or together with its neighbours.
    async fn add(&mut self, index: usize, position: usize, planned: Planned, together: bool) {
        // Tabs and splits may be asked for in different words, and an anchor has to be there.
        let is_split = planned.job.layout.is_split();
        let differs = self
            .waiting
            .iter()
            .any(|ready| ready.job.layout.is_split() != is_split);
        let anchored = matches!(planned.job.anchor, Anchor::Earlier(_));
        if differs || (anchored && self.waits_for_one_before(position)) {
            self.flush().await;
        }
        let request = planned.job.request.clone();
        match self.make_ready(index, position, planned).await {
            Ok(ready) if together && !ready.hosted && self.backend.joins(&ready.job) => {
                self.waiting.push(ready);
                if self.waiting.len() >= MOST_TOGETHER {
                    self.flush().await;
                }
            }
            Ok(ready) => {
                self.flush().await;
                self.open(ready).await;
            }
            Err(failure) => self.run.tell(index, OpenResult::refused(request, &failure)),
        }
    }

    /// Whether the nearest earlier item that may still become an anchor is not opened yet.
    fn waits_for_one_before(&self, position: usize) -> bool {
        let nearest = self.opened[..position].iter().rposition(Option::is_some);
        self.waiting.iter().any(|ready| {
            ready.position < position && nearest.is_none_or(|nearest| ready.position > nearest)
        })
    }

    async fn make_ready(
        &self,
        index: usize,
        position: usize,
        planned: Planned,
    ) -> Result<Ready, Failure> {
        let Planned { mut job, draft } = planned;
        job.session.clone_from(&self.session);
        let mut before = draft.warnings;
        before.extend(batch::settle(
            self.backend,
            &mut job,
            &self.opened[..position],
        ));
        if let Some(there) = self.there() {
            there.prepare(&mut job).await?;
        }
        let mut draft = self.backend.build(&job)?;
        keep_warnings(&mut draft, before);
        let script = match &draft.script {
            Some(text) if !draft.argv.is_empty() => self.write(&mut job, text).await?,
            // The daemon needs no script for its own terminals, unless only that can say what became of the command.
            None if draft.argv.is_empty()
                && job.report
                && job.payload(false, usize::MAX) == Payload::Script =>
            {
                let mut own = job.clone();
                // What it leaves stays to be read in any case.
                own.request.on_exit = None;
                self.write(&mut job, &own.script_text()).await?
            }
            _ => None,
        };
        Ok(Ready {
            index,
            position,
            job,
            script,
            warnings: draft.warnings,
            hosted: draft.argv.is_empty(),
        })
    }

    /// Opens what waits, with one command where there are several.
    async fn flush(&mut self) {
        let mut waiting: VecDeque<_> = std::mem::take(&mut self.waiting).into();
        if waiting.len() > 1 && self.run.begin().await {
            let jobs: Vec<_> = waiting.iter().map(|ready| ready.job.clone()).collect();
            if let Some(conversation) = self.backend.open_together(&jobs) {
                let result = async {
                    let transport = self.run.opener.parts.links.to(self.host).await?;
                    let needs = match self.there() {
                        Some(there) => there.needs(&jobs).await?,
                        None => Vec::new(),
                    };
                    let transport = Needing::new(transport.as_ref(), needs);
                    converse(&transport, conversation).await
                };
                let Together { opened, rest } = match result.await {
                    Ok(together) => together,
                    // Nothing was begun: each is opened by itself, or says what it lacks.
                    Err(failure) if self.host.is_some() && there::is_lacking(&failure) => {
                        Together {
                            opened: Vec::new(),
                            rest: None,
                        }
                    }
                    Err(failure) => Together {
                        opened: Vec::new(),
                        rest: Some(failure),
                    },
                };
                for opened in opened {
                    if let Some(ready) = waiting.pop_front() {
                        self.opened(ready, opened, Report::Silent);
                    }
                }
                if let Some(failure) = rest {
                    for ready in waiting.drain(..) {
                        self.failed(ready, &failure).await;
                    }
                }
            }
        }
        for ready in waiting {
            self.open(ready).await;
        }
    }

    /// The host of the terminal; `None`: it is on this machine.
    fn there(&self) -> Option<There<'_>> {
        let opener = self.run.opener;
        self.host.map(|host| There { opener, host })
    }

    /// Opens one by itself.
    async fn open(&mut self, mut ready: Ready) {
        let result = async {
            if !self.run.begin().await {
                return Err(Failure::new(
                    Kind::Cancelled,
                    "the call was cancelled before this was opened",
                ));
            }
            if ready.hosted {
                let opened = self.run.opener.parts.hosted.create(&ready.job).await?;
                return Ok((opened, Report::Silent));
            }
            let start = self.run.start;
            if let Some(there) = self.there() {
                let limit = self.alone.then_some(start);
                return there.open(self.backend, &mut ready.job, start, limit).await;
            }
            let transport = self.run.opener.parts.links.to(None).await?;
            let conversation = self.backend.open(&ready.job)?;
            let opened = converse_within(transport.as_ref(), conversation, start).await?;
            Ok((opened, Report::Silent))
        };
        match result.await {
            Ok((opened, report)) => self.opened(ready, opened, report),
            Err(failure) => self.failed(ready, &failure).await,
        }
    }

    /// Notes what was opened. `report`: of its script on a host, where that was waited for.
    fn opened(&mut self, ready: Ready, mut opened: Opened, report: Report) {
        if let (Some(host), Some(line)) = (self.host, opened.attach.as_mut()) {
            *line = self.run.opener.parts.links.attach(host, line);
        }
        if !ready.job.layout.is_split() && opened.session.is_some() {
            self.session.clone_from(&opened.session);
        }
        self.opened[ready.position].clone_from(&opened.surface);
        if let Some(host) = self.host {
            opened.surface = opened.surface.map(|surface| surface.on(host));
        }
        match report {
            Report::Refused(failure) => {
                let request = ready.job.request;
                self.run
                    .tell(ready.index, OpenResult::refused(request, &failure));
            }
            Report::Silent if self.host.is_some() && ready.job.script.is_some() && !self.alone => {
                self.starting.push((ready, opened));
            }
            Report::Started | Report::Silent => {
                self.confirming.extend(self.run.confirm(ready, opened));
            }
        }
    }

    /// Watches the scripts of a host start that nobody has waited for yet. All are opened by now, and each is told as soon as
    /// something is known of it.
    fn confirm_there(&mut self) {
        let Some(host) = self.host.filter(|_| !self.starting.is_empty()) else {
            return;
        };
        let (host, mut starting) = (host.clone(), std::mem::take(&mut self.starting));
        let (opener, progress) = (self.run.opener.clone(), self.run.progress.clone());
        let end = Instant::now() + self.run.start;
        let task = async move {
            let (opener, host) = (&opener, &host);
            let there = There { opener, host };
            while !starting.is_empty() {
                let scripts: Vec<_> = starting
                    .iter()
                    .map(|(ready, _)| ready.job.script.as_deref().unwrap_or_default())
                    .collect();
                let reports = there.news(&scripts).await;
                let is_over = Instant::now() >= end;
                for ((ready, opened), report) in
                    std::mem::take(&mut starting).into_iter().zip(reports)
                {
                    let Ready {
                        index,
                        job,
                        warnings,
                        ..
                    } = ready;
                    let result = match report {
                        Report::Silent if !is_over => {
                            starting.push((
                                Ready {
                                    index,
                                    job,
                                    warnings,
                                    ..ready
                                },
                                opened,
                            ));
                            continue;
                        }
                        Report::Refused(failure) => OpenResult::refused(job.request, &failure),
                        Report::Started | Report::Silent => {
                            let started = listed(&opened);
                            done(job.request, opened, warnings, started)
                        }
                    };
                    publish(&progress, opener.parts.announce.as_ref(), index, result);
                }
            }
        };
        let supervisor = &self.run.opener.parts.supervisor;
        self.confirming.push(supervisor.spawn_owned(task));
    }

    async fn failed(&self, ready: Ready, failure: &Failure) {
        match (ready.script, &ready.job.script, self.host) {
            (Some(script), ..) => script.discard().await,
            // A host that may have opened it after all needs its script.
            (None, Some(path), Some(_)) if failure.kind() != Kind::StateUnknown => {
                if let Ok(transport) = self.run.opener.parts.links.to(self.host).await {
                    transport.drop_script(path).await;
                }
            }
            _ => {}
        }
        let system = failure
            .data
            .detail
            .as_ref()
            .and_then(|detail| detail["system"].as_str());
        let mut failure = failure.clone();
        if let (Some(host), Some(system)) = (self.host, system.map(str::to_owned)) {
            failure.message = format!(
                "{} is an application of macOS, and {host} runs {system}",
                self.backend.label()
            );
        }
        self.run.tell(
            ready.index,
            OpenResult::refused(ready.job.request, &failure),
        );
    }

    /// Writes the launch script where the terminal runs. One on this machine is watched.
    async fn write(&self, job: &mut Job, text: &str) -> Result<Option<Script>, Failure> {
        let parts = &self.run.opener.parts;
        if let Some(there) = self.there() {
            there.write(job, text).await?;
            return Ok(None);
        }
        let script = parts.scripts.write(text).await?;
        job.script = Some(script.path().to_string_lossy().into_owned());
        Ok(Some(script))
    }
}

impl Run<'_> {
    /// Tells what became of an item, now or, where its script is still to report, in a task of its own.
    fn confirm(&self, ready: Ready, opened: Opened) -> Option<JoinHandle<()>> {
        let Ready {
            index,
            job: Job { request, .. },
            script,
            warnings,
            hosted,
            ..
        } = ready;
        let listed = listed(&opened);
        let Some(script) = script else {
            self.tell(index, done(request, opened, warnings, listed));
            return None;
        };
        let starting = (index, opened.surface.clone());
        self.progress
            .send_modify(|progress| progress.starting.push(starting));
        let (progress, start) = (self.progress.clone(), self.start);
        let announce = self.opener.parts.announce.clone();
        let own = hosted.then(|| Arc::clone(&self.opener.parts.hosted));
        let supervisor = self.opener.parts.supervisor.clone();
        Some(self.opener.parts.supervisor.spawn_owned(async move {
            let process = opened.pid;
            let result = match script.report_of(start, process).await {
                Report::Started => done(request, opened, warnings, Started::Seen),
                Report::Silent => {
                    if let Some(pid) = process {
                        // A shell that ends later without having come to it leaves its secrets to nobody.
                        supervisor.spawn(async move { script.end(pid).await });
                    }
                    let mut warnings = warnings;
                    warnings.push(not_run(start));
                    done(request, opened, warnings, listed)
                }
                Report::Refused(failure) => {
                    if let (Some(own), Some(SurfaceRef::Builtin(id))) = (own, &opened.surface) {
                        let _ = own.act(id, &Act::Close).await;
                    }
                    OpenResult::refused(request, &failure)
                }
            };
            publish(&progress, announce.as_ref(), index, result);
        }))
    }
}

/// What is known of a start of which a terminal says so much.
const fn listed(opened: &Opened) -> Started {
    if opened.surface.is_some() {
        Started::Seen
    } else {
        Started::Unconfirmed
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

/// What is said of a surface whose launch script was waited for in vain.
fn not_run(limit: Duration) -> String {
    format!(
        "the command was not seen to start within {} ms, so it may not run: something in the start files of your shell, such as \
         .zshrc, may keep it",
        limit.as_millis()
    )
}

fn done(
    request: Request,
    opened: Opened,
    mut warnings: Vec<String>,
    started: Started,
) -> OpenResult {
    warnings.extend(opened.warnings);
    OpenResult {
        surface: opened.surface,
        pid: opened.pid,
        attach: opened.attach,
        warnings: Some(warnings).filter(|warnings| !warnings.is_empty()),
        ..OpenResult::opened(request, started)
    }
}
