use super::*;
use crate::proto::Word;

fn word(text: &str) -> Word {
    Word::parse(text).unwrap()
}

/// A configuration from `model=… mode=… prompt=… id=…`, separated by `;`.
fn config(text: &str) -> AgentConfig {
    let mut config = AgentConfig::default();
    for (key, value) in text.split(';').filter_map(|pair| pair.split_once('=')) {
        let value = Some(word(value));
        match key {
            "model" => config.model = value,
            "mode" => config.mode_id = value,
            "prompt" => config.prompt = value,
            _ => config.session_id = value,
        }
    }
    config
}

fn handle(id: &str) -> Handle {
    Handle {
        session_id: word(id),
        native_handle: None,
    }
}

fn shown(command: Result<TerminalCommand, Failure>) -> String {
    let command = command.unwrap();
    let env: Vec<String> = command
        .env
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let words = env.into_iter().chain([command.command]).chain(command.args);
    words.collect::<Vec<_>>().join("|")
}

const ID: &str = "0193b5a4-0000-7000-8000-000000000001";

fn check_create(provider: &str, version: &str, told: &str, expected: &str) {
    let providers = Providers::default();
    let version = Version::read(version);
    let command = providers
        .get(provider)
        .unwrap()
        .create(&config(told), version.as_ref());
    assert_eq!(shown(command), expected, "{provider} {told}");
}

#[test]
fn a_conversation_is_begun_in_the_words_of_its_program() {
    let all = format!("model=m;mode=plan;prompt=do it;id={ID}");
    for (provider, version, told, expected) in [
        ("claude", "", "", "claude"),
        (
            "claude",
            "",
            &*all,
            &*format!("claude|--model|m|--permission-mode|plan|--session-id|{ID}|do it"),
        ),
        ("claude", "", "mode=default", "claude"),
        (
            "claude",
            "",
            "mode=bypassPermissions;model=m",
            "claude|--model|m|--dangerously-skip-permissions",
        ),
        (
            "claude",
            "",
            "prompt=-x;model=-m",
            "claude|--model=-m|--|-x",
        ),
        ("claude", "", "prompt=mcp", "claude| mcp"),
        (
            "codex",
            "",
            "model=m;mode=on-request;prompt=do it",
            "codex|--model|m|--ask-for-approval|on-request|do it",
        ),
        (
            "codex",
            "",
            "mode=workspace-write",
            "codex|--sandbox|workspace-write",
        ),
        (
            "codex",
            "",
            "mode=yolo",
            "codex|--dangerously-bypass-approvals-and-sandbox",
        ),
        (
            "codex",
            "0.1.2505",
            "mode=full-auto;model=m",
            "codex|--model|m|--approval-mode|full-auto",
        ),
        (
            "opencode",
            "",
            "model=a/b;mode=plan;prompt=-x",
            "opencode|--model|a/b|--agent|plan|--prompt=-x",
        ),
        (
            "gemini",
            "",
            "mode=auto_edit;model=m;prompt=do it",
            "gemini|--model|m|--approval-mode|auto_edit|--prompt-interactive|do it",
        ),
        (
            "aider",
            "",
            "mode=ask;model=m",
            "aider|--model|m|--chat-mode|ask",
        ),
        (
            "goose",
            "",
            "mode=chat;model=m",
            "GOOSE_MODE=chat|GOOSE_MODEL=m|goose|session",
        ),
        (
            "goose",
            "",
            "prompt=do it",
            "goose|run|--interactive|--text|do it",
        ),
        (
            "cursor-agent",
            "",
            "mode=plan;model=m;prompt=do it",
            "cursor-agent|--model|m|--mode|plan|do it",
        ),
        ("droid", "", "prompt=do it", "droid|do it"),
        ("amp", "", "", "amp"),
        (
            "copilot",
            "",
            "model=m;mode=allow-all-tools;prompt=do it",
            "copilot|--model|m|--allow-all-tools|--interactive|do it",
        ),
    ] {
        check_create(provider, version, told, expected);
    }
}

