//! `events.subscribe`.

use crate::proto::Failure;
use crate::proto::daemon::EndReason;
use crate::proto::events::{EventItem, Events, EventsParams};
use crate::rpc::{Lifetime, Pending, Registry};
use crate::service::events::{self, Heard};

/// Adds the method.
pub(super) fn add(registry: &mut Registry, events: &events::Events) {
    let own = events.clone();
    registry.subscription::<Events, _>(Lifetime::Watch, move |_, params, pending| {
        listen(own.clone(), params, pending)
    });
}

async fn listen(
    events: events::Events,
    params: EventsParams,
    pending: Pending<EventItem>,
) -> Result<EndReason, Failure> {
    // Before the answer: what happens after it is heard.
    let mut listener = events.listen();
    let Ok(sink) = pending.accept().await else {
        return Ok(EndReason::Unsubscribed);
    };
    while let Some(heard) = listener.next().await {
        let sent = match heard {
            Heard::Event(event) if wanted(params.topics.as_deref(), event.topic) => {
                sink.send(&EventItem::Event {
                    topic: event.topic.to_owned(),
                    at: event.at,
                    payload: event.payload,
                })
                .await
            }
            Heard::Event(_) => Ok(()),
            Heard::Missed(missed) => sink.gap(missed).await,
        };
        if sent.is_err() {
            return Ok(EndReason::Unsubscribed);
        }
    }
    Ok(EndReason::ShuttingDown)
}

/// Whether a topic is among those asked for: by its name, or by its group as `terminal`, `terminal.` or `terminal.*`.
fn wanted(topics: Option<&[String]>, topic: &str) -> bool {
    topics.is_none_or(|topics| {
        topics.iter().any(|wanted| {
            let group = wanted.trim_end_matches('*').trim_end_matches('.');
            topic == wanted
                || topic
                    .strip_prefix(group)
                    .is_some_and(|rest| rest.starts_with('.'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_named_by_themselves_or_their_group() {
        for (asked, topic, expected) in [
            ("terminal.exited", "terminal.exited", true),
            ("terminal", "terminal.exited", true),
            ("terminal.*", "terminal.exited", true),
            ("terminal.title", "terminal.exited", false),
            ("agent", "terminal.exited", false),
            ("term", "terminal.exited", false),
        ] {
            assert_eq!(
                wanted(Some(&[asked.to_owned()]), topic),
                expected,
                "{asked}"
            );
        }
        assert!(wanted(None, "terminal.exited"));
        assert!(!wanted(Some(&[]), "terminal.exited"));
    }
}
