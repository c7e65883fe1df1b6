//! Reaching the daemon.

use std::future::Future;

use super::exit::CliError;
use crate::client::{self, Daemon, Found, Options};
use crate::launch::quote::{Style, posix};
use crate::os::environment;
use crate::proto::Context;

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
pub(super) async fn daemon() -> Result<Daemon, CliError> {
    Ok(Daemon::reach(Options::current()?).await?)
}

/// The same, with what it says of itself.
pub(super) async fn found() -> Result<Found, CliError> {
    Ok(client::ensure(&Options::current()?).await?)
}

/// Where this command is, where the system would withhold that from the daemon: macOS shows no process's environment to
/// another. Elsewhere the daemon sees it by itself.
pub(super) fn context() -> Option<Context> {
    cfg!(target_os = "macos").then(|| Context {
        env: Some(environment::of_terminals()),
        pid: Some(std::process::id()),
        ..Context::default()
    })
}

/// The same line, with this program's path where `surfaced` alone would not be found.
pub(super) fn callable(line: &str) -> String {
    let path = environment::variable("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join("surfaced").is_file());
    match (line.strip_prefix("surfaced "), std::env::current_exe()) {
        (Some(rest), Ok(program)) if !found => {
            format!(
                "{} {rest}",
                posix(&program.display().to_string(), Style::Bare)
            )
        }
        _ => line.to_owned(),
    }
}
