//! The service: what the rest of the daemon calls, and what all of it shares.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::book::{Book, Tell};
use super::place::{Places, Sight};
use super::program::Programs;
use super::record::Record;
use crate::os::supervise::Supervisor;
use crate::proto::agent::{Agent, AgentUpdateParams, Place};
use crate::proto::{Failure, Kind};
use crate::service::conversations::Pool;
use crate::service::events::Events;
use crate::service::starts::Starts;

/// How long a question waits for agents that an earlier daemon left: one on a host that is silent is told as not known.
const SETTLING: Duration = Duration::from_secs(5);

/// What the service is made of.
#[derive(Clone)]
pub struct Parts {
    /// The records.
    pub book: Book,
    /// Where agents live.
    pub places: Places,
    /// Finds conversations.
    pub conversations: Pool,
    /// Who takes which conversation up.
    pub starts: Starts,
    /// Tells of ends.
    pub events: Events,
    /// Its tasks.
    pub supervisor: Supervisor,
}

/// The agents. Cheap to clone; all clones are one service.
#[derive(Clone)]
pub struct Agents {
    parts: Arc<Parts>,
    /// What an earlier daemon left and is not settled yet.
    left: TaskTracker,
}

impl Agents {
    /// The service. What earlier daemons left is taken over in the background, each agent in its own time; whoever asks for
    /// one that is not settled yet waits for that.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn start(parts: Parts) -> Result<Self, Failure> {
        let agents = Self {
            parts: Arc::new(parts),
            left: TaskTracker::new(),
        };
        agents.take_over().await?;
        agents.left.close();
        Ok(agents)
    }

    /// Who takes which conversation up: whoever opens one outside of the agents asks here too.
    #[must_use]
    pub fn starts(&self) -> Starts {
        self.parts.starts.clone()
    }

    /// Held while an agent that was left is settled.
    pub(super) fn settling(&self) -> TaskTrackerToken {
        self.left.token()
    }

    /// Waits until it is settled what an earlier daemon left, and until the end of a hosted terminal that has ended is: its
    /// agent does not live on in a list for a moment.
    async fn settled(&self, only: Option<&str>) -> Result<(), Failure> {
        let _ = timeout(SETTLING, self.left.wait()).await;
        for record in self.book().all().await? {
            let meant = only.is_none_or(|only| only == record.id);
            if meant
                && matches!(record.run.place, Place::Terminal {})
                && record.run.is_live()
                && matches!(
                    self.parts().places.look(&record.run, &record.id).await,
                    Sight::Ended(_)
                )
            {
                let (agents, id) = (self.clone(), record.id);
                let settle = self.finish(async move { agents.settle(&id).await });
                let _ = timeout(SETTLING, settle).await;
            }
        }
        Ok(())
    }

    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(super) fn programs(&self) -> &Programs {
        &self.parts.places.programs
    }

    pub(super) fn book(&self) -> &Book {
        &self.parts.book
    }

    /// All agents in the order in which they were made, archived ones only where they are asked for.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn list(&self, archived: bool) -> Result<Vec<Agent>, Failure> {
        self.settled(None).await?;
        let all = self.book().all().await?;
        Ok(all
            .iter()
            .filter(|record| !record.is_unborn() && (archived || record.archived_at.is_none()))
            .map(Record::shown)
            .collect())
    }

    /// All agents, archived ones too, each with the host that it is on; absent: this machine.
    ///
    /// # Errors
    /// `shutting-down`.
    pub async fn placed(&self) -> Result<Vec<(Agent, Option<String>)>, Failure> {
        self.settled(None).await?;
        let mut all = self.book().all().await?;
        all.retain(|record| !record.is_unborn());
        let placed = all.iter().map(|record| {
            let host = record.run.host().map(str::to_owned);
            (record.shown(), host)
        });
        Ok(placed.collect())
    }

    /// One agent. Of one that an earlier daemon was creating, once it is known what came of that.
    ///
    /// # Errors
    /// `not-found`.
    pub async fn get(&self, id: &str) -> Result<Agent, Failure> {
        self.settled(Some(id)).await?;
        let mut record = self.book().get(id).await?;
        if record.is_unborn() {
            let _turn = self.book().turn(id).await?;
            record = self.book().get(id).await?;
        }
        Ok(record.shown())
    }

    /// Renames or marks an agent.
    ///
    /// # Errors
    /// `not-found`.
    pub async fn update(&self, params: AgentUpdateParams) -> Result<Agent, Failure> {
        let _turn = self.book().turn(&params.id).await?;
        let mut record = self.book().get(&params.id).await?;
        if let Some(title) = params.title {
            record.title = String::from(title);
            if record.title.is_empty() {
                let provider = self.programs().provider(&record.provider).ok();
                let label = provider.map(|provider| provider.label().to_owned());
                record.title = label.unwrap_or_else(|| record.provider.clone());
            }
        }
        if let Some(labels) = params.labels {
            record.labels = labels;
        }
        Ok(self.book().put(record, Tell::Updated).await?.shown())
    }

    /// Refuses a message.
    ///
    /// # Errors
    /// `terminal-agent` always; `not-found` where there is no such agent.
    pub async fn send(&self, id: &str) -> Result<(), Failure> {
        let agent = self.get(id).await?;
        let failure = Failure::new(
            Kind::TerminalAgent,
            format!(
                "agent {id} is a terminal agent and takes no messages: only a person types into it"
            ),
        );
        Err(match agent.attach {
            Some(attach) => failure.hint(format!("go to it with `{attach}`")),
            None => failure.hint(format!("open it with `surfaced agent open {id}`")),
        })
    }

    /// Runs something to its end, also where the caller vanishes: half a start or half an end is nobody's wish.
    pub(super) async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        let whole = self.parts.supervisor.spawn_owned(work).await;
        whole
            .map_err(|_| Failure::new(Kind::Internal, "work on an agent ended without a result"))?
    }

    /// What its person types to leave an agent.
    pub(super) fn phrase(&self, provider: &str) -> String {
        let provider = self.programs().provider(provider).ok();
        provider.map_or_else(String::new, |provider| provider.exit_phrase().to_owned())
    }
}
