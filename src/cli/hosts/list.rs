//! The list.

use futures_util::{StreamExt, stream};
use serde::Serialize;

use crate::cli::exit::{CliError, Exit};
use crate::cli::{Global, render};
use crate::proto::HostAlias;
use crate::transport::ssh::Hosts;
use crate::transport::ssh::decide::Choice;

/// How many hosts are looked at at a time; each look is a few short programs.
const AT_ONCE: usize = 8;

/// A host, and how it would be reached.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct Host {
    pub(in crate::cli) name: HostAlias,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) address: Option<String>,
    /// `library`, `openssh`, or `none`.
    pub(in crate::cli) way: &'static str,
    /// Why it is not the library, or why it cannot be reached at all.
    pub(in crate::cli) reasons: Vec<String>,
}

pub(super) async fn run(hosts: &Hosts, global: Global) -> Result<Exit, CliError> {
    for trouble in hosts.troubles() {
        render::note(format!("the ssh configuration cannot be read: {trouble}"));
    }
    let found = look(hosts, hosts.names()).await;
    if global.json {
        render::json(&serde_json::json!({ "hosts": found }))?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        render::note("the ssh configuration names no hosts");
    }
    let rows = found.into_iter().map(|host| {
        [
            host.name.to_string(),
            host.address.unwrap_or_default(),
            host.way.to_owned(),
            host.reasons.join("; "),
        ]
    });
    render::table(["HOST", "ADDRESS", "THROUGH", "BECAUSE"], rows.collect())?;
    Ok(Exit::Done)
}

/// Looks at these hosts, several at a time, and keeps their order. Connects to none.
pub(in crate::cli) async fn look(hosts: &Hosts, names: Vec<HostAlias>) -> Vec<Host> {
    stream::iter(names)
        .map(|name| one(hosts, name))
        .buffered(AT_ONCE)
        .collect()
        .await
}

async fn one(hosts: &Hosts, name: HostAlias) -> Host {
    let survey = match hosts.look(&name).await {
        Ok(survey) => survey,
        Err(failure) => {
            return Host {
                name,
                address: None,
                way: "none",
                reasons: vec![failure.message],
            };
        }
    };
    let target = &survey.target;
    let (way, reasons) = match survey.choice {
        Choice::Library { .. } if cfg!(feature = "ssh") => ("library", Vec::new()),
        Choice::Library { .. } => (
            "openssh",
            vec!["surfaced was built without the library".to_owned()],
        ),
        Choice::OpenSsh(reasons) => ("openssh", reasons),
        Choice::Refused(reasons) => ("none", reasons),
    };
    Host {
        address: Some(format!(
            "{}@{}:{}",
            survey.config.user(),
            target.hostname,
            target.port
        )),
        name,
        way,
        reasons,
    }
}
