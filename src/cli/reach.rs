//! Reaching the daemon.

use std::future::Future;

use super::exit::CliError;
use crate::client::{self, Found, Options};

/// Runs a command that waits.
pub(super) fn block_on<T>(
    command: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::failed(format!("cannot start the runtime: {error}")))?
        .block_on(command)
}

/// The daemon, started where there is none.
pub(super) async fn daemon() -> Result<Found, CliError> {
    Ok(client::ensure(&Options::current()?).await?)
}
