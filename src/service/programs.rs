//! Processes as programs: only what tells them apart is read of each.

use crate::os::process_table::{Process, ProcessTable};
use crate::provider::{Provider, Providers};
use crate::resolve::{Program, SURFACED, is_interpreter};

/// The process as a program. Its words are read where its name does not say what runs in it, and its file where that could.
pub(super) fn program(table: &mut ProcessTable, process: &Process) -> Program {
    let name = &process.name;
    let argv = if is_interpreter(name) || name == SURFACED {
        table.argv(process.pid)
    } else {
        Vec::new()
    };
    // Programs of macOS are known by their bundles. Some agents are installed as files that are named for their version.
    let path = if cfg!(target_os = "macos")
        || table.is_told()
        || name.starts_with(|c: char| c.is_ascii_digit())
    {
        table.exe(process.pid)
    } else {
        None
    };
    Program {
        pid: process.pid,
        name: name.clone(),
        path,
        argv,
    }
}

/// The process and its ancestors as programs, the nearest first.
pub(super) fn chain(table: &mut ProcessTable, pid: u32) -> Vec<Program> {
    let chain = table.ancestry(pid);
    chain
        .iter()
        .map(|process| program(table, process))
        .collect()
}

/// The provider whose agent the process is.
pub(super) fn provider(
    providers: &Providers,
    table: &mut ProcessTable,
    process: &Process,
) -> Option<Provider> {
    let mut program = program(table, process);
    let found = providers.of_process(&program)?;
    if !is_interpreter(&program.name) {
        // The name is right; whether it serves another program only its words say.
        program.argv = table.argv(process.pid);
        providers.of_process(&program)?;
    }
    Some(found.clone())
}
