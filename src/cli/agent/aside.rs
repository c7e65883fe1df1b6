//! Records that were damaged, and what still runs for them.

use std::path::Path;

use crate::cli::exit::CliError;
use crate::cli::render;
use crate::client::Daemon;
use crate::os::process_table::ProcessTable;
use crate::proto::agent::{AgentList, AgentListParams};
use crate::proto::daemon::{NoParams, Status};
use crate::proto::terminal::{TerminalList, TerminalListParams, TerminalState};
use crate::resolve::TERMINAL_HOST;

/// Prints them as notes.
pub(in crate::cli) async fn tell(daemon: &Daemon) -> Result<(), CliError> {
    for note in notes(daemon).await? {
        render::note(note);
    }
    Ok(())
}

/// A sentence for each record that was set aside, and for each terminal whose agent nobody knows.
pub(in crate::cli) async fn notes(daemon: &Daemon) -> Result<Vec<String>, CliError> {
    let home = daemon.call::<Status>(&NoParams {}).await?.home;
    let home = Path::new(&home);
    let mut notes = damaged(&home.join("agents"), "agent", |_| {
        "its conversation is taken up with `surfaced resume`".to_owned()
    });
    let all = daemon
        .call::<TerminalList>(&TerminalListParams { cwd: None })
        .await?;
    let is_listed = |id: &str| all.terminals.iter().any(|terminal| terminal.id == id);
    notes.extend(damaged(&home.join("terminals"), "terminal", |id| match hosts(id) {
        _ if is_listed(id) => {
            "the terminal was taken over from its host, and `surfaced terminal list` shows it".to_owned()
        }
        Some(pid) => format!(
            "its program still runs, below process {pid}, and is ended with that one: kill {pid}"
        ),
        None => "its program does not run any more".to_owned(),
    }));
    notes.extend(damaged(&home.join("seats"), "seat", |_| {
        "its window may still be there, among those of the tmux sessions that begin with surfaced-".to_owned()
    }));
    let params = AgentListParams {
        archived: Some(true),
    };
    let agents = daemon.call::<AgentList>(&params).await?.agents;
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

/// The files that were set aside in a directory of records; `what` says of each what to do.
fn damaged(dir: &Path, of: &str, what: impl Fn(&str) -> String) -> Vec<String> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut notes: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let (id, _) = name.split_once(".json.damaged")?;
            Some(format!(
                "the record of {of} {id} is damaged and was set aside as {}: {}; remove the file when you need it no more",
                entry.path().display(),
                what(id)
            ))
        })
        .collect();
    notes.sort();
    notes
}

/// The process that hosts a terminal, where one does.
fn hosts(terminal: &str) -> Option<u32> {
    let mut table = ProcessTable::new();
    let mine = table.mine();
    let is_it = |pid: u32, table: &mut ProcessTable| {
        let words = table.argv(pid);
        words.get(1).is_some_and(|word| word == TERMINAL_HOST)
            && words.get(2).is_some_and(|word| word == terminal)
    };
    mine.into_iter()
        .map(|process| process.pid)
        .find(|pid| is_it(*pid, &mut table))
}
