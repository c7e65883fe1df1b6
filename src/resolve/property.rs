//! The decision under facts that nobody thought of.

use proptest::prelude::*;

use crate::backend::Found;
use crate::proto::resolve::SessionSample;
use crate::proto::{BackendId, Platform};

use super::table::candidates;
use super::*;

proptest! {
    /// Whatever the facts: an answer, the same one twice, of a candidate that can be driven.
    #[test]
    fn the_decision_is_total_and_deterministic(
        linux: bool,
        headless: bool,
        env in proptest::collection::btree_map(
            prop_oneof!["TMUX", "TMUX_PANE", "TERM_PROGRAM", "SSH_TTY", "CMUX_TAB_ID", "[A-Z]{1,4}"],
            prop_oneof!["/tmp/t,8,0", "%1", "iTerm.app", "ghostty", "Apple_Terminal", ".{0,8}"],
            0..5,
        ),
        tree in proptest::option::of(proptest::collection::vec(
            prop_oneof!["zsh", "ghostty", "code", "tmux: server", "sshd", "kitty", ".{0,8}"],
            0..6,
        )),
        apps in proptest::option::of(proptest::collection::btree_set(
            prop_oneof!["iterm", "ghostty", "terminal", "cursor-agent", "foot", ".{0,8}"],
            0..5,
        )),
        sessions in proptest::collection::vec(
            (
                proptest::option::of(prop_oneof!["iterm", "ghostty", "tmux", "cursor", "constructor", ".{0,8}"]),
                proptest::option::of(prop_oneof!["iterm", "ghostty", "code"]),
                proptest::option::of(proptest::num::f64::ANY),
            ),
            0..6,
        ),
    ) {
        let platform = if linux { Platform::Linux } else { Platform::Darwin };
        let mut facts = Facts::pure(platform, env);
        facts.ancestry = tree.map(|names| names.into_iter().map(|name| Program { name, ..Program::default() }).collect());
        facts.sessions = sessions
            .into_iter()
            .map(|(host, viewing_app, last_activity_ms)| SessionSample { host, viewing_app, last_activity_ms, started_at_ms: None })
            .collect();
        let apps = apps.map(|ids| ids.iter().map(|id| BackendId::from(id.as_str())).collect());
        let found = Found::Listed(apps.unwrap_or_else(|| inferred(&facts)));
        let candidates = candidates(&facts.machine(found));
        let result = decide(&candidates, &facts, Ask::Best { headless });
        prop_assert_eq!(&result, &decide(&candidates, &facts, Ask::Best { headless }));
        prop_assert_eq!(result.backend.is_some(), result.source.is_some());
        prop_assert!(result.backend.is_some() || !headless);
        prop_assert_eq!(result.considered.len(), candidates.len());
        if let Some(backend) = &result.backend {
            let considered = result.considered.iter().find(|considered| considered.backend == *backend);
            prop_assert!(considered.is_some_and(|considered| considered.ok));
        }
        prop_assert!(!result.description.contains('\n'));
        let _ = caller_env(&facts);
        for wanted in &candidates {
            let forced = decide(&candidates, &facts, Ask::Forced(wanted));
            prop_assert!(forced.backend.is_none_or(|backend| backend == wanted.id));
        }
    }
}
