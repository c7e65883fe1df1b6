//! `surfaced daemon stop` and the first half of `restart`.

use serde_json::json;
use tokio::time::{Duration, Instant, sleep, timeout};

use super::super::exit::{CliError, Exit};
use super::super::{Global, render};
use crate::client::{self, ClientError, Options};
use crate::os::lock;
use crate::proto::Kind;
use crate::proto::daemon::{
    NoParams, Shutdown, ShutdownMode, ShutdownParams, Status, StatusResult,
};

/// Ends the daemon. What runs has five seconds; terminals and seats live on.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Cancel what runs instead of waiting for it
    #[arg(long)]
    now: bool,
}

pub(super) async fn run(args: &Args, global: Global) -> Result<(), CliError> {
    let stopped = end(args).await?;
    if global.json {
        render::json(&json!({ "stopped": stopped }))
    } else {
        render::line(if stopped {
            "the daemon has ended"
        } else {
            "no daemon was running"
        })
    }
}

/// Ends the daemon and waits until its home is free. `false`: none was running.
pub(super) async fn end(args: &Args) -> Result<bool, CliError> {
    let options = Options::current()?;
    let found = match client::connect(&options).await {
        Ok(found) => found,
        Err(ClientError::NoDaemon { .. }) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let params = ShutdownParams {
        mode: Some(if args.now {
            ShutdownMode::Now
        } else {
            ShutdownMode::Drain
        }),
    };
    let asked = async {
        let status = found.connection.call::<Status>(&NoParams {}).await?;
        found.connection.call::<Shutdown>(&params).await?;
        Ok(status)
    };
    let status = match asked.await {
        Ok(status) => Some(status),
        // It was ending already.
        Err(ClientError::Lost { .. } | ClientError::Unheard { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let deadline = Instant::now() + options.start;
    let closed = timeout(options.start, found.connection.closed()).await;
    // Its connections are closed a moment before its lock is free.
    while closed.is_err()
        || status
            .as_ref()
            .is_some_and(|status| holds(&options, status))
    {
        if Instant::now() > deadline {
            return Err(CliError {
                exit: Exit::Failed,
                ..CliError::failed(format!(
                    "the daemon did not end within {} s",
                    options.start.as_secs()
                ))
                .kind(Kind::Timeout)
            });
        }
        sleep(Duration::from_millis(10)).await;
    }
    Ok(true)
}

/// Whether the home is still that daemon's. It may be the next one's by now, which somebody else started.
fn holds(options: &Options, asked: &StatusResult) -> bool {
    let lock = options.paths.lock();
    let instance = options.instance();
    lock::is_held(&lock).unwrap_or(false)
        && lock::holder(&lock).is_none_or(|pid| pid == asked.pid)
        && instance.is_none_or(|instance| instance.instance_id == asked.instance_id)
}
