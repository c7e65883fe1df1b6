//! `surfaced ensure`.

use serde::Serialize;

use super::exit::{CliError, Exit};
use super::{Global, reach, render};
use crate::client::Found;
use crate::proto::daemon::{NoParams, Status};

/// Makes sure that a daemon answers, and says where.
///
/// Starts one where there is none, waits for one that starts or ends, and replaces one of a lower protocol. With
/// `SURFACED_SOCKET` set it starts nothing. Programs use --json: {socket, pid, protocol, version, started}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// What `ensure --json` prints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Ensured {
    socket: String,
    pid: u32,
    protocol: u32,
    version: String,
    started: bool,
}

pub(super) async fn run(_: &Args, global: Global) -> Result<Exit, CliError> {
    report(&reach::found().await?, global).await?;
    Ok(Exit::Done)
}

/// Prints which daemon answers.
pub(super) async fn report(found: &Found, global: Global) -> Result<(), CliError> {
    let status = found.connection.call::<Status>(&NoParams {}).await?;
    let ensured = Ensured {
        socket: found.socket.display().to_string(),
        pid: status.pid,
        protocol: status.protocol,
        version: status.version,
        started: found.started,
    };
    if global.json {
        return render::json(&ensured);
    }
    render::line(format!(
        "surfaced {} {} (pid {}) at {}",
        ensured.version,
        if ensured.started { "started" } else { "runs" },
        ensured.pid,
        ensured.socket
    ))
}
