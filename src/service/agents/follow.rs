//! Noticing ends, also those that happened while no daemon was there.

use serde_json::Value;

use super::book::Tell;
use super::create::handle;
use super::place::{Left, Sight};
use super::record::{Record, Stage};
use super::service::Agents;
use super::verdict::{Case, End, Verdict, judge};
use crate::os::boot;
use crate::os::clock;
use crate::proto::agent::{Lifecycle, Place};
use crate::proto::{Failure, Word};
use crate::provider::Provider;
use crate::service::events::{Event, Heard, Listener};

impl Agents {
    /// Takes over what earlier daemons left.
    pub(super) async fn take_over(&self) -> Result<(), Failure> {
        // Before anything is looked at: what ends meanwhile is heard of.
        let listener = self.parts().events.listen();
        let agents = self.clone();
        self.parts()
            .supervisor
            .spawn(async move { agents.listen(listener).await });
        for mut record in self.book().all().await? {
            if record.run.stage == Stage::Over {
                continue;
            }
            // Whoever asks for this agent waits until it is settled.
            let turn = self.book().turn(&record.id).await?;
            if record.run.stage == Stage::Starting && record.run.host().is_some() {
                // It may take long until the host can be asked, and it is known of until then.
                record.run.stage = Stage::Living;
                record.run.doubt = Some("it has not answered yet".to_owned());
                record.lifecycle = Lifecycle::Idle;
                record.reason = None;
                record = self.book().put(record, Tell::Updated).await?;
            }
            let agents = self.clone();
            let settling = self.settling();
            self.parts().supervisor.spawn(async move {
                let _settling = settling;
                let _turn = turn;
                let id = record.id.clone();
                if let Err(failure) = agents.settle_left(record).await {
                    tracing::warn!(id, %failure, "what an earlier daemon left of an agent is not settled");
                }
            });
        }
        Ok(())
    }

    async fn settle_left(&self, mut record: Record) -> Result<(), Failure> {
        let id = record.id.clone();
        if record.run.stage == Stage::Starting {
            let left = Left {
                command: vec![record.provider.clone()],
                cwd: record.cwd.clone(),
                phrase: self.phrase(&record.provider),
            };
            let places = &self.parts().places;
            if !places.discover(&mut record.run, &id, &left).await {
                return self.never_begun(record).await.map(|_| ());
            }
            record.run.stage = Stage::Living;
            record.lifecycle = Lifecycle::Idle;
            record.reason = None;
            self.book().put(record.clone(), Tell::Updated).await?;
        }
        let sight = self.seen(&mut record).await?;
        self.follow(&record);
        match sight {
            Sight::Ended(end) => self.ended(record, end).await.map(|_| ()),
            Sight::Never => self.never_begun(record).await.map(|_| ()),
            _ if record.run.stage == Stage::Ending => self.close_now(record).await.map(|_| ()),
            _ => {
                if record.session.is_none() {
                    self.seek(&id, record.run.number);
                }
                self.note_roots(&record);
                Ok(())
            }
        }
    }

    /// Looks at an agent whose turn it is, and writes down what is news of where it is and whether it can be asked.
    pub(super) async fn seen(&self, record: &mut Record) -> Result<Sight, Failure> {
        let before = record.run.clone();
        let sight = self.parts().places.see(&mut record.run, &record.id).await;
        if record.run != before && matches!(sight, Sight::Lives | Sight::Unknown(_)) {
            *record = self.book().put(record.clone(), Tell::Updated).await?;
        }
        Ok(sight)
    }

    /// The daemon or the link ended before the program was started. Nothing is started now: nobody waits for it any more.
    pub(super) async fn never_begun(&self, mut record: Record) -> Result<Record, Failure> {
        let ended = record.run.host().map_or_else(
            || "the daemon was ended".to_owned(),
            |host| format!("the daemon was ended or the link to {host} broke"),
        );
        record.run.doubt = None;
        record.run.stage = Stage::Over;
        record.lifecycle = Lifecycle::Failed;
        if record.run.preset {
            record.session = None;
        }
        record.reason = Some(format!(
            "{ended} before the program was started; `surfaced agent open {}` starts it, without the first \
             prompt, which is not written down",
            record.id
        ));
        self.book().put(record, Tell::Updated).await
    }

    /// Hears of ends.
    async fn listen(&self, mut listener: Listener) {
        while let Some(heard) = listener.next().await {
            let ids = match heard {
                Heard::Event(event) => self.meant(&event).await,
                Heard::Missed(_) => self.live().await,
            };
            for id in ids {
                let agents = self.clone();
                self.parts().supervisor.spawn(async move {
                    if let Err(failure) = agents.settle(&id).await {
                        tracing::warn!(id, %failure, "the end of an agent is not settled");
                    }
                });
            }
        }
    }

