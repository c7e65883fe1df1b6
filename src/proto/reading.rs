//! Which methods only look: a call of one that was cut short can be made again without a second thought.

/// The methods that change nothing that lasts. All others may have done their work, or part of it, once they began.
const READING: [&str; 31] = [
    "agent.get",
    "agent.list",
    "backends",
    "build",
    "daemon.hello",
    "daemon.shutdown",
    "daemon.status",
    "events.subscribe",
    "layout.refs",
    "plan",
    "provider.command",
    "provider.list",
    "resolveBackend",
    "rpc.discover",
    "seat.capture",
    "seat.list",
    "seat.status",
    "seat.wait",
    "sessions",
    "surface.capture",
    "surface.list",
    "surface.wait",
    "terminal.attach",
    "terminal.capture",
    "terminal.get",
    "terminal.list",
    "terminal.snapshot",
    "terminal.wait",
    "open.unsubscribe",
    "events.unsubscribe",
    "terminal.detach",
];

/// Whether a method only looks. `daemon.shutdown` counts: asking twice is asking once.
#[must_use]
pub fn only_reads(method: &str) -> bool {
    READING.contains(&method)
}

/// What to do about a call of which it is not known what it did: where to see that, before it is made again.
#[must_use]
pub fn look_first(method: &str) -> String {
    let object = method.split('.').next().unwrap_or_default();
    let command = match object {
        _ if only_reads(method) => return "it changes nothing that lasts: ask again".to_owned(),
        "terminal" => "surfaced terminal list",
        "seat" => "surfaced seat list",
        "agent" => "surfaced agent list",
        "layout" => "tmux list-windows -a",
        _ => "surfaced surfaces",
    };
    format!("look before you repeat it: {command}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::catalog::catalog;

    #[test]
    fn each_name_is_a_method_and_those_that_make_or_end_something_are_not_among_them() {
        let names: Vec<_> = catalog().0.iter().map(|entry| entry.name).collect();
        for name in READING {
            assert!(names.contains(&name), "{name}");
        }
        for name in names.iter().filter(|name| !only_reads(name)) {
            let verb = name.rsplit('.').next().unwrap_or(name);
            assert!(
                !["get", "list", "status", "capture", "refs", "wait"].contains(&verb),
                "{name} reads by its name"
            );
        }
        for name in [
            "open",
            "open.subscribe",
            "resume",
            "seat.spawn",
            "surface.inject",
        ] {
            assert!(!only_reads(name), "{name}");
        }
    }
}
