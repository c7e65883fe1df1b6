//! `surface.*`: what can be done with a surface once it is open. The exact surface is addressed and nothing else.

mod list;
mod show;
mod verbs;
mod wait;

pub use verbs::Surfaces;
