//! Sessions on disk, from files made after the documented formats of the four programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use surfaced::service::conversations::{Found, Pool};

use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;
use crate::support::providers;

pub const A: &str = "0193b5a4-0000-4000-8000-00000000000a";
pub const B: &str = "0193b5a4-0000-4000-8000-00000000000b";

/// Writes a file below the home directory, with its directories.
pub fn write(sandbox: &Sandbox, path: &str, lines: &[Value]) -> PathBuf {
    let text = lines
        .iter()
        .fold(String::new(), |text, line| text + &line.to_string() + "\n");
    raw(sandbox, path, text.as_bytes())
}

fn raw(sandbox: &Sandbox, path: &str, bytes: &[u8]) -> PathBuf {
    let path = sandbox.home().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, bytes).unwrap();
    path
}

/// A line of Claude Code.
pub fn claude(id: &str, cwd: &Path, time: &str, said: &str) -> Value {
    json!({
        "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": cwd, "sessionId": id,
        "version": "2.1.187", "gitBranch": "main", "type": "user",
        "message": { "role": "user", "content": said }, "uuid": "u", "timestamp": time,
    })
}

/// The lines of a rollout of Codex.
pub fn codex(id: &str, cwd: &Path, time: &str, said: &str) -> Vec<Value> {
    let item = |role: &str, text: &str| {
        json!({ "timestamp": time, "type": "response_item", "payload": {
            "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] } })
    };
    vec![
        json!({ "timestamp": time, "type": "session_meta", "payload": {
            "id": id, "timestamp": time, "cwd": cwd, "originator": "codex-tui", "cli_version": "0.149.1",
            "instructions": "x".repeat(20_000), "source": "cli" } }),
        item("developer", "how to behave"),
        item(
            "user",
            "<environment_context>\n<cwd>/elsewhere</cwd>\n</environment_context>",
        ),
        item("user", said),
    ]
}

/// The database of OpenCode with one conversation and one of its helpers.
fn opencode(path: &Path, cwd: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, slug text, directory text NOT NULL,
               title text NOT NULL, version text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);",
        )
        .unwrap();
    let row = "INSERT INTO session VALUES (?1, 'p', ?2, 's', ?3, 'Fix the parser', '1.17.2', 1767225600000, 1767229200000)";
    let cwd = cwd.to_str().unwrap();
    database
        .execute(row, ("ses_db", None::<&str>, cwd))
        .unwrap();
    database
        .execute(row, ("ses_child", Some("ses_db"), cwd))
        .unwrap();
}

fn pool(sandbox: &Sandbox) -> Pool {
    Pool::new(providers(), sandbox.home().to_str().unwrap())
}

fn all(pool: &Pool) -> Found {
    runtime().block_on(pool.all())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Kind, id, directory, version and title of each, in their order.
fn shown(found: &Found) -> Vec<String> {
    let line = |one: &surfaced::service::conversations::Conversation| {
        let said = &one.said;
        format!(
            "{} {} {} {} {}",
            one.provider.id(),
            said.id,
            said.cwd.as_deref().unwrap_or("-"),
            said.version.as_deref().unwrap_or("-"),
            said.title.as_deref().unwrap_or("-")
        )
    };
    found.conversations.iter().map(line).collect()
}

fn only(sandbox: &Sandbox) -> String {
    let found = all(&pool(sandbox));
    assert_eq!(found.damaged, []);
    let mut lines = shown(&found);
    assert_eq!(lines.len(), 1, "{lines:?}");
    lines.remove(0)
}

#[test]
fn claude_code() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let dir = ".claude/projects/-x";
    let mut lines = vec![
        json!({ "type": "file-history-snapshot", "messageId": "m", "snapshot": {} }),
        json!({ "type": "queue-operation", "sessionId": A, "timestamp": "2026-01-01T00:00:00Z" }),
        claude(
            A,
            &cwd,
            "2026-01-01T00:00:01Z",
            "<command-name>/clear</command-name>",
        ),
        claude(A, &cwd, "2026-01-01T00:00:02Z", "fix\nthe tests"),
    ];
    // Later the person works elsewhere, and the program is newer.
    lines.push(json!({
        "type": "assistant", "sessionId": A, "cwd": "/elsewhere", "version": "2.1.190", "isSidechain": false,
        "timestamp": "2026-01-02T00:00:00Z", "message": { "role": "assistant", "content": [] },
    }));
    write(&sandbox, &format!("{dir}/{A}.jsonl"), &lines);
    // Helpers: a file of their own beside it, and deeper.
    let helper =
        json!({ "type": "user", "isSidechain": true, "sessionId": A, "agentId": "h", "cwd": cwd });
    write(
        &sandbox,
        &format!("{dir}/agent-h.jsonl"),
        std::slice::from_ref(&helper),
    );
    write(
        &sandbox,
        &format!("{dir}/{A}/subagents/agent-i.jsonl"),
        &[helper],
    );
    // Nothing was said in this one.
    write(
        &sandbox,
        &format!("{dir}/{B}.jsonl"),
        &[json!({ "type": "file-history-snapshot" })],
    );
    let expected = format!("claude {A} {} 2.1.190 fix the tests", cwd.display());
    assert_eq!(only(&sandbox), expected);
    // A title that was given wins.
    lines.push(json!({ "type": "custom-title", "customTitle": "The tests", "sessionId": A }));
    write(&sandbox, &format!("{dir}/{A}.jsonl"), &lines);
    assert!(only(&sandbox).ends_with(" The tests"));
    lines.insert(
        4,
        json!({ "type": "progress", "data": "x".repeat(20_000), "sessionId": A }),
    );
    lines.push(json!({ "type": "custom-title", "customTitle": "At the end", "sessionId": A }));
    write(&sandbox, &format!("{dir}/{A}.jsonl"), &lines);
    assert!(only(&sandbox).ends_with(" At the end"));
}

#[test]
fn codex_in_both_forms() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let dir = ".codex/sessions/2026/01/01";
    write(
        &sandbox,
        &format!("{dir}/rollout-2026-01-01T00-00-00-{A}.jsonl"),
        &codex(A, &cwd, "2026-01-01T00:00:00Z", "do it"),
    );
    // A helper of that one.
    let mut helper = codex(B, &cwd, "2026-01-01T00:00:00Z", "help");
    helper[0]["payload"]["source"] =
        json!({ "subagent": { "thread_spawn": { "parent_thread_id": A } } });
    write(
        &sandbox,
        &format!("{dir}/rollout-2026-01-01T00-00-01-{B}.jsonl"),
        &helper,
    );
    let expected = format!("codex {A} {} 0.149.1 do it", cwd.display());
    assert_eq!(only(&sandbox), expected);
    std::fs::remove_dir_all(sandbox.home().join(".codex")).unwrap();
    // The bare form of 2025: the directory is told to the model only.
    write(
        &sandbox,
        &format!("{dir}/rollout-2025-06-01T00-00-00-{B}.jsonl"),
        &[
            json!({ "id": B, "timestamp": "2025-06-01T00:00:00Z", "instructions": null }),
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text",
                "text": format!("<environment_context><cwd>{}</cwd></environment_context>", cwd.display()) }] }),
            json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "old words" }] }),
        ],
    );
    assert_eq!(
        only(&sandbox),
        format!("codex {B} {} - old words", cwd.display())
    );
}

