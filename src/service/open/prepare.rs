//! From the parameters of a call to items that can be opened: everything that is found out before anything opens.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;

use super::check::{Checker, shell as shell_of_caller};
use super::opener::Opener;
use super::place::{Place, Question};
use super::planning;
use crate::backend::batch::{Planned, Scene};
use crate::backend::{Draft, Registry};
use crate::launch::plan::{self, Defaults};
use crate::launch::shell::Shell;
use crate::os::peer::Peer;
use crate::proto::launch::BuildParams;
use crate::proto::open::{OpenParams, Source};
use crate::proto::{BackendId, Context, Failure, HostAlias, Item, Kind, Packing, Request, Word};

/// Items that whoever calls knows not to open, by index, and why.
pub type Refused = BTreeMap<usize, Failure>;

/// What `open` and `build` are both asked.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of the caller's that have nothing to do with each other"
)]
pub(super) struct Ask {
    items: Vec<Item>,
    backend: Option<BackendId>,
    host: Option<Word>,
    packing: Packing,
    context: Option<Context>,
    shell: Option<Word>,
    pub(super) handles: bool,
    focus: bool,
    caller: Option<Peer>,
    /// Whether it is to be opened: checked, with the shells that are there, and in the daemon's own terminal at worst.
    open: bool,
    /// Whether tmux is asked where the caller is in it.
    confirm: bool,
    /// Items that are known not to open, by index.
    refused: Refused,
}

impl Ask {
    pub(super) fn to_open(params: OpenParams, caller: Option<Peer>, refused: Refused) -> Self {
        // A dry run shows what the same words built, where these are all that is known of the caller.
        let confirm = params.dry_run != Some(true) || is_seen(params.context.as_ref());
        Self {
            refused,
            items: params.items,
            backend: params.backend,
            host: params.host,
            packing: params.packing.unwrap_or_default(),
            context: params.context,
            shell: params.shell,
            handles: params.handles.unwrap_or(true),
            focus: params.focus.unwrap_or(true),
            caller,
            open: true,
            confirm,
        }
    }

    pub(super) fn to_build(params: BuildParams, caller: Option<Peer>) -> Self {
        let confirm = is_seen(params.context.as_ref());
        Self {
            refused: Refused::new(),
            items: params.items,
            backend: params.backend,
            host: params.host,
            packing: params.packing.unwrap_or_default(),
            context: params.context,
            shell: params.shell,
            handles: params.handles.unwrap_or(true),
            focus: true,
            caller,
            open: false,
            confirm,
        }
    }

    /// The same without its items, where these are not needed any more.
    pub(super) fn without_items(&self) -> Self {
        Self {
            items: Vec::new(),
            backend: self.backend.clone(),
            host: self.host.clone(),
            context: self.context.clone(),
            shell: self.shell.clone(),
            refused: Refused::new(),
            ..*self
        }
    }

    const fn defaults(&self) -> Defaults<'_> {
        Defaults {
            backend: self.backend.as_ref(),
            host: self.host.as_ref(),
            packing: self.packing,
        }
    }

    pub(super) const fn scene<'a>(
        &self,
        place: &'a Place,
        registry: &'a Registry,
        shell: &'a Shell,
    ) -> Scene<'a> {
        Scene {
            registry,
            context: &place.context,
            availability: &place.availability,
            shell,
            handles: self.handles,
            focus: self.focus,
        }
    }
}

/// Whether a caller's process is looked at, so that its words alone do not decide.
fn is_seen(context: Option<&Context>) -> bool {
    context.is_none_or(|context| context.pid.is_some())
}

/// An item, and how it is opened or why it is not.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) request: Request,
    pub(super) planned: Result<Planned, Failure>,
}

/// A call that can be run.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) backend: Option<BackendId>,
    pub(super) source: Option<Source>,
    pub(super) entries: Vec<Entry>,
    /// Every request and where the caller is: what items on hosts are planned with once their host was asked.
    pub(super) requests: Vec<Request>,
    pub(super) place: Place,
}

/// When hosts are asked for the shells that they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AskHosts {
    /// At once, all of them.
    Now,
    /// Not yet: each host delays its own items only.
    Later,
}

impl Opener {
    /// Prepares a call.
    ///
    /// # Errors
    /// Only what concerns the call as a whole; an item that cannot be opened says so itself.
    pub(super) async fn prepare(
        &self,
        ask: &Ask,
        registry: &Registry,
        hosts: AskHosts,
    ) -> Result<Prepared, Failure> {
        let place = self.look(ask).await?;
        let (requests, source) = requests(ask, &place)?;
        let backend = requests.first().map(|request| request.backend.clone());
        let mut entries = self
            .plan(ask, &place, registry, requests.clone(), hosts)
            .await;
        for (index, failure) in &ask.refused {
            if let Some(entry) = entries.get_mut(*index) {
                entry.planned = Err(failure.clone());
            }
        }
        if ask.open {
            self.check(ask, &place, registry, &mut entries).await;
        }
        if let Some(silent) = &place.silent {
            for (item, entry) in ask.items.iter().zip(&mut entries) {
                let named = ask.defaults().backend(item).is_some();
                heed(silent, named, registry, entry);
            }
        }
        Ok(Prepared {
            backend,
            source,
            entries,
            requests,
            place,
        })
    }

