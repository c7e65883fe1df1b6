//! The one binary: the command line, and behind it the daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A host of a terminal is small and many: nothing of the command line runs in it.
    if let Some(code) = surfaced::host::entry(std::env::args_os()) {
        return code;
    }
    surfaced::cli::run(std::env::args_os())
}
