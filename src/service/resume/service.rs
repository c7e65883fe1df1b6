//! The service behind `resume`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use super::again::Continued;
use super::agents::{self, OfAgents, Wish};
use super::check::{begun_here, begun_there, elsewhere, item, launched, stands_still};
use super::known::{Known, find};
use super::pool::{self, Listing};
use super::programs;
use super::route::{Candidate, route};
use super::single::Owned;
use super::words;
use crate::launch::plan;
use crate::os::peer::Peer;
use crate::os::supervise::Supervisor;
use crate::proto::open::{OpenAnswer, OpenParams, OpenResult};
use crate::proto::resume::ResumeParams;
use crate::proto::{Failure, HostAlias, Item, Kind, Layout, Packing, Word};
use crate::provider::Provider;
use crate::service::open::{Links, Opener, Refused};
use crate::service::providers::Installed;
use crate::service::starts::Starts;
use crate::service::surfaces::Surfaces;

/// What the service is made of.
#[derive(Clone)]
pub struct Parts {
    /// Lists sessions.
    pub listing: Arc<dyn Listing>,
    /// Knows agents, whose sessions these may be.
    pub agents: Arc<dyn OfAgents>,
    /// Knows the programs on this machine.
    pub installed: Installed,
    /// Opens surfaces.
    pub opener: Opener,
    /// Reads them.
    pub surfaces: Surfaces,
    /// The ways to hosts.
    pub links: Arc<dyn Links>,
    /// Who takes what up.
    pub starts: Starts,
    /// Its tasks.
    pub supervisor: Supervisor,
}

/// Takes sessions up again.
#[derive(Clone)]
pub struct Resumer {
    parts: Arc<Parts>,
    pub(super) continued: Continued,
}

/// One id on its way to a surface.
pub(super) struct One {
    item: Item,
    pub(super) known: Option<Known>,
    note: Option<String>,
    pub(super) refused: Option<Failure>,
    /// The agent that opens it.
    pub(super) agent: Option<String>,
    /// Whether another version is told to continue it.
    pub(super) continues: bool,
}

impl One {
    fn found(known: Known, host: Option<&Word>) -> Self {
        Self {
            item: item(&known, host),
            known: Some(known),
            note: None,
            refused: None,
            agent: None,
            continues: false,
        }
    }

    fn refused(id: &Word, host: Option<&Word>, failure: Failure) -> Self {
        Self {
            item: Item {
                session_id: Some(id.clone()),
                host: host.cloned(),
                ..Item::default()
            },
            known: None,
            note: None,
            refused: Some(failure),
            agent: None,
            continues: false,
        }
    }
}

