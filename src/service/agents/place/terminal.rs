//! In a terminal that the daemon hosts.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{GRACE, PAUSE, Places, Sight, Start};
use crate::proto::surfaces::Exit;
use crate::proto::terminal::{Terminal, TerminalState};
use crate::proto::{Failure, Kind};
use crate::service::agents::record::{Process, Run};
use crate::service::agents::verdict::End;
use crate::service::terminals::{PATIENCE, Plan};

/// How long a host that an earlier daemon started may take to write its terminal down.
const LATE: Duration = Duration::from_secs(2);

impl Places {
    pub(super) async fn start_terminal(&self, start: Start, run: &mut Run) -> Result<(), Failure> {
        let terminal = self
            .terminals
            .create(Plan {
                id: run.terminal.clone(),
                cwd: Some(start.cwd),
                argv: Some(self.programs.wrapped(&start.argv)),
                shown: Some(start.shown),
                env: Some(start.env),
                size: start.size,
                name: Some(start.provider),
                title: Some(start.title),
                agent_id: Some(start.agent),
                ..Plan::default()
            })
            .await?;
        lives(run, &terminal);
        Ok(())
    }

    pub(super) async fn discover_terminal(&self, run: &mut Run) -> bool {
        let Some(id) = run.terminal.clone() else {
            return false;
        };
        let end = Instant::now() + LATE;
        loop {
            if let Ok(terminal) = self.terminals.discover(&id).await {
                lives(run, &terminal);
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            sleep(PAUSE).await;
        }
    }

    pub(super) async fn look_terminal(&self, run: &Run) -> Sight {
        let Some(id) = &run.terminal else {
            return Sight::Ended(End::default());
        };
        match self.terminals.get(id).await {
            Ok(terminal) if terminal.state == TerminalState::Running => Sight::Lives,
            Ok(terminal) => Sight::Ended(End {
                exit: terminal.exit.unwrap_or(Exit {
                    exited: true,
                    ..Exit::default()
                }),
                words: terminal.last_output_lines.unwrap_or_default().join("\n"),
                place_gone: false,
            }),
            Err(failure) if failure.kind() == Kind::NotFound => Sight::Ended(End {
                place_gone: true,
                ..End::default()
            }),
            Err(failure) => Sight::Unknown(failure.message),
        }
    }

    pub(super) async fn end_terminal(&self, run: &Run, phrase: &str) -> Result<(), Failure> {
        let Some(id) = &run.terminal else {
            return Ok(());
        };
        if self.says_goodbye(id, run.process, phrase).await {
            let left = self.terminals.wait(id, Some(GRACE)).await;
            if left.is_ok_and(|exit| exit.exited) {
                return Ok(());
            }
        }
        match self.terminals.kill(id, PATIENCE, PATIENCE).await {
            Ok(_) => Ok(()),
            Err(failure) if failure.kind() == Kind::NotFound => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    pub(super) async fn forget_terminal(&self, run: &Run) {
        if let Some(id) = &run.terminal {
            // It may be forgotten already.
            let _ = self.terminals.remove(id).await;
        }
    }
}

fn lives(run: &mut Run, terminal: &Terminal) {
    run.process = terminal.pid.map(Process::now);
    run.attach = Some(terminal.attach.clone());
}
