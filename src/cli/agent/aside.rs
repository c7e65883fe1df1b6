//! Records of agents that were damaged, and what still runs for them.

use std::path::Path;

use crate::cli::exit::CliError;
use crate::client::Connection;
use crate::proto::agent::{AgentList, AgentListParams};
use crate::proto::daemon::{NoParams, Status};
use crate::proto::terminal::{TerminalList, TerminalListParams, TerminalState};

/// A sentence for each record that was set aside, and for each terminal whose agent nobody knows.
pub(in crate::cli) async fn notes(daemon: &Connection) -> Result<Vec<String>, CliError> {
    let home = daemon.call::<Status>(&NoParams {}).await?.home;
    let mut notes = damaged(&Path::new(&home).join("agents"));
    let params = AgentListParams {
        archived: Some(true),
    };
    let agents = daemon.call::<AgentList>(&params).await?.agents;
    let all = daemon
        .call::<TerminalList>(&TerminalListParams { cwd: None })
        .await?;
    for terminal in all.terminals {
        let Some(agent) = terminal.agent_id else {
            continue;
        };
        if terminal.state == TerminalState::Running && !agents.iter().any(|one| one.id == agent) {
            notes.push(format!(
                "terminal {} runs the program of agent {agent}, which is not known any more: see it with `{}`, end it with \
                 `surfaced terminal kill {}`",
                terminal.id, terminal.attach, terminal.id
            ));
        }
    }
    Ok(notes)
}

/// The files that were set aside in a directory of records.
fn damaged(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut notes: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (id, _) = name.split_once(".json.damaged")?;
            Some(format!(
                "the record of agent {id} is damaged and was set aside as {}: its conversation is taken up with `surfaced \
                 resume`; remove the file when you need it no more",
                entry.path().display()
            ))
        })
        .collect();
    notes.sort();
    notes
}