impl Resumer {
    /// The service.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self {
            parts: Arc::new(parts),
            continued: Continued::default(),
        }
    }

    /// Takes sessions up. Each id has its result, as of `open`; with `dryRun` it answers the commands.
    ///
    /// # Errors
    /// `host-invalid` for an `on` that names no host, else as of [`Opener::open`].
    pub async fn resume(
        &self,
        params: ResumeParams,
        caller: Option<Peer>,
        cancel: &CancellationToken,
    ) -> Result<OpenAnswer, Failure> {
        let parts = &self.parts;
        let host = params.on.as_ref().map(|host| {
            HostAlias::parse(host.as_str())
                .map_err(|error| Failure::bad_host("on", error.to_string()))
        });
        let host = host.transpose()?;
        let checked = async {
            parts.links.called(caller, params.context.as_ref()).await;
            let looked = Instant::now();
            let mut all = self.check(&params, host.clone()).await;
            let owned = match params.dry_run {
                Some(true) => Owned::new(),
                _ => self.own(host.as_ref(), &mut all, looked).await,
            };
            (all, owned)
        };
        let (mut all, owned) = tokio::select! {
            biased;
            all = checked => all,
            () = cancel.cancelled() => {
                let words = "the resume was cancelled before anything was opened";
                return Err(Failure::new(Kind::Cancelled, words)
                    .detail(serde_json::json!({ "outcome": "not-started" })));
            }
        };
        lay_out(&mut all, params.splits == Some(true));
        let refusals = all.iter().enumerate();
        let mut refused: Refused = refusals
            .filter_map(|(index, one)| Some((index, one.refused.clone()?)))
            .collect();
        if params.dry_run == Some(true)
            && let Some((index, failure)) = refused.first_key_value()
        {
            return Err(failure.clone().about(format!("ids[{index}]")));
        }
        let dry_run = params.dry_run == Some(true);
        let of_agents: Vec<usize> = (0..all.len())
            .filter(|index| !dry_run && all[*index].agent.is_some())
            .collect();
        for index in &of_agents {
            refused.insert(*index, Failure::new(Kind::Internal, "its agent opens it"));
        }
        let wish = Wish {
            backend: params.backend.clone(),
            host: params.on.clone(),
            caller,
            context: params.context.clone(),
        };
        let open = OpenParams {
            items: all.iter().map(|one| one.item.clone()).collect(),
            backend: params.backend,
            packing: Some(Packing::Tabs),
            context: params.context,
            dry_run: params.dry_run,
            ..OpenParams::default()
        };
        let mut answer = parts.opener.open_but(open, refused, caller, cancel).await?;
        if let OpenAnswer::Opened {
            backend, results, ..
        } = &mut answer
        {
            let wish = Wish {
                backend: wish.backend.or_else(|| backend.clone()),
                ..wish
            };
            for index in of_agents {
                results[index] = self.open_agent(&all[index], &wish, cancel).await;
            }
            let providers = parts.installed.providers();
            let looks = results.iter_mut().zip(&all).map(async |(result, one)| {
                let known = one.known.as_ref();
                if let (true, true, Some(known)) = (result.ok, one.continues, known) {
                    self.continued.told(known);
                }
                if let Some(provider) = known.and_then(|known| providers.get(&known.provider)) {
                    words::look(&parts.surfaces, provider, result).await;
                }
                if let Some(note) = one.note.clone().filter(|_| result.ok) {
                    result.warnings.get_or_insert_default().push(note);
                }
            });
            join_all(looks).await;
            for (index, start) in owned {
                self.settle(start, &all[index], &results[index], host.clone());
            }
        }
        Ok(answer)
    }

    /// Finds out for each id how it is taken up, or why not.
    async fn check(&self, params: &ResumeParams, host: Option<HostAlias>) -> Vec<One> {
        let on = params.on.as_ref();
        let ids: Vec<&str> = params.ids.iter().map(Word::as_str).collect();
        let pool = match self.listed(host.as_ref(), &ids).await {
            Ok(pool) => pool,
            Err(failure) => {
                let refused = |id| One::refused(id, on, failure.clone());
                return params.ids.iter().map(refused).collect();
            }
        };
        let mut all = Vec::with_capacity(params.ids.len());
        let mut taken: HashMap<usize, usize> = HashMap::new();
        for (at, id) in params.ids.iter().enumerate() {
            all.push(match self.meant(&pool, host.as_ref(), id).await {
                Err(failure) => One::refused(id, on, failure),
                Ok(index) => {
                    let mut one = One::found(pool[index].clone(), on);
                    one.refused = match taken.insert(index, at) {
                        Some(first) => Some(twice(&pool[index], first, at)),
                        None => stands_still(&pool[index])
                            .and_then(|()| agents::usable(&pool[index]))
                            .err(),
                    };
                    one
                }
            });
        }
        match &host {
            None => check_directories(&mut all),
            Some(host) => self.check_directories_on(host, &mut all).await,
        }
        self.choose_programs(host.as_ref(), &mut all).await;
        if params.dry_run != Some(true) {
            self.continued.refuse(host.is_none(), &mut all).await;
        }
        all
    }

    pub(super) fn starts(&self) -> &Starts {
        &self.parts.starts
    }

    pub(super) fn supervisor(&self) -> &Supervisor {
        &self.parts.supervisor
    }

    pub(super) fn surfaces(&self) -> &Surfaces {
        &self.parts.surfaces
    }

    /// What is known of sessions at this moment.
    pub(super) async fn listed(
        &self,
        host: Option<&HostAlias>,
        ids: &[&str],
    ) -> Result<Vec<Known>, Failure> {
        let sessions = self.parts.listing.sessions(host, ids).await?;
        let mut pool = pool::known(sessions, host);
        let mut own = self.parts.agents.list().await?;
        if let Some(host) = host {
            own.retain(|(_, on)| on.as_deref() == Some(host.as_str()));
        }
        agents::add(&mut pool, own);
        Ok(pool)
    }

    /// Lets an agent take its session up.
    async fn open_agent(&self, one: &One, wish: &Wish, cancel: &CancellationToken) -> OpenResult {
        let backend = wish.backend.as_ref();
        let opened = match &one.agent {
            Some(agent) if !cancel.is_cancelled() => {
                self.parts.agents.open(agent, wish.clone()).await
            }
            _ => Err(Failure::new(
                Kind::Cancelled,
                "the call was cancelled before this was opened",
            )),
        };
        agents::result(&one.item, backend, opened)
    }

    /// The session that an id means. One that is elsewhere is not opened here.
    async fn meant(
        &self,
        pool: &[Known],
        host: Option<&HostAlias>,
        id: &Word,
    ) -> Result<usize, Failure> {
        let here =
            "the sessions that run on this machine, those on its disk and those of its agents";
        let Some(host) = host else {
            let index = find(pool, id, here)?;
            return match &pool[index].machine {
                Some(machine) => Err(elsewhere(&pool[index], Some(machine), None)),
                None => Ok(index),
            };
        };
        let place = format!("the sessions that run on {host} and those on its disk");
        let failure = match find(pool, id, &place) {
            Ok(index) => return Ok(index),
            Err(failure) => failure,
        };
        if failure.kind() == Kind::NotFound
            && let Ok(own) = self.listed(None, &[]).await
            && let Ok(index) = find(&own, id, here)
        {
            let machine = own[index].machine.as_deref();
            return Err(elsewhere(&own[index], machine, Some(host)));
        }
        Err(failure)
    }

    async fn check_directories_on(&self, host: &HostAlias, all: &mut [One]) {
        let waiting: Vec<(usize, String)> = all
            .iter()
            .enumerate()
            .filter(|(_, one)| one.refused.is_none())
            .filter_map(|(index, one)| Some((index, one.item.cwd.as_ref()?.as_str().to_owned())))
            .collect();
        if waiting.is_empty() {
            return;
        }
        let look = async {
            let transport = self.parts.links.to(Some(host)).await?;
            let dirs: Vec<&str> = waiting.iter().map(|(_, dir)| dir.as_str()).collect();
            programs::directories(transport.as_ref(), &dirs).await
        };
        let found = look.await;
        for (at, (index, dir)) in waiting.iter().enumerate() {
            let one = &mut all[*index];
            let Some(known) = &one.known else { continue };
            one.refused = match &found {
                Ok(found) if found[at] => None,
                Ok(_) => Some(begun_there(known, dir, host)),
                Err(failure) => Some(failure.clone()),
            };
        }
    }

    /// Chooses the command of each that can be opened. Each version is asked once a call.
    async fn choose_programs(&self, host: Option<&HostAlias>, all: &mut [One]) {
        let providers = self.parts.installed.providers();
        let mut asked: BTreeMap<(String, Option<String>), Result<Vec<Candidate>, Failure>> =
            BTreeMap::new();
        for one in all.iter_mut().filter(|one| one.refused.is_none()) {
            let Some(known) = one.known.clone() else {
                continue;
            };
            let chosen = async {
                let provider = providers.find(&known.provider)?;
                let origin = known.version.as_deref();
                // A host tells all versions at once.
                let version = known.version.clone().filter(|_| host.is_none());
                let key = (known.provider.clone(), version);
                if !asked.contains_key(&key) {
                    let found = self.candidates(provider, origin, host).await;
                    asked.insert(key.clone(), found);
                }
                let candidates = asked[&key].clone()?;
                let route = route(provider, &known.session, origin, &candidates)?;
                one.continues = route.note.is_some();
                let plain = route.command.command == provider.program() && route.note.is_none();
                launched(&mut one.item, route.command)?;
                Ok((plain, route.note))
            };
            let chosen: Result<(bool, Option<String>), Failure> = chosen.await;
            match chosen {
                Err(failure) => one.refused = Some(failure),
                // An agent starts the plain program and no other.
                Ok((true, note)) => (one.agent, one.note) = (known.agent, note),
                Ok((false, note)) => {
                    let agent = known.agent.map(|agent| {
                        format!(
                            "agent {agent} does not follow it there: it runs the plain program only"
                        )
                    });
                    let notes: Vec<String> = note.into_iter().chain(agent).collect();
                    one.note = (!notes.is_empty()).then(|| notes.join("; "));
                }
            }
        }
    }

    async fn candidates(
        &self,
        provider: &Provider,
        origin: Option<&str>,
        host: Option<&HostAlias>,
    ) -> Result<Vec<Candidate>, Failure> {
        let Some(host) = host else {
            return Ok(programs::here(&self.parts.installed, provider, origin).await);
        };
        let transport = self.parts.links.to(Some(host)).await?;
        let name = Word::parse(host.as_str())
            .map_err(|error| Failure::new(Kind::HostInvalid, error.to_string()))?;
        let shell = self.parts.opener.shell_on(&name).await?;
        programs::on(
            transport.as_ref(),
            &shell,
            provider,
            programs::Asked::Versions,
        )
        .await
    }
}

fn twice(known: &Known, first: usize, again: usize) -> Failure {
    let message = format!(
        "{} is named twice, by ids[{first}] and ids[{again}]",
        known.name()
    );
    Failure::new(Kind::Conflict, message).hint("it is taken up once")
}

fn check_directories(all: &mut [One]) {
    for one in all.iter_mut().filter(|one| one.refused.is_none()) {
        one.refused = one.known.as_ref().and_then(|known| begun_here(known).err());
    }
}

/// A tab each, or two to a tab: those that are not opened take no place, and those that their agents open a tab of their own.
fn lay_out(all: &mut [One], splits: bool) {
    let packing = if splits {
        Packing::TwoPerTab
    } else {
        Packing::Tabs
    };
    let opens = |one: &One| one.refused.is_none() && one.agent.is_none();
    let opening = all.iter().filter(|one| opens(one)).count();
    let mut layouts = plan::layouts(opening, packing).into_iter();
    for one in all {
        one.item.layout = Some(if opens(one) {
            layouts.next().unwrap_or(Layout::Tab)
        } else {
            Layout::Tab
        });
    }
}
