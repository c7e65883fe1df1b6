//! Agents on a host, seen through its own ps and tmux.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::actors;
use crate::support::tmux::Tmux;
use crate::support::wait;
use crate::support::world::{World, ready};

const ID: &str = "0193b5a4-0000-4000-8000-0000000000aa";

#[test]
fn a_host_lists_its_own_agents_with_their_panes() {
    if !ready() {
        return;
    }
    let world = World::new();
    let claude = actors::agent(&world.sandbox, "claude@2.1.187");
    let tmux = Tmux::start(&world.sandbox, "my work");
    let line = format!("exec {} --resume {ID}", claude.display());
    let pane = tmux.ok(&["new-window", "-d", "-P", "-F", "#{pane_id}", &line]);
    let _server = world.server("zion", "bash");
    let cwd = world.sandbox.cwd();
    for backend in ["library", "openssh"] {
        world.prefer(backend);
        let daemon = world.daemon();
        let mut client = daemon.client();
        let found = wait::until("the agent on the host", || {
            let answer = client.call("sessions", &json!({ "on": "zion" }));
            assert_eq!(answer["warnings"], Value::Null);
            let sessions = answer["sessions"].as_array().unwrap();
            sessions
                .iter()
                .find(|session| session["cwd"] == json!(cwd))
                .filter(|session| !session["tmux"].is_null())
                .cloned()
        });
        assert_eq!(found["kind"], "claude", "{found}");
        assert_eq!(found["machine"], "zion");
        assert_eq!(found["host"], "tmux");
        assert_eq!(found["viewers"], json!([]));
        assert_eq!(found["sessionId"], ID);
        assert_eq!(found["tty"], tmux.get(&pane, "#{pane_tty}"));
        assert_eq!(
            found["tmux"],
            json!({ "socket": tmux.socket(), "session": "my work", "window": tmux.get(&pane, "#{window_id}"), "pane": pane })
        );
        assert!(
            found["startedAtMs"].is_u64() && found["lastActivityMs"].is_u64(),
            "{found}"
        );
        // The surface can be driven from here.
        let surface = found["surface"].as_str().unwrap();
        assert!(surface.ends_with(";host=zion"), "{surface}");
        client.call(
            "surface.inject",
            &json!({ "surface": surface, "text": "hello", "enter": true }),
        );
        tmux.wait_for_text(&pane, "hello");
        // What the host keeps in databases is not known here, and that is said.
        let answer = client.call("sessions", &json!({ "on": "zion", "includeFiles": true }));
        let warning = answer["warnings"][0].as_str().unwrap();
        assert!(
            warning.contains("run `surfaced sessions --files` there"),
            "{warning}"
        );
    }
}

#[test]
fn a_host_that_cannot_be_reached_is_an_error() {
    if !ready() {
        return;
    }
    let world = World::new();
    let mut server = world.server("zion", "bash");
    server.stop();
    let daemon = world.daemon();
    let mut client = daemon.client();
    let error = client.fail("sessions", &json!({ "on": "zion" }));
    assert_eq!(error["data"]["kind"], "host-unreachable", "{error}");
    let error = client.fail("sessions", &json!({ "on": "-oProxyCommand=x" }));
    assert_eq!(error["data"]["kind"], "host-invalid");
    assert_eq!(error["data"]["path"], "on");
}
