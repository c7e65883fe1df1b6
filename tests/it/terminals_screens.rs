//! What is kept of a screen, and that what is shown belongs together.

use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use pretty_assertions::assert_eq;
use serde_json::json;
use surfaced::screen::{Scope, Screen, Setup};

use super::support::daemon::Daemon;
use super::support::env::Sandbox;
use super::support::wait;

#[test]
fn two_thousand_rows_are_kept_or_as_many_as_are_wanted() {
    for (config, kept) in [("", 2000), ("[terminals]\nscrollback = 100\n", 100)] {
        let sandbox = Sandbox::new();
        std::fs::write(sandbox.state().join("config.toml"), config).unwrap();
        let daemon = Daemon::start(&sandbox);
        let mut client = daemon.client();
        let id = client.sh("seq 3000; exec cat");
        wait::until("the last line", || {
            let last = client.call("terminal.capture", &json!({ "id": id, "start": -1 }));
            (last["lines"][0] == "3000").then_some(())
        });
        // 23 lines are on the screen, above the cursor.
        let all = kept + 23;
        let oldest = client.call("terminal.capture", &json!({ "id": id, "end": 1 }));
        assert_eq!(oldest["totalLines"], all);
        assert_eq!(oldest["lines"][0], (3000 - all + 1).to_string());
        // After the end too.
        client.call("terminal.kill", &json!({ "id": id }));
        let again = client.call("terminal.capture", &json!({ "id": id, "end": 1 }));
        assert_eq!(again["lines"], oldest["lines"]);
    }
}

#[test]
fn what_is_kept_is_for_its_person_alone() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let dir = sandbox.state().join("terminals");
    let mode = |name: &str| {
        let path = dir.join(name);
        path.metadata().unwrap().permissions().mode() & 0o777
    };
    let id = client.sh("exec cat");
    assert_eq!(mode(""), 0o700);
    for kind in ["json", "sock"] {
        assert_eq!(mode(&format!("{id}.{kind}")), 0o600, "{kind}");
    }
    client.call("terminal.kill", &json!({ "id": id }));
    for kind in ["json", "screen"] {
        assert_eq!(mode(&format!("{id}.{kind}")), 0o600, "{kind}");
    }
}

#[test]
fn a_snapshot_is_of_the_size_that_it_names_whatever_changes_meanwhile() {
    let sandbox = Sandbox::new();
    let daemon = Daemon::start(&sandbox);
    let mut client = daemon.client();
    let id = client.sh("while :; do echo \"a line of some length, and then the next one\"; done");
    let resizing = {
        let (mut client, id) = (daemon.client(), id.clone());
        std::thread::spawn(move || {
            for cols in (80..=200).chain((80..200).rev()) {
                let size = json!({ "id": id, "rows": 10 + cols % 20, "cols": cols });
                client.call("terminal.resize", &size);
            }
        })
    };
    let mut sizes = std::collections::BTreeSet::new();
    while !resizing.is_finished() {
        let shown = client.call("terminal.snapshot", &json!({ "id": id }));
        let side = |name: &str| u16::try_from(shown[name].as_u64().unwrap()).unwrap();
        let (rows, cols) = (side("rows"), side("cols"));
        sizes.insert(cols);
        let mut screen = Screen::new(Setup {
            rows,
            cols,
            scrollback: 0,
            title: String::new(),
            cwd: "/".into(),
            host: String::new(),
        });
        screen.feed(&BASE64.decode(shown["screen"].as_str().unwrap()).unwrap());
        let drawn = screen.draw(Scope::Both);
        assert_eq!(
            shown["cursor"],
            json!({ "row": drawn.row, "col": drawn.col, "visible": drawn.visible })
        );
        assert_eq!((drawn.rows, drawn.cols), (rows, cols));
    }
    resizing.join().unwrap();
    assert!(sizes.len() > 2, "{sizes:?}");
    client.call("terminal.remove", &json!({ "id": id }));
}
