//! Terminal agents: programs of providers that have a name, a place and a history.
//!
//! What is known of an agent is a record on disk; one task owns them all (`book`). Whatever changes an agent takes its
//! turn first, so that ten opens at once start one program. The intent to start one is written down before it is carried
//! out, with a name under which the next daemon finds what came of it: a terminal's id, a seat's name, a directory that a
//! surface reports in. What ends is noticed by `follow`, judged by `verdict`, and its conversation looked for.
//!
//! Nothing here types into an agent, but for the phrase that leaves it when somebody closes it: the one prompt that an
//! agent is ever given is a word of the command that it was created with.

mod book;
mod close;
mod create;
mod follow;
mod left;
mod open;
mod place;
mod program;
mod record;
mod seek;
mod service;
mod sound;
mod verdict;

pub use book::Book;
pub use open::Opening;
pub use place::Places;
pub use program::Programs;
pub use record::{Record, VERSION};
pub use service::{Agents, Parts};
