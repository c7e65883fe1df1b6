//! Pure: which terminal a surface opens in. Facts are values, and the decision is a total function over them.

mod catalog;
mod current;
mod decide;
mod facts;
mod hosts;
mod place;
mod program;
mod tmux_env;

#[cfg(test)]
mod property;
#[cfg(test)]
mod table;

pub use catalog::{Candidate, find, inferred};
pub use current::{silent as silent_tmux, tmux as tmux_of};
pub use decide::{Ask, current_terminal, decide};
pub use facts::{Facts, TmuxFact};
pub use hosts::{Class, Host, SURFACED, TERMINAL_HOST, backend_of, drives, nearest, seen_in};
pub use place::{caller_env, host_id};
pub use program::{Program, is_interpreter};
pub use tmux_env::{InTmux, read as read_tmux};
