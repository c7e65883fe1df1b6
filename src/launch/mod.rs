//! Pure: packing, quoting, the shell wrapper, launch scripts, and the steps of a conversation with a program.

pub mod length;
pub mod plan;
pub mod quote;
pub mod report;
pub mod script;
pub mod seat;
pub mod shell;
pub mod ssh_line;
pub mod step;