    /// The agents whose place an event is about.
    async fn meant(&self, event: &Event) -> Vec<String> {
        let text = |name: &str| event.payload.get(name).and_then(Value::as_str);
        let (terminal, seat) = match event.topic {
            "terminal.exited" | "terminal.removed" => (text("id"), None),
            "seat.exited" | "seat.lost" => (None, text("reference")),
            _ => return Vec::new(),
        };
        let all = self.book().all().await.unwrap_or_default();
        let meant = all.into_iter().filter(|record| {
            let run = &record.run;
            let reference = run.seat.as_ref().map(ToString::to_string);
            run.is_live()
                && (terminal.is_some() && run.terminal.as_deref() == terminal
                    || seat.is_some() && reference.as_deref() == seat)
        });
        meant.map(|record| record.id).collect()
    }

    async fn live(&self) -> Vec<String> {
        let all = self.book().all().await.unwrap_or_default();
        let live = all.into_iter().filter(|record| record.run.is_live());
        live.map(|record| record.id).collect()
    }

    /// Looks at an agent that may have ended.
    pub(super) async fn settle(&self, id: &str) -> Result<(), Failure> {
        let _turn = self.book().turn(id).await?;
        // It may be forgotten meanwhile.
        let Ok(mut record) = self.book().get(id).await else {
            return Ok(());
        };
        if !record.run.is_live() {
            return Ok(());
        }
        match self.seen(&mut record).await? {
            Sight::Ended(end) => self.ended(record, end).await.map(|_| ()),
            Sight::Never => self.never_begun(record).await.map(|_| ()),
            Sight::Lives | Sight::Unknown(_) => Ok(()),
        }
    }

    /// Watches a program whose end no event tells of.
    pub(super) fn follow(&self, record: &Record) {
        if !matches!(record.run.place, Place::Surface { .. }) {
            return;
        }
        let (agents, mut run, id) = (self.clone(), record.run.clone(), record.id.clone());
        self.parts().supervisor.spawn(async move {
            loop {
                agents.parts().places.wait_surface(&run, &id).await;
                if let Err(failure) = agents.settle(&id).await {
                    tracing::warn!(id, %failure, "the end of an agent is not settled");
                }
                match agents.book().get(&id).await {
                    Ok(record) if record.run.number == run.number && record.run.is_live() => {
                        run = record.run;
                    }
                    _ => return,
                }
            }
        });
    }

    /// Writes down that the program of an agent ended, what that means, and which conversation it had.
    pub(super) async fn ended(&self, mut record: Record, end: End) -> Result<Record, Failure> {
        let provider = self.programs().provider(&record.provider).ok();
        let label = provider
            .as_ref()
            .map_or(record.provider.as_str(), |provider| provider.label());
        let resumed = record.session.as_ref().filter(|_| record.run.resumes);
        let verdict = judge(
            &end,
            &Case {
                provider: provider.as_ref(),
                label,
                place: &record.run.place,
                wanted: record.run.stage == Stage::Ending,
                rebooted: record.run.boot != boot::id(),
                lasted_ms: clock::now_ms().saturating_sub(record.run.began_ms),
                resumed: resumed.map(|session| session.session_id.as_str()),
            },
        );
        if verdict.missing {
            record.lost_session = record.session.take();
        } else if record.run.resumes {
            record.asked_again = false;
        }
        if !verdict.missing
            && end.exit.exit_code.is_some()
            && let Some(provider) = &provider
            && let Some(left) = provider.conversation_left(&end.words)
            && let Ok(id) = Word::parse(left)
        {
            // The program's own last word, whatever was known before.
            record.session = Some(handle(id));
            record.unspoken = None;
        }
        if record.unspoken.is_none() && !verdict.missing {
            record.unspoken = self.never_spoken_to(&record).await;
        }
        record.run.stage = Stage::Over;
        record.run.doubt = None;
        record.lifecycle = verdict.lifecycle;
        record.left = self.left(&record).await.told(label, &record.id);
        let back = verdict.missing && self.may_be_back(&record, provider.as_ref()).await;
        record.reason = said(&record, &verdict, provider.as_ref(), back);
        let record = self.book().put(record, Tell::Updated).await?;
        // It has been heard.
        self.parts().places.sweep(&record.run, &record.id).await;
        Ok(record)
    }
}

/// Why an agent is as it is, and what to do next. `back`: the conversation that its provider did not have is on its disk.
fn said(
    record: &Record,
    verdict: &Verdict,
    provider: Option<&Provider>,
    back: bool,
) -> Option<String> {
    let open = format!("`surfaced agent open {}`", record.id);
    let unknown = record.session.is_none();
    let next = if back {
        format!("its file is there all the same: {open} tries it once more")
    } else if verdict.missing || unknown {
        format!("{open} begins a new conversation")
    } else if verdict.lifecycle == Lifecycle::Failed {
        format!("{open} tries it again")
    } else {
        format!("{open} takes it up again")
    };
    let Some(why) = &verdict.why else {
        let can = provider.is_some_and(|provider| provider.capabilities(None).supports_resume);
        return (unknown && can)
            .then(|| format!("which conversation it had is not known: {next}, `surfaced sessions --files` shows those on disk"));
    };
    if verdict.lifecycle == Lifecycle::Failed && !verdict.missing {
        let program = provider.map_or(record.provider.as_str(), Provider::program);
        return Some(format!(
            "{why}; see that `{program}` works by itself, and install or repair it where it does not: then {next}"
        ));
    }
    Some(format!("{why}; {next}"))
}
