//! `surfaced sessions`.

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, reach, render, words};
use crate::proto::SurfaceRef;
use crate::proto::sessions::{Session, Sessions, SessionsParams};

/// Lists the agents that run, and where they are seen.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Those of a host, by its ssh alias
    #[arg(long, value_name = "HOST", allow_hyphen_values = true)]
    on: Option<String>,
    /// Also the sessions on disk, which can be resumed
    #[arg(long)]
    files: bool,
}

pub(in crate::cli) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let params = SessionsParams {
        include_files: args.files.then_some(true),
        on: args.on.as_deref().map(words::host).transpose()?,
    };
    let listed = reach::daemon().await?.call::<Sessions>(&params).await?;
    if global.json {
        render::json(&listed)?;
        return Ok(Exit::Done);
    }
    for warning in listed.warnings.iter().flatten() {
        render::note(warning);
    }
    if listed.sessions.is_empty() {
        render::note(if args.files {
            "there is no session"
        } else {
            "no agent runs"
        });
    }
    let (live, on_disk): (Vec<_>, Vec<_>) = listed
        .sessions
        .into_iter()
        .partition(|session| session.pid.is_some());
    if !live.is_empty() || on_disk.is_empty() {
        render::table(
            ["AGENT", "PID", "SEEN IN", "DIRECTORY", "SURFACE"],
            live.into_iter().map(row).collect(),
        )?;
    }
    if !on_disk.is_empty() {
        render::table(
            ["AGENT", "ID", "LAST", "DIRECTORY", "ABOUT"],
            on_disk.into_iter().map(row_on_disk).collect(),
        )?;
    }
    Ok(Exit::Done)
}

fn row_on_disk(session: Session) -> [String; 5] {
    let last = session.last_activity_ms.and_then(|at| {
        let at = jiff::Timestamp::from_millisecond(i64::try_from(at).ok()?).ok()?;
        let here = at.to_zoned(jiff::tz::TimeZone::system());
        Some(here.strftime("%Y-%m-%d %H:%M").to_string())
    });
    [
        session.kind,
        session.session_id.unwrap_or_default(),
        last.unwrap_or_default(),
        session.cwd.unwrap_or_default(),
        session.title.unwrap_or_default(),
    ]
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
        match session.surface {
            Some(SurfaceRef::Builtin(id)) => {
                format!(
                    "builtin:{id} ({})",
                    reach::callable(&format!("surfaced attach {id}"))
                )
            }
            Some(surface) => surface.to_string(),
            None => String::new(),
        },
    ]
}
