//! What is refused before anything opens, what only the launch script finds out, and dry runs.

use serde_json::{Value, json};
use surfaced::proto::open::{OpenAnswer, Source, Started};
use surfaced::proto::{Context, Kind};

use crate::support::env::{Sandbox, have};
use crate::support::opening::Bench;
use crate::support::printargs::PrintArgs;
use crate::support::tiny::Tiny;
use crate::support::tmux::Tmux;

#[tokio::test]
async fn what_cannot_be_opened_is_a_result_and_stops_no_other() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let file = sandbox.root().join("file");
    std::fs::write(&file, "").unwrap();
    let results = bench
        .open(
            json!({ "backend": "tmux", "context": {}, "packing": "tabs", "items": [
            { "cwd": sandbox.root().join("none"), "command": ["cat"] },
            { "cwd": file, "command": ["cat"] },
            { "command": ["/no/such/program"] },
            { "command": [file] },
            { "command": ["./none"], "cwd": "/" },
            { "command": ["cat"], "host": "-oProxyCommand=touch pwn" },
            { "command": ["cat"], "target": "iterm::9F3A" },
            { "command": ["x".to_owned(), "y".repeat(200_000)] },
            { "command": ["cat"] },
        ] }),
        )
        .await;
    let kinds: Vec<_> = results.iter().map(|result| result.kind).collect();
    assert_eq!(
        kinds,
        [
            Some(Kind::CwdMissing),
            Some(Kind::CwdMissing),
            Some(Kind::ProgramMissing),
            Some(Kind::ProgramMissing),
            Some(Kind::ProgramMissing),
            Some(Kind::HostInvalid),
            Some(Kind::InvalidParams),
            Some(Kind::SpawnFailed),
            None,
        ],
        "{results:#?}"
    );
    for result in &results[..8] {
        assert!(
            !result.ok && result.started.is_none() && result.error.is_some(),
            "{result:?}"
        );
    }
    assert!(results[8].ok, "{:?}", results[8]);
    assert_eq!(tmux.panes(), 2);
}

#[tokio::test]
async fn backends_are_used_or_refused_and_never_swapped() {
    let sandbox = Sandbox::new();
    let bench = Bench::new(&sandbox);
    for (backend, kind) in [
        ("nope", Kind::BackendUnknown),
        ("iterm", Kind::BackendUnavailable),
    ] {
        let answer = bench
            .try_open(json!({ "backend": backend, "items": [{ "command": ["cat"] }] }))
            .await;
        let Ok(OpenAnswer::Opened {
            backend: Some(used),
            source,
            results,
        }) = answer
        else {
            panic!("{answer:?}")
        };
        assert_eq!((used.as_str(), source), (backend, Some(Source::Forced)));
        assert_eq!(results[0].kind, Some(kind), "{results:?}");
        assert!(
            results[0].hint.is_some() || kind == Kind::BackendUnavailable,
            "{results:?}"
        );
    }
    let none = bench.try_open(json!({ "items": [] })).await;
    assert!(matches!(none, Ok(OpenAnswer::Opened { results, .. }) if results.is_empty()));
}

#[tokio::test]
async fn a_bare_name_is_found_where_only_the_rc_file_says() {
    if !have("tmux") || !have("zsh") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let plain = sandbox.path().to_owned();
    let printargs = PrintArgs::install(&mut sandbox);
    let shims = sandbox.root().join("bin");
    sandbox.set_path(plain);
    std::fs::write(
        sandbox.home().join(".zshrc"),
        format!("echo noise; echo more >&2\npath+=({})\n", shims.display()),
    )
    .unwrap();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let open = async |name: &str| {
        let items = json!([{ "command": [name, "shim"] }]);
        bench
            .open(json!({ "backend": "tmux", "context": {}, "items": items }))
            .await
            .remove(0)
    };
    let found = open("printargs").await;
    assert_eq!(
        (found.ok, found.started),
        (true, Some(Started::Seen)),
        "{found:?}"
    );
    printargs.wait_for("shim");
    let before = tmux.panes();
    let missing = open("no-such-program").await;
    assert_eq!(missing.kind, Some(Kind::ProgramMissing), "{missing:?}");
    let (error, hint) = (missing.error.unwrap(), missing.hint.unwrap());
    assert!(
        error.contains("no-such-program") && hint.contains(&shims.display().to_string()),
        "{error}: {hint}"
    );
    assert!(tmux.panes() <= before);
}

#[tokio::test]
async fn slow_start_files_hold_nothing_up_and_the_script_reports() {
    if !have("tmux") || !have("zsh") {
        return;
    }
    let mut sandbox = Sandbox::new();
    let printargs = PrintArgs::install(&mut sandbox);
    // The first shell, which tells its PATH, waits; the others do not.
    let gate = sandbox.root().join("gate");
    std::fs::write(
        sandbox.home().join(".zshrc"),
        format!(
            "[ -e '{0}' ] || {{ touch '{0}'; sleep 600 }}\n",
            gate.display()
        ),
    )
    .unwrap();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    crate::support::wait::until_async("the first shell", || gate.exists().then_some(())).await;
    let items = json!([
        { "command": ["no-such-program"] },
        { "command": ["printargs", "slow"] },
        { "cwd": sandbox.home(), "command": ["also-missing"] },
    ]);
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "startTimeoutMs": 30_000, "items": items }))
        .await;
    let kinds: Vec<_> = results.iter().map(|result| result.kind).collect();
    assert_eq!(
        kinds,
        [Some(Kind::ProgramMissing), None, Some(Kind::ProgramMissing)],
        "{results:?}"
    );
    assert_eq!(results[1].started, Some(Started::Seen));
    printargs.wait_for("slow");
    assert_eq!(std::fs::read_dir(&bench.scripts).unwrap().count(), 0);
    drop(tmux);
    bench.supervisor.cancel();
    bench.supervisor.join().await;
}

