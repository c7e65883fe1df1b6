//! `open`, `open.subscribe` and `build`: from items to surfaces, and the truth about each.
//!
//! A call is prepared (where the caller is, which terminal, every check that can be made before anything opens) and then run
//! in a task of its own, in order within each terminal. Who called follows its [`Running`].

mod check;
mod group;
pub(crate) mod host_script;
mod kept;
mod keys;
mod opener;
mod place;
mod planning;
mod prepare;
mod progress;
mod shells;
mod there;

pub use kept::{Kept, VERSION};
pub use opener::{Opener, Parts};
pub use place::{Links, OnThisMachine, Place, Question, Whereabouts};
pub use prepare::Refused;
pub use progress::Running;
