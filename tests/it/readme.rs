//! The README is true: every block of shell commands in it is run, in order, in one place with an empty home.

use std::path::Path;
use std::time::Duration;

use crate::support::ensured::Ensured;
use crate::support::env::{Sandbox, have};
use crate::support::tmux::Tmux;
use crate::support::wait;

/// The blocks that are marked as `sh`, in order.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        match &mut block {
            None if line == "```sh" => block = Some(String::new()),
            Some(_) if line == "```" => blocks.extend(block.take()),
            Some(block) => {
                block.push_str(line);
                block.push('\n');
            }
            None => {}
        }
    }
    blocks
}

#[test]
fn every_command_of_the_readme_works() {
    if ["tmux", "nc", "curl", "python3"]
        .iter()
        .any(|program| !have(program))
    {
        return;
    }
    let mut sandbox = Sandbox::new();
    // `cargo` is the one command that is not run as it is: it would build this very program once more.
    let bin = sandbox.script(
        "cargo",
        &format!(
            "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -- ] && break; shift; done\n[ $# -gt 0 ] || exit 0\nshift\nexec {} \"$@\"\n",
            env!("CARGO_BIN_EXE_surfaced")
        ),
    );
    sandbox.prepend_path(&bin);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let blocks = blocks(&std::fs::read_to_string(root.join("README.md")).unwrap());
    assert!(blocks.len() >= 5, "{} blocks", blocks.len());
    // The first command starts it; it ends with the test wherever that fails.
    let _daemon = Ensured::new(&sandbox);
    // The commands are typed in a pane of tmux, as a person would: that is the terminal that surfaces open in.
    let tmux = Tmux::start(&sandbox, "reader");
    for (number, block) in blocks.iter().enumerate() {
        let script = sandbox.root().join(format!("block{number}.sh"));
        let done = sandbox.root().join(format!("done{number}"));
        std::fs::write(&script, format!("set -eu\n{block}")).unwrap();
        let line = format!(
            "cd '{0}'; sh '{1}' >'{2}.out' 2>&1 </dev/null; echo $? >'{2}.new'; mv '{2}.new' '{2}'; exec cat",
            root.display(),
            script.display(),
            done.display()
        );
        let pane = tmux.ok(&[
            "new-window",
            "-P",
            "-F",
            "#{pane_id}",
            "-t",
            "reader:",
            "sh",
            "-c",
            &line,
        ]);
        let status = wait::within(
            Duration::from_mins(2),
            &format!("the end of\n{block}"),
            || std::fs::read_to_string(&done).ok(),
        );
        let output = std::fs::read_to_string(done.with_extension("out")).unwrap_or_default();
        assert_eq!(status.trim(), "0", "the README's\n{block}said\n{output}");
        tmux.run(&["kill-pane", "-t", &pane]);
    }
    let stopped = sandbox
        .surfaced()
        .args(["daemon", "stop"])
        .status()
        .unwrap();
    assert!(stopped.success());
}
