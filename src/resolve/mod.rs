//! Pure: which terminal a surface opens in. Facts are values, and the decision is a total function over them.

mod agents;
mod available;
mod catalog;
mod current;
mod decide;
mod facts;
mod hosts;
mod place;
mod program;
mod tmux_env;

pub use agents::{Agent, agent};
pub use available::{Availability, availability};
pub use catalog::{Candidate, find};
pub use decide::{Ask, decide};
pub use facts::{Facts, Installed, Lack, TmuxFact};
pub use hosts::{Class, Host, backend_of, drives, nearest, seen_in};
pub use place::{KittyPlace, Place, WezTermPlace, place};
pub use program::{Program, is_interpreter};
pub use tmux_env::{InTmux, read as read_tmux};
