//! The one binary: the command line, and behind it the daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    surfaced::cli::run(std::env::args_os())
}
