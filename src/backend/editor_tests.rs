//! Which extension is looked for, which one is used, and what is said of it.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::backend::Registry;
use crate::backend::batch::{Planned, Scene, plan};
use crate::config;
use crate::launch::plan::{Defaults, requests};
use crate::launch::shell::Shell;
use crate::launch::step::Ended;
use crate::proto::{BackendId, Context, Item, Platform};

const SWARMIFY: &str = "swarmify.swarm-ext";
const OURS: &str = "surfaced.surfaced";

fn editor(extension: Option<&str>) -> Editor {
    VSCODIUM.with(extension.map(str::to_owned))
}

/// A machine that has `codium` and these entries among its extensions' directories, as they are looked for.
fn facts(entries: &[&str]) -> Facts {
    let entries = entries.iter().map(|prefix| Need::HomeEntry {
        dir: ".vscode-oss/extensions".into(),
        prefix: (*prefix).into(),
    });
    let program = Need::Program("codium".into());
    Facts {
        platform: Platform::Linux,
        env: BTreeMap::new(),
        found: Found::Seen(entries.chain([program]).collect()),
        in_tmux: false,
        on_host: false,
    }
}

#[test]
fn the_extension_that_is_there_is_the_one_that_is_used() {
    let both = [
        "swarmify.swarm-ext-",
        "surfaced.surfaced-",
        "me.mine-",
        "Me.Other-",
    ];
    for (configured, there, used) in [
        (None, &both[..1], Some(SWARMIFY)),
        (None, &both[1..2], Some(OURS)),
        (None, &both[..], Some(SWARMIFY)),
        (None, &both[2..], None),
        (Some(OURS), &both[..], Some(OURS)),
        (Some(OURS), &both[..1], None),
        (Some("me.mine"), &both[..], Some("me.mine")),
        (Some("Me.Mine"), &both[..], Some("Me.Mine")),
        (Some("Me.Other"), &both[..], Some("Me.Other")),
        (Some("me.other"), &both[..], None),
    ] {
        let answer = editor(configured).availability(&facts(there));
        assert_eq!(
            answer.extension.as_deref(),
            used,
            "{configured:?} {there:?}"
        );
        assert_eq!(answer.available, used.is_some(), "{configured:?} {there:?}");
    }
}

#[test]
fn what_is_looked_for_is_what_would_do() {
    let prefixes = |configured: Option<&str>| -> Vec<String> {
        let entries = editor(configured).needs().into_iter().skip(1);
        entries
            .map(|need| match need {
                Need::HomeEntry { dir, prefix } => format!("{dir}/{prefix}"),
                other => panic!("{other:?}"),
            })
            .collect()
    };
    assert_eq!(
        prefixes(None),
        [
            ".vscode-oss/extensions/swarmify.swarm-ext-",
            ".vscode-oss/extensions/surfaced.surfaced-"
        ]
    );
    assert_eq!(prefixes(Some("a.b")), [".vscode-oss/extensions/a.b-"]);
    assert_eq!(
        prefixes(Some("A.b")),
        [".vscode-oss/extensions/A.b-", ".vscode-oss/extensions/a.b-"]
    );
}

#[test]
fn reasons_and_remedies_name_the_extensions() {
    let answer = |configured, entries| editor(configured).availability(&facts(entries));
    let none = answer(None, &[]);
    assert_eq!(
        none.reason,
        "no extension swarmify.swarm-ext or surfaced.surfaced was found in ~/.vscode-oss/extensions"
    );
    assert_eq!(
        none.remedy.as_deref(),
        Some("install VSCodium and its extension swarmify.swarm-ext or surfaced.surfaced")
    );
    let named = answer(Some("me.mine"), &["swarmify.swarm-ext-"]);
    assert_eq!(
        named.reason,
        "no extension me.mine was found in ~/.vscode-oss/extensions"
    );
    assert_eq!(
        named.remedy.as_deref(),
        Some("install VSCodium and its extension me.mine")
    );
    assert_eq!(
        answer(None, &["surfaced.surfaced-"]).reason,
        "VSCodium and its extension surfaced.surfaced are installed"
    );
    let bare = Facts {
        found: Found::Seen(std::collections::BTreeSet::new()),
        ..facts(&[])
    };
    let bare = editor(None).availability(&bare);
    assert_eq!(
        bare.reason,
        "the program codium was not found on the daemon's PATH"
    );
    let listed = Facts {
        found: Found::Listed(["vscodium-agent".into()].into()),
        ..facts(&[])
    };
    let listed = editor(None).availability(&listed);
    assert_eq!((listed.available, listed.extension), (true, None));
}

/// What is planned for one item, with these extensions seen on the caller's machine.
fn planned(configured: &str, seen: Option<&str>, host: Option<&str>) -> Planned {
    let registry = Registry::new(&config::parse(configured).unwrap());
    let id = BackendId::from("vscodium-agent");
    let seen = seen.map(|seen| (id.clone(), Availability::through(seen, "")));
    let scene = Scene {
        registry: &registry,
        context: &Context::default(),
        availability: &seen.into_iter().collect(),
        shell: &Shell::default(),
        handles: true,
        focus: true,
    };
    let item = json!({ "cwd": "/x", "command": ["cat"], "host": host });
    let items: Vec<Item> = serde_json::from_value(json!([item])).unwrap();
    let defaults = Defaults {
        backend: Some(&id),
        ..Defaults::default()
    };
    plan(&scene, requests(&items, &defaults).unwrap())
        .remove(0)
        .unwrap()
}

