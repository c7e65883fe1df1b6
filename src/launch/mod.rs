//! Pure: packing, quoting, the shell wrapper, launch scripts, and the steps of a conversation with a program.

pub mod step;
