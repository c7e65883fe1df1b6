//! `hosts check`.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Instant;

use serde_json::json;

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, render, words};
use crate::os::environment;
use crate::proto::{Failure, HostAlias, Kind};
use crate::transport::ssh::Hosts;
use crate::transport::ssh::decide::Choice;
use crate::transport::ssh::probe::Probe;

/// Connects to a host and says what is there, tool by tool.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Its name in the ssh configuration
    #[arg(allow_hyphen_values = true)]
    host: String,
}

/// What was found.
struct Found {
    way: &'static str,
    reasons: Vec<String>,
    connect_ms: u128,
    probe: std::sync::Arc<Probe>,
}

pub(super) async fn run(hosts: &Hosts, args: &Args, global: Global) -> Result<Exit, CliError> {
    let host = HostAlias::parse(words::host(&args.host)?.as_str())
        .map_err(|error| Failure::bad_host("", error.to_string()))?;
    with_its_agent(hosts, &host).await?;
    let remote = hosts.get(&host);
    let started = Instant::now();
    // A new connection: whoever asks wants to know what happens now.
    let connection = remote.reconnect().await?;
    let connect_ms = started.elapsed().as_millis();
    let found = Found {
        way: connection.link.name(),
        reasons: connection.reasons.clone(),
        connect_ms,
        probe: remote.probe().await?,
    };
    drop(connection);
    if global.json {
        render::json(&json!({
            "host": host,
            "way": found.way,
            "reasons": found.reasons,
            "connectMs": found.connect_ms,
            "system": found.probe.system,
            "shell": found.probe.shell,
            "path": found.probe.path,
            "tmux": found.probe.tmux,
            "tools": found.probe.tools,
        }))?;
    } else {
        print(&host, &found)?;
    }
    Ok(if found.probe.tools.contains_key("tmux") {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The library knows agents only by a variable of its process, and the host's may be another one than this process's. Then the same
/// command, with that variable, takes the place of this one.
async fn with_its_agent(hosts: &Hosts, host: &HostAlias) -> Result<(), CliError> {
    let survey = hosts.look(host).await?;
    let (Choice::Library { .. }, Some(agent)) = (&survey.choice, &survey.agent) else {
        return Ok(());
    };
    if environment::exported(environment::AGENT).as_deref() == Some(agent.as_os_str()) {
        return Ok(());
    }
    let failed = |error| {
        CliError::failed(format!("cannot start this program anew: {error}")).kind(Kind::SpawnFailed)
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "this process becomes the same command; nothing is started beside it"
    )]
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(std::env::args_os().skip(1));
    Err(failed(command.env(environment::AGENT, agent).exec()))
}

fn print(host: &HostAlias, found: &Found) -> Result<(), CliError> {
    let probe = &found.probe;
    let way = if found.reasons.is_empty() {
        found.way.to_owned()
    } else {
        format!("{}: {}", found.way, found.reasons.join("; "))
    };
    let mut rows = vec![
        ("host", host.to_string()),
        ("through", way),
        ("connected in", format!("{} ms", found.connect_ms)),
        ("system", probe.system.clone()),
        ("login shell", probe.shell.clone()),
    ];
    if probe.is_mac() {
        let screen = if probe.screen {
            "you are logged in there, so its applications can be driven"
        } else {
            "you are not logged in there, so none of its applications can be driven"
        };
        rows.push(("screen", screen.to_owned()));
    }
    for (tool, place) in &probe.tools {
        rows.push((tool, place.clone()));
    }
    if let Some(version) = &probe.tmux {
        rows.push(("tmux is", version.clone()));
    }
    render::pairs(&rows)?;
    if !probe.tools.contains_key("tmux") {
        render::note(format!(
            "tmux is not installed on {host}, or not in one of {}",
            probe.path
        ));
    }
    Ok(())
}
