//! What the tests of agents share: stand-ins for the programs of providers, which behave as the real ones do.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::daemon::Daemon;
use crate::support::env::Sandbox;
use crate::support::tmux::Tmux;
use crate::support::wait;

/// Claude Code as far as these tests need it: transcripts by directory and id, written once the person has said something;
/// flags that it does not know are errors; a conversation that it does not have is one too.
pub const CLAUDE: &str = r#"#!/bin/sh
echo "$$ $*" >>"$HOME/starts"
dir=$HOME/.claude/projects/$(pwd | sed 's/[^A-Za-z0-9]/-/g')
id= prompt= resume=
while [ $# -gt 0 ]; do
  case $1 in
  --version) echo "2.1.187 (Claude Code)"; exit 0 ;;
  --session-id) id=$2; shift 2 ;;
  --resume) resume=$2; shift 2 ;;
  --model | --permission-mode) shift 2 ;;
  --dangerously-skip-permissions) shift ;;
  --) prompt=$2; shift 2 ;;
  -*) echo "error: unknown option '$1'" >&2; exit 1 ;;
  *) prompt=$1; shift ;;
  esac
done
if [ -n "$resume" ]; then
  [ -f "$dir/$resume.jsonl" ] || { echo "No conversation found with session ID: $resume" >&2; exit 1; }
  id=$resume
  echo "resumed $id"
fi
say() {
  mkdir -p "$dir"
  printf '{"type":"user","sessionId":"%s","cwd":"%s","message":{"role":"user","content":"%s"}}\n' "$id" "$(pwd)" "$1" >>"$dir/$id.jsonl"
  echo "got $1"
}
if [ -e "$HOME/untrusted" ]; then
  printf 'Do you trust the files in this folder?\n1. Yes, proceed\n2. No, exit\n'
  stty -echo -icanon min 1
  key=$(dd bs=1 count=1 2>/dev/null)
  stty echo icanon
  [ "$key" = 2 ] && exit 0
  echo "trusted with $key"
fi
echo "key=${ANTHROPIC_API_KEY-none} in $(pwd)"
[ -n "$prompt" ] && say "$prompt"
echo ready
while IFS= read -r line; do
  case $line in
  /exit) echo bye; exit 0 ;;
  crash) echo boom; exit 3 ;;
  die) kill -9 $$ ;;
  *) say "$line" ;;
  esac
done
"#;

/// A place with stand-ins, a daemon and a client of it.
pub struct Stage {
    pub daemon: Option<Daemon>,
    pub client: Client,
    pub sandbox: Sandbox,
}

impl Stage {
    /// With Claude Code.
    pub fn new() -> Self {
        Self::with(&[("claude", CLAUDE)])
    }

    /// With these programs.
    pub fn with(programs: &[(&str, &str)]) -> Self {
        let mut sandbox = Sandbox::new();
        let bin = sandbox.root().join("bin");
        std::fs::create_dir_all(&bin).unwrap();
        for (name, text) in programs {
            sandbox.script(name, text);
        }
        sandbox.prepend_path(&bin);
        let daemon = Daemon::start(&sandbox);
        let client = daemon.client();
        Self {
            daemon: Some(daemon),
            client,
            sandbox,
        }
    }

    /// Another program in the place of one.
    pub fn replace(&self, name: &str, text: &str) {
        self.sandbox.script(name, text);
    }

    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.client.call(method, params)
    }

    /// Calls a method that takes an agent.
    #[track_caller]
    pub fn agent(&mut self, method: &str, id: &str) -> Value {
        self.client.call(method, &json!({ "id": id }))
    }

    /// The error of a method that takes an agent.
    #[track_caller]
    pub fn refused(&mut self, method: &str, id: &str) -> Value {
        self.client.fail(method, &json!({ "id": id }))
    }

    /// Creates an agent in this directory, and waits until its program is ready.
    #[track_caller]
    pub fn create_in(&mut self, cwd: &Path, more: &Value) -> Value {
        let mut params = json!({ "provider": "claude", "cwd": cwd });
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        let agent = self.call("agent.create", &params);
        if let Some(terminal) = agent["terminalId"].as_str() {
            self.shows(terminal, "ready");
        }
        agent
    }

    #[track_caller]
    pub fn create(&mut self) -> Value {
        let cwd = self.sandbox.cwd();
        self.create_in(&cwd, &json!({}))
    }

    /// Waits until an agent is in this state, and returns it.
    #[track_caller]
    pub fn reaches(&mut self, id: &str, lifecycle: &str) -> Value {
        let mut last = Value::Null;
        wait::until(&format!("{id} to be {lifecycle}"), || {
            last = self.client.call("agent.get", &json!({ "id": id }));
            (last["lifecycle"] == lifecycle).then(|| last.clone())
        })
    }

    /// The lines of a terminal.
    pub fn screen(&mut self, terminal: &str) -> String {
        let kept = self.call("terminal.capture", &json!({ "id": terminal }));
        let lines = kept["lines"].as_array().unwrap().iter();
        let lines: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
        lines.join("\n")
    }

    /// Waits until a terminal shows this.
    #[track_caller]
    pub fn shows(&mut self, terminal: &str, text: &str) {
        let mut last = String::new();
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait::until("the terminal to show it", || {
                last = self.screen(terminal);
                last.contains(text).then_some(())
            });
        }));
        assert!(found.is_ok(), "{terminal} never showed {text:?}: {last}");
    }

    /// Types a line into a terminal.
    pub fn types(&mut self, terminal: &str, line: &str) {
        self.call(
            "terminal.input",
            &json!({ "id": terminal, "data": format!("{line}\r") }),
        );
    }

    /// kill -9 of the daemon, and the next one.
    pub fn crash(&mut self) {
        self.daemon.take().unwrap().kill();
        self.start();
    }

    /// kill -9 of the daemon.
    pub fn kill(&mut self) {
        self.daemon.take().unwrap().kill();
    }

    /// The next daemon.
    pub fn start(&mut self) {
        let daemon = Daemon::start(&self.sandbox);
        self.client = daemon.client();
        self.daemon = Some(daemon);
    }

    /// Every start of a program, as its process and its words.
    pub fn starts(&self) -> Vec<(u32, String)> {
        let text = std::fs::read_to_string(self.sandbox.home().join("starts")).unwrap_or_default();
        text.lines()
            .filter(|line| !line.ends_with("--version"))
            .map(|line| {
                let (pid, words) = line.split_once(' ').unwrap();
                (pid.parse().unwrap(), words.to_owned())
            })
            .collect()
    }

    /// The transcript of a conversation of a directory.
    pub fn transcript(&self, cwd: &Path, session: &str) -> PathBuf {
        let slug: String = cwd
            .to_str()
            .unwrap()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let dir = self.sandbox.home().join(".claude/projects").join(slug);
        dir.join(format!("{session}.jsonl"))
    }

    /// The record of an agent.
    pub fn record(&self, id: &str) -> PathBuf {
        self.sandbox
            .state()
            .join("agents")
            .join(format!("{id}.json"))
    }

    /// Another directory to work in.
    pub fn dir(&self, name: &str) -> PathBuf {
        let dir = self.sandbox.root().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }
}

impl Drop for Stage {
    /// A server of tmux that something started here would outlive the test.
    fn drop(&mut self) {
        drop(Tmux::absent(&self.sandbox));
    }
}

/// A text of an answer.
#[track_caller]
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("no text: {value}"))
        .to_owned()
}
