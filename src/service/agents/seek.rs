//! Which conversation an agent's program has.

use std::path::PathBuf;
use std::time::Duration;

use super::book::Tell;
use super::create::handle;
use super::record::{Process, Record};
use super::service::Agents;
use crate::os::clock;
use crate::proto::Word;
use crate::proto::provider::Handle;
use crate::service::conversations::Question;

/// Pauses between two looks: conversations are written down when the person has said something, which may take long.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(1);

impl Agents {
    /// The conversation of an agent's program, where that is proven.
    pub(super) async fn conversation(&self, record: &Record) -> Option<Handle> {
        let question = self.question(record)?;
        let found = self.parts().conversations.proven(question).await?;
        Word::parse(found).ok().map(handle)
    }

    /// The directories in which nothing is kept of the conversation that an agent's program was given: see [`Record::unspoken`].
    pub(super) async fn unspoken(&self, record: &Record) -> Option<Vec<PathBuf>> {
        let session = record.session.as_ref().filter(|_| record.run.preset)?;
        let question = self.question(record)?;
        let conversations = &self.parts().conversations;
        conversations.unspoken(question, &session.session_id).await
    }

    fn question(&self, record: &Record) -> Option<Question> {
        // The files of another machine are not here.
        if record.run.host().is_some() {
            return None;
        }
        Some(Question {
            provider: self.programs().provider(&record.provider).ok()?,
            cwd: record.cwd.clone(),
            process: record.run.process.map(Process::root),
            began: clock::at_ms(record.run.began_ms),
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
