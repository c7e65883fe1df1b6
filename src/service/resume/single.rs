//! One owner for each session that is taken up: of several calls at once one opens it, and the others are told where.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::check::stands_still;
use super::known::Known;
use super::service::{One, Resumer};
use crate::proto::open::OpenResult;
use crate::proto::surfaces::{Or, WaitParams};
use crate::proto::{HostAlias, Kind, SurfaceRef};
use crate::service::starts::{Asked, Key, Opened, Start};

/// How long a program may take to be seen after its surface has opened.
const SEEN: Duration = Duration::from_secs(15);

/// Pauses between two looks for it.
const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(1);

/// The starts that a call owns, by the index of their ids.
pub(super) type Owned = BTreeMap<usize, Start>;

impl Resumer {
    /// Makes each session this call's own, or refuses it where another one has opened it meanwhile. Agents see to their own.
    /// `looked`: when this call began to look at what runs.
    pub(super) async fn own(
        &self,
        host: Option<&HostAlias>,
        all: &mut [One],
        looked: Instant,
    ) -> Owned {
        let mut wanted: Vec<(String, usize)> = all
            .iter()
            .enumerate()
            .filter(|(_, one)| one.refused.is_none() && one.agent.is_none())
            .filter_map(|(index, one)| {
                let known = one.known.as_ref()?;
                Some((format!("{} {}", known.provider, known.session), index))
            })
            .collect();
        // Everybody asks in the same order, so that no two wait for each other.
        wanted.sort();
        let mut owned = Owned::new();
        let mut again = Vec::new();
        for (_, index) in wanted {
            let one = &mut all[index];
            let Some(known) = &one.known else { continue };
            match self.starts().ask(&key(known), looked).await {
                Asked::Taken(opened) => one.refused = Some(opened.refused(&known.name())),
                Asked::Own { start, stale } => {
                    owned.insert(index, start);
                    if stale {
                        again.push(index);
                    }
                }
            }
        }
        if !again.is_empty() {
            self.look_again(host, all, &again).await;
            owned.retain(|index, _| all[*index].refused.is_none());
        }
        owned
    }

    async fn look_again(&self, host: Option<&HostAlias>, all: &mut [One], indexes: &[usize]) {
        let known = indexes.iter().filter_map(|index| all[*index].known.clone());
        let ids: Vec<String> = known.map(|known| known.session).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let pool = self.listed(host, &ids).await;
        for index in indexes {
            let one = &mut all[*index];
            let Some(known) = &one.known else { continue };
            one.refused = match &pool {
                Ok(pool) => pool
                    .iter()
                    .find(|other| is_same(known, other))
                    .and_then(|now| stands_still(now).err()),
                Err(failure) => Some(failure.clone()),
            };
        }
        self.continued.refuse(host.is_none(), all).await;
    }

    /// Tells what came of a start. One that was opened is owned until its program is seen or its surface has ended, for others
    /// would take the session for one that stands still.
    pub(super) fn settle(
        &self,
        start: Start,
        one: &One,
        result: &OpenResult,
        host: Option<HostAlias>,
    ) {
        let Some(known) = one.known.clone().filter(|_| result.ok) else {
            return;
        };
        start.opened(Opened {
            surface: result.surface.clone(),
            attach: result.attach.clone(),
        });
        if one.continues {
            // Its program has a conversation of its own, and is remembered by its words.
            return;
        }
        let (resumer, surface) = (self.clone(), result.surface.clone());
        self.supervisor().spawn(async move {
            let _start = start;
            let end = Instant::now() + SEEN;
            let mut pause = FIRST;
            while Instant::now() < end {
                let pool = resumer.listed(host.as_ref(), &[&known.session]).await;
                let runs = |other: &Known| is_same(&known, other) && other.live.is_some();
                if pool.is_ok_and(|pool| pool.iter().any(runs)) {
                    return;
                }
                if let Some(surface) = &surface
                    && resumer.has_ended(surface).await
                {
                    return;
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST);
            }
        });
    }

    async fn has_ended(&self, surface: &SurfaceRef) -> bool {
        let now = WaitParams {
            surface: surface.clone(),
            timeout_ms: Some(0),
            dry_run: None,
        };
        match self.surfaces().wait(now).await {
            Ok(Or::Done(exit)) => exit.exited,
            Ok(Or::Shown(_)) => false,
            Err(failure) => failure.kind() == Kind::TargetGone,
        }
    }
}

fn key(known: &Known) -> Key {
    Key {
        machine: known.machine.clone(),
        provider: known.provider.clone(),
        session: known.session.clone(),
    }
}

fn is_same(known: &Known, other: &Known) -> bool {
    known.provider == other.provider && known.session == other.session
}