#[test]
fn gemini_in_both_forms() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let hash = sha256(cwd.to_str().unwrap());
    raw(
        &sandbox,
        ".gemini/tmp/cwd/.project_root",
        format!("{}\n", cwd.display()).as_bytes(),
    );
    let head = json!({ "sessionId": A, "projectHash": hash, "startTime": "2026-01-01T00:00:00.000Z",
        "lastUpdated": "2026-01-01T00:00:00.000Z", "kind": "main" });
    let said =
        json!({ "id": "m", "timestamp": "t", "type": "user", "content": [{ "text": "do it" }] });
    let path = ".gemini/tmp/cwd/chats/session-2026-01-01T00-00-0193b5a4.jsonl";
    write(&sandbox, path, &[head.clone(), said.clone()]);
    let helper = json!({ "sessionId": B, "projectHash": hash, "kind": "subagent" });
    write(
        &sandbox,
        &format!(".gemini/tmp/cwd/chats/{A}/{B}.jsonl"),
        std::slice::from_ref(&helper),
    );
    write(&sandbox, ".gemini/tmp/cwd/chats/session-x.jsonl", &[helper]);
    assert_eq!(
        only(&sandbox),
        format!("gemini {A} {} - do it", cwd.display())
    );
    let summary = json!({ "$set": { "summary": "The work" } });
    write(&sandbox, path, &[head, said.clone(), summary]);
    assert!(only(&sandbox).ends_with(" - The work"));
    // The document of before, in a directory that is called after the hash, and larger than what is read of it.
    std::fs::remove_dir_all(sandbox.home().join(".gemini")).unwrap();
    let document = json!({ "sessionId": B, "projectHash": hash, "startTime": "2026-01-01T00:00:00.000Z",
        "lastUpdated": "2026-01-01T00:00:00.000Z", "messages": [said, { "type": "gemini", "content": "x".repeat(6 << 20) }] });
    raw(
        &sandbox,
        &format!(".gemini/tmp/{hash}/chats/session-2025-10-01T00-00-0193b5a4.json"),
        serde_json::to_string_pretty(&document).unwrap().as_bytes(),
    );
    let found = all(&pool(&sandbox));
    assert_eq!(shown(&found), [format!("gemini {B} - - do it")]);
    // Where it was begun is not in it; whether it was begun here is.
    assert!(found.conversations[0].is_of(cwd.to_str().unwrap()));
    assert!(!found.conversations[0].is_of("/tmp"));
}

