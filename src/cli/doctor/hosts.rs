//! The hosts of the ssh configuration. None is connected to.

use std::time::Duration;

use super::line::{Line, Verdict};
use crate::cli::hosts;
use crate::client::Options;
use crate::launch::step::Invocation;
use crate::os::environment;
use crate::os::supervise::Supervisor;
use crate::transport::{Local, Transport};

/// So many hosts are looked at; who has more asks `surfaced hosts`.
const MOST: usize = 40;

pub(super) async fn lines(options: &Options) -> Vec<Line> {
    let mut version = Invocation::new(["ssh", "-V"]);
    version.timeout = Some(Duration::from_secs(5));
    let path = environment::variable("PATH").unwrap_or_default();
    let answer = match Local::new(path).run(version).await {
        Ok(answer) => answer,
        Err(failure) => {
            return vec![
                Line::new("hosts", "ssh", Verdict::Warning, failure.message)
                    .hint(Some("install the OpenSSH client to open surfaces on hosts")),
            ];
        }
    };
    let supervisor = Supervisor::new();
    let found = hosts::hosts(options, &supervisor);
    let mut names = found.names();
    let all = names.len();
    names.truncate(MOST);
    let looked = hosts::look(&found, names).await;
    supervisor.cancel();
    supervisor.join().await;

    let through = |way| looked.iter().filter(|host| host.way == way).count();
    let more = if all > looked.len() {
        format!(" (of {all}, the first {} were looked at)", looked.len())
    } else {
        String::new()
    };
    let mut lines = vec![
        Line::new("hosts", "ssh", Verdict::Good, answer.complaint()),
        Line::new(
            "hosts",
            "configuration",
            Verdict::Good,
            format!(
                "{} through the library, {} through OpenSSH{more}",
                through("library"),
                through("openssh")
            ),
        )
        .hint((all > 0).then_some("surfaced hosts says why, surfaced hosts check HOST connects")),
    ];
    // One mistake in the configuration spoils all of it; it is told once.
    if let Some(bad) = looked.iter().find(|host| host.way == "none") {
        let reasons = bad.reasons.join("; ");
        lines.push(Line::new(
            "hosts",
            bad.name.as_str(),
            Verdict::Warning,
            reasons,
        ));
    }
    lines
}