#[test]
fn a_conversation_is_taken_up_in_the_words_of_its_program() {
    let providers = Providers::default();
    for (provider, version, told, expected) in [
        (
            "claude",
            "",
            "mode=plan;model=m",
            "claude|--model|m|--permission-mode|plan|--resume|ID",
        ),
        (
            "codex",
            "",
            "mode=never;model=m",
            "codex|--model|m|--ask-for-approval|never|resume|ID",
        ),
        ("codex", "0.1.2505", "", "codex|--resume|ID"),
        ("opencode", "", "", "opencode|--session|ID"),
        (
            "gemini",
            "",
            "mode=yolo",
            "gemini|--approval-mode|yolo|--resume|ID",
        ),
        ("goose", "", "", "goose|session|--resume|--session-id|ID"),
        ("goose", "1.5.0", "", "goose|session|--resume|--id|ID"),
        ("cursor-agent", "", "", "cursor-agent|--resume|ID"),
        ("droid", "", "", "droid|--resume|ID"),
        ("amp", "", "", "amp|threads|continue|ID"),
        ("copilot", "", "", "copilot|--resume|ID"),
    ] {
        let version = Version::read(version);
        let provider = providers.get(provider).unwrap();
        let command = provider.resume(&handle("ID"), &config(told), version.as_ref());
        assert_eq!(shown(command), expected);
    }
}

#[test]
fn the_native_handle_wins() {
    let providers = Providers::default();
    let handle = Handle {
        session_id: word("a"),
        native_handle: Some(word("b")),
    };
    let command = providers
        .get("claude")
        .unwrap()
        .resume(&handle, &config(""), None);
    assert_eq!(shown(command), "claude|--resume|b");
}

#[test]
fn another_version_is_told_to_continue() {
    let providers = Providers::default();
    let take_over = |provider: &str| {
        let provider = providers.get(provider).unwrap();
        provider.take_over("ID", &config("model=m"), None)
    };
    assert_eq!(shown(take_over("claude")), "claude|--model|m|/continue ID");
    assert_eq!(shown(take_over("codex")), "codex|--model|m|/continue ID");
    assert_eq!(take_over("aider").unwrap_err().kind(), Kind::NotSupported);
}

#[test]
fn what_a_program_cannot_do_is_said() {
    let providers = Providers::default();
    let create = |provider: &str, told: &str| {
        let provider = providers.get(provider).unwrap();
        provider.create(&config(told), None).unwrap_err()
    };
    for (provider, told, path, part) in [
        (
            "claude",
            "mode=turbo",
            "modeId",
            "no mode \"turbo\"; its modes are default, acceptEdits, plan",
        ),
        ("claude", "id=x", "sessionId", "not a UUID"),
        (
            "codex",
            &*format!("id={ID}"),
            "sessionId",
            "no way to give a new conversation an id",
        ),
        ("droid", "mode=x", "modeId", "no way to choose a mode"),
        ("amp", "prompt=x", "prompt", "no way to take a first prompt"),
        (
            "aider",
            "prompt=x",
            "prompt",
            "no way to take a first prompt",
        ),
    ] {
        let error = create(provider, told);
        assert_eq!(error.data.path.as_deref(), Some(path), "{provider} {told}");
        assert!(error.message.contains(part), "{error}");
    }
    let error = providers
        .get("aider")
        .unwrap()
        .resume(&handle("x"), &config(""), None)
        .unwrap_err();
    assert_eq!(error.kind(), Kind::NotSupported);
    assert!(error.message.contains("Aider cannot take up"), "{error}");
    for id in ["", "-x", "a b", "a\nb"] {
        let claude = providers.get("claude").unwrap();
        let error = claude.resume(&handle(id), &config(""), None).unwrap_err();
        assert_eq!(error.data.path.as_deref(), Some("sessionId"), "{id:?}");
    }
    let error = providers.find("nope").unwrap_err();
    assert_eq!(error.kind(), Kind::NotFound);
    assert!(
        error.data.hint.unwrap().contains("claude, codex"),
        "ids are named"
    );
}