    async fn look(&self, ask: &Ask) -> Result<Place, Failure> {
        let defaults = ask.defaults();
        let known: Vec<_> = ask
            .items
            .iter()
            .map(|item| defaults.backend(item))
            .collect();
        let question = Question {
            caller: ask.caller,
            context: ask.context.clone(),
            choose: known.iter().any(Option::is_none),
            named: known
                .into_iter()
                .flatten()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            confirm: ask.confirm,
        };
        let mut place = self.parts.whereabouts.look(question).await?;
        if ask.open {
            let usable = |cwd: &crate::proto::AbsolutePath| cwd.as_path().is_dir();
            if !place.context.cwd.as_ref().is_some_and(usable) {
                place.context.cwd = Some(self.parts.home.clone());
            }
        }
        Ok(place)
    }

    /// Plans all items. Those of one shell are planned together; a host's shell may be another one.
    async fn plan(
        &self,
        ask: &Ask,
        place: &Place,
        registry: &Registry,
        requests: Vec<Request>,
        hosts: AskHosts,
    ) -> Vec<Entry> {
        let mut shells = Vec::with_capacity(requests.len());
        let asked: BTreeMap<&Word, Result<Shell, Failure>> = if ask.open && hosts == AskHosts::Now {
            let hosts: BTreeSet<_> = requests
                .iter()
                .filter_map(|one| one.host.as_ref())
                .collect();
            let asking = hosts
                .into_iter()
                .map(async |host| (host, self.shell_on(host).await));
            join_all(asking).await.into_iter().collect()
        } else {
            BTreeMap::new()
        };
        for request in &requests {
            shells.push(match (&ask.shell, &request.host) {
                (Some(shell), _) => Ok(Shell::named(shell)),
                _ if !ask.open => Ok(Shell::default()),
                (None, None) => Ok(self.shells.here().clone()),
                (None, Some(host)) => asked
                    .get(host)
                    .cloned()
                    .unwrap_or_else(|| Ok(Shell::default())),
            });
        }
        let kinds: BTreeMap<_, _> = shells
            .iter()
            .flatten()
            .map(|shell| (shell.program().to_owned(), shell.clone()))
            .collect();
        let mut plans: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (program, shell) in kinds {
            let planned = planning::plan(ask, place, registry, &shell, requests.clone()).await;
            plans.insert(program, planned.into_iter().map(Some).collect());
        }
        let mut take =
            |index: usize, shell: &Shell| plans.get_mut(shell.program())?.get_mut(index)?.take();
        requests
            .into_iter()
            .zip(shells)
            .enumerate()
            .map(|(index, (request, shell))| {
                let planned =
                    shell.and_then(|shell| take(index, &shell).unwrap_or_else(|| Err(unplanned())));
                Entry { request, planned }
            })
            .collect()
    }

    /// Plans the items of a host again once it was asked for its shell. `None`: they are right as they are.
    ///
    /// # Errors
    /// What the host fails with.
    pub(super) async fn plan_on(
        &self,
        ask: &Ask,
        place: &Place,
        registry: &Registry,
        requests: &[Request],
        host: &Word,
    ) -> Result<Option<Vec<Result<Planned, Failure>>>, Failure> {
        if ask.shell.is_some() {
            return Ok(None);
        }
        self.parts
            .links
            .called(ask.caller, ask.context.as_ref())
            .await;
        let shell = self.shell_on(host).await?;
        if shell.program() == Shell::default().program() {
            return Ok(None);
        }
        let planned = planning::plan(ask, place, registry, &shell, requests.to_vec()).await;
        Ok(Some(planned))
    }

    /// The shell that wraps commands on a host.
    ///
    /// # Errors
    /// What the host fails with.
    pub async fn shell_on(&self, host: &Word) -> Result<Shell, Failure> {
        // A bad host is refused by the plan, with its place.
        let Ok(host) = HostAlias::parse(host.as_str()) else {
            return Ok(Shell::default());
        };
        let transport = self.parts.links.to(Some(&host)).await?;
        self.shells.on(&host, transport.as_ref()).await
    }

