//! What one call types into a surface arrives whole, whoever else types there.

use serde_json::{Value, json};

use super::surfaces_tmux::{Dump, reference};
use crate::support::daemon::Daemon;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

/// Types many lines at once over two connections.
fn type_lines(daemon: &Daemon, surface: &Value) -> Vec<String> {
    let lines: Vec<String> = (0..24).map(|n| format!("rm file{n}")).collect();
    let mut clients = [daemon.client(), daemon.client()];
    for (n, line) in lines.iter().enumerate() {
        let params = json!({ "surface": surface, "text": line });
        clients[n % 2].request("surface.inject", &params);
    }
    for n in 0..lines.len() {
        let reply = clients[n % 2].read();
        assert_eq!(reply["result"]["writes"], 2, "{reply}");
    }
    lines
}

#[track_caller]
fn expect_whole(file: &std::path::Path, mut lines: Vec<String>) {
    let length: usize = lines.iter().map(|line| line.len() + 1).sum();
    let bytes = wait::until("all lines", || {
        std::fs::read(file)
            .ok()
            .filter(|bytes| bytes.len() >= length)
    });
    let text = String::from_utf8(bytes).unwrap();
    let mut came: Vec<String> = text.split_terminator('\r').map(str::to_owned).collect();
    came.sort();
    lines.sort();
    assert_eq!(came, lines, "{text:?}");
}

#[test]
fn lines_that_are_typed_at_once_stay_lines() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let file = sandbox.root().join("builtin");
    let line = format!("stty raw -echo; echo ready; exec cat >'{}'", file.display());
    let params = json!({ "backend": "builtin", "context": {}, "items": [{ "command": ["/bin/sh", "-c", line] }] });
    let answer = daemon.client().call("open", &params);
    let surface = &answer["results"][0]["surface"];
    let mut client = daemon.client();
    wait::until("the program", || {
        let text = client.call("surface.capture", &json!({ "surface": surface }));
        text["text"].as_str()?.contains("ready").then_some(())
    });
    let lines = type_lines(&daemon, surface);
    expect_whole(&file, lines);

    if !have("tmux") {
        return;
    }
    let tmux = Tmux::start(&sandbox, "main");
    let dump = Dump::start(&sandbox, &tmux, "dump");
    let surface = json!(reference(&tmux, &dump.pane));
    let lines = type_lines(&daemon, &surface);
    expect_whole(&dump.file, lines);
}

/// A caller that leaves between its text and its Enter leaves no half line for the next one.
#[test]
fn a_line_is_finished_whose_caller_has_left() {
    if !have("tmux") {
        return;
    }
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let tmux = Tmux::start(&sandbox, "main");
    let dump = Dump::start(&sandbox, &tmux, "left");
    let surface = json!(reference(&tmux, &dump.pane));
    for n in 0..8 {
        let mut gone = daemon.client();
        gone.request(
            "surface.inject",
            &json!({ "surface": surface, "text": format!("a{n}") }),
        );
        let id = 1;
        gone.send(format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } })
        ));
        drop(gone);
        daemon.client().call(
            "surface.inject",
            &json!({ "surface": surface, "text": format!("b{n}") }),
        );
    }
    let text = wait::until("the last line", || {
        let text = std::fs::read_to_string(&dump.file).ok()?;
        (text.contains("b7\r") && text.ends_with('\r')).then_some(text)
    });
    let lines: Vec<_> = text.split_terminator('\r').collect();
    assert!(lines.iter().all(|line| line.len() == 2), "{text:?}");
}
