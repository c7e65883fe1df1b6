//! `surfaced events [TOPIC…]`.

use serde_json::{Value, json};

use super::exit::{CliError, Exit};
use super::{Global, reach, render};
use crate::proto::Method;
use crate::proto::events::Events;

/// Prints what happens to terminals, surfaces, seats and agents, as it happens.
///
/// A line an event: when, what, and what it is about; with --json the event as an object.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Topics such as terminal.exited, or groups of them such as agent; without one all
    #[arg(value_name = "TOPIC")]
    topics: Vec<String>,
}

pub(super) async fn run(args: &Args, global: Global) -> Result<Exit, CliError> {
    let params = if args.topics.is_empty() {
        json!({})
    } else {
        json!({ "topics": args.topics })
    };
    let daemon = reach::daemon().await?;
    let mut items = daemon.subscribe(Events::NAME, &params).await?;
    while let Some(item) = items.next().await? {
        if global.json {
            render::json_line(&item)?;
        } else {
            render::line(readable(&item))?;
        }
    }
    Ok(Exit::Done)
}

/// An event in one line. Nothing in it moves the cursor: titles are whatever programs say.
fn readable(item: &Value) -> String {
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let payload = &item["payload"];
    let first = |names: &[&str]| names.iter().find_map(|name| text(&payload[*name]));
    let words = [
        text(&item["at"]),
        text(&item["topic"]).or_else(|| text(&item["type"])),
        first(&["id", "reference", "surface"]),
        first(&["lifecycle", "state"]),
        first(&["title", "name", "command"]),
        first(&["cwd"]),
        first(&["reason"]),
    ];
    let line = words.into_iter().flatten().collect::<Vec<_>>().join("  ");
    render::plain(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let item = json!({
            "type": "event", "topic": "terminal.title", "at": "2026-01-02T03:04:05Z",
            "payload": { "id": "t1", "title": "a\u{1b}[2J\nb" },
        });
        assert_eq!(
            readable(&item),
            "2026-01-02T03:04:05Z  terminal.title  t1  a\\u{1b}[2J\\nb"
        );
        assert_eq!(readable(&json!({ "type": "gap" })), "gap");
    }
}
