//! `surface.*`: what can be done with a surface once it is open. The exact surface is addressed and nothing else.

mod certain;
mod close;
mod closed;
mod list;
mod show;
mod verbs;
mod wait;

pub use closed::Announcer;
pub use verbs::Surfaces;
