//! `surfaced sessions`.

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, reach, render};
use crate::proto::sessions::{Session, Sessions, SessionsParams};

/// Lists the agents that run, and where they are seen.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {}

pub(in crate::cli) async fn run(_args: &Args, global: Global) -> Result<Exit, CliError> {
    let listed = reach::daemon()
        .await?
        .connection
        .call::<Sessions>(&SessionsParams::default())
        .await?;
    if global.json {
        render::json(&listed)?;
        return Ok(Exit::Done);
    }
    if listed.sessions.is_empty() {
        render::note("no agent runs");
    }
    render::table(
        ["AGENT", "PID", "SEEN IN", "DIRECTORY", "SURFACE"],
        listed.sessions.into_iter().map(row).collect(),
    )?;
    Ok(Exit::Done)
}

fn row(session: Session) -> [String; 5] {
    let seen = match (session.viewing_app, session.host) {
        (Some(app), Some(host)) => format!("{app} ({host})"),
        (Some(app), None) => app,
        (None, Some(host)) if session.tmux.is_some() => format!("{host} (detached)"),
        (None, host) => host.unwrap_or_default(),
    };
    [
        session.kind,
        session.pid.map(|pid| pid.to_string()).unwrap_or_default(),
        seen,
        session.cwd.unwrap_or_default(),
        session
            .surface
            .map(|surface| surface.to_string())
            .unwrap_or_default(),
    ]
}