#[tokio::test]
async fn a_dry_run_checks_everything_and_opens_nothing() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let tmux = Tmux::start(&sandbox, "main");
    let bench = Bench::new(&sandbox);
    let call =
        |item: Value| json!({ "backend": "tmux", "context": {}, "dryRun": true, "items": [item] });
    let answer = bench
        .try_open(call(
            json!({ "command": ["cat"], "env": { "A": "s3cret" } }),
        ))
        .await;
    let Ok(OpenAnswer::Specs(specs)) = answer else {
        panic!("{answer:?}")
    };
    let spec = &specs.specs[0];
    assert_eq!(spec.argv[0], "tmux");
    assert!(
        spec.script
            .as_ref()
            .is_some_and(|script| script.contains("s3cret"))
    );
    assert!(!spec.display.contains("s3cret") && !spec.argv.concat().contains("s3cret"));
    for (item, kind) in [
        (
            json!({ "command": ["cat"], "cwd": "/no/such" }),
            Kind::CwdMissing,
        ),
        (json!({ "command": ["/no/such"] }), Kind::ProgramMissing),
        (
            json!({ "command": ["cat"], "host": "a b" }),
            Kind::HostInvalid,
        ),
    ] {
        let mut call = call(item);
        let items = call["items"].as_array_mut().unwrap();
        items.insert(0, json!({ "command": ["cat"] }));
        let failure = bench.try_open(call).await.unwrap_err();
        assert_eq!(failure.kind(), kind);
        let path = failure.data.path.unwrap();
        assert!(path.starts_with("items[1]"), "{path}");
    }
    for (shell, words) in [
        ("/no/such/sh", "does not exist"),
        ("nosh", "not found on PATH"),
    ] {
        let mut call = call(json!({ "command": ["cat"] }));
        call["shell"] = json!(shell);
        let failure = bench.try_open(call).await.unwrap_err();
        assert_eq!(failure.kind(), Kind::ProgramMissing);
        assert_eq!(failure.data.path.as_deref(), Some("shell"));
        assert!(failure.message.contains(words), "{failure}");
    }
    assert_eq!(tmux.panes(), 1);
    assert!(!bench.scripts.exists());
}

#[tokio::test]
async fn what_a_dry_run_shows_is_what_build_shows() {
    let sandbox = Sandbox::new();
    let bench = Bench::new(&sandbox);
    let context = Context {
        cwd: None,
        ..serde_json::from_value(json!({ "env": { "TMUX": "/t/s,8,0", "TMUX_PANE": "%3" } }))
            .unwrap()
    };
    let items =
        json!([{ "command": ["/bin/cat"], "cwd": "/" }, { "command": ["/bin/cat"], "cwd": "/" }]);
    let params = json!({ "items": items, "context": context, "shell": "bash" });
    let mut dry = params.clone();
    dry["dryRun"] = json!(true);
    let built = bench
        .opener
        .build(serde_json::from_value(params).unwrap(), None)
        .await
        .unwrap();
    let Ok(OpenAnswer::Specs(shown)) = bench.try_open(dry).await else {
        panic!("no specs")
    };
    assert_eq!(shown, built);
    assert_eq!(
        built.specs[1].slots.as_ref().unwrap()[0].text,
        "{surface:0}"
    );
}

#[tokio::test]
async fn where_no_terminal_can_be_driven_the_built_is_what_the_daemon_hosts() {
    let sandbox = Sandbox::new();
    let bench = Bench::new(&sandbox);
    let params = json!({ "context": { "platform": "linux", "env": {} }, "items": [{ "command": ["htop"] }] });
    let params = serde_json::from_value(params).unwrap();
    let built = bench.opener.build(params, None).await.unwrap();
    let spec = serde_json::to_value(&built.specs[0]).unwrap();
    assert_eq!(spec["transport"], json!({ "kind": "builtin" }));
    assert_eq!(spec["request"]["backend"], "builtin");
    assert_eq!(spec["argv"], json!([]));
}

#[tokio::test]
async fn a_full_disk_opens_nothing_and_the_person_is_told_what_to_do() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let bench = Bench::new(&sandbox);
    std::fs::create_dir(&bench.scripts).unwrap();
    let Some(_disk) = Tiny::mount(&bench.scripts) else {
        return;
    };
    let _ = std::fs::write(bench.scripts.join("filler"), vec![0; 1 << 20]);
    let tmux = Tmux::start(&sandbox, "main");
    let item = json!({ "command": ["cat"], "env": { "SECRET": "x" } });
    let results = bench
        .open(json!({ "backend": "tmux", "context": {}, "items": [item] }))
        .await;
    assert_eq!(results[0].kind, Some(Kind::SpawnFailed), "{results:?}");
    let hint = results[0].hint.as_deref().unwrap_or_default();
    assert!(hint.contains("df"), "{results:?}");
    assert_eq!(tmux.ok(&["list-windows", "-F", "x"]), "x");
}
