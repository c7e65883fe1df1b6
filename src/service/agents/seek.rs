//! Which conversation an agent's program has.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::book::Tell;
use super::create::handle;
use super::record::{Process, Record};
use super::service::Agents;
use crate::proto::Word;
use crate::proto::provider::Handle;
use crate::service::conversations::Question;

/// Pauses between two looks: conversations are written down when the person has said something, which may take long.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

impl Agents {
    /// The conversation of an agent's program, where that is certain. One that is known stays.
    pub(super) async fn conversation(
        &self,
        record: &Record,
        ended: Option<SystemTime>,
    ) -> Option<Handle> {
        if record.session.is_some() {
            return record.session.clone();
        }
        // The files of another machine are not here.
        if record.run.host().is_some() {
            return None;
        }
        let all = self.book().all().await.ok()?;
        let of_others = all.iter().filter(|other| other.id != record.id);
        let question = Question {
            provider: self.parts().programs.provider(&record.provider).ok()?,
            cwd: record.cwd.clone(),
            process: record.run.process.map(Process::root),
            began: UNIX_EPOCH + Duration::from_millis(record.run.began_ms),
            ended,
            preset: None,
            taken: of_others
                .filter_map(|other| Some(other.session.as_ref()?.session_id.to_string()))
                .collect::<BTreeSet<_>>(),
        };
        let found = self.parts().conversations.session_of(question).await?;
        Word::parse(found).ok().map(handle)
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
                let Some(found) = agents.conversation(&record, None).await else {
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
