//! How long 5,000 sessions on disk take to list: the first time, when the beginning and the end of each file are read, and again.
//!
//! `cargo bench --bench conversations`
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and stops where something is wrong"
)]

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use surfaced::provider::Providers;
use surfaced::service::conversations::Pool;

const SESSIONS: usize = 5_000;
const ROUNDS: usize = 21;
/// Bytes of each file: as a short day's work has.
const SIZE: usize = 64 << 10;

fn main() {
    let home = tempfile::tempdir().unwrap();
    for number in 0..SESSIONS {
        write(home.path(), number);
    }
    let (_, providers) = tokio::sync::watch::channel(Providers::default());
    let pool = Pool::new(providers, home.path().to_str().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let list = || {
        let start = Instant::now();
        let found = runtime.block_on(pool.all());
        assert_eq!(found.conversations.len(), SESSIONS);
        assert_eq!(found.damaged, []);
        start.elapsed()
    };
    println!(
        "{SESSIONS} sessions of {} KiB, half of Claude Code, half of Codex",
        SIZE >> 10
    );
    let first = list();
    let mut again: Vec<Duration> = (0..ROUNDS).map(|_| list()).collect();
    again.sort_unstable();
    println!("the first time  {:>8.1} ms", first.as_secs_f64() * 1e3);
    println!(
        "again, median   {:>8.1} ms",
        again[ROUNDS / 2].as_secs_f64() * 1e3
    );
    println!(
        "again, slowest  {:>8.1} ms",
        again[ROUNDS - 1].as_secs_f64() * 1e3
    );
}

fn write(home: &Path, number: usize) {
    let id = format!("0193b5a4-0000-4000-8000-{number:012}");
    let time = "2026-01-01T00:00:00Z";
    let cwd = format!("/srv/project-{}", number % 50);
    let (dir, name, mut text) = if number.is_multiple_of(2) {
        let line = format!(
            r#"{{"type":"user","isSidechain":false,"sessionId":"{id}","cwd":"{cwd}","version":"2.1.187","timestamp":"{time}","message":{{"role":"user","content":"number {number}"}}}}"#
        );
        (
            format!(".claude/projects/-srv-project-{}", number % 50),
            format!("{id}.jsonl"),
            line + "\n",
        )
    } else {
        let meta = format!(
            r#"{{"timestamp":"{time}","type":"session_meta","payload":{{"id":"{id}","timestamp":"{time}","cwd":"{cwd}","cli_version":"0.149.1"}}}}"#
        );
        let said = format!(
            r#"{{"timestamp":"{time}","type":"response_item","payload":{{"type":"message","role":"user","content":[{{"type":"input_text","text":"number {number}"}}]}}}}"#
        );
        (
            format!(
                ".codex/sessions/2026/{:02}/{:02}",
                number % 12 + 1,
                number % 28 + 1
            ),
            format!("rollout-2026-01-01T00-00-00-{id}.jsonl"),
            format!("{meta}\n{said}\n"),
        )
    };
    while text.len() < SIZE {
        writeln!(
            text,
            r#"{{"type":"progress","data":"{}"}}"#,
            "x".repeat(1000)
        )
        .unwrap();
    }
    let dir = home.join(dir);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join(name), text).unwrap();
}
