//! Which agent is meant.

use crate::cli::exit::CliError;
use crate::client::Daemon;
use crate::proto::agent::{Agent, AgentList, AgentListParams};
use crate::proto::{Kind, Word};

/// The agent with this id, whose id begins so, or that has this title.
pub(super) async fn find(daemon: &Daemon, wanted: &str) -> Result<Agent, CliError> {
    let params = AgentListParams {
        archived: Some(true),
    };
    let all = daemon.call::<AgentList>(&params).await?.agents;
    meant(wanted, &all).cloned()
}

fn meant<'a>(wanted: &str, all: &'a [Agent]) -> Result<&'a Agent, CliError> {
    if let Some(exact) = all.iter().find(|agent| agent.id == wanted) {
        return Ok(exact);
    }
    let called: Vec<&Agent> = all
        .iter()
        .filter(|agent| {
            agent.title == wanted || (!wanted.is_empty() && agent.id.starts_with(wanted))
        })
        .collect();
    match called[..] {
        [one] => Ok(one),
        [] => Err(CliError::failed(format!("no agent is called {wanted:?}"))
            .kind(Kind::NotFound)
            .hint("surfaced agent ls --archived shows those there are")),
        _ => {
            let each: Vec<String> = called
                .iter()
                .map(|agent| format!("{} ({}, in {})", agent.id, agent.title, agent.cwd))
                .collect();
            Err(
                CliError::failed(format!("several agents are called {wanted:?}"))
                    .kind(Kind::Conflict)
                    .hint(format!("say which: {}", each.join(", "))),
            )
        }
    }
}

pub(super) fn word(text: &str) -> Result<Word, CliError> {
    Word::parse(text).map_err(|error| CliError::usage(format!("{text:?} {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_their_beginnings_and_titles_are_understood() {
        let all: Vec<Agent> = [("abc", "one"), ("abd", "two"), ("xyz", "two"), ("xya", "abd")]
            .map(|(id, title)| {
                let agent = json!({
                    "id": id, "title": title, "provider": "claude", "cwd": "/", "labels": {}, "terminal": true,
                    "lifecycle": "idle", "createdAt": "", "updatedAt": "",
                });
                serde_json::from_value(agent).unwrap()
            })
            .to_vec();
        for (wanted, expected) in [
            ("abc", Ok("abc")),
            ("abd", Ok("abd")),
            ("one", Ok("abc")),
            ("xyz", Ok("xyz")),
            ("ab", Err("several")),
            ("two", Err("several")),
            ("nope", Err("no agent")),
            ("", Err("no agent")),
        ] {
            match (meant(wanted, &all), expected) {
                (Ok(agent), Ok(id)) => assert_eq!(agent.id, id, "{wanted:?}"),
                (Err(error), Err(words)) => assert!(error.message.starts_with(words), "{wanted:?}"),
                (found, _) => panic!("{wanted:?}: {found:?}"),
            }
        }
    }
}
