//! In a seat.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{Left, PAUSE, Places, Sight, Start};
use crate::proto::seat::{SeatState, SpawnParams, StopParams};
use crate::proto::surfaces::Exit;
use crate::proto::{AbsolutePath, Failure, Kind, SurfaceRef, Word};
use crate::service::agents::record::{Process, Run};
use crate::service::agents::verdict::End;
use crate::service::seats::Unwritten;

/// How long a seat that an earlier daemon began may take to be there.
const LATE: Duration = Duration::from_secs(2);

/// So many letters of an agent's id are in the name of its seat: those at the end, which are random.
const LETTERS: usize = 8;

/// The name of a seat, from the agent's id. A later start has another: the window of an earlier one may be kept.
pub(super) fn name(agent: &str, provider: &str, number: u32) -> String {
    let letters: String = agent.chars().filter(char::is_ascii_alphanumeric).collect();
    let end = &letters[letters.len().saturating_sub(LETTERS)..];
    match number {
        1 => format!("{provider}-{end}"),
        later => format!("{provider}-{end}-{later}"),
    }
}

impl Places {
    pub(super) async fn start_seat(
        &self,
        start: Start,
        space: Word,
        run: &mut Run,
    ) -> Result<(), Failure> {
        let word = |text: String| {
            Word::parse(text).map_err(|error| Failure::params("", error.to_string()))
        };
        let mut words = self.programs.wrapped(&start.argv).into_iter().map(word);
        let (Some(command), args) = (words.next(), words.collect::<Result<_, _>>()?) else {
            return Err(Failure::new(Kind::Internal, "a command without words"));
        };
        let spawned = self
            .seats
            .spawn_as(
                SpawnParams {
                    space,
                    name: word(run.seat_name.clone().unwrap_or_default())?,
                    command: command?,
                    args: Some(args),
                    env: Some(start.env),
                    exact_env: None,
                    cwd: AbsolutePath::parse(start.cwd)
                        .map(Some)
                        .map_err(|error| Failure::params("cwd", error.to_string()))?,
                    exit_phrase: Some(word(start.phrase)?),
                    confirm: None,
                    host: None,
                },
                Some(start.shown),
            )
            .await;
        let reference = match spawned {
            Ok(spawned) => {
                run.attach = Some(spawned.attach);
                spawned.reference
            }
            // It was handed over and has not reported yet: it is there.
            Err(failure) if failure.kind() == Kind::StateUnknown => {
                let detail = failure.data.detail.as_ref();
                let reference = detail.and_then(|detail| detail["reference"].as_str());
                let reference = reference.and_then(|text| text.parse::<SurfaceRef>().ok());
                reference.ok_or(failure)?
            }
            Err(failure) => return Err(failure),
        };
        self.sits(run, reference).await;
        Ok(())
    }

    async fn sits(&self, run: &mut Run, reference: SurfaceRef) {
        if let Ok(Some(seat)) = self.seats.find(&reference).await {
            run.process = seat.pid.map(Process::now);
            run.attach = run.attach.take().or(seat.attach);
        }
        run.seat = Some(reference);
    }

    pub(super) async fn discover_seat(&self, run: &mut Run, space: &Word, left: &Left) -> bool {
        let Some(name) = run.seat_name.clone() else {
            return false;
        };
        let unwritten = Unwritten {
            space: space.as_str().to_owned(),
            name,
            command: left.command.clone(),
            cwd: left.cwd.clone(),
            exit_phrase: left.phrase.clone(),
        };
        let end = Instant::now() + LATE;
        loop {
            if let Ok(Some(reference)) = self.seats.discover(&unwritten).await {
                self.sits(run, reference).await;
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            sleep(PAUSE).await;
        }
    }

    pub(super) async fn look_seat(&self, run: &Run) -> Sight {
        let Some(reference) = &run.seat else {
            return Sight::Ended(End::default());
        };
        match self.seats.status(reference).await {
            Ok(status) if status.state == SeatState::Running => Sight::Lives,
            Ok(status) => Sight::Ended(End {
                place_gone: status.state == SeatState::Gone,
                exit: Exit {
                    exited: true,
                    exit_code: status.exit_code,
                    signal: status.signal,
                },
                words: self.seats.last_lines(reference).await.unwrap_or_default(),
            }),
            Err(failure) => Sight::Unknown(failure.message),
        }
    }

    pub(super) async fn end_seat(&self, run: &Run) -> Result<(), Failure> {
        let Some(reference) = &run.seat else {
            return Ok(());
        };
        self.seats
            .stop(StopParams {
                reference: reference.clone(),
                graceful: Some(false),
                grace_ms: None,
                timeout_ms: None,
            })
            .await
            .map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn a_seat_is_named_for_its_agent() {
        let id = "0198a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert_eq!(name(id, "claude", 1), "claude-2e3f4a5b");
        assert_eq!(name(id, "claude", 3), "claude-2e3f4a5b-3");
        assert_eq!(name("x", "codex", 1), "codex-x");
    }
}
