//! `provider.*`: stand-ins for the programs, looked for where a launched command finds them.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;
use crate::support::wait;

/// A program that says its version and counts how often it was asked.
fn program(sandbox: &Sandbox, name: &str, rest: &str) {
    let log = sandbox.root().join(format!("{name}.log"));
    let text = format!("#!/bin/sh\necho asked >>{}\n{rest}\n", log.display());
    sandbox.script(name, &text);
}

fn asked(sandbox: &Sandbox, name: &str) -> usize {
    let log = sandbox.root().join(format!("{name}.log"));
    std::fs::read_to_string(log).map_or(0, |text| text.lines().count())
}

fn listed(answer: &Value, id: &str) -> Value {
    let providers = answer["providers"].as_array().unwrap();
    let found = providers.iter().find(|provider| provider["id"] == id);
    found
        .unwrap_or_else(|| panic!("{id} is not listed"))
        .clone()
}

/// A shell whose rc file puts `bin` on PATH: programs there are on nobody else's.
fn shell(sandbox: &Sandbox) -> String {
    let path = sandbox.root().join("rcsh");
    let bin = sandbox.root().join("bin");
    let text = format!(
        "#!/bin/sh\nPATH={}:/usr/bin:/bin; export PATH\nexec /bin/sh -c \"$2\"\n",
        bin.display()
    );
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path.display().to_string()
}

fn start(sandbox: &mut Sandbox) -> Daemon {
    // Without zsh on the daemon's own PATH the login shell is the one that launches.
    let tools = sandbox.root().join("tools");
    std::fs::create_dir(&tools).unwrap();
    sandbox.set_path(tools.display().to_string());
    let shell = shell(sandbox);
    Daemon::start_with(sandbox, |command| {
        command.env("SHELL", shell);
    })
}

#[test]
fn programs_are_looked_for_on_the_path_of_the_shell_and_asked_once() {
    let mut sandbox = Sandbox::new();
    program(&sandbox, "claude", "echo '2.1.187 (Claude Code)'");
    program(&sandbox, "codex", "echo broken install >&2; exit 7");
    let daemon = start(&mut sandbox);
    let mut client = daemon.client();
    for _ in 0..3 {
        let answer = client.call("provider.list", &json!({}));
        let claude = listed(&answer, "claude");
        assert_eq!(claude["available"], true, "{claude}");
        assert_eq!(claude["version"], "2.1.187 (Claude Code)");
        assert_eq!(claude["capabilities"]["supportsSessionId"], true);
        let codex = listed(&answer, "codex");
        assert_eq!(codex["available"], false);
        let reason = codex["reason"].as_str().unwrap();
        assert!(
            reason.contains("codex --version ended with status 7: broken install"),
            "{reason}"
        );
        let amp = listed(&answer, "amp");
        assert_eq!(amp["available"], false);
        assert!(
            amp["reason"]
                .as_str()
                .unwrap()
                .contains("amp is not on the PATH of"),
            "{amp}"
        );
    }
    assert_eq!(asked(&sandbox, "claude"), 1);
    assert_eq!(asked(&sandbox, "codex"), 1);
}

#[test]
fn a_program_that_was_upgraded_is_asked_again() {
    let mut sandbox = Sandbox::new();
    program(&sandbox, "claude", "echo 1.0.1");
    let daemon = start(&mut sandbox);
    let mut client = daemon.client();
    let answer = client.call("provider.list", &json!({}));
    assert_eq!(listed(&answer, "claude")["version"], "1.0.1");
    // As an installer does it: a new file under the same name.
    std::fs::remove_file(sandbox.root().join("bin/claude")).unwrap();
    program(&sandbox, "claude", "echo 2.0.0");
    let answer = client.call("provider.list", &json!({}));
    assert_eq!(listed(&answer, "claude")["version"], "2.0.0");
}

#[test]
fn links_to_one_program_are_asked_once_each() {
    let mut sandbox = Sandbox::new();
    // As version managers do it: one program that sees by its name what it is to be.
    program(&sandbox, "shim", "echo \"${0##*/} 1.2.3\"");
    let bin = sandbox.root().join("bin");
    for name in ["claude", "codex"] {
        std::os::unix::fs::symlink("shim", bin.join(name)).unwrap();
    }
    let daemon = start(&mut sandbox);
    let mut client = daemon.client();
    for _ in 0..3 {
        let answer = client.call("provider.list", &json!({}));
        for id in ["claude", "codex"] {
            assert_eq!(listed(&answer, id)["version"], format!("{id} 1.2.3"));
        }
    }
    assert_eq!(asked(&sandbox, "shim"), 2);
}

#[test]
fn the_configuration_adds_providers_while_the_daemon_runs() {
    let mut sandbox = Sandbox::new();
    program(&sandbox, "crush-next", "echo crush 3.1");
    let daemon = start(&mut sandbox);
    let mut client = daemon.client();
    let create = json!({ "provider": "crush", "action": "create", "config": { "model": "m" } });
    let failure = client.try_call("provider.command", &create);
    assert!(failure.is_none(), "there is no such provider yet");
    let config = sandbox.state().join("config.toml");
    std::fs::write(
        &config,
        "[providers.crush]\nlabel = \"Crush\"\ncommand = [\"crush-next\"]\nmodel = [\"--model\", \"{model}\"]\nenv = { CRUSH = \"1\" }\n",
    )
    .unwrap();
    let command = wait::until("the configuration to hold", || {
        client.try_call("provider.command", &create)
    });
    assert_eq!(
        command,
        json!({ "command": "crush-next", "args": ["--model", "m"], "env": { "CRUSH": "1" } })
    );
    let answer = client.call("provider.list", &json!({}));
    let crush = listed(&answer, "crush");
    assert_eq!(crush["label"], "Crush");
    assert_eq!(crush["version"], "crush 3.1", "{crush}");
    let last = answer["providers"].as_array().unwrap().last().unwrap();
    assert_eq!(last["id"], "crush");
}

#[test]
fn mistakes_name_the_parameter() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    for (params, kind, path, part) in [
        (
            json!({ "provider": "claude", "action": "create", "config": { "modeId": "turbo" } }),
            "invalid-params",
            "config.modeId",
            "its modes are default, acceptEdits, plan, bypassPermissions",
        ),
        (
            json!({ "provider": "claude", "action": "resume", "handle": { "sessionId": "-x" } }),
            "invalid-params",
            "handle.sessionId",
            "must not begin with -",
        ),
        (
            json!({ "provider": "claude", "action": "resume" }),
            "invalid-params",
            "handle",
            "resume needs a handle",
        ),
        (
            json!({ "provider": "claude", "action": "create", "version": "new" }),
            "invalid-params",
            "version",
            "not a version",
        ),
        (
            json!({ "provider": "droid", "action": "create", "config": { "model": "m" } }),
            "not-supported",
            "config.model",
            "no way to choose a model",
        ),
    ] {
        let error = client.fail("provider.command", &params);
        assert_eq!(error["data"]["kind"], kind, "{error}");
        assert_eq!(error["data"]["path"], path, "{error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
    let error = client.fail(
        "provider.command",
        &json!({ "provider": "aider", "action": "resume", "handle": { "sessionId": "x" } }),
    );
    assert_eq!(error["data"]["kind"], "not-supported");
    let error = client.fail(
        "provider.command",
        &json!({ "provider": "nope", "action": "create" }),
    );
    assert_eq!(error["data"]["kind"], "not-found");
}
