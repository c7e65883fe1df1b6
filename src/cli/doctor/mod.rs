//! `surfaced doctor`: a section a file; each adds lines, and the first one that is bad makes the exit status 1.

mod backends;
mod configuration;
mod daemon;
mod hosts;
mod line;
mod program;

use serde_json::json;

use super::agent::aside;
use super::exit::{CliError, Exit};
use super::{Global, render};
use crate::client::{self, Daemon, Options};
use line::{Line, Verdict};

/// Looks at the program, its home, the daemon, the configuration and every backend, and says what to do where something
/// does not work. Starts the daemon where none answers, since it is the daemon that has to see the terminals.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) async fn run(_: &Args, global: Global) -> Result<Exit, CliError> {
    let options = Options::current()?;
    let mut lines = program::lines(&options);
    let found = client::ensure(&options).await;
    lines.extend(daemon::lines(found.as_ref()).await);
    let found = found.ok();
    lines.push(configuration::line(found.as_ref(), &options).await);
    if let Some(found) = found {
        lines.extend(backends::lines(&found).await);
        let daemon = Daemon::over(options.clone(), found.connection);
        let notes = aside::notes(&daemon).await?;
        let line = |note| Line::new("records", "damaged", Verdict::Warning, note);
        lines.extend(notes.into_iter().map(line));
    }
    lines.extend(hosts::lines(&options).await);

    let bad = lines.iter().any(|line| line.verdict == Verdict::Bad);
    if global.json {
        render::json(&json!({ "ok": !bad, "checks": lines }))?;
    } else {
        print(&lines)?;
    }
    Ok(if bad { Exit::Failed } else { Exit::Done })
}

fn print(lines: &[Line]) -> Result<(), CliError> {
    let rows = lines
        .iter()
        .flat_map(|line| {
            let hint = line.hint.as_ref().map(|hint| {
                let nothing = String::new;
                [nothing(), nothing(), nothing(), format!("→ {hint}")]
            });
            let finding = [
                line.verdict.mark().to_owned(),
                line.section.to_owned(),
                line.name.clone(),
                line.text.clone(),
            ];
            std::iter::once(finding).chain(hint)
        })
        .collect();
    render::table(["", "section", "what", "finding"], rows)
}