#[test]
fn the_configuration_adds_and_changes_providers() {
    let config_file = r#"
        [providers.claude]
        command = ["/opt/claude-next", "--verbose"]
        env = { CLAUDE_CONFIG_DIR = "/c" }
        modes = ["plan", "dontAsk"]
        [providers.crush]
        label = "Crush"
        modes = ["yolo"]
        model = ["-m", "{model}"]
        mode = ["--{mode}"]
        prompt = ["{prompt}"]
        resume = ["--session", "{session_id}"]
        [providers.own]
        command = ["npx", "own-agent"]
        processes = ["own-agent"]
    "#;
    let providers = Providers::new(&crate::config::parse(config_file).unwrap());
    let ids: Vec<_> = providers.iter().map(Provider::id).collect();
    assert_eq!(ids[0], "claude");
    assert_eq!(ids[10..], ["crush", "own"]);
    let claude = providers.get("claude").unwrap();
    assert_eq!(claude.label(), "Claude Code");
    assert_eq!(claude.processes(), ["claude", "claude-next"]);
    assert_eq!(
        shown(claude.create(&config("mode=dontAsk"), None)),
        "CLAUDE_CONFIG_DIR=/c|/opt/claude-next|--verbose|--permission-mode|dontAsk"
    );
    assert!(claude.create(&config("mode=default"), None).is_err());
    let crush = providers.get("crush").unwrap();
    assert_eq!(crush.label(), "Crush");
    assert_eq!(
        shown(crush.create(&config("mode=yolo;model=m;prompt=-x"), None)),
        "crush|-m|m|--yolo|--|-x"
    );
    let error = crush.create(&config("model=-m"), None).unwrap_err();
    assert!(
        error.message.contains("would be read as an option"),
        "{error}"
    );
    assert_eq!(
        shown(crush.resume(&handle("ID"), &config(""), None)),
        "crush|--session|ID"
    );
    let own = providers.get("own").unwrap();
    assert!(!own.capabilities(None).supports_resume);
    assert!(own.resume(&handle("ID"), &config(""), None).is_err());
    let program = |name: &str, line: &str| Program {
        pid: 1,
        name: name.to_owned(),
        path: None,
        argv: line.split(' ').map(str::to_owned).collect(),
    };
    for (name, line, expected) in [
        ("own-agent", "own-agent", Some("own")),
        ("node", "node /x/own-agent", Some("own")),
        ("node", "node /x/npx", None),
        ("crush", "crush", Some("crush")),
        ("claude-next", "claude-next", Some("claude")),
    ] {
        let found = providers.of_process(&program(name, line));
        assert_eq!(found.map(Provider::id), expected, "{line}");
    }
}

#[test]
fn a_goodbye_is_told_from_an_accident() {
    let providers = Providers::default();
    let claude = providers.get("claude").unwrap();
    assert!(claude.said_goodbye(Some(0), ""));
    assert!(!claude.said_goodbye(None, "Resume this session with:"));
    assert!(claude.said_goodbye(
        Some(130),
        "x\nResume this session with:\nclaude --resume a\n"
    ));
    assert!(!claude.said_goodbye(Some(1), "segfault"));
    let missing = "\nNo conversation found with session ID: abc\n";
    assert!(!claude.said_goodbye(Some(1), missing));
    assert_eq!(
        claude.missing_conversation(missing).as_deref(),
        Some("No conversation found with session ID: abc")
    );
    assert_eq!(claude.missing_conversation("all is well"), None);
}

#[test]
fn capabilities_are_those_of_the_words() {
    let providers = Providers::default();
    for (id, can) in [
        ("claude", "resume model mode prompt id"),
        ("codex", "resume model mode prompt"),
        ("opencode", "resume model mode prompt"),
        ("gemini", "resume model mode prompt id"),
        ("aider", "model mode"),
        ("goose", "resume model mode prompt"),
        ("cursor-agent", "resume model mode prompt"),
        ("droid", "resume prompt"),
        ("amp", "resume"),
        ("copilot", "resume model mode prompt"),
    ] {
        let found = providers.get(id).unwrap().capabilities(None);
        let names: Vec<&str> = [
            (found.supports_resume, "resume"),
            (found.supports_model, "model"),
            (found.supports_mode, "mode"),
            (found.supports_prompt, "prompt"),
            (found.supports_session_id, "id"),
        ]
        .into_iter()
        .filter_map(|(has, name)| has.then_some(name))
        .collect();
        assert_eq!(names.join(" "), can, "{id}");
        assert!(found.supports_terminal_mode);
    }
}

#[test]
fn the_words_of_a_running_program_name_its_conversation() {
    let providers = Providers::default();
    for (provider, line, expected) in [
        (
            "claude",
            format!("claude --model x --session-id {ID}"),
            Some(ID),
        ),
        (
            "claude",
            format!("node /x/claude --resume={ID} go"),
            Some(ID),
        ),
        ("claude", format!("claude -r {ID}"), Some(ID)),
        ("claude", "claude --resume".to_owned(), None),
        ("claude", "claude --resume my-name".to_owned(), None),
        (
            "claude",
            format!("claude --resume {ID} --fork-session"),
            None,
        ),
        ("claude", format!("claude {ID}"), None),
        ("codex", format!("codex --model m resume {ID}"), Some(ID)),
        ("codex", "codex resume --last".to_owned(), None),
        (
            "opencode",
            "opencode --session ses_1a".to_owned(),
            Some("ses_1a"),
        ),
        ("gemini", "gemini --resume 3".to_owned(), None),
        ("amp", "amp threads continue T-1".to_owned(), Some("T-1")),
    ] {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let found = providers.get(provider).unwrap().conversation_in(&argv);
        assert_eq!(found.as_deref(), expected, "{line}");
    }
}
