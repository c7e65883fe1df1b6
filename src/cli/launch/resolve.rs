//! `surfaced resolve`.

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, reach, render};
use crate::proto::BackendId;
use crate::proto::resolve::{ResolveBackend, ResolveParams};

/// Says which terminal a surface would open in, and why.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Ask for this terminal
    #[arg(short, long)]
    backend: Option<String>,
}

pub(in crate::cli) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let params = ResolveParams {
        context: reach::context(),
        sessions: None,
        forced: args.backend.as_deref().map(BackendId::from),
        // As open, which falls back to a terminal that the daemon hosts.
        headless: Some(true),
    };
    let resolved = reach::daemon()
        .await?
        .call::<ResolveBackend>(&params)
        .await?;
    let exit = if resolved.backend.is_some() {
        Exit::Done
    } else {
        Exit::Failed
    };
    if global.json {
        render::json(&resolved)?;
        return Ok(exit);
    }
    render::told(&resolved.description)?;
    let rows = resolved.considered.into_iter().map(|one| {
        [
            one.backend.0,
            if one.ok { "yes" } else { "no" }.to_owned(),
            one.reason,
        ]
    });
    render::line("")?;
    render::table(["BACKEND", "OK", "WHY"], rows.collect())?;
    Ok(exit)
}
