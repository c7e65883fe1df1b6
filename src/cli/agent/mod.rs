//! `surfaced agent`: the terminal programs of agents.

pub(super) mod aside;
mod find;
mod new;

use std::io::IsTerminal;

use clap::Subcommand;

use super::attach;
use super::exit::{CliError, Exit};
use super::{Global, reach, render};
use crate::client::Daemon;
use crate::proto::agent::{
    Agent, AgentArchive, AgentClose, AgentCreate, AgentDelete, AgentIdParams, AgentList,
    AgentListParams, AgentOpen, AgentOpenParams, AgentUnarchive, Lifecycle,
};
use crate::proto::{Kind, Method};
use find::{find, word};
use new::{New, Where};

/// Make, find again, open, end and put away the terminal programs of agents.
///
/// An agent is named by its id, the beginning of it, or its title.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start an agent and print its id
    New(New),
    /// List the agents: what each does, where it is and how to get to it
    #[command(alias = "list")]
    Ls {
        /// The archived ones too
        #[arg(short, long)]
        archived: bool,
    },
    /// Take up the conversation of an agent that ended; one that lives is left as it is
    Open {
        /// The agent
        agent: String,
        #[command(flatten)]
        place: Where,
        /// Show it here and type into it, where it is in a terminal of the daemon
        #[arg(short, long)]
        attach: bool,
    },
    /// End an agent's program; its conversation can be taken up again
    Close {
        /// The agents
        #[arg(required = true, value_name = "AGENT")]
        agents: Vec<String>,
    },
    /// Close agents and put them away
    Archive {
        /// The agents
        #[arg(required = true, value_name = "AGENT")]
        agents: Vec<String>,
    },
    /// Take archived agents back
    Unarchive {
        /// The agents
        #[arg(required = true, value_name = "AGENT")]
        agents: Vec<String>,
    },
    /// Close agents and forget them; what their providers wrote down stays
    #[command(alias = "delete")]
    Rm {
        /// The agents
        #[arg(required = true, value_name = "AGENT")]
        agents: Vec<String>,
    },
}

pub(super) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    // What is wrong in the words themselves is said before a daemon is started.
    let reached = async || reach::daemon().await;
    match &args.command {
        Command::New(new) => {
            let params = new.params()?;
            let agent = reached().await?.call::<AgentCreate>(&params).await?;
            opened(&agent, new.attach, global).await
        }
        Command::Ls { archived } => list(&reached().await?, *archived, global).await,
        Command::Open {
            agent,
            place,
            attach,
        } => {
            let place = place.place()?;
            let daemon = reached().await?;
            let id = word(&find(&daemon, agent).await?.id)?;
            let params = AgentOpenParams { id, place };
            let agent = daemon.call::<AgentOpen>(&params).await?;
            opened(&agent, *attach, global).await
        }
        Command::Close { agents } => each::<AgentClose>(&reached().await?, agents, global).await,
        Command::Archive { agents } => {
            each::<AgentArchive>(&reached().await?, agents, global).await
        }
        Command::Unarchive { agents } => {
            each::<AgentUnarchive>(&reached().await?, agents, global).await
        }
        Command::Rm { agents } => {
            let daemon = reached().await?;
            for agent in agents {
                let id = word(&find(&daemon, agent).await?.id)?;
                daemon.call::<AgentDelete>(&AgentIdParams { id }).await?;
            }
            Ok(Exit::Done)
        }
    }
}

/// Says what became of an agent that somebody wants to work with.
async fn opened(agent: &Agent, show: bool, global: Global) -> Result<Exit, CliError> {
    if global.json {
        render::json(agent)?;
    } else {
        render::line(&agent.id)?;
        if let Some(reason) = &agent.reason {
            render::note(reason);
        }
    }
    if matches!(
        agent.lifecycle,
        Lifecycle::Failed | Lifecycle::Interrupted | Lifecycle::Closed
    ) {
        let why = agent
            .reason
            .as_deref()
            .unwrap_or("its program has ended already");
        return Err(
            CliError::failed(format!("agent {} does not run: {why}", agent.id))
                .kind(Kind::TargetGone),
        );
    }
    match (&agent.terminal_id, &agent.attach) {
        (Some(terminal), _) if show && std::io::stdin().is_terminal() => {
            attach::show_terminal(terminal).await
        }
        (_, Some(attach)) => {
            if show {
                render::note("it is shown elsewhere, not here");
            }
            if !global.json {
                render::note(format!("see it with `{attach}`"));
            }
            Ok(Exit::Done)
        }
        _ => Ok(Exit::Done),
    }
}

/// Does something with each of these agents.
async fn each<M>(daemon: &Daemon, agents: &[String], global: Global) -> Result<Exit, CliError>
where
    M: Method<Params = AgentIdParams, Result = Agent>,
{
    for agent in agents {
        let id = word(&find(daemon, agent).await?.id)?;
        let agent = daemon.call::<M>(&AgentIdParams { id }).await?;
        if global.json {
            render::json(&agent)?;
        }
    }
    Ok(Exit::Done)
}

async fn list(daemon: &Daemon, archived: bool, global: Global) -> Result<Exit, CliError> {
    let params = AgentListParams {
        archived: archived.then_some(true),
    };
    let listed = daemon.call::<AgentList>(&params).await?;
    if global.json {
        render::json(&listed)?;
        return Ok(Exit::Done);
    }
    let notes: Vec<String> = listed
        .agents
        .iter()
        .filter_map(|agent| Some(format!("{}: {}", agent.title, agent.reason.as_ref()?)))
        .collect();
    render::table(
        [
            "ID",
            "TITLE",
            "PROVIDER",
            "STATE",
            "WHERE",
            "DIRECTORY",
            "SEE IT WITH",
        ],
        listed.agents.into_iter().map(row).collect(),
    )?;
    for note in notes {
        render::note(note);
    }
    aside::tell(daemon).await?;
    Ok(Exit::Done)
}

fn row(agent: Agent) -> [String; 7] {
    let state = match agent.lifecycle {
        Lifecycle::Idle => "idle",
        Lifecycle::Running => "running",
        Lifecycle::Closed => "closed",
        Lifecycle::Interrupted => "interrupted",
        Lifecycle::Failed => "failed",
    };
    let archived = if agent.archived_at.is_some() {
        ", archived"
    } else {
        ""
    };
    let place = match (&agent.terminal_id, &agent.seat, &agent.surface) {
        (Some(terminal), ..) => format!("terminal {terminal}"),
        (_, Some(seat), _) => format!("seat {seat}"),
        (.., Some(surface)) => surface.to_string(),
        _ => String::new(),
    };
    let open = match agent.archived_at {
        Some(_) => format!("surfaced agent unarchive {}", agent.id),
        None => format!("surfaced agent open {}", agent.id),
    };
    [
        agent.id,
        agent.title,
        format!("{} (terminal)", agent.provider),
        format!("{state}{archived}"),
        place,
        agent.cwd,
        agent.attach.unwrap_or(open),
    ]
}
