//! Ending agents, putting them away, and forgetting them. What was ended stays so until somebody opens it.

use std::time::SystemTime;

use super::book::Tell;
use super::place::Sight;
use super::record::{Record, Stage};
use super::service::Agents;
use super::verdict::End;
use crate::os::clock;
use crate::proto::Failure;
use crate::proto::agent::{Agent, Lifecycle};

impl Agents {
    /// Ends an agent's program, and answers when it has ended. One that has ended already is closed all the same.
    ///
    /// # Errors
    /// `not-found`; what its place fails with where the program may still run.
    pub async fn close(&self, id: &str) -> Result<Agent, Failure> {
        let (agents, id) = (self.clone(), id.to_owned());
        self.finish(async move {
            let _turn = agents.book().turn(&id).await?;
            let record = agents.book().get(&id).await?;
            Ok(agents.close_now(record).await?.shown())
        })
        .await
    }

    /// Closes an agent and puts it away: it is listed with the archived ones only, and not opened.
    ///
    /// # Errors
    /// As of [`Self::close`]; it is not archived then.
    pub async fn archive(&self, id: &str) -> Result<Agent, Failure> {
        let (agents, id) = (self.clone(), id.to_owned());
        self.finish(async move {
            let _turn = agents.book().turn(&id).await?;
            let record = agents.book().get(&id).await?;
            if record.archived_at.is_some() {
                return Ok(record.shown());
            }
            let mut record = agents.close_now(record).await?;
            record.archived_at = Some(clock::rfc3339(SystemTime::now()));
            Ok(agents.book().put(record, Tell::Updated).await?.shown())
        })
        .await
    }

    /// Takes an agent back. It stays closed.
    ///
    /// # Errors
    /// `not-found`.
    pub async fn unarchive(&self, id: &str) -> Result<Agent, Failure> {
        let _turn = self.book().turn(id).await?;
        let mut record = self.book().get(id).await?;
        if record.archived_at.take().is_none() {
            return Ok(record.shown());
        }
        Ok(self.book().put(record, Tell::Updated).await?.shown())
    }

    /// Closes an agent and forgets it, and its ended terminal. What its provider wrote down of the conversation stays.
    ///
    /// # Errors
    /// As of [`Self::close`]; it is not forgotten then.
    pub async fn delete(&self, id: &str) -> Result<(), Failure> {
        let (agents, id) = (self.clone(), id.to_owned());
        self.finish(async move {
            let _turn = agents.book().turn(&id).await?;
            let record = agents.book().get(&id).await?;
            let record = agents.close_now(record).await?;
            agents.parts().places.forget(&record.run, &id).await;
            agents.book().remove(&id, Tell::Updated).await?;
            Ok(())
        })
        .await
    }

    /// Closes an agent whose turn it is. The wish is written down first: should the daemon end meanwhile, the next one goes on.
    pub(super) async fn close_now(&self, mut record: Record) -> Result<Record, Failure> {
        if !record.run.is_live() {
            let left = self.end_left(&record).await?;
            if record.lifecycle == Lifecycle::Closed && record.left == left {
                return Ok(record);
            }
            if record.lifecycle != Lifecycle::Closed {
                record.lifecycle = Lifecycle::Closed;
                record.reason = None;
            }
            record.left = left;
            return self.book().put(record, Tell::Updated).await;
        }
        let id = record.id.clone();
        // What is proven while it runs holds, whatever was known before: a person may have begun another conversation in it.
        if let Some(proven) = self.conversation(&record).await {
            record.session = Some(proven);
        }
        record.unspoken = self.unspoken(&record).await;
        record.run.stage = Stage::Ending;
        self.book().put(record.clone(), Tell::Nobody).await?;
        let phrase = self.phrase(&record.provider);
        let places = &self.parts().places;
        if let Err(failure) = places.end(&record.run, &id, &phrase).await {
            // It may have ended all the same.
            let sight = places.see(&mut record.run, &id).await;
            if !matches!(sight, Sight::Ended(_) | Sight::Never) {
                record.run.stage = Stage::Living;
                self.book().put(record, Tell::Updated).await?;
                return Err(failure);
            }
        }
        self.end_left(&record).await?;
        // Its last words may name its conversation.
        let end = match places.look(&record.run, &id).await {
            Sight::Ended(end) => end,
            Sight::Lives | Sight::Never | Sight::Unknown(_) => End::default(),
        };
        self.ended(record, end).await
    }
}
