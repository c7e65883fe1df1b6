//! Which conversation an agent's program has.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::book::Tell;
use super::record::Record;
use super::service::Agents;
use crate::os::tree::Root;
use crate::proto::Word;
use crate::proto::provider::Handle;
use crate::provider::Provider;
use crate::service::conversations::{Pool, Question};

/// Pauses between two looks: conversations are written down when the person has said something, which may take long.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

/// What is known of a program whose conversation is looked for.
#[derive(Clone, Debug)]
pub struct Search {
    /// Whose program it is.
    pub provider: Provider,
    /// Where it was started.
    pub cwd: String,
    /// Its process; it may have ended.
    pub process: Option<Root>,
    /// When it was started.
    pub began: std::time::SystemTime,
    /// What is known already, such as an id that was set beforehand.
    pub known: Option<Handle>,
    /// The ids that other agents have.
    pub taken: BTreeSet<String>,
}

/// Finds conversations.
pub trait Conversations: Send + Sync {
    /// The conversation of a program: that of a file which it made or holds open, or whose content names it. `None` where
    /// that is not certain: the newest is not good enough.
    fn of<'a>(&'a self, search: &'a Search) -> BoxFuture<'a, Option<Handle>>;
}

/// Looks into no file: what was set beforehand is all that is known.
#[derive(Clone, Copy, Debug)]
pub struct Preset;

impl Conversations for Preset {
    fn of<'a>(&'a self, search: &'a Search) -> BoxFuture<'a, Option<Handle>> {
        std::future::ready(search.known.clone()).boxed()
    }
}

impl Conversations for Pool {
    fn of<'a>(&'a self, search: &'a Search) -> BoxFuture<'a, Option<Handle>> {
        async move {
            if search.known.is_some() {
                return search.known.clone();
            }
            let found = self.session_of(Question {
                provider: search.provider.clone(),
                cwd: search.cwd.clone(),
                process: search.process,
                began: search.began,
                ended: None,
                preset: None,
                taken: search.taken.clone(),
            });
            Some(Handle {
                session_id: Word::parse(found.await?).ok()?,
                native_handle: None,
            })
        }
        .boxed()
    }
}

impl Agents {
    /// What is known of an agent's program.
    pub(super) async fn search(&self, record: &Record) -> Option<Search> {
        // The files of another machine are not here.
        if record.run.host().is_some() {
            return None;
        }
        let others = self.book().all().await.ok()?;
        let taken = others
            .into_iter()
            .filter(|other| other.id != record.id)
            .filter_map(|other| Some(other.session?.session_id.to_string()))
            .collect();
        Some(Search {
            taken,
            provider: self.parts().programs.provider(&record.provider).ok()?,
            cwd: record.cwd.clone(),
            process: record.run.process.map(super::record::Process::root),
            began: UNIX_EPOCH + Duration::from_millis(record.run.began_ms),
            known: record.session.clone(),
        })
    }

    /// Looks for the conversation of an agent for as long as it lives and none is known.
    pub(super) fn seek(&self, id: &str, number: u32) {
        let (agents, id) = (self.clone(), id.to_owned());
        self.parts().supervisor.spawn(async move {
            let mut pause = FIRST;
            loop {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST);
                let Ok(record) = agents.book().get(&id).await else {
                    return;
                };
                if record.run.number != number || !record.run.is_live() || record.session.is_some()
                {
                    return;
                }
                let Some(search) = agents.search(&record).await else {
                    return;
                };
                let Some(found) = agents.parts().conversations.of(&search).await else {
                    continue;
                };
                let Ok(_turn) = agents.book().turn(&id).await else {
                    return;
                };
                if let Ok(mut record) = agents.book().get(&id).await
                    && record.run.number == number
                    && record.session.is_none()
                {
                    record.session = Some(found);
                    let _ = agents.book().put(record, Tell::Updated).await;
                }
                return;
            }
        });
    }
}
