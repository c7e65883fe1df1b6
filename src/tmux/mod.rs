//! Pure: what tmux is told and what it answers. Each command is a value with its words and the reading of its own answer.
//!
//! Everything that is addressed is addressed by the id that tmux gave it (`$session`, `@window`, `%pane`), never by a name,
//! an index or "the current one": names are matched by prefix and pattern, and the current one is where the person looks.

pub mod census;
pub mod command;
pub mod escape;
pub mod guard;
pub mod id;
pub mod key;
pub mod layout;
pub mod list;
pub mod open;
pub mod outcome;
pub mod pane;
pub mod record;
pub mod seat;
pub mod server;

pub use command::{Command, Verb};
pub use guard::OnServer;
pub use id::{PaneId, SessionId, WindowId};
pub use key::{Key, NoKey};
pub use outcome::{Absent, Outcome};
pub use server::Server;
