//! The wire as real clients use it.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{self, Message};

use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

/// Runs a command with this on its standard input.
fn feed(mut command: Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn json_lines(output: &Output) -> Vec<Value> {
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}")))
        .collect()
}

const PRETTY: &str = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 12345678901234567890,\n  \"method\": \"plan\",\n  \"params\": { \"count\": 2 }\n}\n";

fn expect_plan(replies: &[Value]) {
    let [reply] = replies else {
        panic!("{replies:?}");
    };
    assert_eq!(reply["id"].to_string(), "12345678901234567890");
    assert_eq!(reply["result"]["layouts"], json!(["tab", "split-right"]));
}

#[test]
fn nc_gets_an_answer_to_what_is_printed_into_it() {
    if !have("nc") {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut nc = sandbox.command("nc");
    nc.args(["-N", "-U"]).arg(daemon.socket().unwrap());
    expect_plan(&json_lines(&feed(nc, PRETTY.as_bytes())));
}

#[test]
fn socat_gets_an_answer_without_a_last_newline() {
    if !have("socat") {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut socat = sandbox.command("socat");
    let address = format!("UNIX-CONNECT:{}", daemon.socket().unwrap().display());
    socat.args(["-t", "30", "-", &address]);
    expect_plan(&json_lines(&feed(socat, PRETTY.trim_end().as_bytes())));
}

#[test]
fn curl_posts_and_asks() {
    if !have("curl") {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let curl = |args: &[&str]| {
        let output = sandbox
            .command("curl")
            .args(["-sS", "--unix-socket"])
            .arg(daemon.socket().unwrap())
            .args(["-w", "\n%{http_code}"])
            .args(args)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (body, status) = text.rsplit_once('\n').unwrap();
        (status.to_owned(), body.to_owned())
    };
    let (status, body) = curl(&["-d", PRETTY, "http://localhost/"]);
    assert_eq!(status, "200");
    expect_plan(&[serde_json::from_str(&body).unwrap()]);
    let notification = r#"{"jsonrpc":"2.0","method":"daemon.hello"}"#;
    assert_eq!(
        curl(&["--json", notification, "http://localhost"]),
        ("204".into(), String::new())
    );
    assert_eq!(
        curl(&[
            "-H",
            "Origin: http://evil",
            "-d",
            PRETTY,
            "http://localhost"
        ])
        .0,
        "403"
    );
    assert_eq!(curl(&["http://localhost/healthz"]).0, "200");
    let (status, document) = curl(&["http://localhost/openrpc.json"]);
    assert_eq!(status, "200");
    let document: Value = serde_json::from_str(&document).unwrap();
    let mut client = daemon.client();
    assert_eq!(document, client.call("rpc.discover", &json!({})));
    // A body that curl sends in chunks, after asking whether it may.
    let large = json!({ "jsonrpc": "2.0", "id": 1, "method": "plan", "params": { "count": 1, "x": "y".repeat(2 << 20) } });
    let path = sandbox.cwd().join("large.json");
    std::fs::write(&path, large.to_string()).unwrap();
    let (status, body) = curl(&[
        "-H",
        "Transfer-Encoding: chunked",
        "-H",
        "Expect: 100-continue",
        "--data-binary",
        &format!("@{}", path.display()),
        "http://localhost",
    ]);
    assert_eq!(status, "200");
    assert!(body.contains("there is no parameter x"), "{body}");
}

#[test]
fn a_websocket_client_calls_and_is_refused_with_an_origin() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let connect = || {
        let stream = UnixStream::connect(daemon.socket().unwrap()).unwrap();
        stream.set_read_timeout(Some(wait::LONG)).unwrap();
        stream
    };
    let (mut socket, _) = tungstenite::client("ws://localhost/", connect()).unwrap();
    for id in 0..3 {
        let call =
            json!({ "jsonrpc": "2.0", "id": id, "method": "plan", "params": [{ "count": 1 }] });
        socket.send(Message::text(call.to_string())).unwrap();
        let reply = socket.read().unwrap().into_text().unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["result"]["layouts"], json!(["tab"]));
        assert_eq!(reply["id"], id);
    }
    socket.close(None).unwrap();
    while socket.read().is_ok() {}

    let request = tungstenite::http::Request::builder()
        .uri("ws://localhost/")
        .header("Host", "localhost")
        .header("Connection", "Upgrade")
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
        .header("Origin", "http://localhost")
        .body(())
        .unwrap();
    assert!(tungstenite::client(request, connect()).is_err());
}

#[test]
fn python_sends_and_receives_over_a_plain_socket() {
    if !have("python3") {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let script = r#"
import json, socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(30)
s.connect(sys.argv[1])
# A character cut in two, three requests at once, and a batch.
call = json.dumps({"jsonrpc": "2.0", "id": "\U0001f600", "method": "plan", "params": {"count": 1}}, ensure_ascii=False).encode()
for byte in call + b"\n":
    s.send(bytes([byte]))
f = s.makefile("rb")
assert json.loads(f.readline())["id"] == "\U0001f600"
s.sendall(b"".join(call + b"\r\n" for _ in range(3)))
for _ in range(3):
    assert json.loads(f.readline())["result"] == {"layouts": ["tab"]}
s.sendall(b"[" + call + b", 1]\n")
replies = json.loads(f.readline())
assert replies[1]["error"]["code"] == -32600, replies
s.sendall(call)
s.shutdown(socket.SHUT_WR)
assert json.loads(f.readline())["result"]
assert f.read() == b""
print("fine")
"#;
    let output = sandbox
        .command("python3")
        .arg("-c")
        .arg(script)
        .arg(daemon.socket().unwrap())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "fine\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Installs the package once for all runs, with the environment of whoever runs the tests: it says how to reach the
/// registry. `None` where that cannot be done.
fn vscode_jsonrpc() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vscode-jsonrpc-8.2.1");
    let module = dir.join("node_modules/vscode-jsonrpc");
    if module.join("node.js").exists() {
        return Some(module);
    }
    std::fs::create_dir_all(&dir).unwrap();
    #[expect(clippy::disallowed_methods, reason = "tests start programs")]
    let mut npm = Command::new("npm");
    let output = npm
        .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(&dir)
        .arg("vscode-jsonrpc@8.2.1")
        .output()
        .unwrap();
    if output.status.success() {
        return Some(module);
    }
    #[expect(clippy::disallowed_methods, reason = "CI says so in the environment")]
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!ci, "npm install vscode-jsonrpc: {said}");
    eprintln!("left out: vscode-jsonrpc cannot be installed: {said}");
    None
}

#[test]
fn slow_vscode_jsonrpc_calls_fails_and_cancels() {
    if !have("node") || !have("npm") || !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let Some(module) = vscode_jsonrpc() else {
        return;
    };
    let _tmux = Tmux::start(&sandbox, "work");
    let daemon = Daemon::start(&sandbox);
    let script = r"
const net = require('net');
const rpc = require(process.argv[2] + '/node');
const socket = net.connect(process.argv[1]);
const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(socket), new rpc.StreamMessageWriter(socket));
connection.onError(error => { console.error(error); process.exit(1); });
connection.listen();
(async () => {
  const hello = await connection.sendRequest('daemon.hello', { client: 'vscode-jsonrpc' });
  if (hello.protocol !== 1) throw new Error('protocol');
  const failure = await connection.sendRequest('plan', { count: 'x' }).catch(error => error);
  if (failure.code !== -32602 || failure.data.path !== 'count') throw failure;
  const { surfaces } = await connection.sendRequest('surface.list', { backend: 'tmux' });
  const source = new rpc.CancellationTokenSource();
  const waiting = connection.sendRequest('surface.wait', { surface: surfaces[0].surface }, source.token).catch(error => error);
  const plans = await Promise.all([1, 2, 3].map(count => connection.sendRequest('plan', { count })));
  if (plans[2].layouts.length !== 3) throw new Error('plans');
  source.cancel();
  const cancelled = await waiting;
  if (cancelled.code !== -32800) throw cancelled;
  connection.dispose();
  socket.end();
  console.log('fine');
})().catch(error => { console.error(error, error.data); process.exit(1); });
";
    let output = sandbox
        .command("node")
        .arg("-e")
        .arg(script)
        .arg(daemon.socket().unwrap())
        .arg(module)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "fine\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn content_length_works_from_the_first_byte() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut stream = UnixStream::connect(daemon.socket().unwrap()).unwrap();
    stream.set_read_timeout(Some(wait::LONG)).unwrap();
    let body = PRETTY.trim_end();
    write!(
        stream,
        "content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    assert_eq!(head, format!("Content-Length: {}", body.len()));
    expect_plan(&[serde_json::from_str(body).unwrap()]);
}
