//! `surfaced backends`.

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, reach, render, words};
use crate::proto::resolve::{Backends, BackendsParams};

/// Lists the terminals, and for each why it can or cannot be driven here.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Look on a host, by its ssh alias
    #[arg(short = 'H', long, allow_hyphen_values = true)]
    host: Option<String>,
}

pub(in crate::cli) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let host = args.host.as_deref().map(words::host).transpose()?;
    let params = BackendsParams {
        context: reach::context(),
        host,
    };
    let listed = reach::daemon().await?.call::<Backends>(&params).await?;
    if global.json {
        render::json(&listed)?;
        return Ok(Exit::Done);
    }
    let rows = listed.backends.into_iter().map(|backend| {
        let why = match (backend.reason, backend.remedy) {
            (Some(reason), Some(remedy)) if !backend.available => format!("{reason}; {remedy}"),
            (reason, _) => reason.unwrap_or_default(),
        };
        [
            backend.id.0,
            backend.label,
            if backend.available { "yes" } else { "no" }.to_owned(),
            why,
        ]
    });
    render::table(["BACKEND", "NAME", "HERE", "WHY"], rows.collect())?;
    Ok(Exit::Done)
}