#[test]
fn opencode_in_both_forms() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let data = sandbox.home().join(".local/share/opencode");
    opencode(&data.join("opencode.db"), &cwd);
    write(
        &sandbox,
        ".local/share/opencode/storage/session/p/ses_file.json",
        &[
            json!({ "id": "ses_file", "slug": "s", "version": "1.1.0", "projectID": "p", "directory": cwd,
            "title": "Before", "time": { "created": 1_767_225_500_000_u64, "updated": 1_767_225_500_001_u64 } }),
        ],
    );
    let found = all(&pool(&sandbox));
    assert_eq!(found.damaged, []);
    assert_eq!(
        shown(&found),
        [
            format!("opencode ses_db {} 1.17.2 Fix the parser", cwd.display()),
            format!("opencode ses_file {} 1.1.0 Before", cwd.display()),
        ]
    );
    assert_eq!(found.conversations[0].last_ms, 1_767_229_200_000);
}

#[test]
fn an_id_is_what_the_content_says() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let time = "2026-01-01T00:00:00Z";
    write(
        &sandbox,
        ".codex/sessions/2026/01/01/rollout-copy.jsonl",
        &codex(A, &cwd, time, "x"),
    );
    write(
        &sandbox,
        ".claude/projects/-x/renamed.jsonl",
        &[claude(B, &cwd, time, "y")],
    );
    let found = all(&pool(&sandbox));
    let mut ids: Vec<&str> = found
        .conversations
        .iter()
        .map(|one| one.said.id.as_str())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [A, B]);
    // A conversation that was forked begins with the lines of the other one.
    let forked = [claude(B, &cwd, time, "y"), claude(A, &cwd, time, "z")];
    write(&sandbox, &format!(".claude/projects/-x/{A}.jsonl"), &forked);
    let pool = pool(&sandbox);
    let found = runtime().block_on(pool.find(A));
    assert_eq!(found.len(), 2, "{found:?}");
    let claude = found
        .iter()
        .find(|one| one.provider.id() == "claude")
        .unwrap();
    assert!(claude.file.ends_with(format!("{A}.jsonl")));
}

