//! The environment of a program in a hosted terminal.

use std::collections::BTreeMap;

use crate::os::environment::{Variables, is_kept};
use crate::proto::Env;

/// What the screen of a host understands.
const TERM: &str = "xterm-256color";

/// The daemon's allow-list, TERM, then what the caller gave. Marks of an agent that the daemon was started from are not on
/// the list. Values that are not UTF-8 are left out.
pub(super) fn variables(daemon: &Variables, given: Option<&Env>) -> Vec<(String, String)> {
    let mut all: BTreeMap<String, String> = daemon
        .iter()
        .filter(|(name, _)| is_kept(name))
        .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())))
        .collect();
    all.insert("TERM".into(), TERM.into());
    for (name, value) in given.into_iter().flatten() {
        all.insert(name.as_str().to_owned(), value.as_str().to_owned());
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::environment::for_daemon;
    use crate::proto::{EnvName, Word};

    #[test]
    fn the_list_then_term_then_what_was_given() {
        let daemon = for_daemon(
            [
                ("PATH", "/bin"),
                ("TERM", "dumb"),
                ("CLAUDECODE", "1"),
                ("CODEX_SANDBOX", "x"),
                ("GEMINI_CLI", "1"),
            ]
            .map(|(name, value)| (name.into(), value.into())),
            None,
            None,
        );
        let given = Env::from([
            (EnvName::parse("A").unwrap(), Word::parse("b c").unwrap()),
            (EnvName::parse("PATH").unwrap(), Word::parse("/x").unwrap()),
        ]);
        let all = variables(&daemon, Some(&given));
        let get = |name: &str| {
            all.iter()
                .find(|(found, _)| found == name)
                .map(|(_, value)| value.as_str())
        };
        assert_eq!(get("TERM"), Some("xterm-256color"));
        assert_eq!(get("PATH"), Some("/x"));
        assert_eq!(get("A"), Some("b c"));
        assert!(get("LC_CTYPE").is_some(), "a locale of UTF-8");
        for name in ["CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI"] {
            assert_eq!(get(name), None);
        }
    }
}