/// The extension in a command's URL.
fn addressed(argv: &[String]) -> &str {
    let rest = argv[2].strip_prefix("vscodium://").unwrap();
    rest.split_once("/spawn?p=").unwrap().0
}

#[test]
fn the_url_is_for_the_one_that_was_seen_else_for_the_one_of_the_configuration() {
    let mine = "[backends.vscodium-agent]\nextension = 'me.mine'";
    let other = "[backends.vscode-agent]\nextension = 'me.mine'";
    for (configured, seen, host, extension) in [
        ("", None, None, SWARMIFY),
        ("", Some(OURS), None, OURS),
        (mine, None, None, "me.mine"),
        (mine, Some("me.mine"), None, "me.mine"),
        (other, None, None, SWARMIFY),
        // What is on the caller's machine says nothing of a host.
        ("", Some(OURS), Some("zion"), SWARMIFY),
        (mine, None, Some("zion"), "me.mine"),
    ] {
        let planned = planned(configured, seen, host);
        assert_eq!(
            addressed(&planned.draft.argv),
            extension,
            "{configured:?} {seen:?} {host:?}"
        );
    }
}

fn answer(text: &str) -> Answer {
    Answer {
        ended: Ended::Code(0),
        stdout: text.into(),
        stderr: Vec::new(),
        report: Vec::new(),
    }
}

fn ran(step: Step<Opened>) -> Vec<String> {
    match step {
        Step::Run(invocation) => invocation.argv,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_host_is_asked_which_extension_it_has() {
    for (said, extension) in [
        (".vscode-oss/extensions/swarmify.swarm-ext-\n", SWARMIFY),
        (".vscode-oss/extensions/surfaced.surfaced-\n", OURS),
    ] {
        let job = planned("", None, Some("zion")).job;
        let mut open = editor(None).open(&job).unwrap();
        let look = ran(open.next(None));
        assert_eq!(
            look[3..],
            [
                "sh",
                ".vscode-oss/extensions/swarmify.swarm-ext-",
                ".vscode-oss/extensions/surfaced.surfaced-"
            ]
        );
        let url = ran(open.next(Some(answer(said))));
        assert_eq!(addressed(&url), extension, "{said:?}");
        assert!(matches!(open.next(Some(answer(""))), Step::Done(_)));
    }
}

#[test]
fn a_host_without_the_extension_is_refused() {
    for (configured, names) in [
        (None, "swarmify.swarm-ext or surfaced.surfaced"),
        (Some("me.mine"), "me.mine"),
    ] {
        for said in ["", "no.such-extension\n"] {
            let job = planned("", None, Some("zion")).job;
            let mut open = editor(configured).open(&job).unwrap();
            ran(open.next(None));
            let Step::Failed(failure) = open.next(Some(answer(said))) else {
                panic!("{said:?} is taken for an extension");
            };
            assert_eq!(failure.kind(), Kind::BackendUnavailable);
            assert_eq!(
                failure.message,
                format!(
                    "VSCodium cannot open anything on zion: no extension {names} was found in ~/.vscode-oss/extensions there"
                )
            );
        }
    }
    let job = planned("", None, Some("zion")).job;
    let mut open = editor(None).open(&job).unwrap();
    ran(open.next(None));
    let broken = Answer {
        ended: Ended::Code(2),
        ..answer(".vscode-oss/extensions/surfaced.surfaced-\n")
    };
    let Step::Failed(failure) = open.next(Some(broken)) else {
        panic!("an answer that failed is believed");
    };
    assert_eq!(failure.kind(), Kind::StateUnknown);
}

#[test]
fn what_a_host_lacks_is_said_of_the_host() {
    let bare = Facts {
        found: Found::Seen([].into()),
        on_host: true,
        ..facts(&[])
    };
    for availability in [
        editor(None).availability(&bare),
        crate::backend::tmux::Tmux.availability(&bare),
    ] {
        let words = format!("{} {:?}", availability.reason, availability.remedy);
        assert!(
            words.contains("on the PATH of that host") && !words.contains("daemon"),
            "{words}"
        );
    }
}

#[test]
fn nobody_is_asked_where_the_extension_is_known() {
    let job = planned("", Some(OURS), None).job;
    assert_eq!(
        addressed(&ran(editor(None).open(&job).unwrap().next(None))),
        OURS
    );
    let job = planned("", None, Some("zion")).job;
    let mut mine = editor(Some("me.mine")).open(&job).unwrap();
    let look = ran(mine.next(None));
    assert_eq!(look[4..], [".vscode-oss/extensions/me.mine-"]);
    let url = mine.next(Some(answer(".vscode-oss/extensions/me.mine-\n")));
    assert_eq!(addressed(&ran(url)), "me.mine");
}