#[test]
fn damaged_files_are_counted_and_hide_nothing() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let time = "2026-01-01T00:00:00Z";
    let codex_dir = ".codex/sessions/2026/01/01";
    write(
        &sandbox,
        &format!(".claude/projects/-x/{A}.jsonl"),
        &[claude(A, &cwd, time, "good")],
    );
    raw(
        &sandbox,
        ".claude/projects/-x/bytes.jsonl",
        &[0xff, 0, b'\n', 0xfe],
    );
    raw(&sandbox, ".claude/projects/-x/empty.jsonl", b"");
    raw(
        &sandbox,
        ".claude/projects/stray.jsonl",
        b"not in a project",
    );
    raw(
        &sandbox,
        &format!("{codex_dir}/rollout-1.jsonl"),
        b"{\"type\":\"other\"}\n",
    );
    raw(
        &sandbox,
        &format!("{codex_dir}/rollout-2.jsonl"),
        b"{\"type\":\"session_meta\",\"payl",
    );
    raw(
        &sandbox,
        &format!("{codex_dir}/rollout-3.jsonl"),
        &vec![b'x'; 5 << 20],
    );
    raw(
        &sandbox,
        ".gemini/tmp/p/chats/session-1.json",
        b"{\"messages\":[",
    );
    raw(
        &sandbox,
        ".local/share/opencode/opencode.db",
        b"no database",
    );
    raw(
        &sandbox,
        ".local/share/opencode/storage/session/p/ses_1.json",
        b"{",
    );
    std::fs::create_dir(sandbox.home().join(".claude/projects/-x/dir.jsonl")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        sandbox.home().join(".claude/projects/-x/pipe.jsonl"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    std::os::unix::fs::symlink(
        "/nowhere",
        sandbox.home().join(".claude/projects/-x/link.jsonl"),
    )
    .unwrap();
    // One good line makes a conversation of a file whose end is broken.
    let mut torn = claude(B, &cwd, time, "torn").to_string().into_bytes();
    torn.extend(b"\n{\"type\":\"us");
    raw(&sandbox, &format!(".claude/projects/-x/{B}.jsonl"), &torn);
    let daemon = Daemon::start(&sandbox);
    let answer = daemon
        .client()
        .call("sessions", &json!({ "includeFiles": true }));
    let sessions = answer["sessions"].as_array().unwrap();
    let mut ids: Vec<&str> = sessions
        .iter()
        .filter(|session| session["pid"].is_null())
        .map(|session| session["sessionId"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [A, B]);
    let warnings: Vec<&str> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning.as_str().unwrap())
        .collect();
    for part in [
        "a session of claude cannot be read, ",
        "3 sessions of codex cannot be read, the first is ",
        "a session of gemini cannot be read, ",
        "2 sessions of opencode cannot be read, the first is ",
    ] {
        let named = warnings.iter().any(|warning| warning.starts_with(part));
        assert!(named, "{part}: {warnings:?}");
    }
}

#[test]
fn over_the_socket_they_come_newest_first_after_those_that_run() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let time = "2026-01-01T00:00:00Z";
    let old = write(
        &sandbox,
        &format!(".claude/projects/-x/{A}.jsonl"),
        &[claude(A, &cwd, time, "old")],
    );
    let new = write(
        &sandbox,
        &format!("config/sessions/2026/01/01/rollout-x-{B}.jsonl"),
        &codex(B, &cwd, time, "new"),
    );
    for (file, seconds) in [(&old, 1_767_225_700), (&new, 1_767_225_800)] {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        std::fs::File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_modified(time)
            .unwrap();
    }
    let codex_home = sandbox.home().join("config");
    let daemon = Daemon::start_with(&sandbox, |command| {
        command.env("CODEX_HOME", codex_home);
    });
    let mut client = daemon.client();
    let answer = client.call("sessions", &json!({ "includeFiles": true }));
    let on_disk: Vec<Value> = answer["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|session| session["pid"].is_null())
        .cloned()
        .collect();
    assert_eq!(
        on_disk,
        [
            json!({ "kind": "codex", "cwd": cwd, "sessionId": B, "title": "new", "version": "0.149.1",
                "startedAtMs": 1_767_225_600_000_u64, "lastActivityMs": 1_767_225_800_000_u64 }),
            json!({ "kind": "claude", "cwd": cwd, "sessionId": A, "title": "old", "version": "2.1.187",
                "startedAtMs": 1_767_225_600_000_u64, "lastActivityMs": 1_767_225_700_000_u64 }),
        ]
    );
    assert_eq!(answer["warnings"], Value::Null);
    let live = client.call("sessions", &json!({}));
    let live = live["sessions"].as_array().unwrap().clone();
    assert!(
        live.iter().all(|session| session["pid"].is_u64()),
        "{live:?}"
    );
}

/// Only the needed lines of a file of 200 MB are read, and of a file that did not change nothing.
#[test]
fn slow_a_large_file_costs_a_little_of_both_ends() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let time = "2026-01-01T00:00:00Z";
    let path = write(
        &sandbox,
        &format!(".claude/projects/-x/{A}.jsonl"),
        &[claude(A, &cwd, time, "large")],
    );
    let mut file = std::fs::File::options().append(true).open(path).unwrap();
    let filler = format!(
        "{}\n",
        json!({ "type": "progress", "sessionId": A, "data": "x".repeat(1 << 20) })
    );
    for _ in 0..200 {
        std::io::Write::write_all(&mut file, filler.as_bytes()).unwrap();
    }
    let mut last = claude(A, &cwd, time, "later");
    last["version"] = json!("2.2.0");
    std::io::Write::write_all(&mut file, format!("{last}\n").as_bytes()).unwrap();
    drop(file);
    let pool = pool(&sandbox);
    let before = read_bytes();
    let found = all(&pool);
    let first = read_bytes() - before;
    assert_eq!(
        shown(&found),
        [format!("claude {A} {} 2.2.0 large", cwd.display())]
    );
    assert!(first < 200_000, "{first} bytes were read");
    let before = read_bytes();
    assert_eq!(all(&pool), found);
    let again = read_bytes() - before;
    assert!(again < 20_000, "{again} bytes were read again");
}

/// How many bytes this process has read so far.
fn read_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("rchar: "));
    line.unwrap().parse().unwrap()
}

#[test]
fn a_file_that_changed_is_read_again_and_one_that_is_gone_is_forgotten() {
    let sandbox = Sandbox::new();
    let cwd = sandbox.cwd();
    let time = "2026-01-01T00:00:00Z";
    let path = format!(".claude/projects/-x/{A}.jsonl");
    let pool = pool(&sandbox);
    assert_eq!(all(&pool), Found::default());
    let file = write(&sandbox, &path, &[claude(A, &cwd, time, "one")]);
    assert!(shown(&all(&pool))[0].ends_with("one"));
    write(&sandbox, &path, &[claude(A, &cwd, time, "two, and longer")]);
    assert!(shown(&all(&pool))[0].ends_with("two, and longer"));
    std::fs::remove_file(file).unwrap();
    assert_eq!(all(&pool), Found::default());
    let shared = Arc::new(pool);
    assert_eq!(all(&shared), Found::default());
}

fn sha256(text: &str) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(text.as_bytes());
    digest
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
