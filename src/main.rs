//! The one binary: the command line, and behind it the daemon.

fn main() {}