    /// Makes every check that can be made before anything opens.
    async fn check(&self, ask: &Ask, place: &Place, registry: &Registry, entries: &mut [Entry]) {
        let path = place
            .context
            .env
            .as_ref()
            .and_then(|env| env.get("PATH"))
            .map(String::as_str);
        let mut checker = Checker::new(&self.parts.paths, path);
        let shell = ask.shell.as_ref().map_or(Ok(()), |shell| {
            shell_of_caller(shell.as_str(), path.unwrap_or(&self.parts.path))
        });
        for entry in entries {
            let Ok(planned) = &mut entry.planned else {
                continue;
            };
            let verdict = async {
                let backend = registry.named(&planned.job.request.backend)?;
                if planned.job.request.host.is_some() {
                    return if backend.capabilities().remote {
                        Ok(())
                    } else {
                        Err(Failure::new(
                            Kind::NotSupported,
                            format!("{} cannot be driven on a host", backend.label()),
                        )
                        .hint("leave `backend` out to use tmux there"))
                    };
                }
                available(place, backend.label(), &planned.job.request.backend)?;
                shell.clone()?;
                if checker.check(&planned.job).await? && ask.handles {
                    planned.job.report = true;
                    let draft = backend.build(&planned.job)?;
                    let before = std::mem::replace(&mut planned.draft, draft);
                    keep_warnings(&mut planned.draft, before.warnings);
                }
                Ok(())
            };
            if let Err(failure) = verdict.await {
                entry.planned = Err(failure);
            }
        }
    }
}

/// The requests, and why the first one's backend is what it is.
fn requests(ask: &Ask, place: &Place) -> Result<(Vec<Request>, Option<Source>), Failure> {
    let defaults = ask.defaults();
    let chosen = place.choice.as_ref();
    let mut requests = Vec::with_capacity(ask.items.len());
    for (item, layout) in ask
        .items
        .iter()
        .zip(plan::item_layouts(&ask.items, &defaults))
    {
        let known = defaults.backend(item);
        let backend = known
            .or_else(|| chosen.and_then(|choice| choice.backend.clone()))
            .ok_or_else(|| {
                let why =
                    chosen.map_or("none was looked for", |choice| choice.description.as_str());
                Failure::new(
                    Kind::BackendUnavailable,
                    format!("cannot choose a terminal: {why}"),
                )
                .hint("name one in `backend`; `surfaced backends` says what each needs")
            })?;
        let one = Defaults {
            backend: Some(&backend),
            ..defaults
        };
        let planned = plan::requests(std::slice::from_ref(item), &one)
            .into_iter()
            .flatten();
        requests.extend(planned.map(|request| Request { layout, ..request }));
    }
    let source = ask.items.first().map(|item| match defaults.backend(item) {
        Some(_) if ask.backend.is_some() || item.target.is_some() => Some(Source::Forced),
        Some(_) => Some(Source::RemoteDefault),
        None => chosen.and_then(|choice| choice.source),
    });
    Ok((requests, source.flatten()))
}

/// Sees to a caller whose own tmux does not answer: what was to go there is refused, since another session is not what was
/// meant, and what was given another place says why.
fn heed(silent: &str, named: bool, registry: &Registry, entry: &mut Entry) {
    let request = &entry.request;
    if request.host.is_some() || request.target.is_some() {
        return;
    }
    let Ok(planned) = &mut entry.planned else {
        return;
    };
    if request.backend.as_str() == "tmux" {
        let why = format!("tmux cannot be driven here: {silent}");
        entry.planned = Err(Failure::new(Kind::BackendUnavailable, why)
            .hint("try again when it answers, or name another terminal in `backend`"));
    } else if !named {
        let label = registry
            .get(request.backend.as_str())
            .map_or(request.backend.as_str(), |backend| backend.label());
        let warning = format!("{silent}, so it is opened in {label} and not beside you");
        planned.draft.warnings.push(warning);
    }
}

/// An explicit backend is used or refused, never swapped.
fn available(place: &Place, label: &str, backend: &BackendId) -> Result<(), Failure> {
    match place.availability.get(backend) {
        Some(answer) if !answer.available => {
            let failure = Failure::new(
                Kind::BackendUnavailable,
                format!("{label} cannot be driven here: {}", answer.reason),
            );
            Err(match &answer.remedy {
                Some(remedy) => failure.hint(remedy.clone()),
                None => failure,
            })
        }
        _ => Ok(()),
    }
}

/// A fault of ours: each item is planned or refused.
pub(super) fn unplanned() -> Failure {
    Failure::new(Kind::Internal, "an item was left unplanned")
}

/// Puts what was said before in front of what is said now, each thing once.
pub(super) fn keep_warnings(draft: &mut Draft, before: Vec<String>) {
    let now = std::mem::replace(&mut draft.warnings, before);
    for warning in now {
        if !draft.warnings.contains(&warning) {
            draft.warnings.push(warning);
        }
    }
}
