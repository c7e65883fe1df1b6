//! Which conversation an agent's program has.

use std::path::PathBuf;
use std::time::Duration;

use super::book::Tell;
use super::create::handle;
use super::record::{Process, Record};
use super::service::Agents;
use crate::proto::agent::Lifecycle;
use crate::proto::provider::Handle;
use crate::proto::{Env, HostAlias, Word};
use crate::provider::Provider;
use crate::service::conversations::{Question, there};

/// Pauses between two looks: conversations are written down when the person has said something, which may take long.
const SOON: Duration = Duration::from_millis(200);
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

impl Agents {
    /// The conversation of an agent's program, where that is proven.
    pub(super) async fn conversation(&self, record: &Record) -> Option<Handle> {
        let question = self.question(record)?;
        let found = self.parts().conversations.session_of(question).await?;
        Word::parse(found).ok().map(handle)
    }

    /// The directories in which nothing is kept of the conversation that an agent's program was given: see [`Record::unspoken`].
    pub(super) async fn unspoken(&self, record: &Record) -> Option<Vec<PathBuf>> {
        let session = record.session.as_ref().filter(|_| record.run.preset)?;
        let question = self.question(record)?;
        let conversations = &self.parts().conversations;
        conversations.unspoken(question, &session.session_id).await
    }

    /// The same of a program that has ended by itself: where it kept conversations was seen while it ran, or is where programs
    /// keep them that are started from here.
    pub(super) async fn never_spoken_to(&self, record: &Record) -> Option<Vec<PathBuf>> {
        let session = record.session.as_ref().filter(|_| record.run.preset)?;
        if record.run.host().is_some() {
            return None;
        }
        let provider = self.programs().provider(&record.provider).ok()?;
        let conversations = &self.parts().conversations;
        let env = self.book().kept(&record.id).await.ok()?.unwrap_or_default();
        let roots = record.run.roots.clone();
        let roots = roots.or_else(|| conversations.roots(&provider, &env))?;
        let id = &session.session_id;
        let is_there = conversations.is_there(&provider, roots.clone(), id);
        (!is_there.await).then_some(roots)
    }

    /// Whether a host has nothing of the conversation that an agent's program was given there. After a start that failed it is
    /// asked for all the same: its program may keep conversations where nobody looked.
    pub(super) async fn unspoken_there(&self, record: &Record, session: &Handle) -> bool {
        let Some(host) = record.run.host() else {
            return false;
        };
        if !record.run.preset || record.lifecycle == Lifecycle::Failed {
            return false;
        }
        self.is_on(host, &session.session_id).await == Some(false)
    }

    /// Whether a conversation that the provider did not have is on its disk again. One that it did not have although it was
    /// looked for there is not believed a second time.
    pub(super) async fn is_back(&self, record: &Record, provider: &Provider, env: &Env) -> bool {
        let Some(lost) = &record.lost_session else {
            return false;
        };
        if record.session.is_some() || record.asked_again {
            return false;
        }
        let conversations = &self.parts().conversations;
        let id = lost.session_id.as_str();
        match record.run.host() {
            None => match conversations.roots(provider, env) {
                Some(roots) => conversations.is_there(provider, roots, id).await,
                None => false,
            },
            Some(host) => self.is_on(host, id).await == Some(true),
        }
    }

    /// The same with what is known of the provider and of the variables of the agent.
    pub(super) async fn may_be_back(&self, record: &Record, provider: Option<&Provider>) -> bool {
        let Some(provider) = provider else {
            return false;
        };
        let env = self.book().kept(&record.id).await.ok().flatten();
        self.is_back(record, provider, &env.unwrap_or_default())
            .await
    }

    /// Whether a host keeps a conversation. `None`: it cannot be asked.
    async fn is_on(&self, host: &str, id: &str) -> Option<bool> {
        let host = HostAlias::parse(host).ok()?;
        let providers = self.programs().installed.providers();
        let link = self.parts().places.links.to(Some(&host)).await.ok()?;
        let found = there::on(link.as_ref(), &providers, &[id]).await.ok()?;
        Some(found.iter().any(|one| one.said.id == id))
    }

    /// Sees where a program keeps conversations, once it runs: should it end by itself, nobody can ask it any more.
    pub(super) fn note_roots(&self, record: &Record) {
        if !record.run.preset || record.run.roots.is_some() {
            return;
        }
        let (agents, id, number) = (self.clone(), record.id.clone(), record.run.number);
        self.parts().supervisor.spawn(async move {
            let mut pause = SOON;
            loop {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST);
                let is_meant =
                    |record: &Record| record.run.number == number && record.run.is_live();
                let Ok(record) = agents.book().get(&id).await else {
                    return;
                };
                let Some(question) = agents.question(&record).filter(|_| is_meant(&record)) else {
                    return;
                };
                let Some(roots) = agents.parts().conversations.roots_of(question).await else {
                    continue;
                };
                let Ok(_turn) = agents.book().turn(&id).await else {
                    return;
                };
                if let Ok(mut record) = agents.book().get(&id).await
                    && is_meant(&record)
                {
                    record.run.roots = Some(roots);
                    let _ = agents.book().put(record, Tell::Nobody).await;
                }
                return;
            }
        });
    }

    fn question(&self, record: &Record) -> Option<Question> {
        // The files of another machine are not here.
        if record.run.host().is_some() {
            return None;
        }
        Some(Question {
            provider: self.programs().provider(&record.provider).ok()?,
            process: record.run.process.map(Process::root),
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
                let is_sought = |record: &Record| {
                    record.run.number == number && record.run.is_live() && record.session.is_none()
                };
                let Ok(record) = agents.book().get(&id).await else {
                    return;
                };
                if !is_sought(&record) {
                    return;
                }
                let Some(found) = agents.conversation(&record).await else {
                    continue;
                };
                let Ok(_turn) = agents.book().turn(&id).await else {
                    return;
                };
                if let Ok(mut record) = agents.book().get(&id).await
                    && is_sought(&record)
                {
                    record.session = Some(found);
                    let _ = agents.book().put(record, Tell::Updated).await;
                }
                return;
            }
        });
    }
}
